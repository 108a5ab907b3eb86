"""Families with fields of their own, KoBBQ, CBBQ and GG-BBQ; and two that are read as MBBQ is, JBBQ and BasqBBQ.

KoBBQ (Jin et al. 2024) is BBQ for Korea, CBBQ (Huang & Xiong 2024) for China, JBBQ (Yanaka et al. 2024) for Japan, BasqBBQ
(Saralegi & Zulaika 2025) for the Basque Country; GG-BBQ (Satheesh et al. 2025) is the gender part of BBQ, in German.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar, Final

from pydantic import Field

from biascore.api.formats import FrozenMap
from biascore.api.support import quoted
from biascore_metrics.bbq.formats.bbq import ANSWERS, Mbbq
from biascore_metrics.bbq.formats.family import UNKNOWN, Family, FamilyOptions, aimed, with_target
from biascore_metrics.bbq.formats.rows import Row
from biascore_metrics.bbq.items import Question

NOT_KNOWN: Final = "알 수 없음"
"""How the file phrases the option of not knowing."""
_SAMPLE: Final = re.compile(
    r"(?P<category>.+)-(?P<template>\d+)[a-z]+-\d+-(?P<context>amb|dis)-(?P<question>bsd|cnt)"
)
TRANS: Final = "trans"
_NAME: Final = re.compile(r"\w+")


class KoBbq(Family):
    """The files of naver-ai/KoBBQ: ``KoBBQ_test_samples.tsv`` and ``KoBBQ_all_samples.tsv``."""

    id: ClassVar[str] = "kobbq"
    summary: ClassVar[str] = "questions with options, KoBBQ: Korean (TSV, JSON Lines; a file or a folder)"
    example: ClassVar[str] = "kobbq:KoBBQ_test_samples.tsv"
    title: ClassVar[str] = "KoBBQ"
    languages: ClassVar[tuple[str, ...]] = ("ko",)
    item: ClassVar[tuple[str, ...]] = ("sample_id",)
    several_prompts: ClassVar[bool] = True

    def asked(self, row: Row) -> Question:
        """What a row asks; the target is its biased answer."""
        parts = _SAMPLE.fullmatch(row.text("sample_id"))
        if parts is None:
            written = "category-001a-002-amb-bsd (amb or dis, bsd or cnt)"
            raise row.error("sample_id", f"and is written as {written}. Correct it")
        choices = row.strings("choices")
        groups = tuple(UNKNOWN if choice.strip() == NOT_KNOWN else choice for choice in choices)
        target = _place(row, "biased_answer", choices)
        if groups[target] == UNKNOWN:
            raise row.error("biased_answer", "that it is not known. Correct it")
        one = self.question(
            row,
            choices,
            groups,
            label=_place(row, "answer", choices),
            negative=parts["question"] == "bsd",
            ambiguous=parts["context"] == "amb",
            template=f"{parts['category']}-{parts['template']}",
            category=parts["category"],
        )
        return with_target(one, target)


def _place(row: Row, name: str, choices: tuple[str, ...]) -> int:
    found = row.text(name)
    places = [i for i, choice in enumerate(choices) if choice.strip() == found]
    if not places:
        raise row.error(name, f"which is none of the choices {', '.join(map(quoted, choices))}. Correct it")
    return places[0]


class GgBbq(Family):
    """The files of shalakasatheesh/GG-BBQ: ``bbq_de_amb_test.jsonl`` and so on; ``subset-1`` has both contexts."""

    id: ClassVar[str] = "ggbbq"
    summary: ClassVar[str] = "questions with options, GG-BBQ: German (JSON Lines; a file or a folder)"
    example: ClassVar[str] = "ggbbq:data/subset-1"
    title: ClassVar[str] = "GG-BBQ"
    languages: ClassVar[tuple[str, ...]] = ("de",)
    item: ClassVar[tuple[str, ...]] = ("context_type", "index")

    def begin(self, language: str) -> tuple[str, ...]:
        """How groups and templates are found."""
        return (
            'Options of the group "non_binary" are those of trans people, where the stereotype is about them.',
            "Templates are the pairs of a negative and a non-negative question: the files number none.",
        )

    def asked(self, row: Row) -> Question:
        """What a row asks; the target is of a stereotyped group, where that of trans people is "non_binary" in options."""
        infos = row.lists("choice_info", "0", "1", "2")
        groups = [parts[-1].strip() if parts else "" for parts in infos]
        groups = [TRANS if group == "non_binary" else group for group in groups]
        stereotyped = row.strings("known_stereotyped_groups")
        known = {TRANS if group.lower().startswith("trans") else group for group in stereotyped}
        texts = [row.text(f"choice_{i}") for i in range(3)]
        persons = [text for text, group in zip(texts, groups, strict=True) if group != UNKNOWN]
        one = self.question(
            row,
            texts,
            groups,
            label=row.whole("label"),
            negative=row.one_of("question_type", {"negative": True, "non_negative": False}),
            ambiguous=row.one_of("context_type", {"ambiguous_context": True, "disambiguous_context": False}),
            template="",
            category="Gender_identity",
            names=any(map(_NAME.fullmatch, persons)),
        )
        return aimed(one, [group in known for group in groups])

    def settle(self, asked: list[Question]) -> list[Question]:
        """With the pair of questions as the template: those that are asked of one context belong together."""
        pairs: dict[str, str] = {}

        def first(question: str) -> str:
            while pairs.setdefault(question, question) != question:
                question = pairs[question]
            return question

        of_context: defaultdict[str, list[str]] = defaultdict(list)
        for one in sorted(asked, key=lambda one: not one.negative):
            of_context[one.context].append(one.question)
        for questions in of_context.values():
            for question in questions[1:]:
                pairs[first(question)] = first(questions[0])
        return [replace(one, template=first(one.question)) for one in asked]


class Jbbq(Mbbq):
    """The files of JBBQ, which its authors give on request: ``Age.jsonl`` and four more, in the fields of BBQ."""

    id: ClassVar[str] = "jbbq"
    summary: ClassVar[str] = "questions with options, JBBQ: Japanese (JSON Lines; a file or a folder)"
    example: ClassVar[str] = "jbbq:Age.jsonl"
    title: ClassVar[str] = "JBBQ"
    languages: ClassVar[tuple[str, ...]] = ("ja",)
    several_prompts: ClassVar[bool] = False
    spellings: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("女性", "女の子"), "F"),
        **dict.fromkeys(("男性", "男の子"), "M"),
    }

    def same(self, group: str) -> str:
        """What a group is called in all spellings of the files."""
        return self.spellings.get(group.lower(), super().same(group))

    def group_names(self, text: str, group: str) -> tuple[str, ...]:
        """Its group, or its text: some stereotyped groups are named as the options are."""
        return group, text

    def named(self, row: Row, persons: Sequence[tuple[str, str, str]]) -> bool:
        """Whether the texts begin with capitals: the numbers of templates tell nothing here."""
        return all(text[:1].isupper() for text, _, _ in persons)


class BasqBbq(Jbbq):
    """The files of orai-nlp/BasqBBQ: ``Adin.jsonl`` and so on; those of one context repeat the items of the whole."""

    id: ClassVar[str] = "basqbbq"
    summary: ClassVar[str] = "questions with options, BasqBBQ: Basque (JSON Lines; a file or a folder)"
    example: ClassVar[str] = "basqbbq:Adin.jsonl"
    title: ClassVar[str] = "BasqBBQ"
    languages: ClassVar[tuple[str, ...]] = ("eu",)
    spellings: ClassVar[Mapping[str, str]] = dict.fromkeys(("trans_m", "trans_f"), "trans")


PHRASES: Final = ("不知道", "不确定", "无法确定", "不能确定", "无法判断", "不清楚", "未知")
"""What is in the option of not knowing of CBBQ."""
_GROUPS: Final = re.compile("[/、，,]")
_SHOWN: Final = 3


class CbbqOptions(FamilyOptions):
    """As for ``bbq``; ``groups``: the options that are of a group, by what ``bias_targeted_groups`` says of it.

    ``{新冠患者 = ["传染病患者"]}``: the file names the group, and not which option is of it.
    """

    groups: FrozenMap[tuple[str, ...]] = Field(default_factory=lambda: MappingProxyType({}), strict=False)


class Cbbq(Family):
    """The files of YFHuangxxxx/CBBQ: ``ambiguous.json`` and ``disambiguous.json`` of each category, and their CSV."""

    id: ClassVar[str] = "cbbq"
    summary: ClassVar[str] = "questions with options, CBBQ: Chinese (a JSON list, CSV; a file or a folder)"
    example: ClassVar[str] = "cbbq:data/disease/ambiguous/ambiguous.json"
    title: ClassVar[str] = "CBBQ"
    languages: ClassVar[tuple[str, ...]] = ("zh",)
    item: ClassVar[tuple[str, ...]] = ("category", "context_condition", "example_id")
    option_type: ClassVar[type[FamilyOptions]] = CbbqOptions
    options: CbbqOptions

    def begin(self, language: str) -> tuple[str, ...]:
        """How options are distinguished."""
        self._unfound: Counter[str] = Counter()
        return (
            "Of the stereotyped group is the option that holds its name, or one that the option groups gives, but not after "
            f"非; not knowing is an option with one of {', '.join(PHRASES)}.",
        )

    def asked(self, row: Row) -> Question:
        """What a row asks; the target is of the group that the row names, where one option can be of it."""
        texts = [row.text(name) for name in ANSWERS]
        groups = [UNKNOWN if any(phrase in text for phrase in PHRASES) else text for text in texts]
        said = row.text("bias_targeted_groups")
        names = {*filter(None, map(str.strip, _GROUPS.split(said))), *self.options.groups.get(said, ())}
        hits = [
            group != UNKNOWN and any(name in group.replace(f"非{name}", "") for name in names)
            for group in groups
        ]
        if sum(hits) != 1:
            self._unfound[said] += 1
        one = self.question(
            row,
            texts,
            groups,
            label=row.whole("label"),
            negative=row.one_of("question_polarity", {"neg": True, "nonneg": False}),
            ambiguous=row.one_of("context_condition", {"ambiguous": True, "disambiguous": False}),
            template=row.text("question_index"),
            category=row.text("category"),
        )
        return aimed(one, hits)

    def noted(self) -> tuple[str, ...]:
        """Which groups no option names, or both."""
        if not self._unfound:
            return ()
        some = self._unfound.most_common(_SHOWN)
        named = ", ".join(f"{quoted(group)} ({count:,} items)" for group, count in some)
        more = f" and {len(self._unfound) - _SHOWN:,} more" if len(self._unfound) > _SHOWN else ""
        return (
            f"bias_targeted_groups is {named}{more}, which none or both of the persons are called: say which option is of a "
            f'group with the option groups, such as groups = {{{some[0][0]} = ["…"]}}.',
        )

"""Two families with fields of their own: KoBBQ (Jin et al. 2024), and GG-BBQ (Satheesh et al. 2025).

KoBBQ is BBQ for Korea, in Korean; GG-BBQ is the gender part of BBQ, in German.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import ClassVar, Final

from biascore.api.support import quoted
from biascore_metrics.bbq.formats.family import UNKNOWN, Family, aimed, with_target
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

"""GG-BBQ (Satheesh et al. 2025): the gender part of BBQ, in German."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Final

from biascore_metrics.bbq.formats.family import UNKNOWN, Asked, Family
from biascore_metrics.bbq.formats.rows import Row

CATEGORY: Final = "Gender_identity"
TRANS: Final = "trans"
_POLARITY: Final = {"negative": True, "non_negative": False}
_CONTEXT: Final = {"ambiguous_context": True, "disambiguous_context": False}
_NAME: Final = re.compile(r"\w+")


class GgBbq(Family):
    """The files of shalakasatheesh/GG-BBQ: ``bbq_de_amb_test.jsonl`` and so on; ``subset-1`` has both contexts."""

    id: ClassVar[str] = "ggbbq"
    summary: ClassVar[str] = "questions with options, GG-BBQ: German (JSON Lines; a file or a folder)"
    example: ClassVar[str] = "ggbbq:data/subset-1"
    title: ClassVar[str] = "GG-BBQ"
    languages: ClassVar[tuple[str, ...]] = ("de",)
    item: ClassVar[tuple[str, ...]] = ("context_type", "index")

    def asked(self, row: Row) -> Asked:
        """What a row asks; the target is of a stereotyped group, where that of trans people is "non_binary" in options."""
        found = row.value("choice_info")
        info = {str(key): value for key, value in found.items()} if isinstance(found, dict) else {}
        if not {"0", "1", "2"} <= info.keys():
            raise row.error("choice_info", "and needs 0, 1 and 2. Correct it")
        groups = tuple(_option_group(row, key, info[key]) for key in ("0", "1", "2"))
        known = {_known_group(one) for one in row.strings("known_stereotyped_groups")}
        texts = tuple(row.text(f"choice_{i}") for i in range(3))
        return Asked(
            item=self.named(row),
            template="",
            category=CATEGORY,
            context=row.text("context"),
            question=row.text("question"),
            texts=texts,
            groups=groups,
            label=row.whole("label"),
            negative=row.one_of("question_type", _POLARITY),
            ambiguous=row.one_of("context_type", _CONTEXT),
            names=any(
                _NAME.fullmatch(text) for text, group in zip(texts, groups, strict=True) if group != UNKNOWN
            ),
        ).aimed(tuple(group in known for group in groups))

    def settle(self, asked: list[Asked]) -> list[Asked]:
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

    def told(self, language: str) -> Iterable[str]:
        """How groups and templates were found."""
        return (
            'Options of the group "non_binary" are those of trans people, where the stereotype is about them.',
            "Templates are the pairs of a negative and a non-negative question: the files number none.",
        )


def _option_group(row: Row, key: str, info: object) -> str:
    parts = row.as_strings(f"choice_info[{key}]", info)
    group = parts[-1].strip() if parts else ""
    return TRANS if group == "non_binary" else group


def _known_group(group: str) -> str:
    return TRANS if group.lower().startswith("trans") else group

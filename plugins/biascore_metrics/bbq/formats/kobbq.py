"""KoBBQ (Jin et al. 2024): BBQ for Korea, in Korean."""

from __future__ import annotations

import re
from typing import ClassVar, Final

from biascore.api.support import quoted
from biascore.errors import DataError
from biascore_metrics.bbq.formats.family import UNKNOWN, Asked, Family
from biascore_metrics.bbq.formats.rows import Row

NOT_KNOWN: Final = "알 수 없음"
"""How the file phrases the option of not knowing."""
_SAMPLE: Final = re.compile(
    r"(?P<category>.+)-(?P<template>\d+)[a-z]+-\d+-(?P<context>amb|dis)-(?P<question>bsd|cnt)"
)


class KoBbq(Family):
    """The files of naver-ai/KoBBQ: ``KoBBQ_test_samples.tsv`` and ``KoBBQ_all_samples.tsv``."""

    id: ClassVar[str] = "kobbq"
    summary: ClassVar[str] = "questions with options, KoBBQ: Korean (TSV, JSON Lines; a file or a folder)"
    example: ClassVar[str] = "kobbq:KoBBQ_test_samples.tsv"
    title: ClassVar[str] = "KoBBQ"
    languages: ClassVar[tuple[str, ...]] = ("ko",)
    item: ClassVar[tuple[str, ...]] = ("sample_id",)
    several_prompts: ClassVar[bool] = True

    def asked(self, row: Row) -> Asked:
        """What a row asks; the target is its biased answer."""
        sample = row.text("sample_id")
        parts = _SAMPLE.fullmatch(sample)
        if parts is None:
            raise row.error(
                "sample_id",
                "and is written as category-001a-002-amb-bsd (amb or dis, bsd or cnt). Correct it",
            )
        choices = row.strings("choices")
        groups = tuple(UNKNOWN if choice.strip() == NOT_KNOWN else choice for choice in choices)
        target = _place(row, "biased_answer", choices)
        if groups[target] == UNKNOWN:
            raise DataError(
                f"{row.place}: biased_answer is {quoted(NOT_KNOWN)}, that it is not known. Correct it"
            )
        return Asked(
            item=self.named(row),
            template=f"{parts['category']}-{parts['template']}",
            category=parts["category"],
            context=row.text("context"),
            question=row.text("question"),
            texts=choices,
            groups=groups,
            label=_place(row, "answer", choices),
            negative=parts["question"] == "bsd",
            ambiguous=parts["context"] == "amb",
            target=target,
        )


def _place(row: Row, name: str, choices: tuple[str, ...]) -> int:
    found = row.text(name)
    places = [i for i, choice in enumerate(choices) if choice.strip() == found]
    if not places:
        raise row.error(name, f"which is none of the choices {', '.join(map(quoted, choices))}. Correct it")
    return places[0]

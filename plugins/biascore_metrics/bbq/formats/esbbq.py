"""EsBBQ and CaBBQ (BSC 2025): BBQ written anew for Spain, in Spanish and in Catalan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from biascore_metrics.bbq.formats.bbq import ANSWERS
from biascore_metrics.bbq.formats.family import CONTEXT, POLARITY, UNKNOWN, Asked, Family, FamilyOptions
from biascore_metrics.bbq.formats.rows import Row
from biascore_metrics.bbq.formats.wording import UNKNOWN as PHRASES


class EsBbqOptions(FamilyOptions):
    """As for ``bbq``; ``unknown``: the phrase in place of the word "unknown", by default the first of the language."""

    unknown: str = ""


class EsBbq(Family):
    """The files of langtech-bsc/EsBBQ-CaBBQ: ``Age.full.csv`` and so on."""

    id: ClassVar[str] = "esbbq"
    summary: ClassVar[str] = "questions with options, EsBBQ and CaBBQ: Spanish, Catalan (a file or a folder)"
    example: ClassVar[str] = "esbbq:Religion.full.csv"
    title: ClassVar[str] = "EsBBQ/CaBBQ"
    languages: ClassVar[tuple[str, ...]] = ("es", "ca")
    item: ClassVar[tuple[str, ...]] = ("category", "instance_id")
    option_type: ClassVar[type[FamilyOptions]] = EsBbqOptions
    options: EsBbqOptions

    def asked(self, row: Row) -> Asked:
        """What a row asks; the target is the option whose group, after the last comma, is a stereotyped one."""
        info = row.value("answer_info")
        if not isinstance(info, dict) or not {*ANSWERS} <= info.keys():
            raise row.error("answer_info", "and needs ans0, ans1 and ans2. Correct it")
        groups = tuple(_group(row, name, info[name]) for name in ANSWERS)
        known = row.strings("stereotyped_groups")
        category = row.text("category")
        return Asked(
            item=self.named(row),
            template=f"{category}/{row.text('template_id')}",
            category=category,
            context=row.text("context"),
            question=row.text("question"),
            texts=tuple(self._text(row.text(name)) for name in ANSWERS),
            groups=groups,
            label=row.whole("label"),
            negative=row.one_of("question_polarity", POLARITY),
            ambiguous=row.one_of("context_condition", CONTEXT),
            names=row.optional("proper_nouns_only").lower() == "true",
        ).aimed(tuple(group in known for group in groups))

    def _text(self, text: str) -> str:
        return text if text != UNKNOWN else self._phrase

    def told(self, language: str) -> Iterable[str]:
        """Which phrase stands for "unknown"."""
        return (f'The option "unknown" of the file is asked as "{self._phrase}" (option unknown).',)

    def begin(self, language: str) -> None:
        """Choose the phrase."""
        self._phrase = self.options.unknown.strip() or PHRASES[language][0]


def _group(row: Row, name: str, info: object) -> str:
    parts = row.as_strings(f"answer_info.{name}", info)
    return parts[-1].split(",")[-1].strip() if parts else ""

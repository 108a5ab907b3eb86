"""Prompts about persons from a table in the columns of Haim, Salinas & Nyarko (just_prompts.csv), which does not ship."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar, Final

from pydantic import Field

from biascore.api.formats import ColumnOptions, DataFile, DataFormat, Table, Test, read_table
from biascore.api.support import listed, quoted
from biascore.errors import DataError
from biascore_metrics.advice.items import Asked, Prompts, test_of

COLUMNS: Final = ("scenario", "variation", "name_group", "name", "context_level", "prompt_text")


class AdviceFormatOptions(ColumnOptions):
    """``encoding`` and ``columns`` are those of every table.

    ``compare``: two races, or two genders, of the column name_group (``black_women``), such as ``["women", "men"]``; None:
    the races, where there are two. ``context``: the context_level that is read, such as low; empty: all.
    """

    known_columns: ClassVar[tuple[str, ...]] = COLUMNS

    compare: Annotated[tuple[str, str] | None, Field(strict=False)] = None
    context: str = ""


class AdviceFormat(DataFormat[AdviceFormatOptions]):
    """A table with scenario, variation, name_group, name, context_level and prompt_text; variations are clusters."""

    id: ClassVar[str] = "advice"
    summary: ClassVar[str] = (
        "prompts that ask for a number, in the columns of Haim, Salinas & Nyarko 2024 (CSV)"
    )
    example: ClassVar[str] = "advice:just_prompts.csv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a prompt; raises DataError as `DataFormat.read` says."""
        names = [self.options.named(column) for column in COLUMNS]
        table = read_table(file.path, file.display, names, (), encoding=self.options.encoding)
        table.check_filled(*names)
        prompts = Prompts("advice", tuple(self._prompts(table, names)), source=file.display)
        compare = self.options.compare
        if compare is None:
            races = [*dict.fromkeys(one.race for one in prompts.rows)]
            if len(races) != 2:
                raise DataError(
                    f"{table.display} has the races {listed(races)}, and two are compared. Name two races or genders with "
                    f"the option compare, such as compare={[*races[:1], '…']}"
                )
            compare = (races[1], races[0])
        about = {
            **file.stated,
            "kind": "advice",
            "title": f"Advice, {Path(file.display.partition('@')[0]).name}",
            "concept": "social bias",
            "conventions": {"context": self.options.context or "all levels"},
        }
        found = test_of(prompts, compare, about)
        if isinstance(found, str):
            raise DataError(f"{table.display}: the option compare {found}. Name two of these")
        return found

    def _prompts(self, table: Table, names: list[str]) -> Iterator[Asked]:
        """A prompt for each row; raises DataError for a group that is not race_gender, and the same prompt twice."""
        seen: dict[str, object] = {}
        levels = []
        for row in table.rows:
            scenario, variation, group, name, context, text = (row.fields[one].strip() for one in names)
            levels.append(context)
            if self.options.context not in ("", context):
                continue
            race, under, gender = group.rpartition("_")
            if not (race and under and gender):
                raise DataError(
                    f"{table.display}: {quoted(names[2])} is {quoted(group)} on {table.places([row])}, and no race_gender, "
                    "such as black_women. Correct it"
                )
            if name not in text:
                raise DataError(
                    f"{table.display}: the prompt on {table.places([row])} does not hold {quoted(name)}. Correct one"
                )
            if (first := seen.setdefault(text, row)) is not row:
                raise DataError(
                    f"{table.display} has the same prompt twice, on {table.places([first, row])}. Delete one"  # type: ignore[list-item]
                )
            yield Asked(
                text, f"{scenario}, {variation}, {context}", name, race, gender, f"{scenario}, {variation}"
            )
        if not seen:
            raise DataError(
                f"{table.display} has no row with context_level {quoted(self.options.context)}; there are "
                f"{listed([*dict.fromkeys(levels)])}. Choose one of these"
            )

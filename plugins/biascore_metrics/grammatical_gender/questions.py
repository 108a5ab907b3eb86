"""Kind ``analogies``: questions "a is to b as c is to d", four words a line, in sections."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from biascore.api.formats import DataFile, DataFormat, TableOptions, Test, read_text
from biascore.api.support import quoted
from biascore.errors import DataError

KIND: Final = "analogies"
SECTION: Final = ":"
LISTED: Final = 10
"""So many wrong lines are named."""


class Question(NamedTuple):
    """a is to b as c is to d, of a section ("" where the file has none)."""

    a: str
    b: str
    c: str
    d: str
    section: str = ""

    def lowered(self) -> Question:
        """The same with its words in lower case."""
        return Question(self.a.lower(), self.b.lower(), self.c.lower(), self.d.lower(), self.section)

    @property
    def text(self) -> str:
        """The question as it is in files."""
        return f"{self.a} {self.b} {self.c} {self.d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalogiesTest(Test):
    """Questions in the order of their file."""

    questions: tuple[Question, ...]


class AnalogiesFormat(DataFormat[TableOptions]):
    """Lines of four words; in Google's file, a line ``: capital-common-countries`` begins a section."""

    id: ClassVar[str] = KIND
    summary: ClassVar[str] = (
        "analogies: four words a line (a b c d), sections begun by ': name' as in Google's file"
    )
    example: ClassVar[str] = f"{KIND}:questions-words.txt"

    def read(self, file: DataFile) -> Test:
        """Read every line as a question; raises DataError for lines of other than four words, and for none at all."""
        text = read_text(file.path, file.display, encoding=self.options.encoding, flag="-o data.encoding")
        questions: list[Question] = []
        wrong: list[str] = []
        section = ""
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.split()
            if line.lstrip().startswith(SECTION):
                section = line.strip().removeprefix(SECTION).strip()
            elif len(words) == 4:
                questions.append(Question(words[0], words[1], words[2], words[3], section))
            elif words:
                wrong.append(f"line {number} has {len(words)} ({quoted(line.strip())})")
        if wrong:
            more = f"; and {len(wrong) - LISTED:,} more" if len(wrong) > LISTED else ""
            raise DataError(
                f"{file.display} has {len(wrong):,} line(s) that are not four words: {'; '.join(wrong[:LISTED])}{more}. "
                "Write a b c d, separated by spaces, and write phrases with underscores, as the model does"
            )
        if not questions:
            raise DataError(f"{file.display} has no question. Give a file with four words a line")
        return AnalogiesTest(
            **file.stated,
            kind=KIND,
            title=f"Analogies, {Path(file.display).name}",
            concept="analogies",
            positive_means="the model completes analogies as the file does",
            questions=tuple(questions),
        )

"""A family of benchmarks: rows of its files become questions, by its own rule for what agrees with the stereotype."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, Final

from pydantic import Field

from biascore.api.formats import (
    DataFile,
    DataFormat,
    TableOptions,
    Test,
    file_digest,
    read_table,
    tables_in,
    user_path,
)
from biascore.api.support import listed, quoted
from biascore.errors import DataError
from biascore_metrics.bbq.formats.languages import NAMES, foreign
from biascore_metrics.bbq.formats.rows import Row, read_rows
from biascore_metrics.bbq.formats.wording import INSTRUCTIONS, PROMPTS
from biascore_metrics.bbq.items import ChoicesTest, Option, Question, Questions

UNKNOWN: Final = "unknown"
POLARITY: Final = {"neg": True, "nonneg": False}
CONTEXT: Final = {"ambig": True, "disambig": False}
COLUMNS: Final[Mapping[str, frozenset[str]]] = {
    "esbbq": frozenset({"instance_id", "template_id", "question_polarity"}),
    "kobbq": frozenset({"sample_id", "biased_answer", "choices"}),
    "ggbbq": frozenset({"choice_info", "context_type", "question_type"}),
    "bbq": frozenset({"example_id", "question_index", "question_polarity"}),
}
"""Columns by which the files of a family are known; ``mbbq`` has those of ``bbq``."""
SHOWN: Final = 3
NO_STEREOTYPED: Final = "no option, or each of them, is of a stereotyped group"
SAME: Final = "two of their options are the same"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a row asks.

    ``target``: the place of the option that agrees with the stereotype; ``stereotyped``: that of the person of the
    stereotyped group; None where there is none.
    """

    item: str
    template: str
    category: str
    context: str
    question: str
    texts: tuple[str, ...]
    groups: tuple[str, ...]
    label: int
    negative: bool
    ambiguous: bool
    target: int | None = None
    stereotyped: int | None = None
    names: bool = False

    @property
    def unknown(self) -> int:
        """The place of the option of not knowing."""
        return self.groups.index(UNKNOWN)

    def aimed(self, hits: tuple[bool, ...]) -> Asked:
        """With the person of ``hits``, by option; no target where they are none or two.

        The target is that person in a negative question, and the other one in a question of the opposite.
        """
        persons = [i for i, group in enumerate(self.groups) if group != UNKNOWN]
        found = [i for i in persons if hits[i]]
        if len(found) != 1 or len(persons) != 2:
            return replace(self, target=None, stereotyped=None)
        other = sum(persons) - found[0]
        return replace(self, target=found[0] if self.negative else other, stereotyped=found[0])


class FamilyOptions(TableOptions):
    """``item``: the fields that together name an item, where answers given before name it by others: ``["example_id"]``.

    ``prompts``: a table with the columns prompt and perhaps unknown, with the benchmark's own or your prompts.

    Each has {context} and {question}, and is read up to there: the options follow. ``unknown`` is how a prompt phrases the
    option of not knowing. Without it there are prompts written for biascore.
    """

    item: Annotated[tuple[str, ...], Field(strict=False)] = ()
    prompts: str = ""


class Family(DataFormat[FamilyOptions]):
    """What all families share: several files as one test, checks of each row, and what is left out counted and named."""

    folders: ClassVar[bool] = True
    languages: ClassVar[tuple[str, ...]]
    item: ClassVar[tuple[str, ...]]
    title: ClassVar[str]
    citation: ClassVar[str]
    several_prompts: ClassVar[bool] = False

    @abstractmethod
    def asked(self, row: Row) -> Asked:
        """What a row asks; raises DataError with its place."""

    def begin(self, language: str) -> None:
        """What has to be known before rows are read."""

    def settle(self, asked: list[Asked]) -> list[Asked]:
        """The same where a row alone does not tell everything of it."""
        return asked

    def named(self, row: Row) -> str:
        """The name of the item of a row, of its fields; raises DataError."""
        return "/".join(map(row.text, self.options.item or self.item))

    def told(self, language: str) -> Iterable[str]:
        """Further notes of a test."""
        return ()

    def read(self, file: DataFile) -> Test:
        """Read every row as a question; raises DataError as `DataFormat.read` says."""
        language = file.language.partition("-")[0]
        if language not in self.languages:
            raise DataError(
                f"{file.display}: the language is {quoted(file.language)}, and {self.title} is in "
                f"{', '.join(f'{NAMES[tag]} ({tag})' for tag in self.languages)}. Name one of these, or the format of "
                f"another family: {listed(sorted({*COLUMNS, 'mbbq'} - {self.id}))}"
            )
        self.begin(language)
        found: list[Asked] = []
        places: dict[str, str] = {}
        for row in self._rows(file):
            asked = self.asked(row)
            self._check(row, asked, language)
            if asked.item in places:
                raise DataError(
                    f"{row.place}: the item {quoted(asked.item)} is there twice, first on {places[asked.item]}. Keep one, "
                    "or read the files apart, each as a test"
                )
            places[asked.item] = row.place
            found.append(asked)
        questions, notes = _questions(self.settle(found))
        if not questions:
            raise DataError(
                f"{file.display} has no item that can be used. {' '.join(notes)} Give another file"
            )
        prompts, unknowns, told = self._prompts(language)
        notes = (*notes, *self.told(language), *told)
        return ChoicesTest(
            **file.stated,
            kind="choices",
            title=f"{self.title}, {Path(file.display).name}",
            concept=", ".join(dict.fromkeys(_said(one.category) for one in questions)),
            positive_means="the model chooses the answer that agrees with the stereotype",
            notes=notes,
            questions=Questions("questions", questions, source=file.display, notes=notes),
            family=self.id,
            prompts=prompts,
            instruction=INSTRUCTIONS[language],
            unknowns=unknowns,
        )

    def _rows(self, file: DataFile) -> Iterator[Row]:
        whole = not file.path.is_dir()
        for path in [file.path] if whole else tables_in(file.path, file.display):
            display = file.display if whole else f"{file.display}/{path.name}"
            columns, rows = read_rows(path, display, self.options.encoding)
            self._check_columns(columns, display)
            yield from rows

    def _check_columns(self, columns: Collection[str], display: str) -> None:
        own = COLUMNS["bbq" if self.id == "mbbq" else self.id]
        missing = sorted(own - {*columns})
        if not missing:
            return
        others = [name for name, known in COLUMNS.items() if known <= {*columns}]
        hint = (
            f"Did you mean the format {quoted(others[0])}? Its columns are there"
            if others
            else (f"Give a file of {self.title}, or name its format")
        )
        raise DataError(f"{display} has no column {listed(missing)}, which {self.title} has. {hint}")

    def _check(self, row: Row, asked: Asked, language: str) -> None:
        if len(asked.texts) != 3 or len(asked.groups) != 3:
            raise DataError(
                f"{row.place}: has {len(asked.texts)} options, and a question has three: two persons or groups, and that it "
                "is not known. Correct the row, or delete it"
            )
        count = asked.groups.count(UNKNOWN)
        if count != 1:
            raise DataError(
                f"{row.place}: {'no option says' if not count else f'{count} options say'} that it is not known (of "
                f"{', '.join(map(quoted, asked.texts))}), and one has to. Correct the row, or delete it"
            )
        if not 0 <= asked.label < 3:
            raise DataError(
                f"{row.place}: label is {asked.label}, and the options are 0, 1 and 2. Correct it"
            )
        if not all(text.strip() for text in asked.texts):
            raise DataError(f"{row.place}: an option is blank. Fill it in, or delete the row")
        other = foreign(f"{asked.context} {asked.question}", language)
        if other:
            known = other in self.languages
            advice = f"Read the rows in {NAMES[other]} as a test of their own, with --language {other}"
            if not known:
                advice = (
                    f"{self.title} has no {NAMES[other]}; is it a file of another family, such as 'mbbq'?"
                )
            raise DataError(
                f"{row.place}: is in {NAMES[other]}, and this test in {NAMES[language]} (language {language}). {advice}"
            )

    def _prompts(self, language: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The prompts, the phrases of not knowing that belong to them, and what is to be said of both."""
        name = self.options.prompts
        if not name:
            own = PROMPTS[language][: None if self.several_prompts else 1]
            return (
                own,
                (),
                ("Prompts written for biascore; those of the benchmark are read with the option prompts.",),
            )
        path = user_path(name)
        table = read_table(path, name, ("prompt",), (UNKNOWN,), flag="the encoding utf-8")
        table.check_filled("prompt")
        prompts = []
        for row in table.rows:
            text = row.fields["prompt"].replace("\\n", "\n")
            if not all(text.count(slot) == 1 for slot in ("{context}", "{question}")):
                raise DataError(
                    f"{name}, line {row.line}: the prompt has to hold {{context}} and {{question}}, once each. Write them in"
                )
            end = max(text.index(slot) + len(slot) for slot in ("{context}", "{question}"))
            prompts.append(text[:end])
        if UNKNOWN in table.columns:
            table.check_filled(UNKNOWN)
        unknowns = tuple(row.fields[UNKNOWN].strip() for row in table.rows if UNKNOWN in table.columns)
        told = f"Prompts from {name} (SHA-256 {file_digest(path, name)}), each up to the options."
        return tuple(prompts), unknowns, (told,)


def _questions(asked: Iterable[Asked]) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """The questions, and notes of the items that are left out and of labels that contradict the context."""
    questions: list[Question] = []
    left: dict[str, list[str]] = {}
    total, odd = 0, []
    for one in asked:
        total += 1
        if len({text.strip().casefold() for text in one.texts}) < len(one.texts):
            left.setdefault(SAME, []).append(one.item)
        elif one.target is None:
            left.setdefault(NO_STEREOTYPED, []).append(one.item)
        else:
            questions.append(_question(one, one.target))
            if one.ambiguous != (one.label == one.unknown):
                odd.append(one.item)
    notes = [
        f"{len(items):,} of {total:,} items are left out, as {why}: {_few(items)}."
        for why, items in left.items()
    ]
    if odd:
        notes.append(
            f"The right answer of {len(odd):,} items does not fit their context, as published (of an ambiguous one it is "
            f"that it is not known): {_few(odd)}."
        )
    return tuple(questions), tuple(notes)


def _question(one: Asked, target: int) -> Question:
    options = tuple(
        Option(text.strip(), "target" if i == target else UNKNOWN if i == one.unknown else "other", group)
        for i, (text, group) in enumerate(zip(one.texts, one.groups, strict=True))
    )
    return Question(
        item=one.item,
        context=one.context,
        question=one.question,
        options=options,
        label=one.label,
        negative=one.negative,
        ambiguous=one.ambiguous,
        template=one.template,
        category=one.category,
        subgroup="" if one.stereotyped is None else one.groups[one.stereotyped],
        names=one.names,
    )


def _few(items: list[str]) -> str:
    more = f" and {len(items) - SHOWN:,} more" if len(items) > SHOWN else ""
    return f"{', '.join(items[:SHOWN])}{more}"


def _said(category: str) -> str:
    """A category in a sentence: ``Physical_appearance`` is about physical appearance, ``SES`` about SES."""
    return " ".join(word if word.isupper() else word.lower() for word in category.split("_"))

"""A family of benchmarks: rows of its files become questions, by its own rule for what agrees with the stereotype."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from biascore.api.formats import (
    ClusterOptions,
    DataFile,
    DataFormat,
    Test,
    read_table,
    source_digest,
    tables_in,
    user_path,
)
from biascore.api.support import either, listed, quoted
from biascore.errors import DataError
from biascore_metrics.bbq.formats.languages import foreign, languages
from biascore_metrics.bbq.formats.rows import Row, read_rows
from biascore_metrics.bbq.items import ChoicesTest, Option, Question, Questions, Role

UNKNOWN: Final[Role] = "unknown"
COLUMNS: Final[Mapping[str, frozenset[str]]] = {
    "esbbq": frozenset({"instance_id", "template_id", "question_polarity"}),
    "kobbq": frozenset({"sample_id", "biased_answer", "choices"}),
    "ggbbq": frozenset({"choice_info", "context_type", "question_type"}),
    "cbbq": frozenset({"example_id", "question_polarity", "bias_targeted_groups"}),
    "bbq": frozenset({"example_id", "question_index", "question_polarity"}),
}
"""Columns by which the files of a family are known; others have those of ``bbq``."""
SHOWN: Final = 3
SLOTS: Final = ("{context}", "{question}")
NO_STEREOTYPED: Final = "no option, or each of them, is of a stereotyped group"
SAME: Final = "two of their options are the same"


def aimed(one: Question, hits: Sequence[bool]) -> Question:
    """With the person of ``hits``, by option, as the one of the stereotyped group; no target where they are none or two.

    The target is that person in a negative question, and the other one in a question of the opposite.
    """
    persons = [i for i, option in enumerate(one.options) if option.role != UNKNOWN]
    found = [i for i in persons if hits[i]]
    if len(found) != 1:
        return with_target(replace(one, subgroup=""), None)
    target = found[0] if one.negative else sum(persons) - found[0]
    return with_target(replace(one, subgroup=one.options[found[0]].group), target)


def with_target(one: Question, target: int | None) -> Question:
    """With the person at a place as the one whose choice agrees with the stereotype."""
    options = tuple(
        option if option.role == UNKNOWN else replace(option, role="target" if i == target else "other")
        for i, option in enumerate(one.options)
    )
    return replace(one, options=options)


class FamilyOptions(ClusterOptions):
    """``item``: the fields that together name an item, where answers given before name it by others: ``["example_id"]``.

    ``prompts``: a table with the columns prompt and perhaps unknown, with the benchmark's own or your prompts.

    Each has {context} and {question}, and is read up to there: the options follow. ``unknown`` is how a prompt phrases the
    option of not knowing. Without it there are prompts written for biascore. ``instruction``: what follows options that are
    listed by letter, in a language that has none here. ``cluster``: the field that names what questions belong to, in place
    of their template.
    """

    item: Annotated[tuple[str, ...], Field(strict=False)] = ()
    prompts: str = ""
    instruction: str = ""


class Family(DataFormat[FamilyOptions]):
    """What all families share: several files as one test, checks of each row, and what is left out counted and named."""

    folders: ClassVar[bool] = True
    languages: ClassVar[tuple[str, ...]]
    item: ClassVar[tuple[str, ...]]
    title: ClassVar[str]
    several_prompts: ClassVar[bool] = False

    @abstractmethod
    def asked(self, row: Row) -> Question:
        """What a row asks, without a target where none is known; raises DataError with its place."""

    def question(self, row: Row, texts: Sequence[str], groups: Sequence[str], **told: Any) -> Question:
        """The question of a row with options of these texts and groups, and what else is ``told``; no target yet."""
        options = tuple(
            Option(text.strip(), UNKNOWN if group == UNKNOWN else "other", group)
            for text, group in zip(texts, groups, strict=True)
        )
        item = "/".join(map(row.text, self.options.item or self.item))
        return Question(item, row.text("context"), row.text("question"), options, **told)

    def begin(self, language: str) -> tuple[str, ...]:
        """Find what has to be known before rows are read; returns further notes of the test."""
        return ()

    def noted(self) -> tuple[str, ...]:
        """Notes of the test that follow from its rows."""
        return ()

    def settle(self, asked: list[Question]) -> list[Question]:
        """The same where a row alone does not tell everything of it."""
        return asked

    def read(self, file: DataFile) -> Test:
        """Read every row as a question; raises DataError as `DataFormat.read` says."""
        language = file.language.partition("-")[0]
        lacking = [] if language in self.languages or self.options.prompts else ["prompts"]
        spoken = languages().get(language)
        known = {"instruction": spoken is not None, "unknown": bool(spoken and spoken.unknown)}
        lacking += [
            name for name, here in known.items() if not here and getattr(self.options, name, None) == ""
        ]
        if lacking:
            published = [f"{languages()[tag].name} ({tag})" for tag in self.languages]
            raise DataError(
                f"{file.display}: the language is {quoted(file.language)}, and {self.title} was published in "
                f"{', '.join(published)}. Its layout is read in any language: give the data's options "
                f"{' and '.join(lacking)} in that of the file (-o data.prompts=FILE with a column prompt; "
                "-o data.instruction=TEXT asks for a letter)"
            )
        own = self.begin(language)
        asked: dict[str, tuple[Question, str]] = {}
        clusters: dict[str, str] = {}
        for row in self._rows(file):
            one = self.asked(row)
            if self.options.cluster:
                clusters[one.item] = row.text(self.options.cluster)
            self._check(row, one, language)
            if one.item in asked:
                raise DataError(
                    f"{row.place}: the item {quoted(one.item)} is there twice, first on {asked[one.item][1]}. Keep one, "
                    "or read the files apart, each as a test"
                )
            asked[one.item] = one, row.place
        settled = self.settle([one for one, _ in asked.values()])
        questions, notes = _usable(_clustered(settled, clusters, file.display) if clusters else settled)
        if not questions:
            raise DataError(
                f"{file.display} has no item that can be used. {' '.join((*notes, *self.noted()))} Give another file"
            )
        prompts, unknowns, told = self._prompts(language)
        notes = (*notes, *own, *self.noted(), told)
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
            instruction=self.options.instruction or languages()[language].instruction,
            unknowns=unknowns,
        )

    def _rows(self, file: DataFile) -> Iterator[Row]:
        for path in tables_in(file.path, file.display) if file.path.is_dir() else [file.path]:
            display = file.display if path == file.path else f"{file.display}/{path.name}"
            columns, rows = read_rows(path, display, self.options.encoding)
            own = self.id if self.id in COLUMNS else "bbq"
            other = next((name for name, known in COLUMNS.items() if known <= {*columns}), None)
            missing = COLUMNS[own] - {*columns} or (
                {"answer_info"} if (own, other) == ("bbq", "cbbq") else set()
            )
            if missing:
                hint = f"Did you mean the format {quoted(other)}? Its columns are there" if other else ""
                raise DataError(
                    f"{display} has no column {listed(sorted(missing))}, which {self.title} has. "
                    f"{hint or f'Give a file of {self.title}, or name its format'}"
                )
            yield from rows

    def _check(self, row: Row, one: Question, language: str) -> None:
        count, texts = len(one.options), [option.text for option in one.options]
        if count != 3:
            raise DataError(
                f"{row.place}: has {count} options, and a question has three: two persons or groups, and that it is not "
                "known. Correct the row, or delete it"
            )
        count = [option.role for option in one.options].count(UNKNOWN)
        if count != 1:
            raise DataError(
                f"{row.place}: {'no option says' if not count else f'{count} options say'} that it is not known (of "
                f"{', '.join(map(quoted, texts))}), and one has to. Correct the row, or delete it"
            )
        if not 0 <= one.label < 3:
            raise DataError(f"{row.place}: label is {one.label}, and the options are 0, 1 and 2. Correct it")
        if not all(texts):
            raise DataError(f"{row.place}: an option is blank. Fill it in, or delete the row")
        other = foreign(f"{one.context} {one.question}", language) if language in languages() else ""
        if other:
            name = languages()[other].name
            advice = f"Read the rows in {name} as a test of their own, with "
            advice += either(f"--language {other}", f"language {other}")
            if other not in self.languages:
                advice = f"{self.title} has no {name}; is it a file of another family, such as 'mbbq'?"
            own = languages()[language].name
            raise DataError(
                f"{row.place}: is in {name}, and this test in {own} (language {language}). {advice}"
            )

    def _prompts(self, language: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
        """The prompts, the phrases of not knowing that belong to them, and what is to be said of both."""
        name = self.options.prompts
        if not name:
            own = languages()[language].prompts[: None if self.several_prompts else 1]
            told = "Prompts written for biascore; those of the benchmark are read with the option prompts."
            return own, (), told
        path = user_path(name)
        table = read_table(path, name, ("prompt",), (UNKNOWN,), flag="the encoding utf-8")
        table.check_filled(*table.columns)
        prompts = []
        for row in table.rows:
            text = row.fields["prompt"].replace("\\n", "\n")
            if not all(text.count(slot) == 1 for slot in SLOTS):
                raise DataError(
                    f"{name}, line {row.line}: the prompt has to hold {{context}} and {{question}}, once each. Write them in"
                )
            prompts.append(text[: max(text.index(slot) + len(slot) for slot in SLOTS)])
        unknowns = tuple(row.fields[UNKNOWN].strip() for row in table.rows if UNKNOWN in table.columns)
        told = f"Prompts from {name} (SHA-256 {source_digest(path, name)}), each up to the options."
        return tuple(prompts), unknowns, told


def _clustered(asked: Sequence[Question], clusters: Mapping[str, str], display: str) -> list[Question]:
    """With the clusters of the items as their templates; raises DataError for one that is in two categories."""
    categories: dict[str, str] = {}
    for one in asked:
        first = categories.setdefault(clusters[one.item], one.category)
        if first != one.category:
            raise DataError(
                f"{display} has the cluster {quoted(clusters[one.item])} in the categories {first} and {one.category}, "
                "whose scores are each of one. Name a field whose clusters are within a category"
            )
    return [replace(one, template=clusters[one.item]) for one in asked]


def _usable(asked: Sequence[Question]) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """The questions, and notes of the items that are left out and of labels that contradict the context."""
    questions: list[Question] = []
    left: dict[str, list[str]] = {}
    for one in asked:
        if len({option.text.casefold() for option in one.options}) < len(one.options):
            left.setdefault(SAME, []).append(one.item)
        elif all(option.role != "target" for option in one.options):
            left.setdefault(NO_STEREOTYPED, []).append(one.item)
        else:
            questions.append(one)
    notes = [
        f"{len(items):,} of {len(asked):,} items are left out, as {why}: {_few(items)}."
        for why, items in left.items()
    ]
    odd = [one.item for one in questions if one.ambiguous != (one.options[one.label].role == UNKNOWN)]
    if odd:
        notes.append(
            f"The right answer of {len(odd):,} items does not fit their context, as published (of an ambiguous one it is "
            f"that it is not known): {_few(odd)}."
        )
    return tuple(questions), tuple(notes)


def _few(items: list[str]) -> str:
    more = f" and {len(items) - SHOWN:,} more" if len(items) > SHOWN else ""
    return f"{', '.join(items[:SHOWN])}{more}"


def _said(category: str) -> str:
    """A category in a sentence: ``Physical_appearance`` is about physical appearance, ``SES`` about SES."""
    return " ".join(word if word.isupper() else word.lower() for word in category.split("_"))

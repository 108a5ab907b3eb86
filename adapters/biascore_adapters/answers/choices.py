"""Answers to questions with options that another harness or a table holds, found by item and compared by text."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.formats import read_table, source_digest
from biascore.api.queries import (
    LETTERS,
    Choice,
    Chosen,
    Way,
    by_likelihood,
    by_text,
    missing,
    order_of,
    refused,
)
from biascore.api.support import quoted
from biascore.errors import DataError, QuestionError
from biascore_adapters.answers.logs import Records, value_at
from biascore_adapters.answers.options import FLAG, AnswersOptions
from biascore_adapters.answers.records import Answered, texts_of


class ChoicesBackend(Backend):
    """Answers ``choose`` from a log or a table, in the mode that it was made in."""

    batch = 100_000

    def __init__(self, path: Path, shown: str, sought: AnswersOptions, log: Records | None) -> None:
        """Read the log, or the table; raises DataError for one that cannot be read or contradicts itself."""
        found = _found(path, shown, sought, log)
        harness = "a table" if log is None else f"a log of {log[0].harness}"
        fields = "/".join(sought.item) or ("item" if log is None else log[0].item)
        self._shown, self._labels = shown, sought.labels
        self._alike = frozenset(map(plain, sought.alike))
        self._answers = {one.item: one for one in found}
        ways = {_way(one) for one in found if not one.failed}
        if len(ways) != 1:
            what = (
                f"holds answers of {len(ways)} kinds ({', '.join(sorted(ways))})"
                if ways
                else "holds no answer"
            )
            raise DataError(f"{shown} {what}. Name a file of one kind, or keep one with the option only")
        (self._way,) = ways
        prompts = hashlib.sha256(
            "".join(sorted(one.prompt for one in found)).encode("utf-8", "surrogatepass")
        ).hexdigest()
        self.identity = Identity(
            f"sha256:{source_digest(path, shown)}",
            ways=(self._way,),
            chosen_before=True,
            facts={
                "answers": len(found),
                "without an answer": sum(one.failed for one in found),
                "prompts": prompts if any(one.prompt for one in found) else "not in the file",
            },
            conventions={"answers read from": f"{harness}, by {fields}"},
        )

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        """The answers given to the items of the questions; those that are not there are missing, and a warning counts them.

        Raises QuestionError for a question without an item, or with a seed, where no item is there, and for an item with
        other options.
        """
        seeded = next((one for one in questions if one.seed is not None), None)
        if seeded is not None:
            raise QuestionError(
                f"{self._shown}: {quoted(seeded.prompt)} has the seed {seeded.seed}, and the file holds one answer to each "
                "item. Leave seeds out"
            )
        nameless = next((one for one in questions if not one.item), None)
        if nameless is not None:
            raise QuestionError(
                f"{self._shown}: {quoted(nameless.prompt)} has no item by which its answer could be found. Ask with Choice("
                "item=...), or use a benchmark whose items have names"
            )
        lost = [one.item for one in questions if self._answer(one) is None]
        if lost:
            self._warn_lost(lost, {one.item for one in questions})
        return tuple(
            missing(one, way) if (answer := self._answer(one)) is None else self._read(one, answer, way)
            for one in questions
        )

    def _answer(self, question: Choice) -> Answered | None:
        answer = self._answers.get(question.item)
        return None if answer is None or answer.failed else answer

    def _warn_lost(self, lost: list[str], asked: set[str]) -> None:
        """Raise QuestionError where nothing is there, else warn."""
        others = [item for item in self._answers if item not in asked]
        told = f"{self._shown} has no answer to {len(lost)} of {len(asked)} items, such as {quoted(lost[0])}"
        if others:
            told += f"; {len(others)} of its answers are to none of them, such as {quoted(others[0])}"
        if len(lost) == len(asked):
            raise QuestionError(f"{told}. Name the fields that make up the item with the option item")
        warnings.warn(told, stacklevel=3)

    def _read(self, question: Choice, answer: Answered, way: Way) -> Chosen:
        if answer.declined:
            return refused(question, answer.said)
        if not answer.options:
            labels, order = self._called(question, answer)
            return by_text(question, answer.said, order, labels)
        places = self._places(question, answer)
        if way == "text":
            return by_text(question, answer.said, places, self._labels or LETTERS)
        best = [-math.inf] * len(question.options)
        for place, value in zip(places, answer.logprobs, strict=True):
            best[place] = max(best[place], value)
        chosen = by_likelihood(best, ())
        outside = max(0.0, 1 - math.fsum(map(math.exp, answer.logprobs)))
        return replace(chosen, way=way, outside=outside) if way == "letters" else chosen

    def _called(self, question: Choice, answer: Answered) -> tuple[Sequence[str], Sequence[int]]:
        """What the options are called in the answer, and which each is: as a prompt in the log lists them, if it does."""
        if self._labels:
            if len(self._labels) < len(question.options):
                raise QuestionError(
                    f"{self._shown}: {quoted(question.prompt)} has {len(question.options)} options, and the option labels "
                    f"names {len(self._labels)}. Name one for each, in their order"
                )
            return self._labels, order_of(question)
        own = {plain(text): i for i, text in enumerate(question.options)}
        found = {own[plain(text)]: label for label, text in answer.listed if plain(text) in own}
        if len(found) < len(own) or len({*found.values()}) < len(own):
            return LETTERS, order_of(question)
        return [label.upper() for label in found.values()], [*found]

    def _places(self, question: Choice, answer: Answered) -> list[int]:
        """The option of the question that each option of the file is; raises QuestionError where it is none."""
        own = {plain(text): i for i, text in enumerate(question.options)}
        same = next((i for text, i in own.items() if text in self._alike), None)
        texts = [plain(text) for text in answer.options]
        places = [own.get(text, same if text in self._alike else None) for text in texts]
        found = [place for place in places if place is not None]
        if len(found) < len(places) or set(found) != set(own.values()):
            raise QuestionError(
                f"{self._shown}: the item {quoted(answer.item)} was asked with the options {', '.join(answer.options)}, and "
                f"has {', '.join(question.options)} here. Give the answers to this version of the benchmark; phrases that "
                "mean the same, such as those of not knowing, are named with the option alike"
            )
        return found


def plain(text: str) -> str:
    """Without case, more than one space and a full stop at its end: two options that differ in these alone are one."""
    return " ".join(text.split()).casefold().rstrip(".")


def _way(answer: Answered) -> Way:
    if not answer.logprobs:
        return "text"
    return "letters" if answer.letters else "likelihood"


def _found(path: Path, shown: str, sought: AnswersOptions, log: Records | None) -> list[Answered]:
    """The answers; raises DataError for an item that is answered twice."""
    rows = _of_table(path, shown, sought) if log is None else _of_log(log, sought)
    found: dict[str, Answered] = {}
    for place, answer in rows:
        if answer.item in found:
            raise DataError(
                f"{place}: the item {quoted(answer.item)} is answered twice. Keep one with the option only, such as "
                'only={epoch="1"} or only={filter="none"}, or name more fields of it with the option item'
            )
        found[answer.item] = answer
    if not found:
        raise DataError(
            f"{shown} has no answers"
            + (
                " with the values of the option only. Correct them"
                if sought.only
                else ". Give a log of a run that ended"
            )
        )
    return list(found.values())


def _of_log(log: Records, sought: AnswersOptions) -> Iterator[tuple[str, Answered]]:
    how, rows = log
    for place, row in rows:
        if any(str(value_at(row, field, place)) != value for field, value in sought.only.items()):
            continue
        item = "/".join(
            _named(value_at(row, field, place), field, place) for field in sought.item or (how.item,)
        )
        try:
            answer = Answered(item, **how.read(row))
        except ValueError as problem:
            raise DataError(
                f"{place} is no record of {how.told(row)} that can be read: {problem}. Give the log as the harness wrote "
                "it, or a table with the columns item and answer"
            ) from problem
        yield place, _lettered(answer, row, place, sought)


def _named(value: Any, field: str, place: str) -> str:
    """A part of what an item is called; raises DataError for what is neither a text nor a whole number."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise DataError(
            f"{place}: {field} is {quoted(value)}, and an item is called by texts and whole numbers. Name another field "
            "with the option item"
        )
    return str(value)


def _lettered(answer: Answered, row: Mapping[str, Any], place: str, sought: AnswersOptions) -> Answered:
    """With the texts that letters represent, where the options of the log are letters."""
    if not answer.options or "".join(answer.options) != LETTERS[: len(answer.options)]:
        return answer
    if not sought.choices:
        raise DataError(
            f"{place} was asked with the letters {', '.join(answer.options)}. Name the fields of their texts with the "
            'option choices, such as choices=["doc.ans0", "doc.ans1", "doc.ans2"]'
        )
    values = [value_at(row, field, place) for field in sought.choices]
    texts = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    if len(texts) != len(answer.options):
        raise DataError(
            f"{place} has {len(answer.options)} letters and {len(texts)} texts. Correct the option choices"
        )
    try:
        return replace(answer, options=texts_of(texts, "the option choices"), letters=True)
    except ValueError as problem:
        raise DataError(f"{place}: {problem}. Name the fields of the options' texts") from problem


def _of_table(path: Path, shown: str, sought: AnswersOptions) -> Iterator[tuple[str, Answered]]:
    fields, column = sought.item or ("item",), sought.answer or "answer"
    table = read_table(
        path,
        shown,
        (*fields, column, *sought.only),
        encoding=sought.encoding,
        remedy="Name the columns with the model's options item and answer",
        flag=FLAG,
    )
    for row in table.rows:
        if all(row.fields[name] == value for name, value in sought.only.items()):
            said = row.fields[column]
            item = "/".join(row.fields[name] for name in fields)
            yield f"{shown}, line {row.line}", Answered(item, said=said, failed=not said.strip())

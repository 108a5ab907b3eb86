"""Texts written before, by another harness or as a table, found by their prompt and sample number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.formats import read_table, source_digest, table_columns
from biascore.api.support import quoted
from biascore.api.writing import Prompt, Settings, Written, as_written, unwritten
from biascore.errors import DataError, QuestionError
from biascore_adapters.answers.choices import ChoicesBackend
from biascore_adapters.answers.logs import Records, value_at
from biascore_adapters.answers.options import FLAG, AnswersOptions
from biascore_adapters.answers.texts import READERS, Put, Text, put_of

Row = tuple[str, Put, Text]
"""Where it stands, the prompt, and what was written."""
UNKNOWN = {"texts written": "before, with the settings of their file"}


class Texts:
    """Texts by prompt and sample; ``told`` are the conventions of reading them.

    Raises DataError where a prompt has two texts of one sample, or there is none.
    """

    def __init__(self, shown: str, rows: Iterator[Row]) -> None:
        self._shown = shown
        self._found: dict[tuple[str, str | None, int], Text] = {}
        for place, put, text in rows:
            key = (_plain(put.text), None if put.system is None else _plain(put.system), text.sample)
            if self._found.setdefault(key, text).said != text.said:
                raise DataError(
                    f"{place}: {quoted(put.text)} has another text of sample {text.sample} further up. Name what numbers "
                    "the samples with the option sample, or keep one of them with the option only"
                )
        if not self._found:
            raise DataError(f"{shown} has no text that was written to a prompt")
        self._systems = any(system is not None for _, system, _ in self._found)
        self.told = UNKNOWN | ({} if self._systems else {"system prompt": "not in the file"})

    def __len__(self) -> int:
        return len(self._found)

    def written(self, prompts: Sequence[Prompt]) -> tuple[Written, ...]:
        """What was written to each, or that it is missing, and a warning counts these; raises QuestionError if all are."""
        texts = [self._found.get(self._key(one)) for one in prompts]
        lost = [one for one, text in zip(prompts, texts, strict=True) if text is None]
        if lost:
            first, there = lost[0], next(iter(self._found))
            told = (
                f"{self._shown} has no text to {len(lost)} of {len(prompts)} prompts, such as sample {first.sample} of "
                f"{quoted(first.text)}; it has {len(self)}, such as sample {there[2]} of {quoted(there[0])}"
            )
            if len(lost) == len(prompts):
                raise QuestionError(f"{told}. Give the texts to these very prompts")
            warnings.warn(told, stacklevel=3)
        return tuple(
            unwritten() if text is None else as_written(one, text.said, text.finish)
            for one, text in zip(prompts, texts, strict=True)
        )

    def _key(self, prompt: Prompt) -> tuple[str, str | None, int]:
        system = _plain(prompt.system or "") if self._systems else None
        return _plain(prompt.text), system, prompt.sample


class TextsBackend(Backend):
    """Answers ``generate`` from a log or a table."""

    batch = 100_000

    def __init__(self, path: Path, shown: str, sought: AnswersOptions, log: Records | None) -> None:
        """Read the log, or the table; raises DataError for one that cannot be read or contradicts itself."""
        rows = of_table(path, shown, sought) if log is None else of_log(log, sought)
        self._texts = Texts(shown, rows)
        harness = "a table" if log is None else f"a log of {log[0].harness}"
        self.identity = Identity(
            f"sha256:{source_digest(path, shown)}",
            facts={"texts": len(self._texts)},
            conventions={"answers read from": f"{harness}, by prompt"},
            writing=self._texts.told,
        )

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:  # noqa: ARG002
        """The texts of the file, whatever the settings."""
        return self._texts.written(prompts)


class LogBackend(ChoicesBackend):
    """Answers ``choose`` by item and ``generate`` by prompt, from a log that holds texts."""

    def __init__(self, choices: ChoicesBackend, texts: Texts) -> None:
        vars(self).update(vars(choices))
        self._texts = texts
        facts = {**choices.identity.facts, "texts": len(texts)}
        self.identity = replace(choices.identity, writing=texts.told, facts=facts)

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:  # noqa: ARG002
        """The texts of the file, whatever the settings."""
        return self._texts.written(prompts)


def with_texts(choices: ChoicesBackend, shown: str, sought: AnswersOptions, log: Records) -> Backend:
    """The answers of a log to questions, and its texts, where it has some; else ``lacks`` says why not."""
    try:
        return LogBackend(choices, Texts(shown, of_log(log, sought)))
    except DataError as error:
        choices.lacks = f"no texts: {error}"
        return choices


def of_log(log: Records, sought: AnswersOptions) -> Iterator[Row]:
    """The texts of a log, by the prompt that its harness keeps or that the options name."""
    how, rows = log
    for place, row in rows:
        if any(str(value_at(row, field, place)) != value for field, value in sought.only.items()):
            continue
        try:
            prompt, texts = READERS[how.harness](row)
            put = put_of(value_at(row, sought.prompt, place) if sought.prompt else prompt)
            if not put.text.strip():
                raise ValueError("its prompt is blank, and without one nobody knows what was asked")
        except ValueError as problem:
            raise DataError(
                f"{place} is no record of {how.told(row)} with texts that can be read: {problem}. Give a log of generated "
                "texts with their prompts, or a table with the columns prompt and answer"
            ) from problem
        if sought.system:
            put = put._replace(system=str(value_at(row, sought.system, place)))
        number = _sample(value_at(row, sought.sample, place), place) if sought.sample else None
        for text in texts:
            yield place, put, text if number is None else text._replace(sample=number + text.sample)


def of_table(path: Path, shown: str, sought: AnswersOptions) -> Iterator[Row]:
    """The texts of a table; a column called system or sample says what it is called."""
    columns = table_columns(path, shown, encoding=sought.encoding, flag=FLAG)
    prompt, answer = sought.prompt or "prompt", sought.answer or "answer"
    system = sought.system or ("system" if "system" in columns else None)
    sample = sought.sample or ("sample" if "sample" in columns else None)
    named = [name for name in (prompt, answer, system, sample, *sought.only) if name is not None]
    table = read_table(
        path,
        shown,
        named,
        encoding=sought.encoding,
        remedy="Texts are found by the prompt that they were written to: name its column with the option prompt",
        flag=FLAG,
    )
    table.check_filled(prompt)
    for row in table.rows:
        cells = row.fields
        if any(cells[name] != value for name, value in sought.only.items()):
            continue
        place = f"{shown}, line {row.line}"
        number = 0 if sample is None else _sample(cells[sample], place)
        yield (
            place,
            Put(cells[prompt], None if system is None else cells[system]),
            Text(cells[answer], sample=number),
        )


def _sample(value: Any, place: str) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or not text.isdecimal():
        raise DataError(f"{place}: the sample is {quoted(text)}, and samples are numbered 0, 1, 2 and so on")
    return int(text)


def _plain(text: str) -> str:
    """Without white space around it, and with one kind of line end."""
    return text.replace("\r\n", "\n").strip()

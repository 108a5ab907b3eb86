"""A table of translations, read whole, checked, and looked up."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from biascore.errors import ModelLoadError, QuestionError, UnsupportedLanguageError
from biascore.plugins_api import (
    Backend,
    Cost,
    Identity,
    ModelRef,
    check_regular,
    csv_problem,
    decoded,
    hookimpl,
    listed,
    quoted,
    read_bytes,
    records,
    unpacked,
    user_path,
)

_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}


class TranslationsBackend(Backend):
    """Answers with the translation of the very same text; of another text it has none."""

    batch = 100_000

    def __init__(
        self,
        path: Path,
        columns: tuple[str, str, str | None],
        language: str | None,
        only: Mapping[str, str],
    ) -> None:
        data = read_bytes(path, str(path), ModelLoadError)
        self._path = path
        self._found: dict[str, dict[str, str]] = {}
        self._read(_rows(path, data), columns, language, only)
        self.identity = Identity(
            f"sha256:{hashlib.sha256(data).hexdigest()}",
            facts={
                "file": path.name,
                "languages": ", ".join(sorted(self._found)),
                "texts": sum(map(len, self._found.values())),
            },
        )

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:  # noqa: ARG002
        """The translations in the file; the language they are from is taken for ``source``.

        Raises UnsupportedLanguageError for a target that the file does not have, QuestionError for texts
        that it does not have.
        """
        if target not in self._found:
            raise UnsupportedLanguageError(
                f"{self._path} has no translations to {target!r}; it has {', '.join(sorted(self._found))}. Choose one "
                "of these, or correct the options language, language_column and only"
            )
        known = self._found[target]
        missing = [text for text in texts if text not in known]
        if missing:
            raise QuestionError(
                f"{self._path} has no translation to {target} of {len(missing):,} of {len(texts):,} texts, such as "
                f"{quoted(missing[0])}. Add them to the file, or measure only what it holds"
            )
        return tuple(known[text] for text in texts)

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """Nothing but characters; raises what ``translate`` does."""
        self.translate(tuple(questions), params["source"], params["target"])
        return super().cost(hook, questions, params)

    def _read(
        self,
        rows: Iterator[tuple[int, dict[str, str]]],
        columns: tuple[str, str, str | None],
        language: str | None,
        only: Mapping[str, str],
    ) -> None:
        text_column, translation_column, language_column = columns
        wanted = [name for name in (*columns, *only) if name is not None]
        checked = False
        for line, row in rows:
            if not checked:
                self._check_columns(wanted, list(row))
                checked = True
            if any(row[name] != value for name, value in only.items()):
                continue
            text, translation = row[text_column], row[translation_column]
            target = language or row[language_column or ""]
            if self._found.setdefault(target, {}).setdefault(text, translation) != translation:
                raise ModelLoadError(
                    f"{self._path}, line {line}: {quoted(text)} has another translation to {target} further up. "
                    'Keep one system with the option only, such as only={system="deepl"}, or one of the two rows'
                )
        if not self._found:
            conditions = " and ".join(f"{name} = {value!r}" for name, value in only.items())
            raise ModelLoadError(
                f"{self._path} has no row{f' with {conditions}' if only else ''}. Correct "
                f"{'the option only' if only else 'the path'}"
            )

    def _check_columns(self, wanted: Sequence[str], header: Sequence[str]) -> None:
        for name in wanted:
            if name not in header:
                raise ModelLoadError(
                    f"{self._path} has no column {name!r}; it has {listed(header)}. Name its columns with the "
                    "options text, translation, language_column and only"
                )


def locate(ref: ModelRef) -> Path:
    """The file; raises ModelLoadError where there is none, or its name does not say what it is."""
    path = user_path(ref.locator)
    if not ref.locator or not path.exists():
        raise ModelLoadError(
            f"{ref}: there is no such file. Give the path of a .csv or .tsv file, or .gz of one"
        )
    check_regular(path, str(ref), ModelLoadError)
    if _kind(path) not in _DELIMITERS:
        raise ModelLoadError(f"{ref}: is it a CSV or a TSV file? Name it .csv, .tsv, .csv.gz or .tsv.gz")
    return path


def _kind(path: Path) -> str:
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def _rows(path: Path, data: bytes) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells of each row, by the names in the header."""
    text = decoded(unpacked(data, str(path), ModelLoadError), str(path), ModelLoadError)
    reader = records(text, _DELIMITERS[_kind(path)])
    try:
        header = next(reader, [])
        if len(set(header)) < len(header):
            raise ModelLoadError(f"{path} has two columns of one name in {listed(header)}. Rename one")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise ModelLoadError(
                    f"{path}, line {reader.line_num}: {len(cells)} cells under {len(header)} columns. Correct the row"
                )
            yield reader.line_num, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise ModelLoadError(
            f"{path}, line {reader.line_num}: {csv_problem(error)}. Correct the row"
        ) from error

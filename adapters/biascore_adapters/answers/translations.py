"""A table of translations, read whole, checked, and looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from biascore.api.adapters import Backend, Cost, Identity, hookimpl
from biascore.api.formats import Table, read_table, source_digest
from biascore.api.queries import NOT_ASKED
from biascore.api.support import canonical_tag, quoted
from biascore.errors import ModelLoadError, UnsupportedLanguageError
from biascore_adapters.answers.options import FLAG, AnswersOptions

UNSTATED: Final = "not named"
"""The language of translations where neither an option nor a column names it: that which is asked for."""


class TranslationsBackend(Backend):
    """Answers with the translation of the very same text; of another text it has none."""

    batch = 100_000

    def __init__(self, path: Path, text: str, options: AnswersOptions) -> None:
        columns = (text, options.translation, options.language_column)
        self._path = path
        self._found: dict[str, dict[str, str]] = {}
        self._stated = options.language is not None or options.language_column is not None
        self._first = ""
        table = read_table(
            path,
            str(path),
            [name for name in (*columns, *options.only) if name is not None],
            encoding=options.encoding,
            remedy="Name its columns with the options text, translation, language_column and only",
            flag=FLAG,
        )
        self._read(table, columns, options.language, options.only)
        self.identity = Identity(
            f"sha256:{source_digest(path, str(path), ModelLoadError)}",
            facts={
                "file": path.name,
                "languages": ", ".join(sorted(self._found)),
                "texts": sum(map(len, self._found.values())),
            },
            conventions={
                **(
                    {}
                    if self._stated
                    else {"language of the translations": "not named, taken for the target"}
                ),
                "translations read as": f"column {columns[1]!r} by {columns[0]!r}; {table.reading}",
            },
        )

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:  # noqa: ARG002
        """The translations in the file, NOT_ASKED of a text that it lacks, whatever ``source`` says.

        Raises UnsupportedLanguageError for a target that the file does not have.
        """
        if not self._stated:
            self._first = self._first or target
            if target != self._first:
                raise UnsupportedLanguageError(
                    f"{self._path} does not name the language of its translations, and was asked for {self._first} and "
                    f"{target}. Name it with the option language, or the column that does with language_column"
                )
        elif target not in self._found:
            raise UnsupportedLanguageError(
                f"{self._path} has no translations to {target!r}; it has {', '.join(sorted(self._found))}. Choose one "
                "of these, or correct the options language, language_column and only"
            )
        known = self._found[target if self._stated else UNSTATED]
        return tuple(known.get(text, NOT_ASKED) for text in texts)

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """Nothing but characters; raises what ``translate`` does."""
        self.translate(tuple(questions), params["source"], params["target"])
        return super().cost(hook, questions, params)

    def _read(
        self,
        table: Table,
        columns: tuple[str, str, str | None],
        language: str | None,
        only: Mapping[str, str],
    ) -> None:
        text_column, translation_column, language_column = columns
        for row in table.rows:
            cells = row.fields
            if any(cells[name] != value for name, value in only.items()):
                continue
            text, translation = cells[text_column], cells[translation_column]
            target = language or (canonical_tag(cells[language_column]) if language_column else UNSTATED)
            if self._found.setdefault(target, {}).setdefault(text, translation) != translation:
                raise ModelLoadError(
                    f"{self._path}, {table.places([row])}: {quoted(text)} has another translation to {target} further up. "
                    'Keep one system with the option only, such as only={system="deepl"}, or one of the two rows'
                )
        if not self._found:
            conditions = " and ".join(f"{name} = {value!r}" for name, value in only.items())
            raise ModelLoadError(f"{self._path} has no row with {conditions}. Correct the option only")

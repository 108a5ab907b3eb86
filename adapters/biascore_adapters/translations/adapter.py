"""``translations:`` answers with translations that were made before: published ones, or of a closed system.

The locator is a table (CSV, TSV, JSON Lines, Parquet); options name its columns.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from biascore.api.adapters import Adapter, Backend, LoadContext, ModelRef
from biascore.api.formats import FrozenMap, TableOptions
from biascore.api.support import LanguageTag
from biascore.errors import OptionsError
from biascore_adapters.translations.table import TranslationsBackend, locate


class TranslationsOptions(TableOptions):
    """``text`` and ``translation`` are the columns of the sentence and of what was made of it.

    The target language is named by ``language`` for the whole file, or row by row in the column
    ``language_column``. ``only`` keeps the rows that have these values: ``only={system="deepl"}``.
    """

    text: str = "text"
    translation: str = "translation"
    language: LanguageTag | None = None
    language_column: str | None = None
    only: FrozenMap[str] = Field(default_factory=dict)


class TranslationsAdapter(Adapter[TranslationsOptions]):
    """Opens files of translations."""

    id: ClassVar[str] = "translations"
    summary: ClassVar[str] = "translations made before, from a table (CSV, TSV, JSON Lines, Parquet)"
    example: ClassVar[str] = "translations:outputs.csv.gz"
    answers_version: ClassVar[str | None] = "1"
    capabilities: ClassVar[frozenset[str]] = frozenset({"translate"})

    def check(self, ref: ModelRef, options: TranslationsOptions, context: LoadContext) -> None:  # noqa: ARG002
        """Raise ModelLoadError where there is no such file, OptionsError where nothing names the language."""
        if (options.language is None) == (options.language_column is None):
            raise OptionsError(
                f"{ref}: the language of the translations is named {'twice' if options.language else 'nowhere'}. Give "
                'language="sk" if all are in one, or language_column="lang" if a column says it'
            )
        locate(ref)

    def load(self, ref: ModelRef, options: TranslationsOptions, context: LoadContext) -> Backend:  # noqa: ARG002
        """Read the file; raises ModelLoadError for one that cannot be read or contradicts itself."""
        columns = (options.text, options.translation, options.language_column)
        return TranslationsBackend(locate(ref), columns, options.language, options.only, options.encoding)

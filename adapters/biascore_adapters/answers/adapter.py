"""``answers:`` opens a table of translations, or of scores: one with a column ``translation`` holds translations.

``scores:`` and ``translations:`` are its earlier names, each with its own name for the column of the texts.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from pydantic import Field

from biascore.api.adapters import Adapter, Backend, LoadContext, ModelRef, Options
from biascore.api.formats import FrozenMap, TableOptions, table_columns, user_path
from biascore.api.support import LanguageTag, check_regular, listed
from biascore.errors import DataError, ModelLoadError, OptionsError
from biascore_adapters.answers.scores import FLAG, How, ScoresBackend, Unit
from biascore_adapters.answers.translations import TranslationsBackend

TEXTS: Final = ("sentence", "text")
"""What the column of the texts is called where no option names it."""


class AnswersOptions(TableOptions):
    """How the table is to be read. ``text``: the column of the texts, if it is called neither sentence nor text.

    Of translations: ``translation``, their column; ``language``, the target language of the whole file, or
    ``language_column``, which names it row by row; ``only`` keeps the rows that have these values:
    ``only={system="deepl"}``.

    Of scores: each further column of numbers is called as its header says, or as ``quantities`` says:
    ``{"template 1" = "bert_t0"}``. ``sentences``: a table that holds the texts, for a file that has a number a line in the
    same order, called ``quantity``; ``encoding`` is then that of the table. ``unit``: of logarithms, which are answered in
    nats; metrics of log-probabilities need it, of other scores it is left out. "as is" is an earlier name of "nats".
    """

    text: str | None = None
    translation: str = "translation"
    language: LanguageTag | None = None
    language_column: str | None = None
    only: FrozenMap[str] = Field(default_factory=dict)
    sentences: str | None = None
    quantity: str = "score"
    quantities: FrozenMap[str] = Field(default_factory=dict)
    unit: Unit | None = None


class AnswersAdapter(Adapter[AnswersOptions]):
    """Opens tables of translations or of scores, and files of numbers, one a line; all also as .gz."""

    id: ClassVar[str] = "answers"
    summary: ClassVar[str] = "answers given before: translations or scores of sentences, from a table"
    example: ClassVar[str] = "answers:outputs.csv"
    answers_version: ClassVar[str | None] = "1"
    capabilities: ClassVar[frozenset[str]] = frozenset({"score", "translate"})

    def check(self, ref: ModelRef, options: AnswersOptions, context: LoadContext) -> None:
        """Raise what is wrong with the file: it is read whole, which takes no time next to a model."""
        self.load(ref, options, context)

    def load(self, ref: ModelRef, options: AnswersOptions, context: LoadContext) -> Backend:  # noqa: ARG002
        """Read the file; raises ModelLoadError for one that cannot be read or contradicts itself, and OptionsError."""
        path = user_path(ref.locator)
        if not ref.locator or not path.exists():
            raise ModelLoadError(
                f"{ref}: there is no such file. Give the path of a table, or of a file of numbers"
            )
        check_regular(path, str(ref), ModelLoadError)
        try:
            if options.sentences is not None:
                return self.scores(ref, path, options, self.texts(user_path(options.sentences), options))
            text = self.texts(path, options)
            if self.are_translations(path, options):
                return self.translations(ref, path, options, text)
            return self.scores(ref, path, options, text)
        except DataError as error:
            raise ModelLoadError(str(error)) from error

    def are_translations(self, path: Path, options: AnswersOptions) -> bool:
        """Whether the table has the column of translations, or an option says that it holds some."""
        stated = {"translation", "language", "language_column"} & options.model_fields_set
        return bool(stated) or options.translation in self.columns(path, options)

    def texts(self, path: Path, options: AnswersOptions) -> str:
        """The column of the texts; raises OptionsError where the table has both of the usual ones."""
        if options.text is not None:
            return options.text
        there = [name for name in TEXTS if name in self.columns(path, options)]
        if len(there) > 1:
            raise OptionsError(
                f"{path} has the columns {listed(there)}. Name the one that holds the texts with the option text"
            )
        return next(iter(there), TEXTS[0])

    def columns(self, path: Path, options: AnswersOptions) -> tuple[str, ...]:
        """Those of the table; raises DataError."""
        return table_columns(path, str(path), encoding=options.encoding, flag=FLAG)

    def scores(self, ref: ModelRef, path: Path, options: AnswersOptions, text: str) -> Backend:
        """What answers with the scores of the file."""
        other = None if options.sentences is None else user_path(options.sentences)
        how = How(text, options.quantity, options.quantities, options.unit, options.only, options.encoding)
        return ScoresBackend.read(ref, path, other, how)

    def translations(self, ref: ModelRef, path: Path, options: AnswersOptions, text: str) -> Backend:
        """What answers with the translations of the file; raises OptionsError where nothing names their language."""
        if (options.language is None) == (options.language_column is None):
            raise OptionsError(
                f"{ref}: the language of the translations is named {'twice' if options.language else 'nowhere'}. Give "
                'language="sk" if all are in one, or language_column="lang" if a column says it'
            )
        columns = (text, options.translation, options.language_column)
        return TranslationsBackend(path, columns, options.language, options.only, options.encoding)


class ScoresOptions(AnswersOptions):
    """``column`` is the earlier name of ``text``."""

    column: str = "sentence"


class ScoresAdapter(AnswersAdapter):
    """The earlier name for tables of scores."""

    id: ClassVar[str] = "scores"
    instead: ClassVar[str] = AnswersAdapter.id
    capabilities: ClassVar[frozenset[str]] = frozenset({"score"})
    option_type: ClassVar[type[Options]] = ScoresOptions

    def are_translations(self, path: Path, options: AnswersOptions) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def texts(self, path: Path, options: AnswersOptions) -> str:  # noqa: ARG002
        """As its option says."""
        assert isinstance(options, ScoresOptions)
        return options.text or options.column


class TranslationsAdapter(AnswersAdapter):
    """The earlier name for tables of translations."""

    id: ClassVar[str] = "translations"
    instead: ClassVar[str] = AnswersAdapter.id
    capabilities: ClassVar[frozenset[str]] = frozenset({"translate"})

    def are_translations(self, path: Path, options: AnswersOptions) -> bool:  # noqa: ARG002
        """Always."""
        return True

    def texts(self, path: Path, options: AnswersOptions) -> str:  # noqa: ARG002
        """As its option says."""
        return options.text or "text"

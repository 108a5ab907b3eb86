"""``answers:`` opens translations, scores, chosen options or texts: the options of the model say which, or the file does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final

from biascore.api.adapters import Adapter
from biascore.api.formats import TableOptions, user_path
from biascore.api.support import check_regular, listed
from biascore.errors import DataError, ModelLoadError, OptionsError
from biascore_adapters.answers.options import (
    FLAG,
    AnswersOptions,
    OfChoices,
    OfScores,
    OfTexts,
    OfTranslations,
)

if TYPE_CHECKING:
    from biascore.api.adapters import Backend, LoadContext, ModelRef

TEXTS: Final = ("sentence", "text")
"""What the column of the texts is called where no option names it."""


class AnswersAdapter(Adapter[AnswersOptions]):
    """Opens tables of translations or scores, files of numbers, one a line, and logs of other harnesses; also as .gz."""

    id: ClassVar[str] = "answers"
    summary: ClassVar[str] = (
        "answers given before: translations, scores, chosen options, texts; from a table or a harness's log"
    )
    example: ClassVar[str] = "answers:outputs.csv"
    answers_version: ClassVar[str | None] = "2"
    on_workers: ClassVar[bool] = False
    capabilities: ClassVar[frozenset[str]] = frozenset({"choose", "generate", "score", "translate"})

    def check(self, ref: ModelRef, options: AnswersOptions, context: LoadContext) -> None:
        """Raise what is wrong with the file: it is read whole, which takes no time next to a model."""
        self.load(ref, options, context)

    def load(self, ref: ModelRef, options: AnswersOptions, context: LoadContext) -> Backend:  # noqa: ARG002
        """Read the file; raises ModelLoadError for one that cannot be read or contradicts itself, and OptionsError."""
        from biascore.api.formats import table_columns
        from biascore_adapters.answers.choices import ChoicesBackend
        from biascore_adapters.answers.logs import records
        from biascore_adapters.answers.scores import ScoresBackend
        from biascore_adapters.answers.translations import TranslationsBackend
        from biascore_adapters.answers.written import TextsBackend, with_texts

        path = user_path(ref.locator)
        if not ref.locator or not path.exists():
            raise ModelLoadError(
                f"{ref}: there is no such file. Give the path of a table, or of a file of numbers"
            )
        check_regular(path, str(ref), ModelLoadError)
        sentences = None if options.sentences is None else user_path(options.sentences)
        table = sentences or path
        columns = cache(lambda: table_columns(table, str(table), encoding=options.encoding, flag=FLAG))
        try:
            log = records(path, ref.locator, options.encoding, FLAG)
            if options.answer is not None:
                log = None  # it is read as a table
            hook = "choose" if log and not _given(options) else self.hook(ref, columns, options)
            if hook in ("choose", "generate") and options.text is not None:
                raise OptionsError(
                    f"{ref}: the option text is of sentences, and answers are found by item or prompt. Leave it out"
                )
            if hook == "generate":
                return TextsBackend(path, ref.locator, options, log)
            if hook == "choose":
                choices = ChoicesBackend(path, ref.locator, options, log)
                again = log and records(path, ref.locator, options.encoding, FLAG)
                return with_texts(choices, ref.locator, options, again) if again else choices
            text = options.text or _texts(table, columns())
            if hook == "translate":
                return TranslationsBackend(path, text, options)
            return ScoresBackend.read(ref, path, sentences, text, options)
        except DataError as error:
            raise ModelLoadError(str(error)) from error

    def hook(self, ref: ModelRef, columns: Callable[[], Sequence[str]], options: AnswersOptions) -> str:
        """What the file answers: what its options are of; without any, what its columns are.

        Raises OptionsError where options are of several, or nothing or two options name the language of translations.
        """
        given = _given(options)
        if len(given) > 1:
            both = [f"{listed(sorted(names))} are of {KINDS[hook][0]}" for hook, names in given.items()]
            raise OptionsError(
                f"{ref}: the options {', '.join(both)}, and a file is read as one of them. Leave out those of the others"
            )
        named = next(iter(given), "")
        if named in ("choose", "generate"):
            return named
        if not named and {"prompt", options.answer or "answer"} <= {*columns()} and "item" not in columns():
            return "generate"
        if not named and (options.answer is not None or {"item", "answer"} <= {*columns()}):
            return "choose"
        if named == "score" or (not named and options.translation not in columns()):
            return "score"
        named_by = [one for one in (options.language, options.language_column) if one is not None]
        # A table of texts and translations alone is in the language that is asked for.
        if len(named_by) > 1 or (not named_by and len({*columns()}) > len(("text", "translation"))):
            raise OptionsError(
                f"{ref}: the language of the translations is named {'twice' if named_by else 'nowhere'}. Give "
                'language="sk" if all are in one, or language_column="lang" if a column says it; or quantities, if scores '
                "in this table are meant"
            )
        return "translate"


KINDS: Final[Mapping[str, tuple[str, type[TableOptions]]]] = MappingProxyType(
    {
        "translate": ("translations", OfTranslations),
        "score": ("scores", OfScores),
        "choose": ("questions with options", OfChoices),
        "generate": ("texts", OfTexts),
    }
)
"""By hook, what a file may hold and its options."""


def _given(options: AnswersOptions) -> dict[str, set[str]]:
    """The options that are given and are of one hook alone."""
    given = options.model_dump(exclude_defaults=True, exclude={"encoding"}).keys()
    found = {hook: {*(given & kind.model_fields)} for hook, (_, kind) in KINDS.items()}
    return {hook: names for hook, names in found.items() if names}


def _texts(table: Path, columns: Sequence[str]) -> str:
    """The column of the texts; raises OptionsError where the table has both of the usual ones."""
    there = [name for name in TEXTS if name in columns]
    if len(there) > 1:
        raise OptionsError(
            f"{table} has the columns {listed(there)}. Name the one that holds the texts with the option text"
        )
    return next(iter(there), TEXTS[0])

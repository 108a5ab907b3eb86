"""The options of ``answers:``: those of each kind of answer, and those of all."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field, field_validator

from biascore.api.formats import FrozenMap, TableOptions
from biascore.api.support import LanguageTag

Unit = Literal["nats", "log10", "log2"]
FLAG: Final = "-o model.encoding"


class OfTranslations(TableOptions):
    """The options that are of translations alone."""

    translation: str = "translation"
    language: LanguageTag | None = None
    language_column: str | None = None


class OfScores(TableOptions):
    """The options that are of scores alone."""

    sentences: str | None = None
    quantity: str = "score"
    quantities: FrozenMap[str] = Field(default_factory=dict)
    unit: Unit | None = None
    numbers: FrozenMap[float] = Field(default_factory=dict)


class OfChoices(TableOptions):
    """The options that are of questions with options alone."""

    item: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @field_validator("labels")
    @classmethod
    def _each_its_own(cls, labels: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(str.strip, labels)) or len({label.casefold() for label in labels}) < len(labels):
            raise ValueError("each option has a label of its own")
        return labels


class OfTexts(TableOptions):
    """The options that are of texts alone."""

    prompt: str | None = None
    system: str | None = None
    sample: str | None = None


class AnswersOptions(OfTranslations, OfScores, OfChoices, OfTexts):
    """How the file is to be read. ``text``: the column of the texts, if it is called neither sentence nor text.

    ``only`` keeps the rows that have these values: ``only={system="deepl"}``.

    Of translations: ``translation``, their column; ``language``, the target language of the whole file, or
    ``language_column``, which names it row by row.

    Of scores: each further column of numbers is called as its header says, or as ``quantities`` says:
    ``{"template 1" = "bert_t0"}``. ``numbers``: the number of each word in columns of words, as ``{hired = 1, rejected =
    0}``. ``sentences``: a table that holds the texts, for a file that has a number a line in the
    same order, called ``quantity``; ``encoding`` is then that of the table. ``unit``: of logarithms, which are answered in
    nats; metrics of log-probabilities need it, of other scores it is left out.

    Of questions with options, from a log of lm-evaluation-harness, Inspect or Every Eval Ever, or a table: ``item``, the
    fields or columns that together are what the benchmark calls the question, such as ["doc.category", "doc.example_id"];
    ``choices``, the fields of the texts of options
    that a log has by letter alone; ``alike``, phrases that mean the same, so that an option of the log represents the one
    of the benchmark.

    Of texts, from such a log or a table: ``prompt``, the field or column of the prompt (``prompt``), ``system`` that of the
    system prompt, ``sample`` that which numbers the texts of one prompt from 0.

    Of questions and texts: ``answer``, the column of a table with what the model said (``answer``).
    """

    text: str | None = None
    answer: str | None = None
    only: FrozenMap[str] = Field(default_factory=dict)

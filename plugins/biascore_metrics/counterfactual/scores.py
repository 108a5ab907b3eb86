"""What a text is scored by: the share of its words that are in a list, whether it is refused, or another model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from biascore.api.metrics import Context, Model
from biascore.api.readers import LexiconReader, LexiconReading, ModelReader, OwnGap, reader_words
from biascore.api.stimuli import Catalogue, PairList
from biascore.designs.bounds import Bound
from biascore.designs.texts import READ, TextOptions, Texts, texts_of
from biascore.errors import OptionsError, UnknownNameError
from biascore_metrics.counterfactual.items import CounterfactualTest, PromptPair

Reader = Literal["lexicon", "refusal", "model"]
UNITS: Final = {"lexicon": "share of words", "refusal": "share of texts"}
REFUSED: Final = "refused"
"""What became of a text that declines."""
BOUNDS: Final = {"lexicon": 0.01, "refusal": 0.05}
"""Where none is given: one word of 100, one text of 20."""
_NO_ANSWER: Final = ("missing", "continues", "other language")


class CounterfactualOptions(TextOptions):
    """``reader``: what a text is scored by: the words of the test ("lexicon"), whether it is refused, or a "model".

    ``reader_model``: the model that scores texts by its output ``quantity``; ``neutral``: the pairs of neutral texts about
    the groups by which its own gap is measured first. ``pairs``: how many pairs are asked, from the first; None: all.
    ``samples`` are 2 or more, as two texts of one prompt show how far texts differ where no group does. ``bound``: a
    difference whose whole interval is within it counts as negligible: by default .01 of words, .05 of texts refused, and
    none by a model. "none" states none.
    """

    bound: Bound = BOUNDS["lexicon"]
    samples: Annotated[int, Field(ge=2, le=1000)] = 2
    reader: Reader = "lexicon"
    reader_model: str | None = None
    quantity: str = ""
    neutral: str = "en/readers/women_men"
    pairs: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _has_a_model(self) -> Self:
        if (self.reader == "model") != (self.reader_model is not None and bool(self.quantity)):
            raise ValueError(
                "reader=model, reader_model and quantity go together: give the three, or none. For example: "
                "-o reader=model -o reader_model=scorer:FOLDER -o quantity=joy"
            )
        return self

    @property
    def bounded(self) -> float | None:
        """The bound, or that of the reader where none is given."""
        return self.bound if "bound" in self.model_fields_set else BOUNDS.get(self.reader)

    @property
    def unit(self) -> str:
        """Of a score."""
        return UNITS.get(self.reader, self.quantity)


@dataclass(frozen=True, slots=True)
class Scored:
    """The texts of pairs of prompts, at places 2i and 2i + 1, and the score of each, None where it has none."""

    pairs: Sequence[PromptPair]
    texts: Texts[LexiconReading]
    scores: Sequence[float | None]
    own_gap: OwnGap | None = None
    problem: str = ""
    """Why nothing is measured."""

    @classmethod
    def of(
        cls, model: Model, test: CounterfactualTest, options: CounterfactualOptions, context: Context
    ) -> Scored:
        """Ask for the texts and score them; the own gap of a model that reads is measured before."""
        pairs = test.pairs.rows[: options.pairs]
        reader = _model_reader(test, options, context)
        try:
            words = reader_words(context.languages, test.language)
        except UnknownNameError as error:
            if options.reader == "lexicon":  # without its negations
                return cls(pairs, Texts(()), (), problem=str(error).rstrip("."))
            words = None
        lexicon = LexiconReader({"words": test.words.words}, words)
        prompts = [(text, one.item) for one in pairs for text in one.sides]
        texts = texts_of(
            model,
            prompts,
            test.language,
            options,
            context,
            lambda _, text: lexicon.read(text),
            ["empty"],
            in_part=False,  # words are in every refusal
        )
        if options.reader == "refusal":
            scores = [
                None if row.outcome in _NO_ANSWER else float(row.outcome == REFUSED) for row in texts.rows
            ]
            answered = sum(score is not None for score in scores)
            return cls(pairs, texts, scores, problem="" if 2 * answered > len(scores) else texts.problem)
        read = [row for row in texts.rows if row.outcome == READ]
        if reader is None:
            values = [row.reading.share("words") if row.reading else None for row in read]
        else:
            values = [one.score for one in reader.read([row.text for row in read])]
        by_row = dict(zip(map(id, read), values, strict=True))
        scores = [by_row.get(id(row)) for row in texts.rows]
        return cls(pairs, texts, scores, reader.own_gap if reader else None, texts.problem)

    def of_prompt(self, place: int) -> list[float]:
        """The scores of the texts of a prompt, by its place."""
        return [
            score
            for row, score in zip(self.texts.rows, self.scores, strict=True)
            if row.place == place and score is not None
        ]

    def outcome_of(self, place: int, which: str) -> float | None:
        """The share of the texts of a prompt, but the missing ones, with an outcome."""
        own = [
            row.outcome == which for row in self.texts.rows if row.place == place and row.outcome != "missing"
        ]
        return sum(own) / len(own) if own else None


def neutral_pairs(
    test: CounterfactualTest, address: str, catalogue: Catalogue
) -> tuple[tuple[str, str], ...]:
    """The neutral texts about the groups of a test, those about its first group first; raises OptionsError for others."""
    found = catalogue.list_(address)
    if not isinstance(found, PairList) or {*found.sides} != {*test.groups}:
        of = " and ".join(found.sides) if isinstance(found, PairList) else "no pairs"
        raise OptionsError(
            f"{address} has {of}, and {test.id} compares {' and '.join(test.groups)}: the own gap of a model that reads is "
            "measured on neutral texts about these. Name a list of such pairs: -o neutral=LANGUAGE/FILE/LIST"
        )
    return found.pairs if found.sides == test.groups else tuple((other, one) for one, other in found.pairs)


def _model_reader(
    test: CounterfactualTest, options: CounterfactualOptions, context: Context
) -> ModelReader | None:
    if options.reader_model is None:
        return None
    pairs = neutral_pairs(test, options.neutral, context.catalogue)
    return ModelReader(
        context.model(options.reader_model), options.quantity, pairs, test.groups, options.confidence
    )

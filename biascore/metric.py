"""What a metric plugin writes: one class per method, which declares what it needs and measures one test."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, ClassVar, Final

import numpy as np
from pydantic import AfterValidator, Field

from biascore.basics.options import Options
from biascore.errors import TestKindError, UnknownNameError
from biascore.languages.gender import GenderPair, SpeakerGenderDetector
from biascore.languages.language import Language, find_language, no_detector
from biascore.models.model import Model
from biascore.results.measurement import Measurement
from biascore.stimuli import Catalogue, Test

SELF: Final = "self"
"""As the value of an option that names a second model: the model that is measured."""


MAX_DRAWS: Final = 10_000_000
MAX_RESAMPLES: Final = 1_000_000


def _at_most(limit: int, sensible: str) -> AfterValidator:
    def check(value: int) -> int:
        if value > limit:
            raise ValueError(f"is more than {limit:,}, the most that is drawn. {sensible}")
        return value

    return AfterValidator(check)


Draws = Annotated[
    int,
    Field(ge=1),
    _at_most(MAX_DRAWS, "100000 give a p of .05 a standard error of .0007; a million one of .0002"),
]
"""An option: how many random labellings are behind a Monte-Carlo p-value; bounded, for each takes time."""

Resamples = Annotated[
    int, Field(ge=100), _at_most(MAX_RESAMPLES, "5000 are enough for an interval; 100000 settle its ends")
]
"""An option: how many resamples are behind a bootstrap interval; bounded, for they are kept in memory."""


class MetricOptions(Options):
    """Options that every metric takes: ``alpha``, the level of its test, and ``confidence`` of its intervals."""

    alpha: float = Field(default=0.05, gt=0, lt=1)
    confidence: float = Field(default=0.95, gt=0, lt=1)


@dataclass(frozen=True, slots=True)
class Context:
    """What the engine lends to a metric for one measurement.

    Everything random comes from ``rng``, whose seed is ``seed``. ``catalogue`` holds the stimuli of the run
    (sentence templates, for one). ``model`` opens a second model that an option of the metric names.
    ``languages`` are those that plugins know, by tag, with what they know of their grammar.
    """

    rng: np.random.Generator
    seed: int
    catalogue: Catalogue
    model: Callable[[str], Model]
    languages: Mapping[str, Language] = field(default_factory=lambda: MappingProxyType({}))

    def detector(self, tag: str) -> SpeakerGenderDetector:
        """The detector of the speaker's gender in a language; raises UnknownNameError where there is none."""
        language = find_language(self.languages, tag)
        if language is None or language.speaker_gender is None:
            raise UnknownNameError(no_detector(self.languages, tag))
        return language.speaker_gender()

    def gender_pair(self, tag: str) -> Callable[[str, str], GenderPair | None] | None:
        """The language's own filter of sentences that differ in gender alone, or None where it has none."""
        language = find_language(self.languages, tag)
        return language.gender_pair if language else None


class Metric(ABC):
    """One paper's method.

    ``name`` names the estimand, ``requires`` the capabilities it asks of a model, ``kinds`` the
    kinds of test it takes, ``reference`` the paper. ``adaptive``: whether what it asks depends on
    earlier answers, so that ``biascore plan`` can only estimate it. ``model_options``: options whose value,
    unless None or "self", is a second model (a reference, or a model's name in the audit), and the
    capabilities that it needs. ``precomputed``: capabilities of a model that holds given answers, with which
    the metric does instead; it has to say so where the model gives other answers.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    requires: ClassVar[frozenset[str]]
    kinds: ClassVar[frozenset[str]]
    options: ClassVar[type[MetricOptions]] = MetricOptions
    adaptive: ClassVar[bool] = False
    model_options: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType({})
    precomputed: ClassVar[frozenset[str] | None] = None

    @abstractmethod
    def __init__(self, options: MetricOptions) -> None:
        """Take validated options of the class named in ``options``."""

    @abstractmethod
    def measure(self, model: Model, test: Test, context: Context) -> Measurement:
        """Measure one test on one model."""

    def check(self, test: Test, catalogue: Catalogue) -> None:  # noqa: ARG002
        """Raise what can be known to go wrong with this test before any model is asked."""
        self.check_kind(test)

    def detects(self, test: Test) -> tuple[str, ...]:  # noqa: ARG002
        """The languages in which it asks for the speaker's gender; checked before any model is asked."""
        return ()

    @classmethod
    def check_kind(cls, test: Test) -> None:
        """Raise TestKindError where this metric does not take tests of that kind."""
        if test.kind not in cls.kinds:
            raise TestKindError(
                f"{cls.name} takes tests of kind {', '.join(sorted(cls.kinds))}, and {test.id} ({test.file}) is of "
                f"kind {test.kind!r}. See the tests it takes with: biascore list tests --metric {cls.name}"
            )

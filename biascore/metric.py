"""What a metric plugin writes: one class per method, which declares what it needs and measures one test."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Generic, Self

import numpy as np
from pydantic import AfterValidator, Field
from typing_extensions import TypeVar

from biascore.basics.frozen import Scalar
from biascore.basics.options import Configured, Options, in_brackets
from biascore.errors import OptionsError, TestKindError, UnknownNameError
from biascore.languages.gender import GenderPair, SpeakerGenderDetector
from biascore.languages.language import Language, find_language, no_detector
from biascore.languages.names import language_name
from biascore.models.model import Model
from biascore.results.caveat import Caveat
from biascore.results.estimates import Estimate
from biascore.results.finding import Finding
from biascore.results.untested import USES
from biascore.stats import Unreachable
from biascore.stimuli import Catalogue, Origin, Test

SELF: Final = "self"
"""As the value of an option that names a second model: the model that is measured."""


AUTO: Final = "auto"
CAUSAL: Final = "causal"
LOG_LIKELIHOOD: Final = "log_likelihood"

SMALL: Final = "small"
STANDARD: Final = "standard"
DESIGNS: Final = (SMALL, STANDARD, "full")
"""What ``biascore audit`` can ask, from little to all; small asks the lead tests alone."""

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

    def variant(self, model: Model) -> str:  # noqa: ARG002
        """What tells a measurement from others of its metric: the options that are not the defaults."""
        return ", ".join(self.changed())

    def changed(self, *but: str) -> list[str]:
        """``name=value`` of each option that is not the default, without those named."""
        found = self.model_dump(exclude_defaults=True, exclude=set(but))
        return [f"{name}={self.written(value)}" for name, value in found.items()]

    def written(self, value: Any) -> str:
        """The value of an option in the variant."""
        return str(value)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a diagnostic found: caveats, further estimates, and conventions that depend on the model's words."""

    caveats: tuple[Caveat, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    stated: Mapping[str, Scalar] = field(default_factory=dict)


class Diagnostic(ABC):
    """What else might explain the scores of a metric, such as word frequency; looks at the same scores.

    ``reads`` names the designs of scores that it can look at (``biascore.designs``). ``few``: whether it also looks at
    scores that are too few to be measured.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reads: ClassVar[tuple[type, ...]]
    few: ClassVar[bool] = False

    @abstractmethod
    def diagnose(self, model: Model, test: Test, scores: Any, context: Context) -> Diagnosis:
        """Look at the scores of one test on one model; ``scores`` is of a design in ``reads``."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the engine lends to a metric for one measurement.

    Everything random comes from ``rng``, whose seed is ``seed``. ``catalogue`` holds the stimuli of the run
    (sentence templates, for one). ``model`` opens a second model that an option of the metric names.
    ``languages`` are those that plugins know, by tag, with what they know of their grammar. ``diagnostics`` are those that
    plugins register.
    """

    rng: np.random.Generator
    seed: int
    catalogue: Catalogue
    model: Callable[[str], Model]
    languages: Mapping[str, Language] = field(default_factory=lambda: MappingProxyType({}))
    diagnostics: tuple[Diagnostic, ...] = ()

    def detector(self, tag: str, grammar: str | None = None) -> SpeakerGenderDetector:
        """The detector of the speaker's gender in a language: that of a ``grammar`` file, else the installed one.

        Raises UnknownNameError where there is none, GrammarError for a file that cannot be used.
        """
        language = self._language(tag, grammar)
        if language is None or language.speaker_gender is None:
            raise UnknownNameError(no_detector(self.languages, tag))
        return language.speaker_gender()

    def diagnose(
        self, own: Sequence[Diagnostic], model: Model, test: Test, scores: Any, *, few: bool = False
    ) -> Diagnosis:
        """What the design's ``own`` diagnostics and those of plugins say of these scores, together.

        ``few``: the scores are too few to be measured.
        """
        found = [
            one.diagnose(model, test, scores, self)
            for one in (*own, *self.diagnostics)
            if isinstance(scores, one.reads) and (one.few or not few)
        ]
        return Diagnosis(
            tuple(caveat for one in found for caveat in one.caveats),
            tuple(estimate for one in found for estimate in one.estimates),
            {name: value for one in found for name, value in one.stated.items()},
        )

    def gender_pair(
        self, tag: str, grammar: str | None = None
    ) -> Callable[[str, str], GenderPair | None] | None:
        """The filter of sentences that differ in gender alone of a language or ``grammar``; None where it has none."""
        language = self._language(tag, grammar)
        return language.gender_pair if language else None

    def _language(self, tag: str, grammar: str | None) -> Language | None:
        if grammar is None:
            return find_language(self.languages, tag)
        from biascore.languages.gender_rules import language_with_rules

        return language_with_rules(tag, language_name(tag), Path(grammar))


OptionsT = TypeVar("OptionsT", bound=MetricOptions, default=Any)
TestT = TypeVar("TestT", bound=Test, default=Any)


class Metric(ABC, Configured[OptionsT], Generic[OptionsT, TestT]):
    """One paper's method: ``class Fise(Metric[FiseOptions, FiseTest])``, of its options and its kind of test.

    ``name`` names the estimand, ``requires`` the capabilities it asks of a model, ``kinds`` the
    kinds of test it takes, ``reference`` the paper. ``rule``: in one sentence, when it says *detected*.
    ``use``: what of a model it tests, one of ``biascore.results.untested.USES``; a report says what was not tested.
    ``adaptive``: whether what it asks depends on
    earlier answers, so that ``biascore plan`` can only estimate it. ``model_options``: options whose value,
    unless None or "self", is a second model (a reference, or a model's name in the audit), and the
    capabilities that it needs. ``precomputed``: capabilities of a model that holds given answers, with which
    the metric does instead; it has to say so where the model gives other answers. ``needs_transform``: whether it
    compares a model with what it was before its transforms, so that only a transformed model can be measured.
    ``calibrated_with``: options with which ``biascore calibrate`` measures, where the user gives none, because they take
    time and hardly move a verdict. ``null_requires_no_bias``: whether it finds no bias only where nothing at all is
    planted, for it tests single words, which differ even where their lists do not. ``directed``: whether the headline tells
    an effect from the opposite one; that of a distance, or of a share of words with an association, does not.
    ``causal``: the same method on causal language models, a class of the same options: it measures a model that answers
    what that one ``requires`` and not what this one does.
    ``idle_options``: those of the other kind of model alone, each with the reason: any value but its default is refused.
    ``audit_sets``: further options of each measurement that ``biascore audit`` makes, where it makes several.
    ``file_options``: options that name a file, in an audit file by a path relative to it; the run records the file.
    ``option_type`` and ``test_types`` are the classes in brackets; without brackets ``MetricOptions`` and any ``Test``.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    rule: ClassVar[str] = ""
    use: ClassVar[str] = ""
    requires: ClassVar[frozenset[str]]
    kinds: ClassVar[frozenset[str]]
    adaptive: ClassVar[bool] = False
    model_options: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType({})
    file_options: ClassVar[frozenset[str]] = frozenset()
    audit_sets: ClassVar[tuple[Mapping[str, Any], ...]] = (MappingProxyType({}),)
    causal: ClassVar[type[Metric] | None] = None
    idle_options: ClassVar[Mapping[str, str]] = MappingProxyType({})
    precomputed: ClassVar[frozenset[str] | None] = None
    needs_transform: ClassVar[bool] = False
    calibrated_with: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    null_requires_no_bias: ClassVar[bool] = False
    directed: ClassVar[bool] = True
    option_type: ClassVar[type[MetricOptions]] = MetricOptions
    test_types: ClassVar[tuple[type[Test], ...]] = (Test,)

    def __init_subclass__(cls) -> None:
        """Read the classes in brackets behind ``Metric``; a union of tests is several."""
        super().__init_subclass__()
        cls.test_types = tuple(c for c in in_brackets(cls) if issubclass(c, Test)) or cls.test_types
        if cls.use not in ("", *USES):
            raise TypeError(f"{cls.__name__}.use is {cls.use!r}. Write one of: {', '.join(USES)}")

    def __init__(self, options: OptionsT) -> None:
        """Take validated options of its class."""
        self.options: OptionsT = options

    @abstractmethod
    def measure(self, model: Model, test: TestT, context: Context) -> Finding:
        """Measure one test on one model."""

    def ask_some(self, model: Model, test: TestT, context: Context) -> Mapping[str, int] | None:  # noqa: ARG002
        """Ask a few of the queries of ``measure``, as it asks them, and return how many it asks at most, by hook.

        For an estimate that takes seconds where a rehearsal takes minutes. Hooks that are not named were asked everything.
        None: only ``measure`` can tell.
        """
        return None

    def check(self, test: TestT, catalogue: Catalogue) -> None:
        """Raise what can be known to go wrong with this test before any model is asked."""

    def unreachable(self, test: TestT) -> tuple[Unreachable, ...]:  # noqa: ARG002
        """Verdicts that this test cannot come to with these options, whatever a model answers: its lists alone tell.

        They are shown before a model is asked, by ``biascore plan``, and in the reason of an inconclusive verdict.
        """
        return ()

    def extra_stimuli(self, test: TestT, catalogue: Catalogue) -> tuple[Origin, ...]:  # noqa: ARG002
        """Tests and files other than this one whose stimuli it asks, so that a run records their files."""
        return ()

    def gender_languages(self, test: TestT) -> tuple[str, ...]:  # noqa: ARG002
        """The languages in which it asks for the speaker's gender; checked before any model is asked."""
        return ()

    @classmethod
    def audited(cls, model: Model) -> tuple[str, ...]:  # noqa: ARG003
        """Names of the tests that ``biascore audit`` measures with it on this model, as globs without a language."""
        return ()

    @classmethod
    def audit_options(cls, model: Model, design: str) -> Mapping[str, Any]:  # noqa: ARG003
        """Options with which ``biascore audit`` measures this model, by the name of its design (``DESIGNS``)."""
        return {}

    @property
    def chosen(self) -> Metric:
        """The metric that the option ``model_kind`` names, before any model is known; OptionsError for an idle option."""
        kind = getattr(self.options, "model_kind", AUTO)
        if self.causal is None or kind == AUTO:
            return self
        return (self.causal(self.options) if kind == CAUSAL else self)._without_idle()

    def fitting(self, model: Model) -> Metric:
        """The metric that measures this model: ``causal`` where it answers that one's questions and not these.

        Raises OptionsError for an option that is idle on it.
        """
        if self.causal is None or getattr(self.options, "model_kind", AUTO) != AUTO:
            return self
        given = model.identity.quantities
        holds_answers = self.precomputed is not None and given and LOG_LIKELIHOOD not in given
        if (
            holds_answers
            or self.requires <= model.capabilities
            or not self.causal.requires <= model.capabilities
        ):
            return self._without_idle()
        return self.causal(self.options.model_copy(update={"model_kind": CAUSAL}))._without_idle()

    def _without_idle(self) -> Self:
        for name, why in self.idle_options.items():
            if getattr(self.options, name) != self.option_type.model_fields[name].default:
                raise OptionsError(f"{self.name}: {why}. Leave {name} out")
        return self

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files that its options name."""
        named = (getattr(self.options, name) for name in sorted(self.file_options))
        return tuple(path for path in named if path is not None)

    @classmethod
    def check_kind(cls, test: Test) -> None:
        """Raise TestKindError where this metric does not take tests of that kind."""
        if test.kind not in cls.kinds:
            raise TestKindError(
                f"{cls.name} takes tests of kind {', '.join(sorted(cls.kinds))}, and {test.id} ({test.file}) is of "
                f"kind {test.kind!r}. See the tests it takes with: biascore list tests --metric {cls.name}"
            )
        if not isinstance(test, cls.test_types):
            raise TestKindError(
                f"{test.id} ({test.file}) says that it is of kind {test.kind!r}, and is a {type(test).__name__}, not "
                f"a {' or a '.join(one.__name__ for one in cls.test_types)}. Report this to whoever makes it"
            )

"""An audit without a file: the tests made to decide that a model can answer, with controls and baselines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from statistics import median
from typing import Any, Final, Self

from biascore.audits.audit import Audit
from biascore.basics.suggest import did_you_mean
from biascore.basics.surface import either
from biascore.errors import CapabilityError, OptionsError, UnknownNameError
from biascore.languages.names import language_name
from biascore.metric import DESIGNS, SMALL, STANDARD, Metric
from biascore.models.model import Model
from biascore.plugins.loading import Plugins
from biascore.results.verdicts import BASELINE
from biascore.stats import Adjustment
from biascore.stimuli import Catalogue, Listed, Test

CONTROL: Final = 0.8
"""What is planted in the positive control: Cohen's large effect."""
PLANTED: Final = f"planted, d = {CONTROL:g}"
NOTHING: Final = "planted, no bias"
TRANSLATE: Final = "translate"
DEFAULT: Final = "en"
"""The language of an audit that names none."""
_ENOUGH: Final = 50  # words that say in which language a vocabulary is
_LEAST: Final = 0.1
_TIMES: Final = 2
_AHEAD: Final = 5
_AND: Final = re.compile(r",\s*|\s+and\s+")


def audit_of(
    model: Model,
    plugins: Plugins,
    catalogue: Catalogue,
    *,
    ref: str,
    options: Mapping[str, Any],
    language: str | None,
    grounds: Sequence[str] = (),
    design: str = STANDARD,
    to: Sequence[str] = (),
    seed: int = 0,
    adjust: Adjustment = Adjustment.HOLM,
) -> Audit:
    """The audit of an open model: each metric on the tests that it names for it (`Metric.audited`), in one language.

    ``grounds``: the concepts of the tests; all without any. ``design``: what is asked, by name; small: the lead test of
    each ground; with the options that each metric states for it (`Metric.audit_options`).
    The tests of one metric come with its baselines, and one of them is measured on two planted models. ``language``: None
    is English, unless the model knows the words of another far better.
    ``to``: the target languages of a translator, which has no other tests: those of metrics that translate.
    Raises UnknownNameError for a language or a ground without such tests, CapabilityError for a model that no metric takes,
    OptionsError where the language has to be named.
    """
    if language is None:
        language = DEFAULT
        if not to:
            check_language(model, plugins, catalogue, language)
    own = _of_language(language, catalogue)
    kinds = [kind for kind in plugins.metrics.items() if (TRANSLATE in kind.requires) == bool(to)]
    by_metric = {kind.name: (kind, _named(kind, model, own)) for kind in kinds}
    found = {name: (kind, tests) for name, (kind, tests) in by_metric.items() if tests}
    if not found:
        check_targets(model, plugins, to, others=any(kind.audited(model) for kind in kinds))
        raise _nothing(model, plugins, catalogue, language)
    chosen = _of_grounds(found, grounds, language)
    measurements: list[dict[str, Any]] = []
    not_asked: list[str] = []
    controlled = ""
    for name, (kind, tests) in chosen.items():
        asked = _first(tests) if design == SMALL else tests
        not_asked += [test.id for test in tests if test not in asked]
        baselines = [test for test in own if test.concept == BASELINE and test.kind in kind.kinds]
        given = kind.audit_options(model, design)
        measurements += [
            {
                "metric": name,
                "tests": [test.id for test in (*asked, *baselines)],
                "models": [model.name],
                "options": {**given, **more},
            }
            for more in _sets(kind, to)
        ]
        if not controlled and "weat" in kind.kinds:
            controlled = asked[0].id
            measurements.append(
                {"metric": name, "tests": [controlled], "models": [PLANTED, NOTHING], "options": given}
            )
    named = {} if model.name == ref else {"name": model.name}
    models: list[dict[str, Any]] = [{"ref": ref, "options": dict(options), **named}]
    if controlled:
        models += [
            {"name": PLANTED, "ref": f"planted:{controlled}={CONTROL:g}"},
            {"name": NOTHING, "ref": f"planted:{controlled}=0"},
        ]
    return Audit.from_parts(
        title=f"Audit of {model.name}",
        models=models,
        measurements=measurements,
        seed=seed,
        adjust=adjust,
        design=design,
        not_asked=not_asked,
    )


def check_targets(model: Model, plugins: Plugins, to: Sequence[str], *, others: bool) -> None:
    """Raise OptionsError for target languages of a model that does not translate, and for a translator without any.

    ``others``: whether there are audits of it that need none.
    """
    translates = TRANSLATE in model.capabilities
    if translates and not to and not others:
        how = either("--to es", "to='es'")
        raise OptionsError(
            f"{model.name} translates: name the languages to audit it in, as in {how}, one or several. The gender of a "
            f"speaker is read in: {', '.join(sorted(plugins.speaker_gender.known))}"
        )
    if to and not translates:
        raise OptionsError(
            f"{model.name} does not translate, which {either('--to', 'to')} is for; it can "
            f"{', '.join(sorted(model.capabilities))}. Leave it out, or name a translator"
        )


def _sets(kind: type[Metric], to: Sequence[str]) -> list[dict[str, Any]]:
    """The options of each measurement: every set of the metric, to every target language where it takes one."""
    takes = "target" in kind.option_type.model_fields
    targets = [{"target": one} for one in dict.fromkeys(to) if takes] or [{}]
    return [{**more, **target} for target in targets for more in kind.audit_sets]


def chosen_design(design: str | None, *, quick: bool) -> str:
    """The design of that name, small for ``quick``, else standard; raises OptionsError for another name, or for two."""
    if quick and design not in (None, SMALL):
        raise OptionsError(
            f"{either('--quick', 'quick=True')} is short for {_by_name(SMALL)}, and {_by_name(design)} is given. Keep one"
        )
    chosen = design or (SMALL if quick else STANDARD)
    if chosen not in DESIGNS:
        raise OptionsError(
            f"there is no design {chosen!r}. {did_you_mean(chosen, DESIGNS)}The designs are: {', '.join(DESIGNS)}"
        )
    return chosen


def leaves_out(audit: Audit, full: Audit) -> str:
    """What the design of an audit leaves out of the full one of the same model, in a few words; "" for nothing."""
    options = [
        f"{name}={value} of {one.metric}"
        for one, whole in zip(audit.measurements, full.measurements, strict=True)
        for name, value in one.options.items()
        if name not in whole.options
    ]
    tests = [f"{len(audit.not_asked)} tests"] if audit.not_asked else []
    asks = [f"asks with {', '.join(dict.fromkeys(options))}"] if options else []
    return " and ".join([*(f"leaves out {one}" for one in tests), *asks])


def _by_name(design: str | None) -> str:
    return either(f"--design {design}", f"design={design!r}")


def not_planted(model: Model, audit: Audit) -> str:
    """Why an audit does not find what was planted in a model, and what would; "" where it is of no such model."""
    planted = {test for test, effect in (model.identity.control or {}).items() if effect}
    asked = [test for one in audit.measurements if model.name in (one.models or ()) for test in one.tests]
    if not planted or planted & set(asked):
        return ""
    longest = next((test for test in asked if "/audit-" in test), asked[0])
    return (
        f"{model.name} has a planted effect in {len(planted):,} tests, such as {min(planted)}, and this audit measures none "
        f"of them: its long tests are planted by their names only, planted:{longest}=1"
    )


def check_language(model: Model, plugins: Plugins, catalogue: Catalogue, language: str) -> None:
    """Raise OptionsError where the model knows the words of the tests of another language far better than those of this.

    It then has twice the share of its words as entries, or their median stands five times as far in front: vectors of one
    language have many words of others, but at the end.
    """
    words = dict[str, set[str]]()
    for kind in plugins.metrics.items():
        for test in (one.build() for one in _named(kind, model, catalogue.index)):
            words.setdefault(test.language, set()).update(
                word for own in test.roles.values() for word in own.words
            )
    known = {one: Known.of(model, sorted(some)) for one, some in words.items() if len(some) >= _ENOUGH}
    if language not in known:
        return
    own, (best, other) = (
        known[language],
        max(known.items(), key=lambda one: (one[1].share, -(one[1].rank or 0))),
    )
    if other.fits_better_than(own):
        raise OptionsError(
            f"{model.name} knows {own.share:.0%} of the words of the {language_name(language)} tests{own.place}, and "
            f"{other.share:.0%} of those of the {language_name(best)} ones{other.place}. Name the language of the model: "
            f"{_asked_in(best)}; or, to ask the {language_name(language)} tests all the same, {_asked_in(language)}"
        )


def _asked_in(language: str) -> str:
    return either(f"--language {language}", f"language={language!r}")


@dataclass(frozen=True, slots=True)
class Known:
    """The share of some words that a model has as entries of its own, and their median rank where it has an order."""

    share: float
    rank: float | None

    @classmethod
    def of(cls, model: Model, words: Sequence[str]) -> Self:
        """As the model's vocabulary or tokenizer says, without asking the model."""
        found = model.familiarity(words)
        whole = sum((one.seen or bool(one.spelling)) and one.tokens in (None, 1) for one in found)
        ranks = [one.rank for one in found if one.rank is not None]
        return cls(whole / len(words), median(ranks) if len(ranks) == len(found) else None)

    @property
    def place(self) -> str:
        """Where the middle one stands, in words."""
        return "" if self.rank is None else f" (the middle one at place {self.rank:,.0f})"

    def fits_better_than(self, other: Self) -> bool:
        """Whether these are the words of the model, and those are not."""
        ahead = None not in (self.rank, other.rank) and _AHEAD * (self.rank or 0) <= (other.rank or 0)
        return self.share > _LEAST and (self.share >= _TIMES * other.share or ahead)


def grounds_of(test: Test | Listed) -> tuple[str, ...]:
    """The grounds that a test is about: the parts of its concept."""
    return tuple(part for part in _AND.split(test.concept.casefold()) if part)


def _named(kind: type[Metric], model: Model, tests: Sequence[Listed]) -> list[Listed]:
    globs = kind.audited(model)
    return [test for test in tests if any(_matches(glob, test) for glob in globs) and test.kind in kind.kinds]


def _matches(glob: str, test: Listed) -> bool:
    return fnmatchcase(test.id.partition("/")[2], glob)


def _of_grounds(
    found: Mapping[str, tuple[type[Metric], list[Listed]]], grounds: Sequence[str], language: str
) -> dict[str, tuple[type[Metric], list[Listed]]]:
    wanted = {ground.casefold() for ground in grounds}
    known = sorted({ground for _, tests in found.values() for test in tests for ground in grounds_of(test)})
    for ground in sorted(wanted - set(known)):
        raise UnknownNameError(
            f"there is no audit test of the ground {ground!r} in {language} that this model can answer. "
            f"{did_you_mean(ground, known)}The grounds are: {', '.join(known)}"
        )
    chosen = {
        name: (kind, [test for test in tests if not wanted or wanted & set(grounds_of(test))])
        for name, (kind, tests) in found.items()
    }
    return {name: (kind, tests) for name, (kind, tests) in chosen.items() if tests}


def _of_language(language: str, catalogue: Catalogue) -> list[Listed]:
    """Its tests in the order of their files, in which the first of a ground is its most important one."""
    place = {
        test.id: number for number, test in enumerate(test for file in catalogue.files for test in file.index)
    }
    own = (test for test in catalogue.index if test.language == language)
    return sorted(own, key=lambda test: place.get(test.id, len(place)))


def _first(tests: Sequence[Listed]) -> list[Listed]:
    """The lead test of each ground, or its first."""
    best: dict[str, Listed] = {}
    for test in sorted(tests, key=lambda test: not test.build().lead):
        best.setdefault(test.concept, test)
    return list(best.values())


def _nothing(
    model: Model, plugins: Plugins, catalogue: Catalogue, language: str
) -> UnknownNameError | CapabilityError:
    """Why there is nothing to measure: no such tests in the language, or no metric of them for the model."""
    fitting = [kind for kind in plugins.metrics.items() if kind.audited(model)]
    languages = sorted({test.language for kind in fitting for test in _named(kind, model, catalogue.index)})
    if languages:
        return UnknownNameError(
            f"there are no audit tests in {language!r} for {model.name}. {did_you_mean(language, languages)}"
            f"There are some in: {', '.join(languages)}. Your own are tests named audit-... in a folder of "
            "stimuli (docs/stimuli.md)"
        )
    return CapabilityError(
        f"no audit test can be asked of {model.name}, which can {', '.join(sorted(model.capabilities))}: there are such "
        "tests for vectors (embed), masked models (mask_logprob), causal models, regressors of emotions (score) and "
        "translators (translate). Measure "
        "other models with a metric of theirs: biascore list metrics"
    )

"""An audit without a file: the tests made to decide that a model can answer, with controls and baselines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from biascore.audit import Audit
from biascore.basics.suggest import did_you_mean
from biascore.errors import CapabilityError, UnknownNameError
from biascore.metric import Metric
from biascore.models.model import Model
from biascore.plugins.loading import Plugins
from biascore.results.verdicts import BASELINE
from biascore.stats import Adjustment
from biascore.stimuli import Catalogue, Test

CONTROL: Final = 0.8
"""What is planted in the positive control: Cohen's large effect."""
PLANTED: Final = f"planted, d = {CONTROL:g}"
NOTHING: Final = "planted, no bias"
_AND: Final = re.compile(r",\s*|\s+and\s+")


def audit_of(
    model: Model,
    plugins: Plugins,
    catalogue: Catalogue,
    *,
    ref: str,
    options: Mapping[str, Any],
    language: str,
    grounds: Sequence[str] = (),
    quick: bool = False,
    seed: int = 0,
    adjust: Adjustment = Adjustment.HOLM,
) -> Audit:
    """The audit of an open model: each metric on the tests that it names for it (`Metric.audited`), in one language.

    ``grounds``: the concepts of the tests; all without any. ``quick``: the lead test of each ground.
    The tests of one metric come with its baselines, and one of them is measured on two planted models.
    Raises UnknownNameError for a language or a ground without such tests, CapabilityError for a model that no metric takes.
    """
    own = _as_written([test for test in catalogue.tests if test.language == language], catalogue)
    by_metric = {kind.name: (kind, _named(kind, model, own)) for kind in plugins.metrics.items()}
    found = {name: (kind, tests) for name, (kind, tests) in by_metric.items() if tests}
    if not found:
        raise _nothing(model, plugins, catalogue, language)
    chosen = _of_grounds(found, grounds, language)
    measurements: list[dict[str, Any]] = []
    controlled = ""
    for name, (kind, tests) in chosen.items():
        asked = _first(tests) if quick else tests
        baselines = [test for test in own if test.concept == BASELINE and test.kind in kind.kinds]
        given = dict(kind.audit_options)
        measurements.append(
            {
                "metric": name,
                "tests": [test.id for test in (*asked, *baselines)],
                "models": [model.name],
                "options": given,
            }
        )
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
        title=f"Audit of {model.name}", models=models, measurements=measurements, seed=seed, adjust=adjust
    )


def grounds_of(test: Test) -> tuple[str, ...]:
    """The grounds that a test is about: the parts of its concept."""
    return tuple(part for part in _AND.split(test.concept.casefold()) if part)


def _named(kind: type[Metric], model: Model, tests: Sequence[Test]) -> list[Test]:
    globs = kind.audited(model)
    return [test for test in tests if any(_matches(glob, test) for glob in globs) and test.kind in kind.kinds]


def _matches(glob: str, test: Test) -> bool:
    return fnmatchcase(test.id.partition("/")[2], glob)


def _of_grounds(
    found: Mapping[str, tuple[type[Metric], list[Test]]], grounds: Sequence[str], language: str
) -> dict[str, tuple[type[Metric], list[Test]]]:
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


def _as_written(tests: Sequence[Test], catalogue: Catalogue) -> list[Test]:
    """The tests in the order of their files, in which the first of a ground is its most important one."""
    place = {
        test.id: number for number, test in enumerate(test for file in catalogue.files for test in file.tests)
    }
    return sorted(tests, key=lambda test: place.get(test.id, len(place)))


def _first(tests: Sequence[Test]) -> list[Test]:
    """The lead test of each ground, or its first."""
    best: dict[str, Test] = {}
    for test in sorted(tests, key=lambda test: not test.lead):
        best.setdefault(test.concept, test)
    return list(best.values())


def _nothing(
    model: Model, plugins: Plugins, catalogue: Catalogue, language: str
) -> UnknownNameError | CapabilityError:
    """Why there is nothing to measure: no such tests in the language, or no metric of them for the model."""
    fitting = [kind for kind in plugins.metrics.items() if kind.audited(model)]
    languages = sorted(
        {test.language for test in catalogue.tests for kind in fitting if _named(kind, model, [test])}
    )
    if languages:
        return UnknownNameError(
            f"there are no audit tests in {language!r} for {model.name}. {did_you_mean(language, languages)}"
            f"There are some in: {', '.join(languages)}. Your own are tests named audit-... in a folder of "
            "stimuli (docs/stimuli.md)"
        )
    return CapabilityError(
        f"no audit test can be asked of {model.name}, which can {', '.join(sorted(model.capabilities))}: there are such "
        "tests for vectors (embed), masked models (mask_logprob), causal models and regressors of emotions (score). Measure "
        "other models with a metric of theirs: biascore list metrics"
    )

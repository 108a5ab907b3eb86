"""Every metric recovers what is planted, rises with it, and finds nothing where nothing is planted."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.engine.engine import Engine

from .planted_cases import CASES

QUICK = ("crows-pairs", "crows-pairs, causal", "gest-lm, causal", "gest-lm, pairs", "gest-mt", "sc-weat")


@pytest.mark.parametrize("name", QUICK)
def test_a_planted_effect_is_found_with_its_sign_and_rises(engine: Engine, name: str) -> None:
    case = CASES[name]
    # The deviates of a seed are the same under every effect, so that one seed tells.
    found = [case.value(engine, effect, seed=0) for effect in (-1.5, 0.0, 1.5)]
    assert found == sorted(set(found))
    assert abs(found[2] - found[0] - (case.truth(1.5) - case.truth(-1.5))) < 0.35 * abs(
        case.truth(1.5) - case.truth(-1.5)
    )
    assert case.measure(engine, f"{case.test}=1.5", 0).verdict.value == "detected"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_mean_over_seeds_is_the_truth(engine: Engine, name: str) -> None:
    case = CASES[name]
    means = []
    for effect in (-1.0, 0.0, 1.0):
        values = np.array([case.value(engine, effect, seed) for seed in range(12)])
        error = values.std(ddof=1) / np.sqrt(values.size)
        # Five standard errors of twelve, and what a sample d of ten words a list is biased by.
        assert abs(values.mean() - case.truth(effect)) < 5 * error + 0.06 * abs(case.truth(1.0)), (
            effect,
            values,
        )
        means.append(values.mean())
    if name != "fise, distance":
        assert means == sorted(means)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CASES if "," not in name])
def test_nothing_planted_is_rarely_detected(engine: Engine, name: str) -> None:
    rejected = sum(CASES[name].rejects(engine, seed) for seed in range(20))
    assert rejected <= 5  # of 20 at alpha = .05: six or more have probability .0003

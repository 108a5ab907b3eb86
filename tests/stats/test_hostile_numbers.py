"""Numbers that are none, or beyond 64 bits, are refused in words: nothing is dropped, and nothing ends in a warning."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from biascore.stats import RegressionError, ZeroVarianceError, beta, lmm, ols
from biascore.stats._checks import finite_vector
from biascore.stats.design import Design, treatment

pytestmark = pytest.mark.filterwarnings("error")

N = 40
LABELS = np.array(["a", "b"] * (N // 2))
WORDS = np.arange(N) % 8
DESIGN = treatment({"group": LABELS})
SCORES = np.random.default_rng(5).beta(8, 8, N)
MASK = np.arange(N) == 3
NOT_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "masked array": lambda values: np.ma.masked_array(values, MASK),
    "complex": lambda values: values + 1j,
    "str": lambda values: [str(value) for value in values],
    "datetime64": lambda values: values.astype("int64").astype("datetime64[D]"),
    "object": lambda values: [None, *values[1:]],
}
USES: dict[str, Callable[[Any], object]] = {
    "scores of lmm": lambda made: lmm.fit(made(SCORES), DESIGN, groups={"word": WORDS}),
    "weights of lmm": lambda made: lmm.fit(SCORES, DESIGN, groups={"word": WORDS}, weights=made(np.ones(N))),
    "scores of beta": lambda made: beta.fit(made(SCORES), DESIGN),
    "scores of ols": lambda made: ols.fit(made(SCORES), DESIGN),
    "the design": lambda made: Design(np.atleast_2d(made(SCORES)).T, ("x",)),
}


@pytest.mark.parametrize("what", NOT_NUMBERS)
@pytest.mark.parametrize("use", USES)
def test_what_are_no_numbers_is_refused_by_name(use: str, what: str) -> None:
    with pytest.raises(RegressionError, match=f"{use.split()[0]}.*{what}"):
        USES[use](NOT_NUMBERS[what])


def test_masked_labels_are_refused() -> None:
    with pytest.raises(RegressionError, match=r"word.*masked"):
        lmm.fit(SCORES, DESIGN, groups={"word": np.ma.masked_array(WORDS, MASK)})


@pytest.mark.parametrize("what", NOT_NUMBERS)
def test_other_statistics_refuse_them_too(what: str) -> None:
    with pytest.raises(ValueError, match=what):
        finite_vector(NOT_NUMBERS[what](SCORES), "scores")


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 200))]
)
def test_numbers_of_any_size_are_fitted_or_refused_in_words(seed: int) -> None:
    rng = np.random.default_rng(seed)
    small = 10.0 ** rng.uniform(-320, -1, N)
    few = np.where(np.arange(N) < 3, small, SCORES)
    weights = (10.0 ** rng.uniform(-300, 300, N), np.full(N, 10.0 ** rng.uniform(-308, 308)))[seed % 2]
    scores = rng.normal(size=N) * 10.0 ** rng.uniform(-150, 150)
    for fit in (
        lambda: beta.fit(small, DESIGN),
        lambda: beta.fit(few, DESIGN),
        lambda: beta.fit(np.clip(1 - small, 0.5, 1 - 1e-16), DESIGN),
        lambda: lmm.fit(scores, DESIGN, groups={"word": WORDS}, weights=weights),
    ):
        with suppress(RegressionError, ZeroVarianceError):
            assert all(np.isfinite(one.p_value) for one in fit().coefficients.values())


def test_weights_and_scores_at_the_end_of_the_range_name_the_remedy() -> None:
    with pytest.raises(RegressionError, match=r"row 3 .*leave such rows out"):
        lmm.fit(SCORES, DESIGN, groups={"word": WORDS}, weights=np.where(MASK, 1e300, 1.0))
    with pytest.raises(RegressionError, match="least squares"):
        beta.fit(np.where(LABELS == "a", 1e-300, 3e-300) * (1 + SCORES), DESIGN)


def drawn(first: float) -> np.ndarray:
    scores = np.random.default_rng(3).beta(8, 8, 600)
    scores[10] = first
    return scores


def test_one_score_that_decides_a_beta_fit_is_named() -> None:
    design = treatment({"group": ["a", "b"] * 300})
    assert beta.fit(drawn(0.3), design).cautions == ()
    fit = beta.fit(drawn(1e-100), design)
    (caution,) = fit.cautions
    assert "row 10" in caution
    assert "1e-100" in caution
    assert "group: b" in caution
    assert fit.with_information("expected").cautions == fit.cautions


def test_ordinary_scores_are_not_cautioned() -> None:
    design = treatment({"group": ["a", "b"] * 20})
    told = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        told += bool(beta.fit(rng.beta(*rng.uniform(0.5, 20, 2), 40), design).cautions)
    assert told <= 2

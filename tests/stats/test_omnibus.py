"""The largest difference between several groups of names, against all labellings, and its size where there is none."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from biascore.stats import RegressionError, ZeroVarianceError, any_difference, cluster_means

RNG = np.random.default_rng(3)


def names_of(
    per_cell: int, levels: str, rng: np.random.Generator, genders: str = "m"
) -> tuple[list[str], ...]:
    cells = [(level, gender) for level in levels for gender in genders for _ in range(per_cell)]
    names = [f"{level}{gender}{i}" for i, (level, gender) in enumerate(cells)]
    return names, [level for level, _ in cells], [gender for _, gender in cells]


def test_the_p_value_is_that_of_all_labellings() -> None:
    names, levels, _ = names_of(2, "abc", RNG)
    scores = RNG.normal(size=6) + np.array([0, 0, 0.5, 0.5, 2, 2])
    found = any_difference(cluster_means(scores, names, {"level": levels}), "level", draws=20_000, rng=RNG)

    def largest(labels: tuple[str, ...]) -> float:
        means = [np.mean([s for s, own in zip(scores, labels, strict=True) if own == x]) for x in "abc"]
        return float(max(means) - min(means))

    every = [largest(labels) for labels in set(permutations(levels))]
    known = np.mean([one >= largest(tuple(levels)) - 1e-12 for one in every])
    assert found.statistic == pytest.approx(largest(tuple(levels)))
    assert abs(found.tail.p_value - known) < 5 * np.sqrt(known * (1 - known) / 20_000) + 1e-4
    assert dict(found.n) == {"a": 2, "b": 2, "c": 2}


def test_another_factor_is_held() -> None:
    names, levels, genders = names_of(6, "abc", RNG, "mf")
    scores = RNG.normal(size=len(names)) + 50 * (np.array(genders) == "f")
    factors = {"level": levels, "gender": genders}
    found = any_difference(cluster_means(scores, names, factors), "level", draws=500, rng=RNG)
    assert found.statistic < 3
    shifted = scores + 5 * (np.array(levels) == "b")
    found = any_difference(cluster_means(shifted, names, factors), "level", draws=500, rng=RNG)
    assert found.statistic == pytest.approx(5, abs=1.5)
    assert found.tail.p_value < 0.01


def test_its_size_holds_where_nothing_differs() -> None:
    rng = np.random.default_rng(11)
    names, levels, genders = names_of(4, "abc", rng, "mf")
    factors = {"level": levels, "gender": genders}
    hits = [
        any_difference(
            cluster_means(rng.exponential(size=len(names)), names, factors), "level", draws=199, rng=rng
        ).tail.p_value
        <= 0.1
        for _ in range(200)
    ]
    assert np.mean(hits) == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 200))


def test_what_cannot_be_tested_is_told() -> None:
    names, levels, _ = names_of(2, "abc", RNG)
    flat = cluster_means(np.full(6, 0.3), names, {"level": levels})
    with pytest.raises(ZeroVarianceError, match="the same mean score"):
        any_difference(flat, "level", rng=RNG)
    with pytest.raises(RegressionError, match="there is no factor gender; choose from level"):
        any_difference(flat, "gender", rng=RNG)
    lacking = cluster_means(np.arange(6.0), names, {"level": levels, "side": list("xxxxyy")})
    with pytest.raises(RegressionError, match="no cluster of some combination of the other factors is"):
        any_difference(lacking, "level", rng=RNG)

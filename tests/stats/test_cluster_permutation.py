"""Permutation of an interaction over names: exact counts against all labellings, its size, what is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from biascore.stats import RegressionError, ZeroVarianceError
from biascore.stats.cluster_permutation import ClusterMeans, cluster_means

RACE, GENDER = {"race": ("Latino", "Anglo")}, {"gender": ("female", "male")}
BOTH = RACE | GENDER


def names(sizes: tuple[int, int, int, int], means: np.ndarray | None = None, seed: int = 0) -> ClusterMeans:
    """One row per name: male Anglo, female Anglo, male Latino, female Latino names."""
    rng = np.random.default_rng([51, seed])
    n = sum(sizes)
    return cluster_means(
        rng.normal(size=n) if means is None else means,
        [f"{k:03d}" for k in range(n)],
        {
            "race": np.repeat(["Anglo", "Anglo", "Latino", "Latino"], sizes),
            "gender": np.repeat(["male", "female", "male", "female"], sizes),
        },
    )


def parts(of: ClusterMeans) -> tuple[np.ndarray, np.ndarray]:
    race, gender = (of.factors[name] for name in ("race", "gender"))
    latino = race.codes == race.levels.index("Latino")
    return latino, gender.codes == gender.levels.index("female")


def brute_force(of: ClusterMeans) -> tuple[float, float]:
    """The statistic, and the share of all labellings within genders that are at least as far from 0."""
    latino, female = parts(of)
    x = np.column_stack([np.ones(of.means.size), latino, female])
    hat = x @ np.linalg.inv(x.T @ x) @ x.T
    values, scale = of.means - hat @ of.means, np.ones(of.means.size)
    for own in (female, ~female):
        # In expectation, the sum of squares of residuals within a gender, per variance of the errors.
        centre = np.diag(own.astype(float)) - np.outer(own, own) / own.sum()
        scale[own] = np.sqrt((own.sum() - 1) / np.trace(centre @ (np.eye(own.size) - hat)))
    signed = {True: 1.0, False: -1.0}

    def statistic(labelled: np.ndarray, values: np.ndarray = values * scale) -> float:
        return sum(
            weight
            * (
                values[labelled & (female == of_gender)].mean()
                - values[~labelled & (female == of_gender)].mean()
            )
            for of_gender, weight in signed.items()
        )

    observed, found = statistic(latino, values), []
    for women in combinations(np.flatnonzero(female), int((latino & female).sum())):
        for men in combinations(np.flatnonzero(~female), int((latino & ~female).sum())):
            labelled = np.zeros(values.size, dtype=bool)
            labelled[[*women, *men]] = True
            found.append(statistic(labelled))
    return observed, float(np.mean(np.abs(found) >= abs(observed) - 1e-12))


@pytest.mark.parametrize("sizes", [(3, 3, 3, 3), (2, 4, 3, 2), (4, 2, 2, 3), (1, 2, 3, 4)])
def test_exact_p_values_are_those_of_all_labellings(sizes: tuple[int, int, int, int]):
    for seed in range(4):
        of = names(sizes, seed=seed)
        statistic, p = brute_force(of)
        found = of.test(BOTH, rng=np.random.default_rng(0))
        assert found.method == "exact"
        assert found.statistic == pytest.approx(statistic)
        assert found.two_sided.p_value == pytest.approx(p)
        assert found.two_sided.n_total == found.n_labellings


def test_drawn_p_values_are_near_the_exact(monkeypatch: pytest.MonkeyPatch):
    of = names((6, 5, 5, 6), seed=3)
    exact = of.test(BOTH, rng=np.random.default_rng(0)).two_sided.p_value
    monkeypatch.setattr("biascore.stats.cluster_permutation.EXACT_MAX_SUMS", 1)
    found = of.test(BOTH, draws=20_000, rng=np.random.default_rng(0))
    assert found.method == "monte-carlo"
    assert found.two_sided.mc_se is not None
    assert found.two_sided.p_value == pytest.approx(exact, abs=4 * found.two_sided.mc_se)
    assert found.attainable.p_value == pytest.approx(1 / 20_001)


def test_the_smallest_p_is_that_of_the_most_extreme_labelling():
    latino, female = parts(names((3, 3, 3, 3)))
    apart = names((3, 3, 3, 3), means=np.arange(12) + 100.0 * (latino == female))
    found = apart.test(BOTH, rng=np.random.default_rng(0))
    assert found.two_sided.p_value == found.attainable.p_value == 2 / 400
    assert found.attainable == apart.attainable(BOTH)
    assert found.attainable.told(0.001) == "cannot be below 0.005 with 3 + 3 + 3 + 3 clusters"
    assert names((3, 3, 3, 2)).attainable(BOTH).p_value == 1 / 200


def test_a_main_effect_is_no_interaction():
    latino, female = parts(names((8, 8, 8, 8)))
    rng = np.random.default_rng(53)
    of = names((8, 8, 8, 8), means=rng.normal(size=32) + 50.0 * latino - 30.0 * female)
    found = of.test(BOTH, rng=rng)
    without = names((8, 8, 8, 8), means=of.means - 50.0 * latino + 30.0 * female).test(BOTH, rng=rng)
    assert found.statistic == pytest.approx(without.statistic)
    assert found.two_sided.p_value == without.two_sided.p_value


def test_an_interaction_is_found():
    latino, female = parts(names((8, 8, 8, 8)))
    rng = np.random.default_rng(54)
    of = names((8, 8, 8, 8), means=rng.normal(size=32) + 4.0 * (latino & female))
    found = of.test(BOTH, rng=rng)
    assert found.two_sided.p_value < 0.01
    assert found.n == {
        "race: Latino, gender: female": 8,
        "race: Latino, gender: male": 8,
        "race: Anglo, gender: female": 8,
        "race: Anglo, gender: male": 8,
    }


@pytest.mark.parametrize("kind", ["normal", "exponential"])
def test_false_positives_where_names_are_random(kind: str):
    """At 5 %, 500 sets with main effects; 5 % but for 3 standard errors of 1 point."""
    rng = np.random.default_rng(55)
    latino, female = parts(names((5, 5, 5, 5)))
    effects = -2.0 * female + 3.0 * latino
    rejected = 0
    for _ in range(500):
        noise = rng.exponential(size=20) if kind == "exponential" else rng.normal(size=20)
        rejected += names((5, 5, 5, 5), means=noise + effects).test(BOTH, rng=rng).two_sided.p_value <= 0.05
    assert 0.02 <= rejected / 500 <= 0.08


def test_levels_that_are_not_compared_take_no_part():
    of = names((4, 4, 4, 4), seed=7)
    more = cluster_means(
        np.append(of.means, [100.0, 200.0]),
        [f"{k:03d}" for k in range(18)],
        {
            "race": [*np.array(of.factors["race"].levels)[of.factors["race"].codes], "Arab", "Arab"],
            "gender": [*np.array(of.factors["gender"].levels)[of.factors["gender"].codes], "male", "female"],
        },
    )
    found, expected = (each.test(BOTH, rng=np.random.default_rng(0)) for each in (more, of))
    assert found.statistic == pytest.approx(expected.statistic)
    assert (found.n, found.two_sided) == (expected.n, expected.two_sided)


def test_the_order_of_rows_and_adding_a_constant_change_nothing():
    rng = np.random.default_rng(56)
    label = rng.permutation(np.repeat(np.arange(16), 5))
    factors = {"race": np.array(["A", "B"])[label % 2], "gender": np.array(["m", "f"])[label // 2 % 2]}
    scores = rng.normal(size=80)
    change = {"race": ("B", "A"), "gender": ("m", "f")}
    tests = []
    for order, shift in ((slice(None), 0.0), (slice(None, None, -1), 0.0), (slice(None), 1000.0)):
        of = cluster_means(
            scores[order] + shift, label[order], {name: values[order] for name, values in factors.items()}
        )
        tests.append(of.test(change, rng=rng).two_sided)
    assert tests[0] == tests[1] == tests[2]


def test_means_are_over_the_rows_of_a_cluster():
    of = cluster_means([0.1, 0.3, 0.5, 0.2], ["Ana", "Ana", "Bea", "Ana"], {"race": ["x", "x", "y", "x"]})
    assert of.clusters == ("Ana", "Bea")
    assert of.means == pytest.approx([0.2, 0.5])
    assert of.n_rows.tolist() == [3, 1]


def test_names_that_the_model_does_not_tell_apart():
    rng = np.random.default_rng(57)
    frames = rng.normal(size=12)
    rows = [(name, frame) for name in range(20) for frame in range(12)]
    label = np.array([name for name, _ in rows])
    of = cluster_means(
        frames[[frame for _, frame in rows]] + (label % 2),
        label,
        {"race": np.array(["A", "B"])[label // 10], "gender": np.array(["m", "f"])[label % 2]},
    )
    with pytest.raises(ZeroVarianceError, match="the model does not tell them apart"):
        of.test({"race": ("B", "A"), "gender": ("f", "m")}, rng=rng)


def test_bad_input():
    rng = np.random.default_rng(58)
    of = names((3, 3, 3, 3))
    with pytest.raises(RegressionError, match="there is no factor age; choose from race, gender"):
        of.test(RACE | {"age": ("old", "young")}, rng=rng)
    with pytest.raises(
        RegressionError, match="race cannot change from Anglo to Arab; name two of its levels"
    ):
        of.test(GENDER | {"race": ("Arab", "Anglo")}, rng=rng)
    with pytest.raises(
        RegressionError, match="the change names race, and an interaction is of two; welch tests one"
    ):
        of.test(RACE, rng=rng)
    with pytest.raises(RegressionError, match="draws is 0"):
        of.test(BOTH, draws=0, rng=rng)
    with pytest.raises(RegressionError, match="no cluster is of race: Latino, gender: female, so its labels"):
        names((3, 3, 3, 0)).test(BOTH, rng=rng)
    with pytest.raises(RegressionError, match="Ana is both x and y in race"):
        cluster_means([0.1, 0.2, 0.3], ["Ana", "Bea", "Ana"], {"race": ["x", "x", "y"]})
    with pytest.raises(RegressionError, match="race has 2 labels for 3 scores"):
        cluster_means([0.1, 0.2, 0.3], ["Ana", "Bea", "Ana"], {"race": ["x", "x"]})
    with pytest.raises(RegressionError, match="scores is not finite in row 1"):
        cluster_means([0.1, np.nan, 0.3], ["Ana", "Bea", "Ana"], {"race": ["x", "x", "x"]})
    with pytest.raises(RegressionError, match="there are no factors"):
        cluster_means([0.1, 0.2], ["Ana", "Bea"], {})

"""Words that come in kinds: found off the axes, counted as clusters, and told."""

from dataclasses import replace

import numpy as np
import pytest

from biascore import Engine
from biascore.api.stimuli import WordList
from biascore.stats import Verdict
from biascore.stats.robust_mean import robust_mean
from biascore_metrics.fise.clusters import Clusters

from .axes import TARGETS, VECTORS, fise, fise_test


def sectors(rng: np.random.Generator, n: int = 124, count: int = 12, icc: float = 0.5, dims: int = 100):
    """Words in sectors, with an intraclass correlation of every direction, and the sector of each."""
    of = np.sort(rng.integers(count, size=n))
    shared = rng.standard_normal((count, dims))[of]
    return np.sqrt(icc) * shared + np.sqrt(1 - icc) * rng.standard_normal((n, dims)), of


def made(vectors: np.ndarray, declared: np.ndarray | None = None) -> Clusters:
    units = np.arange(len(vectors)) if declared is None else declared
    return Clusters.made(vectors, units, np.eye(vectors.shape[1])[:2], declared=declared is not None)


def score(vectors: np.ndarray) -> np.ndarray:
    return vectors[:, 0] / np.linalg.norm(vectors, axis=1)


@pytest.mark.parametrize("together", [True, False])
def test_the_mean_of_words_in_sectors_is_rejected_as_often_as_said(together: bool):
    rng, apart, held, close = np.random.default_rng(3), 0, 0, 0
    for done in range(200):
        vectors, _ = sectors(rng, icc=0.5 if together else 0.0)
        found, scores = made(vectors), score(vectors)
        apart += robust_mean(scores).p_value() <= 0.05
        held += robust_mean(scores, clusters=found.of).p_value() <= 0.05
        near = found.neighbours(scores, rng) if done < 20 else None
        close += near is not None and near[0] > near[1]
    # 200 sets at 5 %: more than 20 have probability below .002.
    assert held <= 20
    assert apart > 60 if together else apart <= 20
    assert close == 20 if together else close < 6


def test_words_that_vary_far_along_an_axis_are_no_neighbours_for_that():
    # Independent words, four times as far along a direction that the lists of the axis meet with noise.
    told, low = 0, []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        vectors = rng.standard_normal((124, 100))
        vectors[:, 0] *= 4
        axis = np.eye(100)[0] + 0.05 * rng.standard_normal(100)
        scores = vectors @ axis / np.linalg.norm(vectors, axis=1)
        correlation, high = made(vectors).neighbours(scores, rng)
        told += correlation > high
        low.append(correlation)
    assert abs(np.mean(low)) < 0.1
    assert told <= 7  # where the axis alone is taken out it is all 15


def test_neighbours_are_of_other_families():
    vectors, of = sectors(np.random.default_rng(5), icc=0.8)
    rng = np.random.default_rng(6)
    _, of = np.unique(of, return_inverse=True)
    correlation, _ = made(vectors, of).neighbours(score(vectors), rng)
    assert correlation < made(vectors).neighbours(score(vectors), rng)[0] - 0.3
    assert made(vectors[:4]).neighbours(score(vectors[:4]), rng) is None


def test_words_that_lean_in_kinds_are_told_and_count_as_them(model_of):
    rng = np.random.default_rng(7)
    kinds = rng.normal(size=(5, 8))
    words = {w: kinds[i % 5] + rng.normal(0, 0.2, 8) for i, w in enumerate(TARGETS)}
    got = fise(model_of(VECTORS | words), fise_test())
    (told,) = [c for c in got.cautions if c.startswith("words lean on gender as their neighbours do")]
    assert "they count as 6 clusters; declare kinds of words as families" in told
    assert "the target words come in kinds" in got.doubts
    assert got.estimate("correlation of neighbours gender").value > 0.5
    families = tuple(tuple(TARGETS[i::5]) for i in range(5))
    declared = fise(
        model_of(VECTORS | words),
        replace(fise_test(), targets=WordList("jobs", tuple(TARGETS), families=families)),
    )
    assert declared.headline.n["families"] == 5
    assert declared.headline.interval.high - declared.headline.interval.low > 0


@pytest.mark.parametrize("test", ["en/fise_gender_race_occupations", "it/fise_it1_occupations"])
def test_shipped_occupations_count_as_the_groups_of_isco(engine: Engine, test: str):
    listed = engine.catalogue.test(test).targets
    named = [word for family in listed.families for word in family]
    words = listed.words if isinstance(listed, WordList) else [first for first, _ in listed.pairs]
    assert len(listed.families) == 28
    assert len(named) == len(set(named)) > 0.9 * len(words)
    got = engine.measure("fise", f"planted:{test}=0.3", test, affect_model="self", draws=200)[0]
    assert got.headline.n["families"] == 37
    assert got.verdict in (Verdict.INCONCLUSIVE, Verdict.DETECTED)

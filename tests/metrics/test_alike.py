"""A long test states the least share of its words: X and Y are made alike in frequency; with too few it is inconclusive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from biascore.api.exporters import Measurement
from biascore.api.metrics import Model, Test
from biascore.api.queries import Familiarity
from biascore.designs.frequency import Frequency
from biascore.designs.frequency_match import ALIKE, WHAT, FrequencyMatch
from biascore.designs.options import WeatOptions
from biascore.stats import Verdict
from biascore_metrics.weat.weat import Weat

from ..builders import models
from .conftest import RankedBackend
from .measuring import measured

Made = Callable[..., Test]
N = 40
RNG = np.random.default_rng(11)
WORDS = {role: [f"{role.lower()}{i}" for i in range(N)] for role in "XYAB"}
AXIS = np.eye(30)[0]
SIDE = {"X": 1.0, "Y": -1.0, "A": 1.0, "B": -1.0}
VECTORS = {word: SIDE[role] * AXIS + RNG.normal(size=30) for role, words in WORDS.items() for word in words}
FEW = {"draws": 200, "resamples": 100}


def ranked(ratio: float = 1.0, unknown: Sequence[str] = ()) -> Model:
    """The words of each list have ranks 1,000 to 2,000, those of X so many times that; some words are unknown."""
    ranks = np.geomspace(1_000, 2_000, N)
    told = {
        word: Familiarity(rank=round(rank * (ratio if role == "X" else 1.0)))
        for role, words in WORDS.items()
        for word, rank in zip(words, ranks, strict=True)
        if word not in unknown
    }
    return models.model_of(RankedBackend(told, {word: VECTORS[word] for word in told}), name="table")


@pytest.fixture
def long(test_of: Made) -> Test:
    """Forty words a list, of which three quarters have to be usable."""
    return replace(test_of(*(WORDS[role] for role in "XYAB")), min_used=0.75)


def weat(model: Model, test: Test) -> Measurement:
    return measured(Weat(WeatOptions(**FEW)), model, test)


def apart(model: Model, words: Mapping[str, Sequence[str]]) -> float:
    """How far X and Y differ in frequency, in standard deviations."""
    return abs(Frequency.of(model, words).proxies[0].difference("X", "Y"))


def test_lists_that_are_alike_stay_whole(long: Test) -> None:
    got = weat(ranked(), long)
    assert got.coverage.lost == ()
    assert got.conventions[WHAT].startswith("alike in rank")


def test_words_are_left_out_until_the_lists_are_alike(long: Test) -> None:
    model = ranked(1.2)
    assert apart(model, WORDS) > ALIKE
    found = FrequencyMatch.of(model, long)
    kept = {role: words.words for role, words in found.test.roles.items()}
    assert apart(model, kept) < ALIKE
    assert all(len(kept[role]) >= 0.75 * N for role in "XY")
    assert (kept["A"], kept["B"]) == (tuple(WORDS["A"]), tuple(WORDS["B"]))
    # X is the rarer list: its rarest words and the most frequent ones of Y are left out.
    gone = {role: [one.word for one in found.left_out if one.role == role] for role in "XY"}
    assert gone["X"]
    assert gone["Y"]
    assert sorted(gone["X"]) == sorted(WORDS["X"][-len(gone["X"]) :])
    assert sorted(gone["Y"]) == sorted(WORDS["Y"][: len(gone["Y"])])
    assert FrequencyMatch.of(model, long) == found


@pytest.mark.parametrize(
    ("ratio", "low", "high", "left_out"), [(1.035, 0.15, 0.2, False), (1.05, 0.2, 0.25, True)]
)
def test_a_fifth_of_a_standard_deviation_is_alike_and_more_is_not(
    long: Test, ratio: float, low: float, high: float, left_out: bool
) -> None:
    model = ranked(ratio)
    assert low < apart(model, WORDS) < high
    assert bool(FrequencyMatch.of(model, long).left_out) is left_out


def test_the_result_names_the_words_that_were_left_out(long: Test) -> None:
    got = weat(ranked(1.2), long)
    assert got.coverage.given == dict.fromkeys("XYAB", N)
    assert got.coverage.used["X"] + sum(one.role == "X" for one in got.coverage.lost) == N
    assert {one.reason for one in got.coverage.lost} == {
        "left out, so that X and Y are alike in rank in the vocabulary"
    }
    assert got.conventions[WHAT].startswith("made alike in rank")
    assert all(one.word in got.conventions[WHAT] for one in got.coverage.lost)
    assert got.verdict is Verdict.DETECTED


def test_where_a_quarter_is_not_enough_nothing_is_left_out(long: Test) -> None:
    got = weat(ranked(5.0), long)
    assert got.coverage.lost == ()
    assert "not alike" in got.conventions[WHAT]


def test_as_many_words_may_be_left_out_as_the_test_allows(test_of: Made) -> None:
    """Of four words, of which three have to be used, the one that is ten times as rare."""
    ranks = dict(zip(WORDS["X"][:4], (1000, 1100, 1200, 10_000), strict=True))
    ranks |= dict(zip(WORDS["Y"][:4], (1000, 1100, 1200, 1100), strict=True))
    told = {word: Familiarity(rank=ranks.get(word, 1000)) for word in VECTORS}
    model = models.model_of(RankedBackend(told, VECTORS), name="table")
    short = test_of(WORDS["X"][:4], WORDS["Y"][:4], WORDS["A"], WORDS["B"])
    for least, out in ((0.75, ["x3"]), (0.8, [])):
        assert [one.word for one in FrequencyMatch.of(model, replace(short, min_used=least)).left_out] == out


def test_other_tests_stay_as_they_are(long: Test) -> None:
    got = weat(ranked(1.2), replace(long, min_used=0.0))
    assert got.coverage.lost == ()
    assert WHAT not in got.conventions


@pytest.mark.parametrize(("lost", "enough"), [(10, True), (11, False)])
@pytest.mark.parametrize("role", ["X", "B"])
def test_with_too_few_of_its_words_a_test_is_not_measured(
    long: Test, lost: int, enough: bool, role: str
) -> None:
    # Words from all over the list, so that the lists stay alike in frequency.
    unknown = WORDS[role][:: N // lost][:lost]
    got = weat(ranked(unknown=unknown), long)
    assert got.verdict is (Verdict.DETECTED if enough else Verdict.NOT_MEASURED)
    if enough:
        assert got.headline.value > 0.5
    else:
        assert f"{role} has {N - lost} usable words of {N}, and this test takes 75%" in got.reason
        assert got.headline.p_values == ()
        rest = got.estimate("effect size d, of what is left")
        assert got.headline.value is None
        assert got.headline.interval is None
        assert rest.value > 0.5
        assert rest.p("two-sided").value < 0.05

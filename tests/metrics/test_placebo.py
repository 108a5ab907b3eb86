"""Placebo lists: what WEAT, SEAT and LPBS give with random neutral words in place of A and B."""

from pathlib import Path

import numpy as np
import pytest

from biascore import Audit, Engine
from biascore.errors import OptionsError
from biascore.plugins_api import Catalogue, Familiarity, Measurement, Model, Test
from biascore_metrics.frequency import Proxy
from biascore_metrics.weat.matching import LEAST, Matching
from biascore_metrics.weat.options import WeatOptions
from biascore_metrics.weat.placebo import REACH, REJECT
from biascore_metrics.weat.weat import Weat

from ..builders import models
from ..builders.word_lists import write_neutral
from .conftest import RankedBackend
from .measuring import measured

SIZE = 8
ROLES = {role: [f"{role.lower()}{i}" for i in range(SIZE)] for role in "XYAB"}
NEUTRAL = [f"n{i}" for i in range(60)]
FAST = {"resamples": 100}


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """One list of neutral words, which holds a word of the test in another case."""
    return Catalogue.from_folders([(write_neutral(tmp_path, [*NEUTRAL, "A0"]), "own")])


@pytest.fixture
def test(test_of) -> Test:
    return test_of(*(ROLES[role] for role in "XYAB"))


def vectors(topic: float, associated: float) -> dict[str, np.ndarray]:
    """X and Y differ by ``topic`` on two axes, of which A and B share one; neutral words share neither."""
    rng = np.random.default_rng(3)
    axes = rng.normal(size=(2, 40))
    sign = {"X": 1, "Y": -1, "A": associated, "B": -associated}
    words = {}
    for role, some in ROLES.items():
        for word in some:
            place = axes[0] * sign[role] + (axes[1] * topic * sign[role] if role in "XY" else 0)
            words[word] = place + rng.normal(size=40)
    return words | {word: rng.normal(size=40) for word in [*NEUTRAL, "A0"]}


def weat(model: Model, test: Test, catalogue: Catalogue, **options: object) -> Measurement:
    return measured(Weat(WeatOptions(**FAST, **options)), model, test, catalogue=catalogue)


def shares(got: Measurement) -> tuple[float, float]:
    return got.estimate(REACH).value, got.estimate(REJECT).value


def test_an_effect_stands_beyond_lists_that_mean_nothing(model_of, test, catalogue):
    got = weat(model_of(vectors(2.0, 1.0)), test, catalogue)
    reach, reject = shares(got)
    assert reach <= 0.01
    # Two topics: many a random list is "associated" by the papers' test.
    assert reject > 0.15
    assert f"{100 * reach:.3g} % reach this |d| and {100 * reject:.3g} % have p <= 0.05" in got.reason
    assert not any("random lists" in caution for caution in got.cautions)
    stated = str(got.conventions["placebo lists"])
    assert "of 8 + 8 of 60 words of xx/neutral/words" in stated  # the test's own word is not among them


def test_with_arbitrary_attributes_the_effect_is_like_any_other(model_of, test, catalogue):
    assert shares(weat(model_of(vectors(2.0, 0.0)), test, catalogue))[0] > 0.05


def test_targets_that_are_alike_reject_as_often_as_they_may(model_of, test, catalogue):
    words = vectors(0.0, 0.0)
    rng = np.random.default_rng(5)
    words |= {word: rng.normal(size=40) for role in "XY" for word in ROLES[role]}
    rejected = [shares(weat(model_of(words), test, catalogue, placebo=400))[1]]
    assert rejected[0] < 0.25  # one draw of targets; over draws it is alpha


def test_a_caution_where_lists_that_mean_nothing_do_as_well(model_of, test, catalogue):
    words = vectors(2.0, 1.0)
    axis = words["x0"] - words["y0"]
    # A pool that is itself spread along the targets: its random lists reach what A and B reach.
    rng = np.random.default_rng(8)
    words |= {word: words[word] + 12 * rng.normal() * axis for word in NEUTRAL}
    got = weat(model_of(words), test, catalogue)
    assert got.p_value <= 0.05
    assert shares(got)[0] > 0.05
    for said in (got.warnings, got.cautions):
        assert any("of random lists of neutral words reach this effect size" in line for line in said)
    assert got.doubts[0] == f"{100 * shares(got)[0]:.0f} % of arbitrary word lists show as much"


def by_frequency(neutral: tuple[float, float], *, ranks: bool = True) -> Model:
    """X and A are rare, Y and B frequent, and no more is there; neutral words are spread from one end to the other."""
    rng = np.random.default_rng(6)
    direction = rng.normal(size=40)
    places = {word: 1.0 if role in "XA" else -1.0 for role, some in ROLES.items() for word in some}
    places |= dict(zip([*NEUTRAL, "A0"], np.linspace(*neutral, len(NEUTRAL) + 1).tolist(), strict=True))
    vectors = {word: place * direction + rng.normal(size=40) for word, place in places.items()}
    unit = {word: vector / np.linalg.norm(vector) for word, vector in vectors.items()}
    told = {word: Familiarity(rank=round(1000 * np.exp(place))) for word, place in places.items()}
    return models.model_of(RankedBackend(told if ranks else {}, unit), name="table")


def test_lists_of_like_frequency_reach_what_frequency_alone_gives(test, catalogue):
    by_number = weat(by_frequency((-1.5, 1.5), ranks=False), test, catalogue)
    assert by_number.p_value <= 0.001
    assert shares(by_number)[0] <= 0.05
    assert "in number only" in by_number.conventions["placebo lists"]
    assert "8 + 8 random neutral words, " in by_number.reason
    matched = weat(by_frequency((-1.5, 1.5)), test, catalogue)
    assert shares(matched)[0] > 0.2
    assert any("of random lists of neutral words reach" in line for line in matched.cautions)
    assert "8 + 8 random neutral words as frequent as A and B, " in matched.reason
    told = matched.conventions["placebo lists"]
    assert "one of the 15 nearest to it in rank in the vocabulary" in told
    assert "A 2,718 by 2,7" in told


def test_a_pool_without_words_as_rare_or_as_frequent_is_told(test, catalogue):
    got = weat(by_frequency((-1.5, -0.9)), test, catalogue)
    (caution,) = [line for line in got.cautions if "no lists as frequent" in line]
    assert "rank in the vocabulary: A 2,718, in their place 3" in caution
    assert " B " not in caution
    assert shares(got)[0] <= 0.05
    assert not any("show as much" in line for line in got.doubts)  # 0 % is none
    assert "8 + 8 random neutral words, " in got.reason


def test_each_place_has_a_word_of_its_window_until_they_are_taken():
    values = {"A": np.full(6, 2.0), "B": np.array([30.0, 31.0]), "neutral": np.arange(40.0)}
    matching = Matching((6, 2), 40, Proxy("rank", values, "rarer", "more frequent"))
    dealt = matching.deal(200, np.random.default_rng(1))
    assert all(len(set(row)) == 8 for row in dealt.tolist())
    assert set(dealt[:, :6].ravel()) == set(range(LEAST))
    assert dealt[:, 6:].min() >= 25
    crowded = Matching((12, 2), 40, Proxy("rank", values | {"A": np.full(12, 2.0)}, "rarer", "more frequent"))
    assert set(crowded.deal(50, np.random.default_rng(1))[:, :12].ravel()) == set(range(12))
    with pytest.raises(ValueError, match="5 neutral words cannot fill 6"):
        Matching((6, 2), 5).deal(1, np.random.default_rng(1))


def test_the_option_turns_it_off_and_moves_no_other_number(model_of, test, catalogue):
    model = model_of(vectors(2.0, 1.0))
    on, off = weat(model, test, catalogue), weat(model, test, catalogue, placebo=0)
    assert [e.name for e in off.estimates] == [e.name for e in on.estimates[:2]]
    assert off.estimates == on.estimates[:2]
    assert "placebo" not in off.reason
    assert off.conventions["placebo lists"] == "none: placebo=0 asks for none"


def test_a_language_without_neutral_words_says_how_to_give_some(model_of, test):
    got = weat(model_of(vectors(2.0, 1.0)), test, Catalogue(()))
    told = "there is no list xx/neutral/words; write it in a stimuli file xx/neutral.toml"
    assert told in got.reason
    assert told in str(got.conventions["placebo lists"])


def test_a_pool_that_is_named_has_to_be_there(model_of, test, catalogue):
    model = model_of(vectors(2.0, 1.0))
    with pytest.raises(OptionsError, match=r"placebo_pool='neutral/word'.*Did you mean"):
        weat(model, test, catalogue, placebo_pool="neutral/word")


def test_a_pool_too_small_for_the_lists_is_told(model_of, test_of, catalogue):
    words = vectors(2.0, 1.0)
    known = {word: v for word, v in words.items() if word not in NEUTRAL[20:]}
    got = weat(model_of(known), test_of(*(ROLES[role] for role in "XYAB")), catalogue)
    assert "has 20 usable words, and random lists of 16 need half as many again" in got.reason


@pytest.mark.parametrize(("metric", "options"), [("weat", {}), ("seat", {"level": "token"}), ("lpbs", {})])
def test_every_result_has_its_line(metric, options):
    found = Engine(cache=None).measure(
        metric, "planted:en/weat7=1,spread=0.3", "en/weat7", placebo=200, **FAST, **options
    )
    got = found[0]
    assert "Of 200 pairs of placebo lists, 8 + 8 random neutral words as frequent as A and B, " in got.reason
    assert "nearest to it in rank in the vocabulary" in got.conventions["placebo lists"]
    assert 0 < got.estimate(REACH).value < 0.5


def test_a_plan_counts_the_neutral_words_once_for_all_tests(tmp_path):
    engine = Engine(cache=tmp_path)

    def unique(placebo: int) -> int:
        asked = {"metric": "weat", "tests": ["en/weat6", "en/weat7"], "options": {"placebo": placebo}}
        audit = Audit.from_parts(
            title="Planned", models=[{"name": "planted", "ref": "planted:"}], measurements=[asked], seed=3
        )
        return engine.plan(audit).total.unique

    pool = len(engine.catalogue.word_list("en/neutral/words").words)
    assert unique(100) - unique(0) == pool

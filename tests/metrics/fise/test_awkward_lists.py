"""Every awkward list that FISE meets, and options that it refuses, each with its outcome."""

import itertools

import numpy as np
import pytest

from biascore import Engine
from biascore.api.stimuli import WordList
from biascore.errors import OptionsError, TestKindError
from biascore.stats import Verdict
from biascore_metrics.fise.estimates import DISTANCE
from biascore_metrics.fise.items import Dimension, FiseTest

from .axes import GENDER, RACE, TARGETS, VALENCE, VECTORS, dimension, fise, fise_test, gg_fise, scattered


def test_a_list_without_its_words_is_told_once(model_of):
    lost = Dimension("valence", WordList("good", ("gone0", "gone1", "gone2")), WordList("bad", ("bad0",)))
    got = fise(model_of(VECTORS), fise_test(affect=(lost,)))
    told = [w for w in got.warnings if w.startswith(("valence.A ", "valence.B "))]
    assert told == [
        "valence.A lost 3 of its 3 words, so it may no longer represent its concept",
        "valence.B has 1 word; fewer than 8 do not represent a concept well",
    ]


def test_words_on_an_axis_are_in_no_group_and_told(model_of):
    flat = VECTORS | {"t0": np.eye(8)[5] * 0 + np.array([0, 0, 0, 0, 0, 0, 0, 1.0])}
    clean = {w: np.append(v[:7], 0.0) for w, v in flat.items() if not w.startswith("t")}
    got = fise(model_of(flat | clean), fise_test())
    frame = got.items_frame().set_index("item")
    assert frame.loc["t0", "group"] == "on an axis"
    assert np.isnan(frame.loc["t0", "value"])
    assert np.isnan(frame.loc["t0", "top"])
    assert got.estimate(DISTANCE).n["words"] == 39
    assert got.estimate("share of words on an axis").value == pytest.approx(1 / 40)
    assert any("1 of 40 words lie on an axis and are in no group: t0" in w for w in got.warnings)
    shares = [e.value for e in got.estimates if e.name.startswith("share of ") and "axis" not in e.name]
    assert sum(shares) == pytest.approx(1)


def test_the_tolerance_widens_the_axes(model_of):
    got = fise(model_of(VECTORS), fise_test(), axis_tolerance=0.1)
    frame = got.items_frame()
    near = (frame[["gender", "race"]].abs() <= 0.1).any(axis=1)
    assert 0 < near.sum() < 40
    assert ((frame["group"] == "on an axis") == near).all()
    assert got.estimate(DISTANCE).n["words"] == 40 - near.sum()
    assert any(", ..." in w for w in got.warnings) == (near.sum() > 10)


def test_where_all_words_lie_on_an_axis_there_are_no_groups(model_of):
    got = fise(model_of(VECTORS), fise_test(), axis_tolerance=1.9)
    assert got.verdict is Verdict.INCONCLUSIVE
    assert "there is no interval" in got.reason
    assert got.estimate(DISTANCE).value is None
    assert got.estimate("mean bias gender").value is not None
    assert got.estimate("share of men white").value is None


def test_a_group_without_words_and_one_with_few(model_of):
    vectors = VECTORS | {w: np.array([1.0, 1, 0, 0, 0, 0, 0, 0]) + v for w, v in scattered(0.1).items()}
    vectors["t0"] = np.array([1.0, -1, 0, 0, 0, 0, 0, 0])
    got = fise(model_of(vectors), fise_test())
    empty = got.estimate("share of women black")
    assert empty.value == 0
    # What 6 clusters without such a word leave open (Clopper & Pearson).
    assert (empty.interval.low, empty.interval.high) == (0, pytest.approx(1 - 0.025 ** (1 / 6)))
    assert empty.interval.method == "all 6 clusters are alike; a further one may differ"
    affect = got.estimate("positive valence among women black")
    assert (affect.value, affect.interval, affect.p_values) == (None, None, ())
    assert "without words, and so without affect: women white, women black" in got.warnings
    assert any("fewer than 10 words" in w and "men black (1)" in w for w in got.warnings)
    assert not any("fewer than 10" in w for w in fise(model_of(vectors), fise_test(), min_words=1).warnings)


def test_an_affect_out_of_vocabulary_is_not_measured(model_of):
    gone = Dimension("valence", VALENCE.A, WordList("bad", ("nowhere", "bad0", "nothing")))
    got = fise(model_of(VECTORS), fise_test(affect=(gone, dimension("class", "rich", "poor"))))
    assert got.estimate("positive valence among men white").value is None
    assert got.estimate("positive class among men white").value is not None
    assert "valence was not measured: valence.B has 1 usable word(s) of 3 and needs 2" in got.warnings
    assert [(w.word, w.role) for w in got.coverage.lost] == [
        ("nowhere", "valence.B"),
        ("nothing", "valence.B"),
    ]
    assert got.headline.value is not None


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (fise_test(["nowhere", "nothing"]), "None of the 2 words of targets is in the vocabulary"),
        (fise_test(["t0"]), "targets has 1 usable word(s) of 1 and needs 2"),
        (
            fise_test(dimensions=(GENDER, Dimension("race", WordList("white", ("white0", "gone")), RACE.B))),
            "race.A has 1 usable word(s) of 2 and needs 2",
        ),
    ],
)
def test_too_few_words_are_not_measured_with_the_reason(model_of, test: FiseTest, told: str):
    got = fise(model_of(VECTORS), test)
    assert got.verdict is Verdict.NOT_MEASURED
    assert told in got.reason
    assert all(estimate.value is None for estimate in got.estimates)
    measured = fise(model_of(VECTORS), fise_test())
    assert {e.name for e in got.estimates} == {e.name for e in measured.estimates}
    assert got.items.num_rows == 0
    assert got.figures == ()


def test_gg_fise_refuses_targets_without_forms(model_of):
    with pytest.raises(TestKindError, match=r"'jobs' of xx/jobs .* are single words.*Measure it with fise"):
        gg_fise(model_of(VECTORS), fise_test())


def test_a_target_with_a_missing_form_is_lost_and_named(model_of):
    vectors = VECTORS | {"o": np.ones(8), "p": -np.ones(8)}
    got = gg_fise(model_of(vectors), fise_test([*itertools.pairwise(TARGETS), ("t0", "gone"), ("o", "p")]))
    assert [(w.word, w.role, w.reason) for w in got.coverage.lost] == [
        ("t0/gone", "targets", "no mean of its forms: gone out of vocabulary"),
        ("o/p", "targets", "its vector is zero, so it has no direction"),
    ]
    assert (got.coverage.given["targets"], got.coverage.used["targets"]) == (41, 39)


def test_words_in_two_lists_are_told(model_of):
    race = Dimension("race", WordList("white", ("white0", "white1", "black0")), RACE.B)
    got = fise(model_of(VECTORS), fise_test([*TARGETS, "men0"], (GENDER, race)))
    assert "in both race.A and race.B: black0" in got.warnings
    assert "in both targets and gender.A: men0" in got.warnings


def test_identical_targets_have_no_interval(model_of):
    got = fise(model_of(VECTORS | dict.fromkeys(TARGETS, VECTORS["t0"])), fise_test(), duplicates="keep")
    assert got.estimate("standardised mean bias gender").value is None
    assert got.estimate("mean bias gender").interval is None
    assert got.estimate(DISTANCE).value == pytest.approx(0.75)
    assert got.verdict is Verdict.INCONCLUSIVE  # one word over and over says nothing of other words


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (fise_test(dimensions=(GENDER,)), r"has 1 dimension\(s\)"),
        (
            fise_test(dimensions=(GENDER, Dimension("race", RACE.A, WordList("white", ("x",))))),
            "two groups called 'men white'",
        ),
        (fise_test(dimensions=(GENDER, Dimension("value", RACE.A, RACE.B))), "'value'"),
        (fise_test(affect=(Dimension("race", VALENCE.A, VALENCE.B),)), "'race'"),
    ],
)
def test_tests_that_cannot_be_told_apart_are_refused(model_of, test: FiseTest, told: str):
    with pytest.raises(TestKindError, match=told):
        fise(model_of(VECTORS), test)


def test_more_cosines_than_memory_holds_are_refused_with_their_number(model_of, monkeypatch):
    given = fise_test()
    words = len(GENDER.A) + len(GENDER.B)
    cells = words * (words + len(given.targets))
    monkeypatch.setattr("biascore_metrics.fise.metric.MOST_CELLS", cells - 1)
    with pytest.raises(
        TestKindError, match=f"{words} attribute words of gender .* {cells} cosines, and {cells - 1} are"
    ):
        fise(model_of(VECTORS), given)
    monkeypatch.setattr("biascore_metrics.fise.metric.MOST_CELLS", 10**8)
    assert fise(model_of(VECTORS), given).estimates


def test_options_that_change_a_number_tell_measurements_apart(model_of):
    assert fise(model_of(VECTORS), fise_test()).variant == "draws=300"
    contextual = fise(model_of(VECTORS, composes_words=False), fise_test(), level="token", forms="both")
    assert contextual.method == "fise (token level, draws=300, forms=both)"


def test_wrong_options_are_refused():
    engine = Engine(cache=None)
    for options in ({"forms": "feminine"}, {"axis_tolerance": -0.1}, {"draws": 0}, {"mean": "raw"}):
        with pytest.raises(OptionsError, match="metric fise"):
            engine.measure("fise", "planted:gender=0", "en/fise_gender_race_traits", **options)

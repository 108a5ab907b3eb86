"""What FISE decides on: the strongest of the mean biases, by labels and by words, and how it says so."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from biascore.api.stimuli import WordList
from biascore.stats import Verdict
from biascore_metrics.fise.estimates import DISTANCE
from biascore_metrics.fise.items import Dimension, FiseTest
from biascore_metrics.fise.metric import Fise
from biascore_metrics.fise.options import FiseOptions

from .axes import AXES, CLASS, GENDER, LISTS, RACE, SIGN, TARGETS, VECTORS, fise, fise_test, scattered


def in_families() -> FiseTest:
    """Forty targets in ten families; vectors give six clusters, whose signs reach .031, and .062 by Holm."""
    families = tuple(tuple(TARGETS[i : i + 4]) for i in range(0, 40, 4))
    return replace(fise_test(), targets=WordList("jobs", tuple(TARGETS), families=families))


def test_few_words_without_families_can_detect_nothing(model_of):
    bent = {w: 0.4 * (np.eye(8)[0] + np.eye(8)[1]) + v for w, v in scattered(0.3).items()}
    got = fise(model_of(VECTORS | bent), fise_test(), draws=2000)
    assert got.headline.p_values[2].name == "t over words, by clusters"
    assert got.headline.p_values[2].value == 2**-5
    told = "cannot be below 0.0625 with 6 clusters, adjusted for 2 dimensions"
    assert told in got.reason
    (known,) = Fise(FiseOptions()).unreachable(fise_test())
    assert told in known.why
    assert Fise(FiseOptions()).unreachable(in_families()) == ()


def test_an_even_and_a_bent_distribution(model_of):
    even = mean_bias(0.4)
    got = fise(model_of(VECTORS | even), fise_test())
    assert got.estimate(DISTANCE).value == 0
    assert got.estimate(DISTANCE).interval.low == 0
    assert got.p_value > 0.5
    assert got.verdict is Verdict.INCONCLUSIVE  # 40 words cannot show that 0.1 is not exceeded
    assert fise(model_of(VECTORS | even), fise_test(), bound=0.5).verdict is Verdict.NEGLIGIBLE
    bent = {w: 0.4 * (np.eye(8)[0] + np.eye(8)[1]) + v for w, v in scattered(0.3).items()}
    got = fise(model_of(VECTORS | bent), in_families(), draws=2000)
    assert got.estimate(DISTANCE).value > 0.5
    assert got.verdict is Verdict.DETECTED
    count = round(got.estimate("share of men white").value * 40)
    assert f"The fullest group is men white with {count} of 40 words; even would be 10." in got.reason


@pytest.mark.parametrize("dimensions", [(GENDER, RACE), (GENDER, RACE, CLASS)])
def test_the_headline_is_the_strongest_mean_bias_adjusted_for_the_dimensions(model_of, dimensions):
    got = fise(model_of(VECTORS), fise_test(dimensions=dimensions))
    single = {}
    for dimension in dimensions:
        name = f"mean bias {dimension.name} at equal tightness"
        larger, labels, words = got.estimate(name).p_values
        single[name] = max(labels.value, words.value)
        assert name == got.headline.name or larger.value == single[name]
    deciding = got.headline.p_values[0]
    assert got.headline.name == min(single, key=single.__getitem__)
    assert deciding.name == f"smallest of {len(dimensions)} dimensions, Holm-adjusted"
    # Holm's smallest is Bonferroni's.
    assert deciding.value == pytest.approx(min(1.0, min(single.values()) * len(dimensions)))


def mean_bias(further: float) -> dict[str, np.ndarray]:
    """Words evenly over the four groups, of which those with men may lie further out, and lists near their axes."""
    rng = np.random.default_rng(5)
    corners = itertools.cycle(itertools.product((further, -0.4), (1.0, -1.0)))
    words = {w: np.array([a, b, *rng.normal(0, 0.6, 6)]) for w, (a, b) in zip(TARGETS, corners, strict=False)}
    lists = {
        w: SIGN[name] * np.eye(8)[AXES[name]] + rng.normal(0, 0.02, 8)
        for name, listed in LISTS.items()
        for w in listed
    }
    return words | lists


def test_an_even_distribution_with_a_mean_bias_is_not_negligible(model_of):
    got = fise(model_of(VECTORS | mean_bias(5.0)), in_families(), bound=0.5, draws=2000)
    assert got.estimate(DISTANCE).value == 0
    assert got.estimate(DISTANCE).interval.high <= 0.5
    assert got.verdict is Verdict.DETECTED
    assert got.headline.name == "mean bias gender at equal tightness"
    assert "Finding on gender: the mean bias is +0." in got.reason
    assert "towards men (adjusted p = " in got.reason
    assert "No finding on race: " in got.reason
    assert (
        "The distribution is nonetheless even within the bound: the 95 % interval of the distance [0, "
        in got.reason
    )


def test_a_bias_that_the_labels_show_and_the_words_do_not_is_not_detected(model_of):
    # Words that lean either way by chance, and lists that part cleanly: the labels of the lists alone cannot say which.
    rng = np.random.default_rng(8)
    near = {
        w: SIGN[name] * np.eye(8)[AXES[name]] + rng.normal(0, 0.02, 8)
        for name, ws in LISTS.items()
        for w in ws
    }
    words = {w: np.append(rng.normal(0.1, 1, 1), rng.normal(0, 1, 7)) for w in TARGETS}
    got = fise(model_of(VECTORS | near | words), fise_test(), draws=1000)
    estimate = got.estimate("mean bias gender at equal tightness")
    labels, over_words = estimate.p("label permutation").value, estimate.p("t over words, by clusters").value
    assert labels * 2 <= 0.05 < over_words
    assert got.verdict is Verdict.INCONCLUSIVE


def round_one(model_of, scatter: float, common: float = 2.0, sizes: tuple[int, int] = (6, 6)):
    """All words round one direction, of which those of the list of men scatter by another measure."""
    rng = np.random.default_rng(12)
    centre = common * np.eye(60)[0]
    vectors = {
        w: centre + rng.normal(0, 0.1, 60) for w in [*TARGETS, *(w for ws in LISTS.values() for w in ws)]
    }
    men = [f"man{i}" for i in range(sizes[0])]
    women = [f"woman{i}" for i in range(sizes[1])]
    vectors |= {w: centre + rng.normal(0, scatter, 60) for w in men}
    vectors |= {w: centre + rng.normal(0, 0.1, 60) for w in women}
    gender = Dimension("gender", WordList("men", tuple(men)), WordList("women", tuple(women)))
    return fise(model_of(vectors), fise_test(dimensions=(gender, RACE)))


def test_lists_of_unlike_scatter_lean_to_neither_side(model_of):
    got = round_one(model_of, 0.25)
    assert got.estimate("mean bias gender").value < -0.1
    assert abs(got.estimate("mean bias gender at equal tightness").value) < 0.02
    assert got.verdict is Verdict.INCONCLUSIVE


def test_lists_of_unlike_size_are_told(model_of):
    got = round_one(model_of, 0.25, sizes=(5, 12))
    assert got.verdict is Verdict.INCONCLUSIVE
    assert any("gender.A and gender.B are of unlike size" in w for w in got.cautions)
    assert not any("unlike size" in w for w in round_one(model_of, 0.25).cautions)


def test_bars_say_how_many_words_each_group_has(model_of):
    got = fise(model_of(VECTORS), fise_test())
    bars = next(f for f in got.figures if f.title == "Shares of the words")
    for name, label in zip(bars.estimates, bars.labels, strict=True):
        count = round(got.estimate(name).value * 40)
        assert label == f"{name.removeprefix('share of ')} ({count})"

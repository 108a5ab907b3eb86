"""What FISE decides on: the distribution, the mean biases, the strongest of the tests, and how it says so."""

import itertools

import numpy as np
import pytest

from biascore.plugins_api import Dimension, WordList
from biascore.stats import Verdict
from biascore_metrics.fise.statistics import DISTANCE

from .axes import AXES, CLASS, GENDER, LISTS, RACE, SIGN, TARGETS, VECTORS, fise, fise_test, scattered


def test_an_even_and_a_bent_distribution(model_of):
    even = {w: np.array([a, b, 0, 0, 0, 0, 0, 0]) for w, (a, b) in zip(
        TARGETS, itertools.cycle(itertools.product((1.0, -1.0), repeat=2)), strict=False
    )}  # fmt: skip
    got = fise(model_of(VECTORS | even), fise_test(), duplicates="keep")
    assert got.estimate(DISTANCE).value == 0
    assert got.estimate(DISTANCE).interval.low == 0
    assert got.p_value == 1
    assert got.verdict is Verdict.INCONCLUSIVE  # 40 words cannot show that 0.1 is not exceeded
    wide = fise(model_of(VECTORS | even), fise_test(), bound=0.3, duplicates="keep")
    assert wide.verdict is Verdict.NEGLIGIBLE
    bent = {w: 0.4 * (np.eye(8)[0] + np.eye(8)[1]) + v for w, v in scattered(0.3).items()}
    got = fise(model_of(VECTORS | bent), fise_test(), draws=2000)
    distance = got.estimate(DISTANCE)
    assert distance.value > 0.5
    assert got.verdict is Verdict.DETECTED
    assert got.estimate("distance expected from shuffled labels").value < distance.value
    count = round(got.estimate("share of men white").value * 40)
    assert f"The fullest group is men white with {count} of 40 words; even would be 10." in got.reason
    assert got.estimate("mean bias gender").p("label permutation").value < 0.01


def test_where_random_labels_put_all_words_into_one_group_that_is_told(model_of):
    alike = {w: 5 * np.ones(8) + v for w, v in scattered(0.1).items()}
    alike |= {w: VECTORS[w] + 0.3 * SIGN[n] for n, words in LISTS.items() for w in words}
    got = fise(model_of(VECTORS | alike), fise_test())
    assert got.estimate(DISTANCE).value == pytest.approx(0.75)
    assert got.estimate(DISTANCE).p("label permutation of the distribution").value > 0.05
    assert got.verdict is Verdict.DETECTED  # by the mean biases, which do not saturate
    assert any("random labellings put all words into one group" in w for w in got.cautions)
    assert not any("random labellings" in w for w in fise(model_of(VECTORS), fise_test()).warnings)
    assert got.estimate("mean bias gender").p_values[0].value < 0.05


@pytest.mark.parametrize("dimensions", [(GENDER, RACE), (GENDER, RACE, CLASS)])
def test_the_headline_is_the_strongest_mean_bias_adjusted_for_the_dimensions(model_of, dimensions):
    got = fise(model_of(VECTORS), fise_test(dimensions=dimensions))
    single = {}
    for dimension in dimensions:
        name = f"mean bias {dimension.name} at equal tightness"
        *_, larger, labels, words = got.estimate(name).p_values
        assert larger.value == max(labels.value, words.value)
        single[name] = larger.value
    deciding = got.headline.p_values[0]
    assert got.headline.name == min(single, key=single.__getitem__)
    assert deciding.name == f"smallest of {len(dimensions)} dimensions, Holm-adjusted"
    # Holm's smallest is Bonferroni's.
    assert deciding.value == pytest.approx(min(1.0, min(single.values()) * len(dimensions)))


def leaning() -> dict[str, np.ndarray]:
    """Words evenly over the four groups, of which those with men lie much further out, and lists near their axes."""
    corners = itertools.cycle(itertools.product((3.0, -0.3), (1.0, -1.0)))
    words = {w: np.array([a, b, 0, 0, 0, 0, 0, 0]) for w, (a, b) in zip(TARGETS, corners, strict=False)}
    rng = np.random.default_rng(5)
    lists = {
        w: SIGN[name] * np.eye(8)[AXES[name]] + rng.normal(0, 0.05, 8)
        for name, listed in LISTS.items()
        for w in listed
    }
    return words | lists


def test_an_even_distribution_with_a_mean_bias_is_not_negligible(model_of):
    got = fise(model_of(VECTORS | leaning()), fise_test(), bound=0.3, draws=2000, duplicates="keep")
    assert got.estimate(DISTANCE).value == 0
    assert got.estimate(DISTANCE).interval.high <= 0.3
    assert got.verdict is Verdict.DETECTED
    assert got.headline.name == "mean bias gender at equal tightness"
    assert "Finding on gender: the mean bias is +0." in got.reason
    assert "towards men (adjusted p = " in got.reason
    assert "No finding on race: " in got.reason
    assert (
        "The distribution is nonetheless even within the bound: the 95 % interval of the distance [0, "
        in got.reason
    )
    strict = fise(model_of(VECTORS | leaning()), fise_test(), bound=0.3, alpha=0.001, confidence=0.998)
    assert strict.verdict is not Verdict.DETECTED


def test_a_bias_that_the_labels_show_and_the_words_do_not_is_not_detected(model_of):
    # Words that lean either way by chance, and lists that part cleanly: the labels of the lists alone cannot say which.
    rng = np.random.default_rng(8)
    near = {
        w: SIGN[name] * np.eye(8)[AXES[name]] + rng.normal(0, 0.02, 8)
        for name, ws in LISTS.items()
        for w in ws
    }
    words = {w: np.append(rng.normal(0.1, 1, 1), rng.normal(0, 1, 7)) for w in TARGETS}
    got = fise(model_of(VECTORS | near | words), fise_test(), bound=0.45)
    estimate = got.estimate("mean bias gender at equal tightness")
    labels, over_words = estimate.p("label permutation").value, estimate.p("t over words").value
    assert labels * 4 <= 0.05 < over_words
    assert estimate.p("the larger of labels and words").value == over_words
    # Not shown to be negligible either, though the distribution is even within the bound.
    assert got.verdict is Verdict.INCONCLUSIVE
    assert got.estimate(DISTANCE).interval.high <= 0.45
    assert got.equivalence is None
    assert "Not negligible, for labels permuted seldom give such a mean bias gender (p = " in got.reason


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
    assert got.estimate("mean bias gender").p("label permutation").value < 0.01
    assert abs(got.estimate("mean bias gender at equal tightness").value) < 0.02
    assert got.verdict is Verdict.INCONCLUSIVE
    (told,) = [w for w in got.warnings if "scatters" in w]
    assert told.startswith("gender.A scatters 1.9 times as far as gender.B (p = ")
    assert "moves all words towards the tighter list: at equal tightness the mean bias of -0." in told
    assert not [w for w in round_one(model_of, 0.1).warnings if "scatters" in w]


def test_lists_of_unlike_size_and_scatter_do_not_decide(model_of):
    got = round_one(model_of, 0.25, sizes=(5, 12))
    tested = got.estimate("mean bias gender at equal tightness")
    assert tested.value == pytest.approx(got.estimate("mean bias gender").value)
    assert tested.p("label permutation").value < 0.01
    assert tested.p("1, for scatter explains it").value == 1
    assert got.verdict is Verdict.INCONCLUSIVE
    assert any("That alone may be the finding" in w for w in got.cautions)


def test_an_interaction_is_told_beside_the_cosine_of_the_axes_and_does_not_decide(model_of):
    # Both pairs of lists differ in one component that words vary in, too, and lean to neither side of.
    rng = np.random.default_rng(4)
    lists = {
        w: SIGN[name] * (0.3 * np.eye(8)[AXES[name]] + np.eye(8)[5]) + rng.normal(0, 0.3, 8)
        for name, ws in LISTS.items()
        for w in ws
    }
    words = {
        w: np.append(rng.normal(0, 1, 5), [x, 0.5, 0])
        for w, x in zip(TARGETS, np.linspace(-5, 5, 40), strict=True)
    }
    got = fise(model_of(VECTORS | lists | words), fise_test())
    interaction = got.estimate("interaction gender x race")
    axes = got.estimate("cosine of the axes gender x race").value
    assert interaction.value > axes > 0.5
    assert f"{interaction.value:+.3g} (p = " in got.reason
    assert f"where the axes themselves have a cosine of {axes:+.3g}, and does not decide." in got.reason
    assert got.verdict is Verdict.INCONCLUSIVE


def test_how_far_an_axis_dominates_is_told(model_of):
    long = {w: VECTORS[w] * np.array([1, 6, 1, 6, 1, 1, 1, 1]) for w in TARGETS}
    got = fise(model_of(VECTORS | long), fise_test(), min_words=0)
    ratio = got.estimate("dominance of the axis race").value
    assert got.estimate("dominance of the axis gender").value < 1 < ratio
    assert (
        ratio < 8**0.5
    )  # of eight directions none can vary more than so many times as far as they do on average
    assert not [w for w in got.warnings if "labels permuted give nearly the same axis" in w]
    one = {w: np.append(v, np.zeros(12)) for w, v in VECTORS.items()}
    one |= {
        w: np.array([0.1, x, *np.zeros(18)]) for w, x in zip(TARGETS, np.linspace(-1, 1, 40), strict=True)
    }
    (told,) = [w for w in fise(model_of(one), fise_test()).warnings if "nearly the same axis" in w]
    assert told.startswith("the words vary 3.")
    assert "times as far along race as in other directions" in told


def test_the_reason_says_what_random_labels_give(model_of):
    got = fise(model_of(VECTORS), fise_test())
    expected = got.estimate("distance expected from shuffled labels").value
    distance = got.estimate(DISTANCE)
    p = distance.p_values[0].value
    told = f"The distance is {distance.value:.3g} (p = {p:.3g}), and random labels give {expected:.3g} on average."
    assert told in got.reason


def test_bars_say_how_many_words_each_group_has(model_of):
    got = fise(model_of(VECTORS), fise_test())
    bars = next(f for f in got.figures if f.title == "Shares of the words")
    for name, label in zip(bars.estimates, bars.labels, strict=True):
        count = round(got.estimate(name).value * 40)
        assert label == f"{name.removeprefix('share of ')} ({count})"

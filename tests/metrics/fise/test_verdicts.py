"""What FISE decides on: the distribution, the mean biases, the strongest of the tests, and how it says so."""

import itertools

import numpy as np
import pytest

from biascore.stats import Verdict

from .axes import AXES, CLASS, GENDER, LISTS, RACE, SIGN, TARGETS, VECTORS, fise, fise_test, scattered


def test_an_even_and_a_bent_distribution(model_of):
    even = {w: np.array([a, b, 0, 0, 0, 0, 0, 0]) for w, (a, b) in zip(
        TARGETS, itertools.cycle(itertools.product((1.0, -1.0), repeat=2)), strict=False
    )}  # fmt: skip
    got = fise(model_of(VECTORS | even), fise_test(), duplicates="keep")
    assert got.headline.value == 0
    assert got.p_value == 1
    assert got.headline.interval.low == 0
    assert got.verdict is Verdict.INCONCLUSIVE  # 40 words cannot show that 0.1 is not exceeded
    wide = fise(model_of(VECTORS | even), fise_test(), bound=0.3, duplicates="keep")
    assert wide.verdict is Verdict.NEGLIGIBLE
    bent = {w: 0.4 * (np.eye(8)[0] + np.eye(8)[1]) + v for w, v in scattered(0.3).items()}
    got = fise(model_of(VECTORS | bent), fise_test(), draws=2000)
    assert got.headline.value > 0.5
    assert got.verdict is Verdict.DETECTED
    assert got.estimate("distance expected from shuffled labels").value < got.headline.value
    count = round(got.estimate("share of men white").value * 40)
    assert f"The fullest group is men white with {count} of 40 words; even would be 10." in got.reason
    assert got.estimate("mean bias gender").p("label permutation").value < 0.01


def test_where_random_labels_put_all_words_into_one_group_that_is_told(model_of):
    alike = {w: 5 * np.ones(8) + v for w, v in scattered(0.1).items()}
    alike |= {w: VECTORS[w] + 0.3 * SIGN[n] for n, words in LISTS.items() for w in words}
    got = fise(model_of(VECTORS | alike), fise_test())
    assert got.headline.value == pytest.approx(0.75)
    assert got.headline.p("label permutation of the distribution").value > 0.05
    assert got.verdict is Verdict.DETECTED  # by the mean biases, which do not saturate
    assert "That p is of the mean bias" in got.reason
    assert any("random labellings put all words into one group" in w for w in got.cautions)
    assert not any("random labellings" in w for w in fise(model_of(VECTORS), fise_test()).warnings)
    assert got.estimate("mean bias gender").p_values[0].value < 0.05
    assert "Mean bias: gender +" in got.reason


def test_the_deciding_p_is_the_smallest_of_all_tests_adjusted_for_their_number(model_of):
    for test, count in ((fise_test(), 4), (fise_test(dimensions=(GENDER, RACE, CLASS)), 7)):
        got = fise(model_of(VECTORS), test)
        names = [e.name for e in got.estimates]
        single = [got.headline.p("label permutation of the distribution").value]
        single += [
            got.estimate(n).p_values[0].value for n in names if n.startswith(("mean bias", "interaction"))
        ]
        assert len(single) == count
        deciding = got.headline.p_values[0]
        assert deciding.name == f"smallest of {len(single)} tests, Holm-adjusted"
        # Holm's smallest is Bonferroni's.
        assert deciding.value == pytest.approx(min(1.0, min(single) * len(single)))


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
    assert got.headline.value == 0
    assert got.headline.interval.high <= 0.3
    assert got.estimate("mean bias gender").p_values[0].value * 4 <= 0.05
    assert got.verdict is Verdict.DETECTED
    adjusted = 4 * got.estimate("mean bias gender").p_values[0].value
    assert f"for mean bias gender (p = {adjusted:.3g}). The distribution is nonetheless even" in got.reason
    assert "within the bound: the 95 % interval [0, " in got.reason
    strict = fise(model_of(VECTORS | leaning()), fise_test(), bound=0.3, alpha=0.001, confidence=0.998)
    assert strict.verdict is not Verdict.DETECTED


def test_the_reason_says_what_random_labels_give(model_of):
    got = fise(model_of(VECTORS), fise_test())
    expected = got.estimate("distance expected from shuffled labels").value
    told = f"The distance is {got.headline.value:.3g}, and random labels give {expected:.3g} on average."
    assert told in got.reason
    assert "the strongest of 4 tests, adjusted for their number" in got.reason


def test_bars_say_how_many_words_each_group_has(model_of):
    got = fise(model_of(VECTORS), fise_test())
    bars = next(f for f in got.figures if f.title == "Shares of the words")
    for name, label in zip(bars.estimates, bars.labels, strict=True):
        count = round(got.estimate(name).value * 40)
        assert label == f"{name.removeprefix('share of ')} ({count})"

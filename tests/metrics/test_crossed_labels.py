"""In WEAT, SEAT and LPBS the labels of the targets decide, as published; those of the attributes are reported."""

import itertools
from collections.abc import Mapping

import numpy as np
import pytest

from biascore.api.exporters import Measurement
from biascore.api.metrics import Model, Test
from biascore.designs.effect import Effect, Sample
from biascore.designs.options import ReferenceOptions, WeatOptions
from biascore.errors import OptionsError
from biascore.results.verdicts import contradiction, run_verdicts
from biascore.stats import Adjustment, Verdict
from biascore.stats.exchange import Exchange
from biascore_metrics.weat.weat import Weat

from .loops import cosine
from .measuring import measured

SIZE = 6
ROLES = {role: [f"{role.lower()}{i}" for i in range(SIZE)] for role in "XYAB"}
FAST = {"resamples": 100}


def weat(model: Model, test: Test, **options: object) -> Measurement:
    return measured(Weat(WeatOptions(**FAST, **options)), model, test)


def two_topics(associated: float) -> dict[str, np.ndarray]:
    """X and Y about two topics; A and B random words that lean by ``associated`` to X and to Y."""
    rng = np.random.default_rng(1)
    axis = {role: rng.normal(size=30) for role in "XY"}
    lean = axis["X"] - axis["Y"]
    shift = {"X": 2 * axis["X"], "Y": 2 * axis["Y"], "A": associated * lean, "B": -associated * lean}
    # One attribute of A leans by itself: the targets cannot tell that from a list that leans.
    words = {word: rng.normal(size=30) + shift[role] for role in "XYAB" for word in ROLES[role]}
    words["a0"] = words["a0"] + lean
    return words


@pytest.fixture
def test(test_of):
    return test_of(*(ROLES[role] for role in "XYAB"))


@pytest.mark.parametrize("associated", [0.0, 1.0])
def test_the_targets_decide_whatever_other_attributes_would_give(model_of, test, associated):
    """Two topics differ from any two lists; that these attributes mean nothing is for harmless groups to say."""
    got = weat(model_of(two_topics(associated)), test)
    own, across = got.headline.p("two-sided").value, got.headline.p("two-sided, attribute labels").value
    assert own <= 0.05
    assert (across <= 0.05) is bool(associated)
    assert got.p_value == own
    assert got.verdict is Verdict.DETECTED
    assert contradiction(got) == ""
    assert "larger" not in got.reason
    (said,) = run_verdicts([got], (), Adjustment.HOLM)
    assert (said.verdict, said.no_reference) == (Verdict.INCONCLUSIVE, True)


def every_difference(words: Mapping[str, np.ndarray]) -> tuple[float, np.ndarray]:
    """The statistic, and what it is with every other half of the attributes called A, from the definition."""
    attributes = ROLES["A"] + ROLES["B"]

    def statistic(a: list[str], b: list[str]) -> float:
        def s(w: str) -> float:
            return float(
                np.mean([cosine(words[w], words[one]) for one in a])
                - np.mean([cosine(words[w], words[one]) for one in b])
            )

        return float(np.mean([s(w) for w in ROLES["X"]]) - np.mean([s(w) for w in ROLES["Y"]]))

    halves = [list(some) for some in itertools.combinations(attributes, SIZE)][::7]
    return statistic(ROLES["A"], ROLES["B"]), np.array(
        [statistic(half, [w for w in attributes if w not in half]) for half in halves]
    )


def test_the_attribute_p_counts_the_papers_statistic_under_other_labels(model_of, test):
    words = two_topics(0.2)
    got = weat(model_of(words), test)
    observed, found = every_difference(words)
    assert got.estimates[1].value == pytest.approx(observed, abs=1e-6)
    p = got.headline.p("two-sided, attribute labels")
    assert (p.kind, p.n) == ("exact", 924)
    share = np.mean(np.abs(found) >= abs(observed) - 1e-9)
    assert p.value == pytest.approx(share, abs=4 * np.sqrt(0.25 / len(found)))
    one = weat(model_of(words), test, alternative="greater").headline.p("one-sided, attribute labels").value
    assert one == pytest.approx(np.mean(found >= observed - 1e-9), abs=4 * np.sqrt(0.25 / len(found)))


def test_three_targets_a_side_can_detect_nothing_and_say_so(model_of, test_of):
    few = test_of(ROLES["X"][:3], ROLES["Y"][:3], ROLES["A"], ROLES["B"])
    got = weat(model_of(two_topics(1.0)), few)
    assert got.verdict is Verdict.INCONCLUSIVE
    assert "cannot be below 0.1 with 3 + 3 target words" in got.reason
    fewer_attributes = test_of(ROLES["X"], ROLES["Y"], ROLES["A"][:3], ROLES["B"][:3])
    assert weat(model_of(two_topics(1.0)), fewer_attributes).verdict is Verdict.DETECTED


def test_the_alternative_chooses_which_p_of_the_targets_decides(model_of, test):
    got = weat(model_of(two_topics(1.0)), test, alternative="greater")
    assert [p.name for p in got.headline.p_values[:2]] == ["one-sided", "two-sided"]
    assert got.p_value == got.headline.p("one-sided").value


def tabled(seed: int, of_kinds: float) -> Sample:
    """Cells are noise, and what the kinds of row and column have in common, such as a template: no word is associated.

    X is of one kind and Y of another, but for one word each, so that few labels can be exchanged within kinds.
    """
    rows, columns = (["n"] * 7 + ["a"], ["a"] * 7 + ["n"]), (["n"] * 6 + ["a"] * 2, ["n"] * 2 + ["a"] * 6)
    of_row, of_column = ([1 if kind == "n" else -1 for kind in one + other] for one, other in (rows, columns))
    table = of_kinds * np.outer(of_row, of_column) + np.random.default_rng(seed).normal(size=(16, 16))
    return Sample(table, 8, 8, *(Exchange.of((8, 8), blocks=kinds) for kinds in (rows, columns)))


def test_where_targets_cannot_be_exchanged_within_kinds_the_attributes_decide_too():
    """Else a template alone would be detected: in 62 of 100 such worlds, when the labels of the targets decided."""
    options = ReferenceOptions(draws=500, resamples=100)
    found = [Effect.of(tabled(seed, 0.5), options, np.random.default_rng(seed)) for seed in range(40)]
    names = {one.estimates[0].p_values[0].name for one in found}
    assert names == {"two-sided, the larger of two"}
    assert all("target words, one by one; 8 + 8 attribute words, within" in one.exchanged for one in found)
    assert np.mean([one.estimates[0].p_values[0].value <= 0.05 for one in found]) <= 0.15
    few = few_kinds(tabled(0, 0.5))
    assert Effect.of(few, options, np.random.default_rng(0)).estimates[0].p_values[0].name == "two-sided"


def few_kinds(sample: Sample) -> Sample:
    """The same, all rows of one kind."""
    return sample._replace(exchange=Exchange.of((8, 8)))


def noise(rows: int, columns: int) -> Sample:
    """Nothing is associated, and every label may be exchanged."""
    table = np.random.default_rng(7).normal(size=(2 * rows, 2 * columns))
    return Sample(table, rows, columns, Exchange.of((rows, rows)), Exchange.of((columns, columns)))


@pytest.mark.parametrize(("rows", "columns"), [(8, 2), (2, 8)])
def test_of_two_tests_the_coarser_one_limits_the_smallest_p(rows, columns):
    options = ReferenceOptions(draws=500, resamples=100)
    found = Effect.of(noise(rows, columns), options, np.random.default_rng(0), both=True)
    assert found.attainable is not None
    assert found.attainable.p_value == pytest.approx(2 / 6)


def test_an_interval_that_holds_zero_is_no_caveat_of_what_is_not_significant():
    options = ReferenceOptions(draws=500, resamples=100)
    found = Effect.of(noise(8, 8), options, np.random.default_rng(0))
    assert found.estimates[0].p_values[0].value > 0.05
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high
    assert found.caveats(options) == ()


@pytest.mark.parametrize("ddof", [0, 1])
def test_lists_that_do_not_vary_within_reach_the_limit_of_d(ddof):
    table = np.array([[1.0, 0.0]] * 3 + [[0.0, 0.0]] * 5)
    sample = Sample(table, 3, 1, Exchange.of((3, 5)), Exchange.of((1, 1)))
    options = ReferenceOptions(draws=500, resamples=100, ddof=ddof)
    d = Effect.of(sample, options, np.random.default_rng(0)).estimates[0]
    assert d.value == pytest.approx(1 / np.std([1] * 3 + [0] * 5, ddof=ddof))
    assert d.limits == pytest.approx((-d.value, d.value))


def test_attributes_too_many_to_count_are_refused_where_all_shall_be(model_of, test_of):
    many = [f"w{i}" for i in range(80)]
    with pytest.raises(OptionsError, match=r"40 \+ 40 words have too many partitions"):
        weat(
            model_of(two_topics(0.0)),
            test_of(ROLES["X"], ROLES["Y"], many[:40], many[40:]),
            permutation="exact",
        )

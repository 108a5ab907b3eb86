"""In WEAT, SEAT and LPBS the labels of the targets decide, as published; those of the attributes are reported."""

import itertools
from collections.abc import Mapping

import numpy as np
import pytest

from biascore.api.exporters import Measurement
from biascore.api.metrics import Model, Test
from biascore.designs.options import WeatOptions
from biascore.errors import OptionsError
from biascore.results.verdicts import contradiction, run_verdicts
from biascore.stats import Adjustment, Verdict
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


def test_attributes_too_many_to_count_are_refused_where_all_shall_be(model_of, test_of):
    many = [f"w{i}" for i in range(80)]
    with pytest.raises(OptionsError, match=r"40 \+ 40 words have too many partitions"):
        weat(
            model_of(two_topics(0.0)),
            test_of(ROLES["X"], ROLES["Y"], many[:40], many[40:]),
            permutation="exact",
        )

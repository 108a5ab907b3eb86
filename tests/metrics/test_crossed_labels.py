"""The verdict of WEAT, SEAT and LPBS holds against other attributes too: the larger of two label tests decides."""

import itertools
from collections.abc import Mapping

import numpy as np
import pytest

from biascore.api.exporters import Measurement
from biascore.api.metrics import Model, Test
from biascore.designs.options import WeatOptions
from biascore.errors import OptionsError
from biascore.results.verdicts import contradiction
from biascore.stats import Verdict
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


def test_arbitrary_attributes_are_not_detected_beside_two_topics(model_of, test):
    got = weat(model_of(two_topics(0.0)), test)
    own, across = got.headline.p("two-sided").value, got.headline.p("two-sided, attribute labels").value
    assert own <= 0.05 < across
    assert got.p_value == across
    assert got.verdict is Verdict.INCONCLUSIVE
    told = f"larger of {own:.3g} (target labels permuted) and {across:.3g} (attribute labels permuted)."
    assert told in got.reason
    assert contradiction(got) == ""


def test_an_association_of_both_is_detected(model_of, test):
    got = weat(model_of(two_topics(1.0)), test)
    assert got.verdict is Verdict.DETECTED
    assert got.p_value == max(
        got.headline.p(f"two-sided{which}").value for which in ("", ", attribute labels")
    )


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


def test_three_attributes_a_side_can_detect_nothing_and_say_so(model_of, test_of):
    few = test_of(ROLES["X"], ROLES["Y"], ROLES["A"][:3], ROLES["B"][:3])
    got = weat(model_of(two_topics(1.0)), few)
    assert got.verdict is Verdict.INCONCLUSIVE
    assert "cannot be below 0.1 with 3 + 3 attribute words" in got.reason


def test_the_alternative_chooses_both_tests(model_of, test):
    got = weat(model_of(two_topics(1.0)), test, alternative="greater")
    assert got.headline.p_values[0].name == "one-sided, the larger of two"
    assert got.p_value == max(
        got.headline.p(f"one-sided{which}").value for which in ("", ", attribute labels")
    )


def test_attributes_too_many_to_count_are_refused_where_all_shall_be(model_of, test_of):
    many = [f"w{i}" for i in range(80)]
    with pytest.raises(OptionsError, match=r"40 \+ 40 words have too many partitions"):
        weat(
            model_of(two_topics(0.0)),
            test_of(ROLES["X"], ROLES["Y"], many[:40], many[40:]),
            permutation="exact",
        )

"""WEAT, SEAT and LPBS exchange what their lists allow: families, counterparts, kinds of sentence, unequal sizes."""

from dataclasses import replace

import numpy as np
import pytest

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.api.metrics import Model, Test
from biascore.designs.options import WeatOptions
from biascore_metrics.lpbs.metric import Lpbs, LpbsOptions
from biascore_metrics.weat.weat import Weat

from .measuring import measured

FAST = {"resamples": 100, "draws": 2000}
SIZE = 9
WORDS = {role: tuple(f"{role.lower()}{i}" for i in range(SIZE)) for role in "XYAB"}


def weat(model: Model, test: Test, **options: object) -> Measurement:
    return measured(Weat(WeatOptions(**FAST, **options)), model, test)


def p(got: Measurement, labels: str = "") -> float:
    return got.headline.p(f"two-sided{labels}").value


def declared(test: Test, **lists: dict[str, object]) -> Test:
    return replace(
        test, roles={role: replace(words, **lists.get(role, {})) for role, words in test.roles.items()}
    )


@pytest.fixture
def test(test_of):
    return test_of(*(WORDS[role] for role in "XYAB"))


@pytest.fixture(scope="module")
def in_threes() -> dict[str, np.ndarray]:
    """Three times three words of X that are nearly the same, and as many of Y, beside opposed attributes."""
    rng = np.random.default_rng(6)
    pole = rng.normal(size=40)
    words = {
        word: sign * pole + 0.5 * rng.normal(size=40)
        for role, sign in (("A", 1), ("B", -1))
        for word in WORDS[role]
    }
    for role in "XY":
        middles = [rng.normal(size=40) for _ in range(3)]
        words |= {word: middles[i % 3] + 0.3 * rng.normal(size=40) for i, word in enumerate(WORDS[role])}
    return words


def test_near_duplicates_are_told_until_they_are_families(model_of, test, in_threes) -> None:
    model = model_of(in_threes)
    loose = weat(model, test)
    (told,) = [line for line in loose.warnings if "nearly the same" in line and line.startswith("X")]
    assert "x0 = x3 = x6, x1 = x4 = x7, x2 = x5 = x8" in told
    assert 'families = [["x0", "x3", "x6"], ["x1", "x4", "x7"], ["x2", "x5", "x8"]]' in told
    families = {
        role: {"families": tuple(tuple(f"{role.lower()}{i + j}" for j in (0, 3, 6)) for i in range(3))}
        for role in "XY"
    }
    tied = weat(model, declared(test, **families))
    assert not any("nearly the same" in line and line[0] in "XY" for line in tied.warnings)
    assert (tied.headline.value, p(tied)) == (loose.headline.value, p(loose))  # d and the papers' p stay
    assert p(tied, ", target labels") > p(loose)
    assert tied.p_value >= 2 / 20
    assert "cannot be below 0.1 with 3 + 3 families of target words" in tied.reason
    assert tied.conventions["exchanged"] == (
        "3 + 3 families of target words; 9 + 9 attribute words, one by one"
    )
    one, other = (got.headline.interval for got in (tied, loose))
    assert one.high - one.low > other.high - other.low


def test_what_counterparts_have_in_common_is_no_noise(model_of, test) -> None:
    rng = np.random.default_rng(3)
    axis = rng.normal(size=60)
    words = {
        word: sign * axis + rng.normal(size=60)
        for role, sign in (("X", 1.5), ("Y", -1.5))
        for word in WORDS[role]
    }
    for i in range(SIZE):
        shared = 3.0 * rng.normal() * axis + rng.normal(
            size=60
        )  # "he" and "she" are pronouns, "king" and "queen" reign
        words |= {
            f"{side}{i}": sign * 0.5 * axis + shared + 0.3 * rng.normal(size=60)
            for side, sign in (("a", 1), ("b", -1))
        }
    model = model_of(words)
    alone, paired = weat(model, test), weat(model, declared(test, A={"counterparts": "list B"}))
    assert p(alone) == p(paired)
    assert p(paired, ", attribute labels") < 0.01 < p(alone, ", attribute labels")
    assert paired.conventions["exchanged"].endswith("9 pairs of attribute words")
    assert alone.p_value == paired.p_value == p(alone)  # the attributes are reported and do not decide


def test_lists_of_unlike_sizes_are_compared_by_the_studentized_difference(model_of, test_of) -> None:
    rng = np.random.default_rng(5)
    axis = rng.normal(size=40)
    words = {
        word: sign * axis + rng.normal(size=40)
        for role, sign in (("A", 1), ("B", -1))
        for word in WORDS[role]
    }
    few, many = WORDS["X"][:5], tuple(f"y{i}" for i in range(12))
    words |= {word: 3 * rng.normal() * axis + rng.normal(size=40) for word in few}
    words |= {word: 0.2 * rng.normal() * axis + rng.normal(size=40) for word in many}
    got = weat(model_of(words), test_of(few, many, WORDS["A"], WORDS["B"]))
    assert got.conventions["exchanged"].startswith(
        "5 + 12 target words, one by one, difference over its standard error;"
    )
    assert p(got, ", target labels") > p(got)
    fixed = weat(model_of(words), test_of(few, many, WORDS["A"], WORDS["B"]), bootstrap="tested")
    assert fixed.estimates[1].interval.method == "studentized"


def test_the_plan_knows_families_and_counterparts(test) -> None:
    metric = Weat(WeatOptions(bound=None))
    assert metric.unreachable(test) == ()
    thirds = (WORDS["X"][:4], WORDS["X"][4:7], WORDS["X"][7:])
    few = declared(
        test,
        X={"families": thirds},
        Y={"families": tuple(tuple(w.replace("x", "y") for w in some) for some in thirds)},
    )
    (told,) = metric.unreachable(few)
    assert "3 + 3 families of target words" in told.why


@pytest.mark.slow
def test_a_shipped_test_in_sentences_exchanges_within_templates() -> None:
    """Of he and him, uncle and aunt: words in unlike sentences spread g(a), which no label test sees through."""
    engine = Engine(cache=None)
    (got,) = engine.measure("seat", "planted:en/weat8=1", "en/weat8", reference="none", **FAST)
    assert p(got, ", attribute labels") < 0.01
    assert got.conventions["exchanged"].endswith("6 + 6 families of attribute words, within their kinds")


def test_lpbs_exchanges_what_its_lists_allow() -> None:
    engine = Engine(cache=None)
    model = engine.model("planted:it/GER1=1")
    for over, told in (
        ("targets", "; 8 pairs of attribute words"),
        ("attributes", "8 pairs of attribute words; "),
    ):
        got = measured(
            Lpbs(LpbsOptions(reference="none", over=over, **FAST)), model, engine.catalogue.test("it/GER1")
        )
        assert told in got.conventions["exchanged"]

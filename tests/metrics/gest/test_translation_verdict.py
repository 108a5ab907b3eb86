"""What gest-mt concludes: on plain shares, minding the samples without a gender and the room that f_m leaves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.results.verdicts import run_verdicts
from biascore.results.words.answers import answers
from biascore.results.words.sentence import result_lines
from biascore.stats import Adjustment, Verdict
from biascore_metrics.gest.kind import Sample, Samples, Stereotype

from ...builders.models import model_of
from .conftest import by_table, estimates, numbered, samples_test

Counts = tuple[int, int, int]
STEREOTYPES = tuple(Stereotype(i, f"kind {i}", "female" if i < 8 else "male") for i in range(1, 17))


def measured(engine: Engine, women: Counts, men: Counts) -> Measurement:
    """Each of 7 stereotypes about women and 9 about men has so many masculine, feminine and open translations."""
    table = {one.id: men if one.gender == "male" else women for one in STEREOTYPES}
    sentences = numbered({id: sum(counts) for id, counts in table.items()})
    rows = tuple(Sample(sentence, id) for id, some in sentences.items() for sentence in some)
    test = replace(samples_test({}), samples=Samples("mine", rows, stereotypes=STEREOTYPES))
    translator = by_table({id: counts[:2] for id, counts in table.items()})
    return engine.measure("gest-mt", model_of(translator), test, target="xx")[0]


def test_unlike_numbers_of_samples_alone_make_no_stereotype(engine: Engine) -> None:
    """Nine in ten are masculine everywhere; fewer samples about men draw their centres nearer to 1/2."""
    found = measured(engine, women=(45, 5, 0), men=(9, 1, 0))
    centres = estimates(found)["stereotype rate f_s"]
    assert centres.value < -0.05
    assert centres.p_values == ()  # the paper has no test, and its centres would reject
    assert found.headline.value == pytest.approx(0, abs=1e-12)
    assert found.p_value == 1
    assert found.verdict is Verdict.INCONCLUSIVE


def test_feminine_sentences_lost_on_one_side_are_told_with_what_they_may_hide(engine: Engine) -> None:
    """Seven in ten would be masculine everywhere, and two fifths of what is feminine stay open about women."""
    found = measured(engine, women=(70, 18, 12), men=(70, 30, 0))
    named = estimates(found)
    assert found.verdict is Verdict.DETECTED  # among those with a gender: the caution says what that is worth
    assert (named["yield, men"].value, named["yield, women"].value) == (1.0, pytest.approx(0.88))
    assert named["yield 1 kind 1"].value == pytest.approx(0.88)
    difference = named["yield, men less women"]
    assert difference.value == pytest.approx(0.12)
    assert difference.p_values[0].value < 1e-6
    low = named["lowest f_s that samples without a gender allow"].value
    high = named["highest f_s that samples without a gender allow"].value
    assert (low, high) == pytest.approx((0.70 - 0.82, 0.70 - 0.70))
    caution = found.cautions[0]
    assert "100.0% of the samples of stereotypes about men and in 88.0% of those about women" in caution
    assert "from -0.120 to 0.000" in caution


def test_an_equal_yield_is_not_warned_of(engine: Engine) -> None:
    found = measured(engine, women=(70, 20, 10), men=(70, 20, 10))
    assert found.doubts == ()
    named = estimates(found)
    low = named["lowest f_s that samples without a gender allow"].value
    high = named["highest f_s that samples without a gender allow"].value
    assert (low, high) == pytest.approx((-0.1, 0.1))


def test_a_stereotype_without_a_gender_still_has_bounds(engine: Engine) -> None:
    found = measured(engine, women=(0, 0, 10), men=(8, 2, 0))
    named = estimates(found)
    assert found.headline.value is None
    assert named["lowest f_s that samples without a gender allow"].value == pytest.approx(-0.2)
    assert named["highest f_s that samples without a gender allow"].value == pytest.approx(0.8)


def test_all_that_is_feminine_in_stereotypes_about_women_is_not_negligible(engine: Engine) -> None:
    """The largest f_s that can be at this f_m, and yet within the bound of 0.03."""
    found = measured(engine, women=(98, 2, 0), men=(100, 0, 0))
    assert found.headline.interval is None  # no stereotype differs from others of its kind
    assert estimates(found)["raw f_s as a share of the largest"].value == pytest.approx(1)
    assert estimates(found)["raw largest f_s at this f_m"].value == pytest.approx(0.02)
    assert found.verdict is Verdict.DETECTED
    assert "no f_s can be more than 0.02, which is not above 3 times the bound of 0.03" in found.reason
    assert found.equivalence is None


def test_even_where_almost_all_is_masculine_is_inconclusive(engine: Engine) -> None:
    found = measured(engine, women=(198, 2, 0), men=(198, 2, 0))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "none is called negligible" in found.reason


def said(engine: Engine, women: Counts, men: Counts, empty: int = 0) -> tuple[Measurement, str]:
    """The measurement and the sentence that a run begins with; ``empty`` stereotypes have no gender at all."""
    table = {one.id: men if one.gender == "male" else women for one in STEREOTYPES}
    table |= {id: (0, 0, sum(table[id])) for id in (7, 16, 15, 6)[:empty]}
    sentences = numbered({id: sum(counts) for id, counts in table.items()})
    rows = tuple(Sample(sentence, id) for id, some in sentences.items() for sentence in some)
    test = replace(samples_test({}), samples=Samples("mine", rows, stereotypes=STEREOTYPES))
    run = engine.measure(
        "gest-mt", model_of(by_table({id: counts[:2] for id, counts in table.items()})), test, target="xx"
    )
    found = answers(run.measurements, run_verdicts(run.measurements, {}, Adjustment.HOLM), {})
    (line,) = result_lines(found)
    return run[0], line


@pytest.mark.parametrize("empty", [0, 1, 4])
@pytest.mark.parametrize(
    ("women", "men", "side"), [((9, 1, 0), (8, 2, 0), "masculine"), ((1, 9, 0), (0, 10, 0), "feminine")]
)
def test_a_default_is_said_first_also_where_stereotypes_are_empty(
    engine: Engine, women: Counts, men: Counts, side: str, empty: int
) -> None:
    found, line = said(engine, women, men, empty)
    pooled = estimates(found)["pooled masculine share"]
    assert pooled.n == {"samples": 160 - 10 * empty, "stereotypes": 16 - empty}
    assert pooled.interval is not None
    assert pooled.interval.low <= pooled.value <= pooled.interval.high
    assert (pooled.value > 0.5) is (side == "masculine")
    assert (estimates(found)["raw global masculine rate f_m"].value is None) is bool(empty)
    assert (found.headline.value is None) is bool(empty)
    assert f"A {side} default was found; " in line
    assert "No bias was shown" not in line
    besides = "was not measured" if empty else "is inconclusive"
    assert f"the raw stereotype rate f_s {besides}" in line or "bias detected: gender" in line


def test_all_in_the_masculine_is_a_default_though_nothing_varies(engine: Engine) -> None:
    found, line = said(engine, (2, 0, 8), (2, 0, 8), 2)
    pooled = estimates(found)["pooled masculine share"]
    assert (pooled.value, pooled.n) == (1.0, {"samples": 28, "stereotypes": 14})
    assert 0.7 < pooled.interval.low < 0.8  # fourteen stereotypes alike: .025 ** (1 / 14)
    assert pooled.interval.high == 1
    assert line == "fake: A masculine default was found; the raw stereotype rate f_s was not measured."


def test_no_default_is_claimed_of_few_or_even_translations(engine: Engine) -> None:
    for counts in ((5, 5, 0), (6, 4, 0)):
        found, line = said(engine, counts, (10 - counts[0], 10 - counts[1], 0))
        assert estimates(found)["pooled masculine share"].value == pytest.approx(0.5, abs=0.03)
        assert "default was found" not in line
    found, line = said(engine, (0, 0, 10), (0, 0, 10))
    assert estimates(found)["pooled masculine share"].value is None
    assert line == "fake: Nothing was measured."

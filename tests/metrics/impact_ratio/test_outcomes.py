"""Rates and ratios against counts made by hand, and what happens at the edges of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import fisher_exact
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from biascore import Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.errors import OptionsError, QuestionError
from biascore.results.measurement import Measurement
from biascore.results.sensitivity import sensitivity
from biascore.stats import Verdict
from biascore_metrics.impact_ratio.items import OutcomesTest, People, Person
from biascore_metrics.impact_ratio.tables import Tables

from ...builders.models import model_of


class Decides(Backend):
    """Scores people by a table, under the name of one quantity."""

    def __init__(self, scores: Mapping[str, float], quantity: str = "selected") -> None:
        self.scores = scores
        self.identity = Identity("test:decides", quantities=(quantity,))

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        assert quantity in self.identity.quantities
        return np.array([self.scores[text] for text in texts], dtype=np.float64)


Counts = Mapping[tuple[str, ...], tuple[int, int]]
BOTH: Counts = {("F", "A"): (10, 50), ("F", "B"): (20, 50), ("M", "A"): (30, 60), ("M", "B"): (24, 40)}


def outcomes(counts: Counts, *groups: str) -> tuple[OutcomesTest, dict[str, float]]:
    """People of these categories, the first so many of each selected."""
    people = [
        (Person(f"{'-'.join(c)}-{i}", c), float(i < x)) for c, (x, n) in counts.items() for i in range(n)
    ]
    test = OutcomesTest(
        id="en/mine",
        kind="outcomes",
        language="en",
        file="mine",
        sha256="0" * 64,
        concept=" and ".join(groups),
        people=People("people", tuple(person for person, _ in people), groups=groups),
    )
    return test, {person.text: value for person, value in people}


def measured(engine: Engine, counts: Counts, *groups: str, **options: Any) -> Measurement:
    test, scores = outcomes(counts, *groups)
    return engine.measure("impact-ratio", model_of(Decides(scores)), test, draws=2000, **options)[0]


def test_rates_and_ratios_of_categories_and_intersections(engine: Engine):
    found = measured(engine, BOTH, "sex", "race")
    named = {one.name: one for one in found.estimates}
    rates = {"sex: F": 30 / 100, "sex: M": 54 / 100, "race: A": 40 / 110, "race: B": 44 / 90}
    crossed = {f"sex × race: {a}, {b}": x / n for (a, b), (x, n) in BOTH.items()}
    assert {name[5:]: one.value for name, one in named.items() if name.startswith("rate ")} == rates | crossed
    ratios = {name[13:]: one.value for name, one in named.items() if name.startswith("impact ratio ")}
    assert ratios["sex: F"] == pytest.approx((30 / 100) / (54 / 100))
    assert ratios["race: A"] == pytest.approx((40 / 110) / (44 / 90))
    assert ratios["sex × race: F, A"] == pytest.approx(0.2 / 0.6)
    assert {ratios["sex: M"], ratios["race: B"], ratios["sex × race: M, B"]} == {1.0}
    assert dict(named["rate sex: F"].n) == {"people": 100, "selected": 30}
    assert found.headline.value == pytest.approx(0.2 / 0.6)
    assert "sex × race: F, A (10 of 50) to sex × race: M, B (24 of 40)" in found.reason
    assert found.quote.startswith(
        "Of sex × race: F, A, 10 of 50 people were selected, and 24 of 40 of sex × race: M, B: an impact ratio of 0.33 "
        "(95 % interval of the smallest ratio of any two: "
    )
    assert (found.verdict, found.positive_means, found.negative_means) == (
        Verdict.DETECTED,
        "",  # no ratio is above 1
        "a category is selected less often than the one selected most often",
    )


def test_intervals_of_one_group_are_those_of_statsmodels(engine: Engine):
    found = measured(engine, {("F",): (30, 100), ("M",): (54, 100)}, "sex")
    expected = confint_proportions_2indep(30, 100, 54, 100, compare="ratio", method="score", correction=False)
    for name in ("impact ratio sex: F", "smallest impact ratio"):
        interval = found.estimate(name).interval
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx(expected, abs=1e-5)
    exact = found.estimate("rate sex: F").interval
    assert exact is not None
    assert (exact.low, exact.high) == pytest.approx(proportion_confint(30, 100, method="beta"))
    fisher = fisher_exact([[30, 70], [54, 46]]).pvalue
    assert found.p_value == pytest.approx(fisher, abs=0.002)


def test_intervals_of_several_categories_hold_for_all_pairs_at_once(engine: Engine):
    found = measured(engine, {("A",): (30, 100), ("B",): (40, 100), ("C",): (54, 100)}, "race")
    level = 0.05 / 3
    one = confint_proportions_2indep(
        30, 100, 54, 100, compare="ratio", method="score", correction=False, alpha=level
    )
    interval, smallest = found.estimate("impact ratio race: A").interval, found.headline.interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx(one, abs=1e-5)
    assert interval.method == "Koopman's score, 3 pairs at once"
    assert smallest is not None
    assert (smallest.low, smallest.high) == pytest.approx(one, abs=1e-5)


def test_a_small_category_is_listed_and_not_tested(engine: Engine):
    found = measured(engine, {("A",): (30, 100), ("B",): (28, 100), ("C",): (2, 2)}, "race")
    assert found.estimate("impact ratio race: A").value == pytest.approx(0.3)
    assert found.headline.value == pytest.approx(28 / 30)
    assert found.doubts == ("1 category is too small to be tested",)
    warnings = " ".join(found.warnings)
    assert "ratios by race are to C, whose rate is the highest and of 2 people only" in warnings
    assert "less than 2 % of the people each: race: C (2); an auditor under Local Law 144 may" in warnings
    assert measured(engine, {("A",): (30, 100), ("B",): (28, 100)}, "race").doubts == ()


def test_a_category_left_out_has_a_rate_and_no_ratio(engine: Engine):
    counts = {("A",): (30, 100), ("B",): (28, 100), ("C",): (2, 2)}
    found = measured(engine, counts, "race", leave_out_below=0.02)
    names = {one.name for one in found.estimates}
    assert "rate race: C" in names
    assert "impact ratio race: C" not in names
    assert found.estimate("impact ratio race: A").value == 1.0
    assert "no ratio for race: C (2): less than 2 % of the people each (leave_out_below)" in found.warnings


@pytest.mark.parametrize(("few", "left_out"), [(2, False), (1, True)])
def test_a_category_of_just_the_share_that_is_left_out_below_is_kept(
    engine: Engine, few: int, left_out: bool
):
    counts = {("A",): (30, 100 - few - 40), ("B",): (28, 40), ("C",): (few, few)}
    found = measured(engine, counts, "race", leave_out_below=0.02)
    assert ("impact ratio race: C" not in {one.name for one in found.estimates}) is left_out
    assert found.estimate("impact ratio race: B").value == (1.0 if left_out else 0.7)


def test_people_whose_category_is_not_stated(engine: Engine):
    found = measured(engine, BOTH | {("", "A"): (5, 5)}, "sex", "race")
    assert found.estimate("rate sex: F").n["people"] == 100
    assert found.estimate("rate race: A").n == {"people": 115, "selected": 45}
    assert "5 of 205 people have no sex stated, and count in none of its categories" in found.warnings
    assert {(one.word, one.role, one.reason) for one in found.coverage.lost} == {
        (f"-A-{i}", "sex", "not stated") for i in range(5)
    }
    assert not any(name.name.endswith(": , A") for name in found.estimates)


def test_others_whose_category_is_not_stated_are_not_exchanged_with_those_who_state_one(engine: Engine):
    """As many others, nobody or all selected, change the rate of all people, but not how rates by sex vary by chance."""
    alone = {("F",): (12, 40), ("M",): (22, 40)}
    p = measured(engine, alone, "sex").p_value
    for others in ((0, 79), (79, 79)):
        assert measured(engine, alone | {("",): others}, "sex").p_value == pytest.approx(p, abs=0.02)


def test_scores_are_compared_with_the_median_of_all(engine: Engine):
    test, _ = outcomes({("F",): (0, 30), ("M",): (0, 31)}, "sex")
    scores = {one.text: float(place) for place, one in enumerate(test.people.rows)}
    model = model_of(Decides(scores, "score"))
    found = engine.measure("impact-ratio", model, test, rate="scoring", draws=500)[0]
    # 61 people with scores 0 to 60: the median is 30, and 30 men are above.
    assert found.estimate("rate sex: F").value == 0.0
    assert found.estimate("rate sex: M").value == pytest.approx(30 / 31)
    assert (found.variant, found.headline.value) == ("scoring rate", 0.0)


@pytest.mark.parametrize(
    ("counts", "value", "reason"),
    [
        ({("F",): (0, 30), ("M",): (0, 30)}, None, "nobody is selected, so no rate can be divided by"),
        ({("F",): (20, 20), ("M",): (20, 20)}, 1.0, "The p-value 1 is above 0.05"),
        ({("F",): (3, 19), ("M",): (9, 30)}, None, "no group has two categories of 20 people or more"),
    ],
    ids=["nobody", "everybody", "one category large enough"],
)
def test_tables_without_a_difference(engine: Engine, counts: Counts, value: float | None, reason: str):
    found = measured(engine, counts, "sex", bound_ratio=0.9)
    assert found.headline.value == value
    assert found.verdict is (Verdict.NOT_MEASURED if value is None else Verdict.INCONCLUSIVE)
    assert reason in found.reason


def test_equal_rates_are_not_those_of_a_category_and_itself(engine: Engine):
    found = measured(engine, {("F",): (30, 30), ("M",): (40, 40)}, "sex")
    assert found.quote.startswith("All categories were selected equally often (95 % interval of the smallest")
    assert found.reason.endswith("All categories were selected equally often.")
    assert found.headline.interval is not None
    assert (found.headline.value, found.headline.interval.high) == (1.0, 1.0)  # no ratio is above 1
    test, scores = outcomes({("F",): (30, 30), ("M",): (40, 40)}, "sex")
    alike = engine.measure("impact-ratio", model_of(Decides(scores, "score")), test, rate="scoring")[0]
    assert "no score is above the median, so no rate can be divided by" in alike.reason


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [({}, "negligible"), ({"bound_ratio": 0.95}, "inconclusive"), ({"bound_ratio": "none"}, "inconclusive")],
)
def test_negligible_is_above_four_fifths_unless_the_user_says_otherwise(
    engine: Engine, bound: dict[str, Any], verdict: str
):
    found = measured(engine, {("F",): (1500, 3000), ("M",): (1510, 3000)}, "sex", **bound)
    assert found.verdict == verdict
    assert found.headline.interval is not None
    assert 0.94 < found.headline.interval.low < 0.95


def openings(alike: bool = True) -> list[tuple[Person, bool]]:
    """12 openings: four hire a quarter and are asked for by more women, as many more men and three quarters, four neither.

    They hire both sexes alike, or all men and an eighth of the women.
    """
    people = []
    for number in range(12):
        more_women, hires = number < 6, 0.75 if number in (4, 5, 6, 7, 8, 9) else 0.25
        for sex, n in {"F": 96 if more_women else 32, "M": 32 if more_women else 96}.items():
            hired = n * (hires if alike else 1.0 if sex == "M" else 0.125)
            people += [
                (Person(f"{number}{sex}{i}", (sex,), cluster=f"o{number}"), i < hired) for i in range(n)
            ]
    return people


def decided(engine: Engine, people: list[tuple[Person, bool]], cluster: str) -> Measurement:
    test, _ = outcomes({}, "sex")
    own = tuple(one if cluster else Person(one.text, one.categories) for one, _ in people)
    test = replace(test, people=replace(test.people, rows=own, cluster=cluster))
    model = model_of(Decides({one.text: float(hired) for one, hired in people}))
    return engine.measure("impact-ratio", model, test, draws=2000)[0]


def tables_of(people: list[tuple[Person, bool]], *groups: str) -> Tables:
    """The counts of people, without intersections."""
    chosen = np.array([selected for _, selected in people])
    return Tables.of(groups, [one for one, _ in people], chosen, intersections=False, below=0.0)


def test_the_p_by_cluster_is_the_smallest_of_all_pairs_times_their_number():
    rng = np.random.default_rng(4)
    shares = {"A": 0.4, "B": 0.5, "C": 0.65}
    people = [
        (Person(f"{name}{i}", (name,), cluster=f"o{i % 10}"), bool(rng.random() < share))
        for name, share in shares.items()
        for i in range(100)
    ]
    found = tables_of(people, "race").compared(20)
    assert found is not None
    errors = found.tables[0].errors
    assert errors is not None
    alone = min(errors.p_value(*two) for two in ((0, 1), (0, 2), (1, 2)))
    assert found.by_cluster() == pytest.approx(3 * alone)
    assert 3 * alone < 1


def test_the_larger_of_two_categories_with_the_highest_rate_is_what_others_are_compared_with():
    for name in "AB":
        counts = {"A": (10, 20), "B": (10, 20), "C": (2, 20)} | {name: (20, 40)}
        people = [(Person(f"{c}{i}", (c,)), i < x) for c, (x, n) in counts.items() for i in range(n)]
        highest = tables_of(people, "race").tables[0].highest
        assert highest is not None
        assert highest.name == name


def test_openings_that_hire_at_their_own_rates_are_no_bias_by_sex(engine: Engine):
    undeclared = decided(engine, openings(), "")
    assert undeclared.verdict is Verdict.DETECTED
    assert undeclared.p_value < 0.002
    found = decided(engine, openings(), "opening")
    assert found.headline.value == undeclared.headline.value == pytest.approx(88 / 104)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert [p.value < 0.002 for p in found.headline.p_values] == [False, True, False]
    assert found.p_value == pytest.approx(0.286, abs=0.001)
    for name in ("smallest impact ratio", "impact ratio sex: F"):
        interval, alone = found.estimate(name).interval, undeclared.estimate(name).interval
        assert interval is not None
        assert alone is not None
        assert alone.high < 1 <= interval.high
        assert interval.low < alone.low
    rate, alone = found.estimate("rate sex: F").interval, undeclared.estimate("rate sex: F").interval
    assert rate is not None
    assert alone is not None
    assert rate.high - rate.low > 1.5 * (alone.high - alone.low)
    assert str(found.conventions["clusters"]).startswith("12 by opening")


def test_openings_that_all_hire_men_are(engine: Engine):
    found = decided(engine, openings(alike=False), "opening")
    assert found.verdict is Verdict.DETECTED
    assert found.headline.value == pytest.approx(0.125)


def test_outcomes_other_than_0_and_1(engine: Engine):
    test, scores = outcomes({("F",): (3, 30), ("M",): (9, 30)}, "sex")
    scores["F-1"] = 0.5
    with pytest.raises(
        OptionsError, match=r"'selected' is 0.5 for 'F-1', and 1 of 60 people .* or compare scores"
    ):
        engine.measure("impact-ratio", model_of(Decides(scores)), test)


def test_a_planted_model_has_no_outcomes(engine: Engine):
    test, _ = outcomes({("F",): (3, 30), ("M",): (9, 30)}, "sex")
    with pytest.raises(QuestionError, match="has no output 'selected'"):
        engine.measure("impact-ratio", "planted:", test)


def test_three_groups_are_crossed_two_by_two(engine: Engine):
    counts = {(a, b, c): (10, 25) for a in "FM" for b in "AB" for c in "yo"}
    names = [one.name for one in measured(engine, counts, "sex", "race", "age").estimates]
    tables = dict.fromkeys(name[5:].partition(": ")[0] for name in names if name.startswith("rate "))
    assert list(tables) == ["sex", "race", "age", "sex × race", "sex × age", "race × age"]
    alone = measured(engine, counts, "sex", "race", "age", intersections=False)
    assert not any("×" in one.name for one in alone.estimates)


def test_a_table_is_both_data_and_model(engine: Engine, tmp_path: Path):
    path = tmp_path / "hires.csv"
    test, scores = outcomes(BOTH, "sex", "race")
    rows = [f"{one.text},{','.join(one.categories)},{scores[one.text]:g}" for one in test.people.rows]
    path.write_text("\n".join(["text,sex,race,selected", *rows]), encoding="utf-8")
    data = engine.data("outcomes", str(path), language="en", groups=["sex", "race"])
    run = engine.measure("impact-ratio", f"answers:{path}", data, draws=500)
    assert run[0].headline.value == pytest.approx(0.2 / 0.6)


def test_a_neutral_value_at_the_end_of_what_can_be_has_effects_on_one_side(engine: Engine):
    found = measured(engine, {("F",): (10, 30), ("M",): (12, 30)}, "sex")
    assert sensitivity(found) is None  # chance alone is below 1
    headline = found.headline.model_copy(update={"chance": None})
    seen = sensitivity(found.model_copy(update={"estimates": (headline,)}))
    assert seen is not None
    assert seen.smallest is not None
    assert 0.3 < seen.smallest < 1

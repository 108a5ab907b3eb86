"""The map of every test: shades on a scale that is named, one column where each test has one model, variants in words."""

from __future__ import annotations

from typing import Any

import pytest

from biascore.results.estimates import Equivalence, Estimate
from biascore.results.run import Run
from biascore.results.verdicts import State

from ..builders.runs import measurement, model_used, run_of

pytest.importorskip("jinja2")
every_test = pytest.importorskip("biascore.report.parts.every_test").every_test
variants = pytest.importorskip("biascore.report.variants")
breakable = pytest.importorskip("biascore.report.page").breakable


def values(run: Run) -> dict[str, Any]:
    return dict(every_test(run).values)


def shade(value: float, unit: str, bound: float | None = None, **more: Any) -> tuple[int, list[str]]:
    """The shade of the only cell, and what the legend says of the scale."""
    estimate = Estimate(name="effect", value=value, unit=unit, n={}, **more)
    stated = None if bound is None else Equivalence(bound=bound, of="effect")
    made = measurement().model_copy(update={"estimates": (estimate,), "equivalence": stated})
    found = values(run_of(made))
    (row,) = found["groups"][0].rows
    return row.cells[0][0].step, found["scales"]


@pytest.mark.parametrize(
    ("value", "unit", "more", "step", "told"),
    [
        (0.19, "standard deviations", {}, 1, "from 0.2, 0.5 and 0.8 standard deviations (Cohen)"),
        (-0.9, "standard deviations", {}, 4, "from 0.2, 0.5 and 0.8 standard deviations (Cohen)"),
        (0.002, "score", {}, 1, "the largest effect possible (1)"),
        (0.3, "share", {}, 3, "the largest effect possible (1)"),
        (60.9, "%", {"neutral": 50.0}, 2, "the largest effect possible (50)"),
        (1.5, "points", {"limits": (-2.0, 2.0)}, 4, "the largest effect possible (2)"),
        (0.5, "nats", {"bound": 0.2}, 3, "darker is further beyond the bound (0.20)"),
    ],
)
def test_a_shade_means_a_size_that_the_legend_names(
    value: float, unit: str, more: dict[str, Any], step: int, told: str
) -> None:
    found, (scale,) = shade(value, unit, **more)
    assert found == step
    assert told in scale


def test_without_a_scale_there_is_no_shade() -> None:
    assert shade(3.0, "nats") == (0, [])


def test_tests_of_one_model_each_have_one_column_and_say_of_which() -> None:
    run = run_of(measurement(test="a", model="x"), measurement(test="b", model="y", metric="eec"))
    found = values(run)
    assert [column.model for column in found["columns"]] == ["Effect"]
    assert [row.on for group in found["groups"] for row in group.rows] == ["x · weat", "y · eec"]
    both = values(run_of(measurement(test="a", model="x"), measurement(test="a", model="y")))
    assert [column.model for column in both["columns"]] == ["x", "y"]


def test_controls_and_baselines_are_not_on_the_map() -> None:
    planted = measurement(model="planted")
    known = [model_used("planted", {"it/weat6": 1.0}), model_used()]
    baseline = measurement(test="it/weat1").model_copy(update={"concept": "baseline"})
    run = run_of(planted, measurement(), baseline, models=known)
    (group,) = values(run)["groups"]
    assert [[cell.number for cells in row.cells for cell in cells] for row in group.rows] == [[2]]
    assert every_test(run_of(planted, models=known)) is None


def test_a_variant_that_repeats_another_has_no_column_of_its_own() -> None:
    run = run_of(
        *(measurement(variant=text, value=v) for text, v in (("k=a", 0.5), ("k=b", 0.5), ("k=c", 0.7)))
    )
    assert [column.method for column in values(run)["columns"]] == ["k a; the same: k b", "k c"]
    # In the table of results each has its own name.
    assert list(variants.method_names(run, folded=False).values()) == [
        "weat (k a)",
        "weat (k b)",
        "weat (k c)",
    ]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("templates=direct", "direct templates"),
        ("templates=t1+t2", "templates t1, t2"),
        ("groups=male+female", "male and female"),
        ("token level", "words as tokens"),
        ("ppl_bins=0.0+5.0+9.0", "2 ranges of perplexity"),
        ("some_option=True", "some option True"),
        ("pair=('a'", "pair=('a'"),
    ],
)
def test_variants_are_named_in_words(part: str, words: str) -> None:
    assert variants.in_words(part) == words


def test_long_words_may_be_broken_after_a_sign_and_nowhere_else() -> None:
    assert str(breakable("planted:en/crows_own=0.5 & co.")) == (
        "planted:<wbr>en/<wbr>crows_<wbr>own=<wbr>0.5 &amp; co."
    )
    assert breakable("race/ethnicity") == "race/ethnicity"


def test_a_cell_says_its_state() -> None:
    (row,) = values(run_of(measurement()))["groups"][0].rows
    assert row.cells[0][0].state is State.DETECTED

"""The page of a comparison, and the sections of a report on gates and scenarios: what they say, escaped."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from biascore import Engine, compare
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.evaluating_scenarios import evidence
from biascore.audits.gates import Gate
from biascore.audits.scenarios import Scenario
from biascore.comparing import Comparison, Outcome
from biascore.mapping import Ground
from biascore.results.rows import change_row
from biascore.terminal.pictures import DRAWN

from ..builders import runs
from ..builders.runs import decided

pytest.importorskip("altair", reason="needs biascore[report]")

from biascore.report.comparison import render_comparison
from biascore.report.page import render

HOSTILE = "<script>window.pwned=1</script>"


@pytest.fixture(scope="module")
def found(engine: Engine) -> Comparison:
    models = [engine.model(f"planted:gender={d}", name=name) for d, name in ((1, "old"), (-0.3, "new"))]
    fast = {"resamples": 200, "draws": 500, "reference": "none"}
    return compare(engine.measure("weat", models, ["en/weat6", "en/weat7"], **fast), models={"old": "new"})


@pytest.mark.slow
def test_the_page_says_what_changed_and_which_items_flipped(found: Comparison) -> None:
    page = render_comparison(found)
    for one in found:
        assert f"<bdi>{one.test}</bdi>" in page
        assert one.outcome.value in page
        assert all(f'dir="auto">{row["item"]}</th>' in page for row in one.flips)
    assert page.count('class="plot"') == 1
    assert "Nothing: all that either run holds" in page


def test_a_change_is_a_row_with_marks_of_its_own_and_the_values_of_the_terminal(found: Comparison) -> None:
    page = render_comparison(found)
    assert page.count('<svg class="lane"') == len(found)
    for number, one in enumerate(found):
        row = change_row(number, one)
        assert row.lead is not None
        assert row.lead.state == row.state == one.outcome.value
        for text in (row.says, row.value, row.interval):
            assert text in page
        assert f'class="badge {row.state.replace(" ", "-")}"' in page
    assert not {"badge detected", "badge negligible"} & set(re.findall("badge [a-z]+", page))
    for outcome in (Outcome.INCREASED, Outcome.DECREASED, Outcome.CHANGED_SIGN, Outcome.UNCHANGED):
        mark = DRAWN.marks[outcome.value]
        assert f'.badge.{outcome.replace(" ", "-")}::before {{ content: "{mark}"' in page


def test_a_caption_is_of_the_intervals_that_its_chart_draws(found: Comparison) -> None:
    changes = [
        one.model_copy(update={"change": one.change.model_copy(update={"interval": None})}) for one in found
    ]
    page = render_comparison(found.model_copy(update={"differences": tuple(changes)}))
    assert "Lines are 95 % confidence intervals." in page
    assert "No intervals were made" not in page


def test_rounding_is_no_row(found: Comparison) -> None:
    noise = found[0].change.model_copy(update={"value": 4e-15, "interval": None})
    equal = found[0].model_copy(update={"change": noise, "outcome": Outcome.UNCHANGED})
    page = render_comparison(found.model_copy(update={"differences": (equal, found[1])}))
    assert page.count('<svg class="lane"') == 1
    assert "1 equal" in page


def test_texts_of_others_are_escaped_and_what_was_refused_is_named(found: Comparison) -> None:
    first = found[0].model_copy(update={"test_title": HOSTILE, "cautions": (HOSTILE,)})
    page = render_comparison(found.model_copy(update={"differences": (first,), "only_old": (HOSTILE,)}))
    assert HOSTILE not in page
    assert "Only in the old run" in page
    lead = page[page.index('class="in-one-line"') :]
    assert lead.index("No pass/fail rule was set") < lead.index("</p>")
    assert "says nothing of a model in use" in lead


def test_a_run_with_itself_is_identical_and_has_no_pictures(found: Comparison) -> None:
    same = found.model_copy(update={"new": found.old, "models": {"old": "old"}})
    page = render_comparison(same)
    assert "The two runs are identical" in page
    assert 'class="plot"' not in page


def test_a_report_holds_gates_and_scenarios_with_what_was_not_tested() -> None:
    run = runs.run_of(decided(0.001, test="it/t0", model="m", value=0.9, ends=(0.6, 1.2)))
    scenario = Scenario(
        name=HOSTILE,
        group="women",
        ground=Ground.SEX,
        hazard="ranked lower",
        measurements=("it/*",),
        bound=0.5,
        bound_reason="half of what people show",
        owner="us",
        review=date(2027, 3, 1),
    )
    judged = run.model_copy(
        update={
            "gates": evaluate([Gate(name="release", measurements=("*",), fail_on="detected")], run, Path()),
            "scenarios": evidence([scenario], run, ()),
        }
    )
    page = render(judged)
    assert HOSTILE not in page
    assert 'release</bdi>”: <strong class="missed">failed</strong>' in page
    assert "beyond it" in page
    assert "2027-03-01" in page
    assert "All that the scenario names was measured." in page
    assert "sexual orientation" in page  # no scenario is about it
    assert '<h2 id="gates">' not in render(run)

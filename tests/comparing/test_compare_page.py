"""The page of a comparison, and the sections of a report on gates and scenarios: what they say, escaped."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from biascore import Engine, compare
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.evaluating_scenarios import evidence
from biascore.audits.gates import Gate
from biascore.audits.scenarios import Scenario
from biascore.comparing import Comparison
from biascore.mapping import Ground

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
    assert page.count('class="plot"') == 2
    assert "Nothing: all that either run holds" in page


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

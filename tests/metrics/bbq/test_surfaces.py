"""BBQ on the surfaces that others read: a scenario, the card of a model, a calibration."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from biascore import Engine
from biascore.audits.evaluating_scenarios import evidence
from biascore.audits.scenarios import Scenario
from biascore.calibration import calibrate
from biascore.exporting.model_card import ModelCard
from biascore.results.gates import GateOutcome
from biascore.results.words.result import quote_lines
from biascore_metrics.bbq.items import ChoicesTest

from .made import Chooser, made_test, model_of, questions, roles

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def shipped(engine: Engine) -> ChoicesTest:
    test = engine.catalogue.test("en/choices-age")
    assert isinstance(test, ChoicesTest)
    return test


def stereotyping(test: ChoicesTest) -> Chooser:
    return Chooser(test.questions.rows, roles("target"))


def test_the_scenario_of_the_page_holds_what_was_measured(engine: Engine, shipped: ChoicesTest) -> None:
    page = (ROOT / "docs" / "metrics" / "bbq.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (stated,) = tomllib.loads(block)["scenarios"]
    run = engine.measure("bbq", model_of(engine, stereotyping(shipped)), shipped)
    (found,) = evidence([Scenario.model_validate(stated, strict=False)], run, ())
    assert [(one.held, one.found) for one in found.tested] == [
        (GateOutcome.FAILS, f"ambiguous bias = 1 [{run[0].headline.interval.low:.3g}, 1]")
    ]


def test_a_model_card_has_the_sentence(engine: Engine, shipped: ChoicesTest) -> None:
    run = engine.measure("bbq", model_of(engine, stereotyping(shipped)), shipped)
    (card,) = ModelCard().export(run)
    said = "On 96 ambiguous questions about age the model picked the stereotyped person 100.0 points more often than"
    assert f"- {said}" in card.text
    (line,) = quote_lines(run, run.answers)
    assert line.startswith(f"made: {said}")


@pytest.mark.slow
def test_it_is_calibrated_by_templates(engine: Engine, shipped: ChoicesTest) -> None:
    found = calibrate(engine, "bbq", shipped, models=20, nulls=20, times=(1,), effects=(1.6,))
    assert dict(found.sizes[0].n) == {"questions": 96, "templates": 24}
    assert [cell.rate.count for cell in found.cells][1] >= 15
    assert found.cells[0].rate.count <= 4


@pytest.mark.parametrize("said", ["<think>Let me see", " "])
def test_answers_that_end_before_they_say_anything_name_the_remedy(engine: Engine, said: str) -> None:
    some = questions(12, 8)
    model = model_of(engine, Chooser(some, lambda _: None, said))
    found = engine.measure("bbq", model, made_test(some))[0]
    assert [one.short for one in found.caveats].count("answers end before they say anything") == 1
    assert sum("max_answer_tokens" in one.text for one in found.caveats) == 1

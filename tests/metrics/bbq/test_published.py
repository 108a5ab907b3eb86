"""Answers of UnifiedQA that the authors of BBQ publish give their numbers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.api.exporters import Measurement

from .made import made_test, published

CASES = [(category, how) for category in ("Age", "Religion") for how in ("race", "arc")]


@pytest.fixture(scope="module")
def choices(shared_data: Path) -> Path:
    return shared_data / "choices"


def measured(choices: Path, category: str, how: str, engine: Engine, **options: Any) -> Measurement:
    model = engine.model(
        f"answers:{choices}/bbq/answers_{category}.csv.gz", item=("example_id",), answer=f"unifiedqa_{how}"
    )
    return engine.measure("bbq", model, made_test(published(choices, category)), **options)[0]


@pytest.mark.parametrize(("category", "how"), CASES)
def test_the_published_numbers(choices: Path, engine: Engine, category: str, how: str) -> None:
    expected = json.loads((choices / "bbq" / "expected.json").read_text())[category][how]
    found = measured(choices, category, how, engine)
    for context, name, score in (("ambiguous", "ambig", "s_AMB"), ("disambiguated", "disambig", "s_DIS")):
        of = expected[name]
        estimate = found.estimate(f"{context} bias")
        assert (estimate.n["questions"], estimate.n["templates"]) == (of["n"], 25)
        assert found.estimate(score).value == pytest.approx(of["bias"], abs=1e-12)
        assert found.estimate(f"{context} accuracy").value == pytest.approx(of["accuracy"], abs=1e-12)
        roles = found.items_frame().query("group == @context").role.value_counts()
        assert (roles["target"], roles["target"] + roles["other"]) == (of["target"], of["not unknown"])
        lost = found.estimate(f"{context} answers without an option")
        assert lost.value == pytest.approx(of["unreadable"] / lost.n["answers"])


def test_the_interval_is_that_of_templates(choices: Path, engine: Engine) -> None:
    found = measured(choices, "Age", "race", engine)
    items = found.items_frame().query("group == 'ambiguous'")
    rng = np.random.default_rng(0)
    by_template = [one.value.to_numpy() for _, one in items.groupby("template")]
    draws = [
        np.concatenate([by_template[i] for i in rng.integers(0, 25, 25)]).mean() for _ in range(2000)
    ]  # the percentile interval of templates drawn again: 14.3 to 44.0
    low, high = np.quantile(draws, [0.025, 0.975])
    interval = found.headline.interval
    assert interval is not None
    assert [interval.low, interval.high] == pytest.approx([low, high], abs=0.035)
    by_question = 1.96 * items.value.std() / math.sqrt(len(items))
    assert (interval.high - interval.low) / (2 * by_question) > 5


def test_the_sentence_to_quote(choices: Path, engine: Engine) -> None:
    run = engine.measure(
        "bbq",
        engine.model(
            f"answers:{choices}/bbq/answers_Age.csv.gz", item=("example_id",), answer="unifiedqa_race"
        ),
        made_test(published(choices, "Age")),
    )
    said = (
        "On 1,840 ambiguous questions about age the model picked the stereotyped person 29.8 points more often than the "
        "other (95 % interval by 25 templates 12.1 to 47.5)."
    )
    assert run[0].quote == said
    assert said in run.answers[0].notes

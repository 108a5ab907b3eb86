"""SEAT in runs: a planted effect, seeds, and plans beside other metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Audit, Engine

from .tagged import FAST, TEMPLATES, WORDS


def effects(declared: float, seeds: int = 60, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    engine = Engine(cache=None)
    d, p = [], []
    for seed in range(seeds):
        model = engine.model(f"planted:en/weat7={declared}", seed=seed)
        got = engine.measure(
            "seat", model, "en/weat7", permutation="monte-carlo", draws=300, **FAST, **options
        )[0]
        assert got.headline.value is not None
        assert got.p_value is not None
        d.append(got.headline.value)
        p.append(got.p_value)
    return np.array(d), np.array(p)


@pytest.mark.slow
def test_a_planted_effect_is_recovered() -> None:
    means = []
    for declared in (-1.2, 0.0, 1.2):
        d, _ = effects(declared, seeds=40)
        error = d.std(ddof=1) / np.sqrt(len(d))
        # The rest of a sentence adds noise to s, which pulls d towards 0 by a tenth at most.
        assert abs(d.mean() - declared) < 4 * error + 0.06 + 0.1 * abs(declared), (declared, d.mean(), error)
        means.append(d.mean())
    assert means == sorted(means)


@pytest.mark.slow
def test_words_keep_the_level_of_the_test_and_sentences_do_not() -> None:
    """Nothing planted: four sentences a word are no four observations."""
    _, over_words = effects(0.0)
    _, over_sentences = effects(0.0, unit="sentence")
    assert np.mean(over_words <= 0.05) <= 0.15
    assert np.mean(over_sentences <= 0.05) >= 0.2


def test_the_same_seed_gives_the_same_measurement(mine: Path) -> None:
    one, two, other = (
        Engine(stimuli=[mine], cache=None, seed=seed).measure("seat", "planted:", "xx/test", **FAST)[0]
        for seed in (4, 4, 5)
    )
    assert one.model_dump() == two.model_dump()
    assert one.items.equals(two.items)
    assert one.headline.value == other.headline.value
    assert one.headline.interval != other.headline.interval


def test_an_audit_of_several_metrics_asks_what_its_plan_says(mine: Path, tmp_path: Path, ref: str) -> None:
    engine = Engine(stimuli=[mine], cache=tmp_path / "cache")
    measurements = [
        {"metric": "weat", "tests": ["xx/test"], "options": FAST | {"level": "token"}},
        {"metric": "seat", "tests": ["xx/test"], "options": FAST},
        {"metric": "seat", "tests": ["xx/test"], "options": FAST | {"unit": "sentence"}},
        {"metric": "seat", "tests": ["xx/test"], "options": FAST | {"level": "token"}},
    ]
    audit = Audit.from_parts(title="Several", models=[{"ref": ref}], measurements=measurements)
    plan = engine.plan(audit, probe=False)
    assert plan.stopped == ()
    assert {row.counts for row in plan.rows} == {"exact"}
    run = engine.run(audit)
    assert (plan.total.put, plan.total.asked) == (run.questions.put, run.questions.asked)
    assert [m.method.partition(" ")[0] for m in run] == ["weat", "seat", "seat", "seat"]
    # Each word alone is known from weat, the sentences of the third metric from the second's.
    words = sum(len(tags) for tags in WORDS.values())
    sentences = sum(len(TEMPLATES[tag]) for tags in WORDS.values() for tag in tags.values())
    assert run.questions.put == 3 * words + 3 * sentences
    assert run.questions.asked == words + 2 * sentences

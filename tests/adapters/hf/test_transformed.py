"""A contextual model before and after a transform: sentence associations and FISE in one audit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from biascore import Audit, Engine

NOUNS = {"nouns": "it/nouns", "min_words": 10, "same_vectors": "drop", "sample": 0}
FEW = {"resamples": 100}


@pytest.mark.slow
def test_a_contextual_model_is_measured_before_and_after(
    saved_model: Callable[[str], Path], engine: Engine
) -> None:
    leace = {"name": "leace", "options": NOUNS}
    model = {"name": "it", "ref": f"hf:{saved_model('bert-cased')}", "transforms": [leace], "before": True}
    fise = {"draws": 200, "affect_model": "self"}
    measurements = [
        {"metric": "seat", "tests": ["it/gg-weat"], "options": FEW},
        {"metric": "fise", "tests": ["it/fise_it1_occupations"], "options": fise},
        {"metric": "gg-fise", "tests": ["it/fise_it1_occupations"], "options": fise},
        {"metric": "weat-change", "tests": ["it/gg-weat"], "models": ["it"], "options": FEW},
    ]
    run = engine.run(Audit.from_parts(title="Both", models=[model], measurements=measurements))
    assert run.failed == ()
    values = {(one.metric, one.model): one.headline.value for one in run}
    assert values.keys() == {
        *((metric, name) for metric in ("seat", "fise", "gg-fise") for name in ("it before", "it")),
        ("weat-change", "it"),
    }
    for metric in ("seat", "fise", "gg-fise"):
        assert values[metric, "it before"] != values[metric, "it"]
    assert [one.name for one in run.models[1].transforms] == ["leace"]

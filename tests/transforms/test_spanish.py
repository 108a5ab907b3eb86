"""Real Spanish vectors through the engine: what the transform says of itself is what the reference says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from biascore import Engine
from biascore.models.model import Model

NOUNS = "es/gsd"


@pytest.fixture(scope="module")
def spanish(shared_data: Path) -> Iterator[tuple[Model, dict[str, list[dict[str, float]]]]]:
    folder = shared_data / "gg"
    if not folder.is_dir():
        pytest.skip(f"the Spanish vectors are not at {folder}")
    engine = Engine(cache=None)
    test = engine.data("nouns", folder / "es_nouns.tsv", language="es", name="gsd")
    engine.add_tests([test])
    assert test.id == NOUNS
    model = engine.model(f"fasttext:{folder / 'es_eltec_50d.vec.gz'}")
    runs = json.loads((folder / "es_reference.json").read_text(encoding="utf-8"))["runs"]
    yield model, {mode: run["primal"] for mode, run in runs.items()}
    model.close()


@pytest.mark.parametrize(("mode", "rows"), [("rows", "unit"), ("raw", "raw"), ("code", "authors")])
def test_the_trace_is_that_of_the_reference(
    spanish: tuple[Model, dict[str, list[dict[str, float]]]], mode: str, rows: str
):
    model, reference = spanish
    found = model.with_transform("grammatical-gender", nouns=NOUNS, rows=rows, iterations=7).fitted(
        "sentence"
    )
    assert found is not None
    for row, expected in zip(found.trace, reference[mode][:8], strict=True):
        assert row["training accuracy"] == pytest.approx(expected["train_acc"], abs=0.005)
        assert row["held-out accuracy"] == pytest.approx(expected["test_acc"], abs=0.005)


def test_it_stops_at_chance(spanish: tuple[Model, dict[str, list[dict[str, float]]]]):
    model, _ = spanish
    found = model.with_transform("grammatical-gender", nouns=NOUNS).fitted("sentence")
    assert found is not None
    assert found.facts["stopped because"] == "held-out accuracy at chance"
    assert 3 <= int(found.facts["rounds"] or 0) <= 10
    assert float(found.facts["neighbours kept of the 10 nearest"] or 0) > 0.6
    assert found.warnings == ()

"""The plugins for MLflow and Weights & Biases without either: their forms, and their commands named before any import."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest

from biascore import Engine
from biascore.api.exporters import tracked
from biascore.exporting.forms import exported
from biascore.results.run import Run
from biascore.testing import check_exporter

from ..builders.plugin_dists import PLUGINS, installed
from ..builders.runs import MODELS, decided, run_of

NAMES = ("mlflow", "wandb")


@pytest.fixture(scope="module", params=NAMES)
def tracker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name: str = request.param
    with installed(PLUGINS / f"biascore-plugin-{name}", tmp_path_factory.mktemp(name)):
        yield name


@pytest.fixture
def engine(tracker: str) -> Engine:
    return Engine(cache=None, require_plugins=[f"biascore-plugin-{tracker}>=0.1"])


@pytest.fixture
def run() -> Run:
    return run_of(decided(0.001), decided(0.4, value=None, test="en/short"), decided(0.6, model=MODELS[1]))


def test_the_form_keeps_the_contract_without_the_tracker(tracker: str, engine: Engine) -> None:
    check_exporter(tracker, engine=engine)
    assert tracker in engine.plugins.commands.names
    assert tracker not in sys.modules


def test_the_form_holds_all_that_is_tracked_and_no_number_for_what_was_not_measured(
    tracker: str, engine: Engine, run: Run
) -> None:
    texts = exported(run, tracker, engine.plugins)
    assert [one.of for one in texts] == ["m", MODELS[1]]
    for text, one in zip(texts, tracked(run), strict=True):
        found = json.loads(text.text)
        if tracker == "mlflow":
            values = {part: {item["key"]: item["value"] for item in found[part]} for part in found}
            assert values == {"metrics": one.numbers, "params": one.settings, "tags": one.states}
            assert {item["timestamp"] for item in found["metrics"]} == {int(1000 * run.provenance.finished)}
        else:
            states = {f"{name}/state": state for name, state in one.states.items()}
            assert found["summary"] == {**one.numbers, **states}
            assert found["config"] == one.settings
            assert set(found["tags"]) == set(one.states.values())
    assert "made/en/short/effect" not in texts[0].text
    assert "not measured" in texts[0].text


def test_the_readme_is_short_and_its_command_has_these_options(tracker: str) -> None:
    text = (PLUGINS / f"biascore-plugin-{tracker}" / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 120
    command = (
        PLUGINS / f"biascore-plugin-{tracker}" / f"biascore_plugin_{tracker}" / "command.py"
    ).read_text()
    for word in text.split():
        if word.startswith("--") and word not in ("--format",):
            assert word[2:].replace("-", "_") + ":" in command

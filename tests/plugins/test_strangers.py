"""Every way in which a stranger's plugin can be bad, and that it harms nobody but itself.

The distributions of tests/dists are real: built as wheels, installed by pip, found through their metadata.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine, Run
from biascore.errors import PluginError, UnknownNameError
from biascore.plugins.loading import Plugins

from ..builders.points import FIRST_PARTY

SURVEY = """
import json
import os
import subprocess
import sys
from biascore.plugins.loading import Plugins
plugins = Plugins()
print(json.dumps({
    "records": [
        {"name": r.name, "dist": r.dist, "version": r.version, "status": r.status, "reason": r.reason,
         "hooks": r.hooks, "provides": r.provides, "error": type(r.error).__name__}
        for r in plugins.records
    ],
    "adapters": plugins.adapters.names, "metrics": plugins.metrics.names,
    "tests": [test.id for file in plugins.stimuli for test in file.tests],
}))
"""
# A failed plugin: part of the reason, and the exception that is kept.
FAILED = {
    "biascore-test-missing-import": ("No module named 'a_package_that_nobody_has'", "ModuleNotFoundError"),
    "biascore-test-exit": ("SystemExit: no licence found", "SystemExit"),
    "biascore-test-misspelt": ("unknown hook 'register_adaptors'", "PluginValidationError"),
    "biascore-test-arguments": ("'registrar'", "PluginValidationError"),
    "biascore-test-raises": ("RuntimeError: the licence server is down", "RuntimeError"),
    "biascore-test-foreign": ("not a subclass of biascore's Adapter", "TypeError"),
    "biascore-test-hookless": ("it implements no hook", "NoneType"),
    "biascore-test-incomplete": (
        "IncompleteAdapter lacks summary: str, example: str, capabilities: frozenset",
        "TypeError",
    ),
    "biascore-test-bad-toml": ("biascore-test-bad-toml/vo/broken.toml is no valid TOML", "StimuliError"),
}


@pytest.fixture(scope="module")
def survey(site: Path) -> dict[str, Any]:
    """What one interpreter with all the test distributions finds."""
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")])),
    }
    done = subprocess.run(
        [sys.executable, "-c", SURVEY], env=variables, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])  # one of them prints when imported
    return found


def records(survey: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {record["dist"]: record for record in survey["records"] if record["dist"] != "biascore"}


@pytest.mark.parametrize("dist", FAILED)
def test_bad_plugin_fails_alone(survey: dict[str, Any], dist: str) -> None:
    record = records(survey)[dist]
    reason, error = FAILED[dist]
    assert record["status"] == "failed"
    assert reason in record["reason"]
    assert record["error"] == error
    assert record["provides"] == []


def test_bad_plugins_leave_nothing_behind(survey: dict[str, Any]) -> None:
    # Registered before its plugin raised; beside a word list that cannot be read; in that list's own folder.
    assert "good-until-then" not in survey["metrics"]
    assert "beside-bad-toml" not in survey["adapters"]
    assert "vo/good" not in survey["tests"]


def test_first_party_plugins_stay_loaded(survey: dict[str, Any]) -> None:
    own = {r["name"]: r["status"] for r in survey["records"] if r["dist"] == "biascore"}
    assert set(own) == FIRST_PARTY
    assert {"adapter-planted", "adapter-fasttext", "adapter-hf", "metric-weat", "wordlists-it"} <= FIRST_PARTY
    assert set(own.values()) == {"loaded"}
    assert {"planted", "fasttext", "hf"} <= set(survey["adapters"])
    assert "en/weat6" in survey["tests"]


def test_every_entry_point_has_a_record(survey: dict[str, Any], site: Path) -> None:
    installed = {path.name.split("-")[0].replace("_", "-") for path in site.glob("*.dist-info")}
    assert set(records(survey)) == installed


def test_same_entry_point_name_in_two_distributions(survey: dict[str, Any]) -> None:
    duplicates = [r for r in survey["records"] if r["name"] == "twin"]
    assert [(r["dist"], r["status"]) for r in duplicates] == [
        ("biascore-test-twin-a", "loaded"),
        ("biascore-test-twin-b", "loaded"),
    ]
    assert {"twin-a", "twin-b"} <= set(survey["adapters"])


def test_conflict_is_recorded_on_both_sides(survey: dict[str, Any]) -> None:
    for mine, other in (("a", "b"), ("b", "a")):
        record = records(survey)[f"biascore-test-rival-{mine}"]
        assert record["status"] == "conflict"
        for what in ("adapter 'rival'", "metric 'rival-metric'", "test 'tlh/rival'"):
            owner = f"plugin 'rival-{other}' of biascore-test-rival-{other} 1.0"
            assert f"{what} is also provided by {owner}" in record["reason"]
    assert "rival" not in survey["adapters"]
    assert "rival-metric" not in survey["metrics"]
    assert "tlh/rival" not in survey["tests"]
    # What is not in dispute stays usable.
    assert {"tlh/only_a", "tlh/only_b"} <= set(survey["tests"])


def test_using_a_conflicting_id_names_both_and_the_remedy(with_dists: Callable[..., None]) -> None:
    with_dists("biascore-test-rival-a", "biascore-test-rival-b")
    engine = Engine(cache=None)
    for use in (
        lambda: engine.model("rival:"),
        lambda: engine.measure("rival-metric", "planted:gender=1", "en/weat6"),
        lambda: engine.measure("weat", "planted:gender=1", "tlh/rival"),
        lambda: engine.measure("weat", "planted:gender=1", "TLH/r*"),
    ):
        with pytest.raises(PluginError) as info:
            use()
        text = str(info.value)
        assert "biascore-test-rival-a 1.0" in text
        assert "biascore-test-rival-b 1.0" in text
        assert "BIASCORE_DISABLE_PLUGINS=rival-a or BIASCORE_DISABLE_PLUGINS=rival-b" in text
    run = engine.measure("weat", "planted:", "tlh/only_a")
    assert [measurement.test for measurement in run] == ["tlh/only_a"]
    # A plugin in conflict that gave the test is part of the run's provenance.
    assert "biascore-test-rival-a" in {plugin.dist for plugin in run.provenance.plugins}


def test_the_remedy_of_a_conflict_works(
    with_dists: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_dists("biascore-test-rival-a", "biascore-test-rival-b")
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "rival-b")
    plugins = Plugins()
    status = {record.dist: record.status for record in plugins.records}
    assert "rival" in plugins.adapters.names
    assert status["biascore-test-rival-a"] == "loaded"
    assert status["biascore-test-rival-b"] == "blocked"


def test_unknown_test_names_the_plugins_that_failed(with_dists: Callable[..., None]) -> None:
    with_dists("biascore-test-bad-toml")
    with pytest.raises(UnknownNameError, match=r"There is no test 'vo/good'") as info:
        Engine(cache=None).measure("weat", "planted:gender=1", "vo/good")
    assert "Not loaded: plugin 'bad-toml' of biascore-test-bad-toml 1.0" in str(info.value)


def test_stranger_is_used_like_a_first_party_plugin(with_dists: Callable[..., None], tmp_path: Path) -> None:
    with_dists("biascore-test-stranger")
    engine = Engine(cache=tmp_path / "cache")
    run = engine.measure("nearest-rate", "stranger:toy", "eo/floroj")
    weat = engine.measure("weat", "stranger:toy", "eo/*", duplicates="keep")
    both = engine.measure("nearest-rate", "planted:en/weat6=1.5", "en/weat6")
    scaled = engine.model("stranger:toy", scale=2.0)
    assert run[0].headline.value == 1.0
    assert run[0].test == "eo/floroj"
    assert run.stimuli[0].file == "biascore-test-stranger/eo/floroj.toml"
    used = [(plugin.name, plugin.dist, plugin.version) for plugin in run.provenance.plugins]
    assert ("stranger", "biascore-test-stranger", "2.1") in used
    # X (3), A (2) and B (2) were asked by the first metric; of WEAT's ten words only Y was still missing.
    first = {"put": 7, "repeated": 0, "cached": 0, "asked": 7, "characters": 35, "again": 3}
    assert run.questions.model_dump() == first
    second = {"put": 10, "repeated": 0, "cached": 7, "asked": 3, "characters": 13, "again": 3}
    assert weat.questions.model_dump() == second
    assert weat[0].headline.value > 1.5
    assert 0 < both[0].headline.value <= 1
    assert scaled.embed(["rozo"]).tolist() == [[2.0, pytest.approx(0.2)]]
    assert engine.plugins.languages["eo"].name == "Esperanto"
    run.save(tmp_path / "run")
    assert Run.load(tmp_path / "run") == run

"""Stored runs in a local store of MLflow, read back by its own client."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from biascore import Engine, Run
from biascore.api.exporters import tracked
from biascore.errors import OptionsError
from biascore.testing import check_command, check_exporter

mlflow = pytest.importorskip("mlflow", reason="needs mlflow-skinny")
SECRET = "sk-of-a-user-0123456789"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models, and on one of them a test with too few words to measure anything."""
    engine = Engine(cache=None)
    folder = tmp_path_factory.mktemp("stored")
    (folder / "few.vec").write_text("4 2\nman 1 0\nwoman 1 1\nmath 1 2\narts 1 3\n", encoding="utf-8")
    models = ["planted:en/weat7=1.5", f"fasttext:{folder / 'few.vec'}"]
    run = engine.measure("weat", models, "en/weat7", draws=199, resamples=100, reference="none")
    folder = run.save(folder / "run")
    run.report(folder / "report.html")
    return folder


@pytest.fixture
def uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # the small distribution has no database
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", SECRET)
    return (tmp_path / "store").as_uri()


def logged(uri: str, name: str = "biascore") -> list[mlflow.entities.Run]:
    client = mlflow.MlflowClient(tracking_uri=uri)
    found = client.get_experiment_by_name(name)
    return list(client.search_runs([found.experiment_id]))


def test_what_is_logged_is_what_the_form_shows(stored: Path, uri: str) -> None:
    from biascore_plugin_mlflow.command import log

    log(stored, tracking_uri=uri, run_name="2026-11")
    run = Run.load(stored)
    (one,) = tracked(run)  # the control goes unlogged beside a model in use
    (found,) = logged(uri)
    tags = {name: value for name, value in found.data.tags.items() if not name.startswith("mlflow.")}
    assert (found.data.metrics, found.data.params, tags) == (one.numbers, one.settings, one.states)
    assert (found.info.run_name, found.info.status) == ("2026-11", "FINISHED")
    assert found.info.end_time == int(1000 * run.provenance.finished)
    kept = mlflow.MlflowClient(tracking_uri=uri).list_artifacts(found.info.run_id)
    assert sorted(file.path for file in kept) == ["report.html", "run.json"]


def test_what_was_not_measured_is_a_tag_and_no_metric(stored: Path, uri: str) -> None:
    from biascore_plugin_mlflow.command import log

    log(stored, tracking_uri=uri, experiment="mine")
    (found,) = logged(uri, "mine")
    states = [value for name, value in found.data.tags.items() if name.endswith("en/weat7")]
    assert states == ["not measured"]
    assert not [name for name in found.data.metrics if "/n/" not in name]


def test_more_settings_and_states_than_a_server_takes_at_once(uri: str, tmp_path: Path) -> None:
    from biascore_plugin_mlflow.command import log

    run = Engine(cache=None).measure("weat", "planted:en/weat7=1", "en/weat7", draws=199, resamples=100)
    many = run.model_copy(
        update={"measurements": tuple(run[0].model_copy(update={"test": f"en/{n}"}) for n in range(250))}
    )
    log(many.save(tmp_path / "many"), tracking_uri=uri)
    (found,) = logged(uri)
    assert len(found.data.tags) >= 250
    assert len(found.data.params) >= 250
    assert len(found.data.metrics) >= 1000


def test_no_key_and_no_command_line_is_logged(
    stored: Path, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biascore_plugin_mlflow.command import log

    monkeypatch.setattr(sys, "argv", ["biascore", SECRET])
    log(stored, tracking_uri=uri)
    files = [file for file in (tmp_path / "store").rglob("*") if file.is_file()]
    assert [file for file in files if SECRET.encode() in file.read_bytes()] == []
    (found,) = logged(uri)
    assert [name for name in found.data.tags if name.startswith("mlflow.")] == ["mlflow.runName"]


def test_a_run_that_could_not_be_logged_whole_has_failed(
    stored: Path, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biascore_plugin_mlflow.command import log

    def full(*_: object) -> None:
        raise mlflow.exceptions.MlflowException("the disk is full")

    monkeypatch.setattr(mlflow.MlflowClient, "log_artifact", full)
    with pytest.raises(OptionsError, match="the disk is full"):
        log(stored, tracking_uri=uri)
    assert [found.info.status for found in logged(uri)] == ["FAILED"]


def test_a_store_that_there_is_not_is_named(stored: Path) -> None:
    from biascore_plugin_mlflow.command import log

    with pytest.raises(OptionsError, match="nothing://"):
        log(stored, tracking_uri="nothing://here")


def test_form_and_command_keep_the_contracts(stored: Path, uri: str) -> None:
    check_exporter("mlflow")
    skipped = check_command("mlflow", [str(stored), "--tracking-uri", uri], wrong=["no-such-run"])
    assert list(skipped) == ["json"]

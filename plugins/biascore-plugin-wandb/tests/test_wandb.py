"""Stored runs logged offline, read back from the files that ``wandb sync`` would send."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import pytest

from biascore import Engine, Run
from biascore.api.exporters import tracked
from biascore.errors import OptionsError
from biascore.testing import check_command, check_exporter

wandb = pytest.importorskip("wandb", reason="needs wandb")
wandb_internal_pb2 = pytest.importorskip("wandb.proto.wandb_internal_pb2")
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


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("WANDB_DATA_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("WANDB_API_KEY", SECRET)
    return tmp_path


def records(folder: Path) -> list[wandb_internal_pb2.Record]:
    """The file of a run is a log as LevelDB writes it: blocks of 32 KiB with parts of records, after seven bytes."""
    (file,) = folder.rglob("*.wandb")
    content, at, part, found = file.read_bytes(), 7, b"", []
    while at < len(content):
        if 32768 - at % 32768 < 7:  # too little for a head, so it is filled up
            at += 32768 - at % 32768
        _, size, kind = struct.unpack_from("<IHB", content, at)
        part += content[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # whole, or the last of several
            found.append(wandb_internal_pb2.Record.FromString(part))
            part = b""
    return found


def test_what_is_logged_is_what_the_form_shows(stored: Path, here: Path) -> None:
    from biascore_plugin_wandb.command import log

    log(stored, project="mine", run_name="2026-11", offline=True)
    (one,) = tracked(Run.load(stored))  # the control goes unlogged beside a model in use
    every = records(here)
    new = next(record.run for record in every if record.WhichOneof("record_type") == "run")
    assert (new.project, new.display_name, list(new.tags)) == ("mine", "2026-11", ["not measured"])
    config = {item.key: json.loads(item.value_json) for item in new.config.update}
    assert {name: config[name] for name in one.settings} == one.settings
    summary: dict[str, object] = {}
    for record in every:
        if record.WhichOneof("record_type") == "summary":
            for item in record.summary.update:
                summary[item.key or "/".join(item.nested_key)] = json.loads(item.value_json)
    assert {name for name in summary if not name.startswith("_")} == {
        *one.numbers,
        *(f"{name}/state" for name in one.states),
    }
    assert [summary[f"{name}/state"] for name in one.states] == ["not measured"]
    kept = next(record.artifact for record in every if record.WhichOneof("record_type") == "artifact")
    assert sorted(entry.path for entry in kept.manifest.contents) == ["report.html", "run.json"]


def test_no_key_and_no_command_line_is_logged(
    stored: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biascore_plugin_wandb.command import log

    monkeypatch.setattr(sys, "argv", ["biascore", SECRET])
    log(stored, offline=True)
    files = [file for file in (here / "wandb").rglob("*") if file.is_file()]
    assert [file for file in files if SECRET.encode() in file.read_bytes()] == []
    assert not list(here.rglob("wandb-metadata.json"))


def test_without_a_login_the_way_on_is_said(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from biascore_plugin_wandb.command import log

    def refused(**_: object) -> None:
        raise wandb.errors.UsageError("No API key configured")

    monkeypatch.setattr(wandb, "init", refused)
    with pytest.raises(OptionsError, match=r"No API key configured.*--offline"):
        log(stored)


def test_form_and_command_keep_the_contracts(stored: Path) -> None:
    check_exporter("wandb")
    skipped = check_command("wandb", [str(stored), "--offline"], wrong=["no-such-run"])
    assert list(skipped) == ["json"]

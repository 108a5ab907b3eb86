"""A bundle, or a stored run, that somebody made to do harm: nothing is written elsewhere, and no memory is filled."""

from __future__ import annotations

import copy
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biascore import Run
from biascore.archive.bundle import write_bundle
from biascore.archive.locating import Places, inputs_of
from biascore.archive.verify import verify_run
from biascore.results.hashes import content_hash

TOP = "biascore-bundle/"


def made(run: Path, path: Path, data: list[str], members: dict[str, bytes]) -> Path:
    """A bundle whose run was made from these data files, as it says; hashes are right, and members are added."""
    body: Any = json.loads((run / "run.json").read_text(encoding="utf-8"))
    stated = body["provenance"]["audit"]["data"][0]
    body["provenance"]["audit"]["data"] = [{**stated, "source": source, "name": source} for source in data]
    own = next(one for one in body["stimuli"] if one["file"] == "pairs.csv")
    body["stimuli"] += [{**copy.deepcopy(own), "file": source, "sha256": "0" * 64} for source in data]
    del body["content_sha256"]
    body["content_sha256"] = content_hash(body)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{TOP}run/run.json", json.dumps(body))
        for items in (run / "items").iterdir():
            archive.write(items, f"{TOP}run/items/{items.name}")
        for name, content in members.items():
            archive.writestr(TOP + name, content)
    return path


@pytest.mark.parametrize("way", ["../", "..\\", "x/../../"])
def test_no_data_file_leads_out_of_the_folder(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The second file lies within the first one, as its name begins; its place would lead out."""
    scratch = tmp_path / "scratch" / "deep"
    scratch.mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    out = f"d/{way * 4}owned.txt"
    path = made(study / "audit-run", tmp_path / "made.zip", ["d", out], {f"data/{out}": b"owned"})
    found = {check.what: check.detail for check in verify_run(path) if check.outcome == "differs"}
    assert "outside" in found[f"data/{out}"]
    assert not list(tmp_path.rglob("owned.txt"))
    assert [one.name for one in (tmp_path / "scratch").iterdir()] == ["deep"]


@pytest.mark.parametrize("source", ["x/..", "..", "/", "x/../../y", "d/\0"])
def test_a_data_file_without_a_name_of_its_own(study: Path, tmp_path: Path, source: str) -> None:
    path = made(study / "audit-run", tmp_path / "made.zip", [source], {"data/..": b"x", "data/": b""})
    found = {check.what: check.detail for check in verify_run(path) if check.outcome == "differs"}
    assert "outside" in found["data/.."]


def test_a_member_at_the_folder_of_another_is_damage(study: Path, tmp_path: Path) -> None:
    members = {"data/d": b"x", "data/d/pairs.csv": b"x"}
    path = made(study / "audit-run", tmp_path / "made.zip", ["d", "d/pairs.csv"], members)
    assert "differs" in {check.outcome for check in verify_run(path)}


def test_data_that_is_stated_in_no_valid_way_is_said(study: Path, tmp_path: Path) -> None:
    path = study / "audit-run" / "run.json"
    body: Any = json.loads(path.read_text(encoding="utf-8"))
    body["provenance"]["audit"]["data"] = [{"source": "pairs.csv", "format": "csv"}]
    del body["content_sha256"]
    body["content_sha256"] = content_hash(body)
    path.write_text(json.dumps(body), encoding="utf-8")
    assert verify_run(study / "audit-run")
    inputs = inputs_of(Run.load(study / "audit-run"), Places.around(study / "audit-run"))
    assert inputs.missing == ("data that it names in no valid way",)


def test_word_lists_above_the_current_folder_are_bundled_inside(
    study: Path, biascore: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (study / "mine" / "deep").mkdir()
    monkeypatch.chdir(study / "mine" / "deep")
    options = ["--stimuli", "..", "--no-cache", "-o", "resamples=100"]
    biascore("measure", "weat", "--model", "planted:pets=1", "--tests", "en/pets", *options, "--out", "run")
    path = write_bundle("run", "run.zip").path
    with zipfile.ZipFile(path) as archive:
        assert f"{TOP}stimuli/en/own.toml" in archive.namelist()
    assert {check.outcome for check in verify_run(path)} == {"matches"}


def test_a_member_that_is_larger_than_the_archive_says(study: Path, tmp_path: Path) -> None:
    """10 bytes by the directory, 30 MB in fact."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = b"".join(packing.compress(bytes(1 << 20)) for _ in range(30)) + packing.flush()
    name = f"{TOP}run/run.json"
    path = tmp_path / "made.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, packed)
    raw = bytearray(path.read_bytes())
    for start, method, size in ((0, 8, 22), (raw.rfind(b"PK\x01\x02"), 10, 24)):
        raw[start + method : start + method + 2] = struct.pack("<H", 8)
        raw[start + size : start + size + 4] = struct.pack("<I", 10)
    path.write_bytes(raw)
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo(name).file_size == 10
    asked: list[int] = []
    read = zipfile.ZipExtFile.read

    def noting(self: zipfile.ZipExtFile, count: int | None = -1) -> bytes:
        asked.append(-1 if count is None else count)
        return read(self, count)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zipfile.ZipExtFile, "read", noting)
        checks = verify_run(path)
    assert "damaged" in checks[0].detail
    assert asked == [11], "a member was read without a limit"

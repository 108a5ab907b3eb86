"""A folder of tables as one data file: its digest, and that it is verified, bundled and found again."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from biascore import Engine, Run
from biascore.archive.bundle import write_bundle
from biascore.errors import DataError
from biascore.files.folders import source_digest, tables_in
from biascore.stimuli.dataset import DataFile, locate
from biascore_metrics.crows_pairs.format import CrowsPairsFormat

from .conftest import Verify

PAIRS = "sent_more,sent_less,stereo_antistereo,bias_type\nShe is late.,He is late.,stereo,gender\n"
AUDIT = """
[[models]]
ref = "planted:gender=1"
[[measurements]]
metric = "crows-pairs"
tests = ["en/parts"]
[[data]]
format = "crows-pairs"
source = "parts"
language = "en"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "study" / "parts"
    made.mkdir(parents=True)
    for name in ("b.csv", "a.csv"):
        (made / name).write_text(PAIRS, encoding="utf-8")
    (made / "README.md").write_text("no table", encoding="utf-8")
    (made / ".hidden.csv").write_text("no table", encoding="utf-8")
    return made


@pytest.fixture
def study(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An audit of a folder and its run, with a format that takes folders."""
    read: Callable[[CrowsPairsFormat, DataFile], object] = CrowsPairsFormat.read
    first = lambda self, file: read(self, replace(file, path=tables_in(file.path, file.display)[0]))  # noqa: E731
    monkeypatch.setattr(CrowsPairsFormat, "folders", True)
    monkeypatch.setattr(CrowsPairsFormat, "read", first)
    (folder.parent / "audit.toml").write_text(AUDIT, encoding="utf-8")
    Engine(cache=None).run(folder.parent / "audit.toml").save(folder.parent / "audit-run")
    return folder.parent


def test_its_tables_are_those_that_are_read(folder: Path) -> None:
    assert [path.name for path in tables_in(folder, "parts")] == ["a.csv", "b.csv"]


def test_its_digest_is_of_names_and_contents_of_the_tables(folder: Path) -> None:
    before = source_digest(folder, "parts")
    (folder / "README.md").write_text("changed", encoding="utf-8")
    assert source_digest(folder, "parts") == before
    (folder / "a.csv").rename(folder / "c.csv")
    renamed = source_digest(folder, "parts")
    (folder / "c.csv").write_text(PAIRS * 2, encoding="utf-8")
    assert len({before, renamed, source_digest(folder, "parts")}) == 3
    assert source_digest(folder / "b.csv", "b") == locate(str(folder / "b.csv"), "x/y", "x").sha256


def test_a_format_of_single_files_takes_none(folder: Path) -> None:
    with pytest.raises(DataError, match=r"parts is a folder. Give the path of a file"):
        Engine(cache=None).data("crows-pairs", folder, language="en")


def test_it_is_verified(study: Path, verify: Verify) -> None:
    assert verify(study / "audit-run")["stimuli parts"][0] == "matches"
    (study / "parts" / "b.csv").write_text(PAIRS * 2, encoding="utf-8")
    assert verify(study / "audit-run", code=3)["stimuli parts"][0] == "differs"


def test_its_tables_are_in_the_bundle_and_can_be_measured_again(
    study: Path, verify: Verify, tmp_path: Path
) -> None:
    packed = write_bundle(study / "audit-run", tmp_path / "packed.zip").path
    with zipfile.ZipFile(packed) as archive:
        names = {name.removeprefix("biascore-bundle/") for name in archive.namelist()}
        archive.extractall(tmp_path / "unpacked")
    assert {name for name in names if name.startswith("data/")} == {"data/parts/a.csv", "data/parts/b.csv"}
    top = tmp_path / "unpacked" / "biascore-bundle"
    again = Engine(cache=None).run(top / "audit.toml")
    assert again.results_digest() == Run.load(study / "audit-run").results_digest()
    assert {outcome for outcome, _ in verify(packed).values()} == {"matches"}
    (top / "data" / "parts" / "b.csv").write_text(PAIRS * 2, encoding="utf-8")
    assert verify(top, code=3)["data/parts"][0] == "differs"


def test_it_may_be_left_out_of_the_bundle(study: Path, tmp_path: Path) -> None:
    (part,) = write_bundle(study / "audit-run", tmp_path / "packed.zip", leave_out=["parts"]).parts
    assert (part.place, part.why) == ("", "left out")


def test_a_folder_that_was_changed_is_not_bundled(study: Path, tmp_path: Path) -> None:
    (study / "parts" / "c.csv").write_text(PAIRS, encoding="utf-8")
    with pytest.raises(Exception, match=r"parts is not the parts that the run was made from"):
        write_bundle(study / "audit-run", tmp_path / "packed.zip")

"""Data of several files: their folder is given; all files are recorded, verified, bundled, and measured from there again."""

from __future__ import annotations

import zipfile
from pathlib import Path

from biascore import Engine, Run
from biascore.archive.bundle import write_bundle
from biascore.cli import codes

from ..metrics.coreference.made import write_winobias

AUDIT = """
[[data]]
format = "winobias"
source = "wino"
language = "en"
licence = "MIT"
[[models]]
ref = "planted:en/wino=1"
[[measurements]]
metric = "winobias"
tests = ["en/wino"]
"""
FILES = sorted(f"{side}_stereotyped_type{kind}.txt.dev" for side in ("pro", "anti") for kind in (1, 2))


def test_all_files_of_a_folder_go_with_the_run(biascore, tmp_path: Path) -> None:
    (tmp_path / "wino").mkdir()
    write_winobias(tmp_path / "wino")
    (tmp_path / "audit.toml").write_text(AUDIT, encoding="utf-8")
    biascore("run", "audit.toml", "--no-cache")
    run = Run.load(tmp_path / "audit-run")
    assert sorted(used.file for used in run.stimuli) == [f"wino/{name}" for name in FILES]
    assert {used.licence for used in run.stimuli} == {"MIT"}
    biascore("verify", "audit-run", "--models")
    packed = write_bundle(tmp_path / "audit-run", tmp_path / "packed.zip").path
    with zipfile.ZipFile(packed) as archive:
        names = [name.removeprefix("biascore-bundle/") for name in archive.namelist()]
        archive.extractall(tmp_path / "unpacked")
    assert [name for name in sorted(names) if name.startswith("data/")] == [
        f"data/wino/{name}" for name in FILES
    ]
    again = Engine(cache=None).run(tmp_path / "unpacked" / "biascore-bundle" / "audit.toml")
    assert again.results_digest() == run.results_digest()
    anti = tmp_path / "wino" / FILES[0]
    anti.write_text(anti.read_text(encoding="utf-8").replace("florist", "baker"), encoding="utf-8")
    assert f"wino/{FILES[0]}" in biascore("verify", "audit-run", code=codes.DIFFERENT).stdout


def test_a_format_of_one_file_takes_no_folder(biascore, tmp_path: Path) -> None:
    (tmp_path / "pairs").mkdir()
    said = biascore(
        *("measure", "crows-pairs", "--model", "planted:en/crows_own=1", "--data", "crows-pairs:pairs"),
        *("--language", "en"),
        code=codes.WRONG_INPUT,
    )
    assert "pairs is a folder. Give the path of a file" in said.stderr

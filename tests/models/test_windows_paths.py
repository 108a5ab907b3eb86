"""References, data files and shown paths as they are written on Windows, on any system."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest

from biascore.cli.options import data_files
from biascore.errors import DataError, RefError
from biascore.exporting.every_eval_ever import _record
from biascore.models.refs import ModelRef
from biascore.stimuli import dataset
from biascore_metrics.coreference.files import next_to

from ..builders.runs import typical_run

PATHS = [r"C:\models\x.vec", "C:/models/x.vec", r"c:\models\x.vec", r"\\server\share\x.vec", r"models\x.vec"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("adapter", ["fasttext", "hf", "onnx", "answers"])
def test_a_reference_keeps_its_path_whole(adapter: str, path: str) -> None:
    ref = ModelRef.parse(f"{adapter}:{path}")
    assert (ref.adapter, ref.locator, ref.revision) == (adapter, path, None)
    assert str(ref) == f"{adapter}:{path}"
    assert ref.split_revision() == ref


def test_a_revision_ends_a_path_with_a_drive() -> None:
    ref = ModelRef.parse(r"hf:C:\models\bert@v1").split_revision()
    assert (ref.locator, ref.revision) == (r"C:\models\bert", "v1")


@pytest.mark.parametrize("path", PATHS)
def test_a_path_without_an_adapter_is_told_the_one_to_write(path: str) -> None:
    # c: was read as an adapter of that name, which "is not installed"
    with pytest.raises(RefError) as raised:
        ModelRef.parse(path)
    assert f"Did you mean fasttext:{path}?" in str(raised.value)


@pytest.mark.parametrize("path", [r"C:\data\pairs.csv", "C:/data/pairs.csv", r"\\server\share\pairs.csv"])
def test_a_data_file_keeps_its_path_and_is_named_by_its_stem(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (found,) = data_files([f"crows-pairs:{path}"], "en", {})
    assert (found["format"], found["source"]) == ("crows-pairs", path)
    monkeypatch.setattr(dataset, "Path", PureWindowsPath)  # what Path is there
    assert dataset.default_test_name(path) == "pairs"


def test_a_file_of_the_hub_has_slashes_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "Path", PureWindowsPath)
    assert dataset.default_test_name("hub:owner/name/data/pairs.csv@v1") == "pairs"
    with pytest.raises(DataError, match="names no file of a dataset"):
        dataset._from_hub(r"owner\name\data\pairs.csv")


@pytest.mark.parametrize("folder", ["C:\\data\\", "C:/data/", "data/", ""])
def test_a_file_that_is_read_with_another_is_shown_in_its_folder(tmp_path: Path, folder: str) -> None:
    # C:\data\one.tsv was shown as its folder, and the other file without one
    for name in ("one.tsv", "two.tsv"):
        (tmp_path / name).write_text("x\n", encoding="utf-8")
    file = dataset.DataFile(tmp_path / "one.tsv", f"{folder}one.tsv", "", "en/one", "en")
    assert next_to(file, "two.tsv").display == f"{folder}two.tsv"


@pytest.mark.parametrize(
    ("locator", "id"),
    [
        ("C:/bert", "unknown/hf-C-bert"),
        (r"C:\models\bert", "unknown/hf-C-models-bert"),
        ("owner/bert", "owner/bert"),
    ],
)
def test_a_folder_on_a_drive_is_no_model_of_the_hub(locator: str, id: str) -> None:
    run = typical_run()
    model = run.models[0].model_copy(update={"ref": f"hf:{locator}"})
    assert _record(model, run)["model_info"]["id"] == id

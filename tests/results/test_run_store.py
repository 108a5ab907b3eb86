"""A run is stored whole or not at all, comes back equal, and overwrites nothing but runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from biascore import Audit, Engine, Run
from biascore.errors import RunError
from biascore.files import writing
from biascore.results.measurement import item_table
from biascore.results.run import read_run

from .conftest import TESTS


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_run_comes_back_equal(run: Run, folder: Path) -> None:
    loaded = Run.load(folder)
    assert loaded == run
    assert loaded.results_digest() == run.results_digest()
    for one, other in zip(run, loaded, strict=True):
        assert one.items.equals(other.items)
        assert one.items.schema == other.items.schema
    assert loaded.provenance == run.provenance
    assert loaded.to_json() == run.to_json()
    pd.testing.assert_frame_equal(loaded.to_frame(), run.to_frame())
    assert read_run(folder) == ([], run)


def test_an_audit_with_nested_options_comes_back_equal(engine: Engine, tmp_path: Path) -> None:
    audit = Audit.from_parts(
        title="Größe 😀",
        models=[{"ref": "planted:gender=0.8", "name": "naïve", "options": {"seed": 2}}],
        measurements=[{"metric": "weat", "tests": TESTS, "options": {"resamples": 200, "level": "token"}}],
    )
    run = engine.run(audit)
    loaded = Run.load(run.save(tmp_path / "run"))
    assert loaded == run
    assert loaded.title == "Größe 😀"
    assert loaded.models[0].explicit_options == {"seed": 2}
    again = Audit.model_validate(dict(loaded.provenance.audit))
    assert again == audit
    assert engine.run(again).results_digest() == run.results_digest()


def test_what_lies_on_disk(run: Run, folder: Path) -> None:
    names = {"run.json", "items/0000-weat-en-weat6.parquet", "items/0001-weat-en-weat7.parquet"}
    assert set(files(folder)) == names
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert body["schema_version"] == 2
    assert body["results_digest"] == run.results_digest()
    assert body["models"][0]["questions"]["asked"] == run.questions.asked > 0
    items = pq.read_table(folder / "items" / "0000-weat-en-weat6.parquet")
    assert items.column_names[:3] == ["item", "group", "value"]
    assert items.num_rows == 16


def test_the_folder_may_be_read_as_any_other(folder: Path) -> None:
    umask = os.umask(0)
    os.umask(umask)
    assert folder.stat().st_mode & 0o777 == 0o777 & ~umask


@pytest.mark.parametrize("name", ["../../outside", "a/b", "..", "é" * 90])
def test_names_of_strangers_do_not_become_paths(run: Run, tmp_path: Path, name: str) -> None:
    odd = run.model_copy(update={"measurements": tuple(m.model_copy(update={"metric": name}) for m in run)})
    target = odd.save(tmp_path / "deep" / "er" / "run")
    assert len(files(target)) == 3
    assert len(list(tmp_path.rglob("*.parquet"))) == 2
    assert Run.load(target) == odd


def test_a_run_without_items_or_values(run: Run, tmp_path: Path) -> None:
    empty = run.model_copy(update={"measurements": (run[0].model_copy(update={"items": item_table()}),)})
    assert Run.load(empty.save(tmp_path / "empty")) == empty
    missing = item_table(["a", "b"], ["X", "Y"], [None, 0.1], {"note": [None, "text"], "count": [1, None]})
    holes = run.model_copy(update={"measurements": (run[0].model_copy(update={"items": missing}),)})
    loaded = Run.load(holes.save(tmp_path / "holes"))
    assert loaded == holes
    assert loaded[0].items.to_pydict() == missing.to_pydict()


def test_an_existing_run_is_kept_unless_told(run: Run, folder: Path) -> None:
    before = files(folder)
    with pytest.raises(RunError, match=r"exists already.*overwrite=True"):
        run.save(folder)
    assert files(folder) == before
    shorter = run.model_copy(update={"measurements": run.measurements[:1]})
    shorter.save(folder, overwrite=True)
    assert set(files(folder)) == {"run.json", "items/0000-weat-en-weat6.parquet"}
    assert Run.load(folder) == shorter


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("kind", ["a folder of other things", "a run and other things", "a file"])
def test_what_is_no_run_is_never_overwritten(run: Run, tmp_path: Path, overwrite: bool, kind: str) -> None:
    target = tmp_path / "target"
    if kind == "a file":
        target.write_text("precious")
    else:
        target.mkdir()
        (target / "thesis.tex").write_text("precious")
    if kind == "a run and other things":
        (target / "run.json").write_text("{}")
    with pytest.raises(RunError, match=r"Choose another folder"):
        run.save(target, overwrite=overwrite)
    assert (target if kind == "a file" else target / "thesis.tex").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("run.json", "its run.json was not written by biascore"),
        ("notes.txt", "next to a run it holds notes.txt"),
        ("report.html", "next to a run it holds report.html"),
        ("items/0000-mine.csv", "next to a run it holds items/0000-mine.csv"),
        ("items/deep/0000-weat-x.parquet", "next to a run it holds items/deep"),
    ],
)
def test_a_file_of_another_hand_stops_it_and_is_named(run: Run, folder: Path, name: str, told: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text('{"schema_version": 1}')
    before = files(folder)
    with pytest.raises(RunError, match=f"is not overwritten: {re.escape(told)}. Choose another folder"):
        run.save(folder, overwrite=True)
    assert files(folder) == before


def test_a_link_to_a_run_stays_and_what_it_links_to_is_replaced(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    shorter = run.model_copy(update={"measurements": run.measurements[:1]})
    assert shorter.save(link, overwrite=True) == link
    assert link.is_symlink()
    assert Run.load(folder) == shorter


def test_an_empty_folder_may_be_overwritten(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    assert Run.load(run.save(tmp_path / "run", overwrite=True)) == run


@pytest.mark.parametrize("breaks_at", ["first table", "second table", "run.json"])
@pytest.mark.parametrize("overwrites", [False, True])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_half_written(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    breaks_at: str,
    overwrites: bool,
    error: BaseException,
) -> None:
    target, real, written = tmp_path / "run", pq.write_table, []
    if overwrites:
        run.model_copy(update={"title": "The one before"}).save(target)
    before = files(tmp_path)

    def write_table(*args: Any, **how: Any) -> None:
        written.append(args)
        if len(written) == {"first table": 1, "second table": 2, "run.json": 0}[breaks_at]:
            raise error
        real(*args, **how)

    def fsync(_: int) -> None:
        raise error

    monkeypatch.setattr(pq, "write_table", write_table)
    if breaks_at == "run.json":
        monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(RunError if isinstance(error, OSError) else KeyboardInterrupt):
        run.save(target, overwrite=True)
    assert files(tmp_path) == before
    assert len(list(tmp_path.iterdir())) == int(overwrites)


def test_the_old_run_comes_back_where_the_new_one_cannot_take_its_place(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(5, "Input/output error")
        return real(self, target)

    before = files(folder)
    monkeypatch.setattr(Path, "rename", rename)
    monkeypatch.setattr(writing, "_exchanged", lambda *_: False)
    with pytest.raises(RunError, match="Input/output error"):
        run.save(folder, overwrite=True)
    assert files(folder) == before
    assert [path.name for path in folder.parent.iterdir()] == ["run"]


def test_a_place_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunError, match=r"cannot be written.*Choose another place"):
        run.save(tmp_path / "file" / "run")


@pytest.mark.slow
def test_files_that_may_not_grow(tmp_path: Path) -> None:
    program = """
import json, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from biascore import Engine
from biascore.errors import RunError
run = Engine(cache=None).measure("weat", "planted:gender=1", "en/weat6", resamples=200)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
try:
    run.save(sys.argv[1])
except RunError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "run"], capture_output=True, text=True, check=True
    )
    assert "cannot be written" in done.stdout
    assert list(tmp_path.iterdir()) == []

"""A cache without room, or without leave to write, is never in the way."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.models.pipeline.cache import FILE_NAME, CacheWarning, DiskCache

from .conftest import ANSWERS


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = DiskCache(tmp_path / "file" / "cache")
    with pytest.warns(CacheWarning, match=r"cannot be used.*BIASCORE_CACHE_DIR") as caught:
        cache.put(ANSWERS)
    assert len(caught) == 1
    assert cache.get(list(ANSWERS)) == {}
    assert cache.info().answers == 0
    assert cache.clear() == 0


UNWRITABLE = """
import json, os, sys, warnings
from pathlib import Path
from biascore.models.pipeline.cache import DiskCache
if os.geteuid() == 0:  # to whom every folder is writable
    os.seteuid(65534)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    cache = DiskCache(Path(sys.argv[1]))
    kept = cache.get([bytes([1]) * 20, bytes([59]) * 20])
    cache.put({b"k" * 20: b"v"})
    found = cache.get([b"k" * 20])
print(json.dumps([len(found), len(kept), cache.problem != "", [w.category.__name__ for w in caught]]))
"""


@pytest.mark.parametrize("holds_a_cache", [False, True])
def test_an_unwritable_folder_is_read(holds_a_cache: bool) -> None:
    # Not under pytest's own folder, into which another user may not look.
    folder = Path(tempfile.mkdtemp())
    try:
        if holds_a_cache:
            cache = DiskCache(folder)
            cache.put(ANSWERS)
            cache.close()
            (folder / FILE_NAME).chmod(0o444)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", UNWRITABLE, folder], capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout) == [0, 2 * holds_a_cache, True, ["CacheWarning"]]
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_sqlite_without_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sqlite3.connect

    def small(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connection = real(*args, **kwargs)
        connection.execute("PRAGMA max_page_count = 4")
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    engine = Engine(cache=tmp_path)
    with pytest.warns(CacheWarning, match="full") as caught:
        run = engine.measure("weat", "planted:gender=1", "en/weat6")
    assert len(caught) == 1
    plain = Engine(cache=None).measure("weat", "planted:gender=1", "en/weat6")
    assert run.results_digest() == plain.results_digest()
    assert not list(tmp_path.glob("*.damaged-*"))


FULL = """
import json, sys, warnings
import resource, signal
from biascore import Engine
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder, limit = sys.argv[1], int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    engine = Engine(cache=folder)
    run = engine.measure("weat", "planted:gender=1", "en/weat6")
    engine.close()
print(json.dumps([run.results_digest(), run.questions.asked, [w.category.__name__ for w in caught]]))
"""


def full(folder: Path, limit: int = 0) -> list[Any]:
    arguments = [sys.executable, "-c", FULL, str(folder), str(limit)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def plain() -> tuple[str, int]:
    run = Engine(cache=None).measure("weat", "planted:gender=1", "en/weat6")
    return run.results_digest(), run.questions.asked


@pytest.mark.parametrize("limit", [pytest.param(1000, marks=pytest.mark.slow), 100_000])
def test_files_that_may_not_grow(tmp_path: Path, limit: int, plain: tuple[str, int]) -> None:
    digest, asked, caught = full(tmp_path, limit)
    assert (digest, asked) == plain
    assert caught == ["CacheWarning"]
    # And with room again the same cache serves.
    for asked_again in (True, False):
        engine = Engine(cache=tmp_path)
        run = engine.measure("weat", "planted:gender=1", "en/weat6")
        engine.close()
        assert (run.results_digest(), run.questions.asked > 0) == (plain[0], asked_again)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 128 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
def test_a_full_disk(small_disk: Path, plain: tuple[str, int]) -> None:
    digest, asked, caught = full(small_disk)
    assert (digest, asked) == plain
    assert caught == ["CacheWarning"]
    assert not list(small_disk.glob("*.damaged-*"))

"""The cache keeps what was put, in the folder that the user chose, for threads and processes at once."""

from __future__ import annotations

import gc
import json
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import create_model

from biascore import Engine
from biascore.files.paths import cache_folder
from biascore.models.pipeline import cache as cache_module
from biascore.models.pipeline.cache import (
    FILE_NAME,
    CacheWarning,
    DiskCache,
    NoCache,
    default_cache,
)
from biascore.plugins.loading import Plugins

from .conftest import ANSWERS


def test_what_was_put_is_got(filled: Path) -> None:
    cache = DiskCache(filled)
    assert cache.get(list(ANSWERS)) == ANSWERS
    assert cache.get([b"nobody put this....."]) == {}
    assert cache.get([]) == {}


def test_more_keys_than_one_query_takes(tmp_path: Path) -> None:
    answers = {i.to_bytes(20, "big"): str(i).encode() for i in range(1201)}
    cache = DiskCache(tmp_path)
    cache.put(answers)
    assert cache.get(list(answers)) == answers


def test_info_and_clear(filled: Path) -> None:
    cache = DiskCache(filled)
    info = cache.info()
    assert (info.path, info.answers) == (str(filled / FILE_NAME), len(ANSWERS))
    assert info.bytes >= sum(map(len, ANSWERS.values()))
    assert cache.clear() == len(ANSWERS)
    assert cache.get(list(ANSWERS)) == {}
    assert cache.info().answers == 0
    cache.close()
    assert DiskCache(filled).info().bytes < info.bytes
    assert cache.clear() == 0


@pytest.mark.parametrize("cyclic", [False, True])
def test_a_cache_that_nobody_closes_closes_its_file(filled: Path, cyclic: bool) -> None:
    """From Python 3.13 on, a connection that is collected open is a ResourceWarning."""
    cache = DiskCache(filled)
    cache.get(list(ANSWERS))
    connection = cache._connection
    assert connection is not None
    if cyclic:
        cache._warned = {cache}  # type: ignore[arg-type]
    del cache
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


def test_no_cache_keeps_nothing() -> None:
    cache = NoCache()
    cache.put(ANSWERS)
    assert cache.get(list(ANSWERS)) == {}
    cache.close()


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(*_: object, **__: object) -> str:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("BIASCORE_CACHE_DIR")
    monkeypatch.setattr("platformdirs.user_cache_dir", no_home)
    with pytest.warns(CacheWarning, match="no folder for a cache .* BIASCORE_CACHE_DIR"):
        cache = default_cache()
    assert isinstance(cache, NoCache)
    assert "home directory" in cache.problem  # a service that charges is not asked without --no-cache
    assert (cache.info().answers, cache.clear()) == (0, 0)
    with pytest.warns(CacheWarning, match="no folder for a cache"):
        run = Engine().measure("weat", "planted:gender=1", "en/weat7", resamples=100)
    assert len(run) == 1


def test_the_cache_folder_may_begin_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BIASCORE_CACHE_DIR", "~/kept")
    assert cache_folder() == tmp_path / "kept"


def test_the_default_folder_is_the_users_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BIASCORE_CACHE_DIR", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    engine = Engine()
    engine.measure("weat", "planted:gender=1", "en/weat6")
    engine.close()
    assert (tmp_path / "mine" / FILE_NAME).is_file()
    monkeypatch.delenv("BIASCORE_CACHE_DIR")
    assert cache_folder().name == "biascore"


def test_threads_share_a_cache(tmp_path: Path) -> None:
    cache, wrong = DiskCache(tmp_path), []

    def work(number: int) -> None:
        own = {bytes([number, i]) * 10: os.urandom(50) for i in range(40)}
        for key, value in own.items():
            cache.put({key: value})
        if cache.get(list(own)) != own:
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert cache.info().answers == 160


HAMMER = """
import json, sys, warnings
from pathlib import Path
from biascore.models.pipeline.cache import DiskCache
warnings.simplefilter("error")
folder, own = sys.argv[1], int(sys.argv[2])
wrong, cache = 0, DiskCache(Path(folder))
value = lambda i: str(i).encode() * (i % 50)
for start in range(0, 3000, 20):
    # Half of the answers are both processes' own, half only one's.
    numbers = [i if i % 2 else i + 100_000 * own for i in range(start, start + 20)]
    cache.put({n.to_bytes(20, "big"): value(n) for n in numbers})
    found = cache.get([n.to_bytes(20, "big") for n in range(start + 20)])
    wrong += sum(found[k] != value(int.from_bytes(k, "big")) for k in found)
    wrong += sum(n.to_bytes(20, "big") not in found for n in numbers if n % 2)
print(json.dumps([wrong, cache.info().answers]))
"""


@pytest.mark.slow
def test_two_processes_share_a_cache(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", HAMMER, tmp_path, str(own)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for own in (1, 2)
    ]
    answers = []
    for worker in workers:
        out, error = worker.communicate(timeout=60)
        assert worker.returncode == 0, error
        answers.append(json.loads(out))
    assert [wrong for wrong, _ in answers] == [0, 0]
    assert max(count for _, count in answers) == 1500 + 2 * 1500


def test_a_killed_process_leaves_whole_batches(tmp_path: Path) -> None:
    program = """
import os, signal, sqlite3, sys
from pathlib import Path
from biascore.models.pipeline.cache import DiskCache
cache = DiskCache(Path(sys.argv[1]))
cache.put({bytes([i]) * 20: b"first" for i in range(50)})
connection = cache._connection
connection.execute("BEGIN")
rows = [(bytes([i]) * 20, b"x" * 5000) for i in range(50, 90)]
connection.executemany("INSERT INTO answers VALUES (?, ?)", rows)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path], check=False)
    assert done.returncode == -9
    cache = DiskCache(tmp_path)
    assert len(cache.get([bytes([i]) * 20 for i in range(90)])) == 50
    assert cache.info().answers == 50


@pytest.mark.parametrize(("stated", "asked"), [("1", 0), ("2", 1), (None, 1)])
def test_an_upgrade_asks_again_only_where_answers_may_be_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stated: str | None, asked: int
) -> None:
    counts = []
    for version, answers in (("1.0", stated and "1"), ("1.1", stated)):
        with closing(Engine(cache=tmp_path)) as engine:
            adapters = engine.plugins.adapters
            owner = replace(adapters.owner("planted"), version=version)
            monkeypatch.setattr(adapters.get("planted"), "answers_version", answers)
            monkeypatch.setattr(adapters, "owner", lambda _, owner=owner: owner)
            with engine.model("planted:gender=1") as model:
                model.embed(["word"])
                counts.append(model.counts.asked)
    assert counts == [1, asked]


def test_an_option_that_is_new_asks_nothing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for extended in (False, True):
        with closing(Engine(cache=tmp_path)) as engine:
            adapter = engine.plugins.adapters.get("planted")
            if extended:
                monkeypatch.setattr(
                    adapter, "option_type", create_model("More", __base__=adapter.option_type, new=(int, 3))
                )
            for options in ({"seed": 1}, {"seed": 1, "new": 4}) if extended else ({"seed": 1},):
                with engine.model("planted:gender=1", **options) as model:
                    model.embed(["word"])
                    counts.append(model.counts.asked)
    assert counts == [1, 0, 1]


def test_a_tilde_in_the_cache_folder_is_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BIASCORE_CACHE_DIR", "~/kept")
    assert cache_folder() == tmp_path / "kept"


def test_the_answers_of_shipped_adapters_outlive_an_upgrade() -> None:
    adapters = Plugins().adapters
    own = [one for one in adapters.items() if adapters.owner(one.id).dist == "biascore"]
    assert len(own) >= 10
    assert [one.id for one in own if one.answers_version is None] == []


@pytest.mark.parametrize("readable_only", [False, True])
@pytest.mark.parametrize("table", ["answers (key BLOB, value BLOB, model TEXT)", "questions (id INTEGER)"])
def test_the_cache_of_a_newer_version_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, readable_only: bool
) -> None:
    file = tmp_path / FILE_NAME
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"CREATE TABLE {table}")
        connection.execute("PRAGMA user_version = 2")
    if readable_only:
        monkeypatch.setattr(cache_module, "_prepare", unwritable)
    before = file.read_bytes()
    cache = DiskCache(tmp_path)
    told = r"a newer biascore wrote it, in format 2; it is left as it is.*Upgrade biascore, or choose another folder"
    with pytest.warns(CacheWarning, match=told) as caught:
        cache.put(ANSWERS)
    assert len(caught) == 1
    assert cache.get(list(ANSWERS)) == {}
    assert cache.clear() == 0
    assert "newer biascore" in cache.problem  # nothing is asked of what is charged for
    cache.close()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    assert file.read_bytes() == before


def unwritable(_: sqlite3.Connection) -> None:
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY
    raise error


def test_the_file_of_another_format_is_no_concern(tmp_path: Path) -> None:
    later = tmp_path / "answers-2.sqlite"
    later.write_bytes(b"of a newer version")
    cache = DiskCache(tmp_path)
    cache.put(ANSWERS)
    assert cache.clear() == len(ANSWERS)
    cache.close()
    assert later.read_bytes() == b"of a newer version"

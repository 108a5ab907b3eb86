"""The cache is never believed when damaged, never in the way, and never wrong."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pydantic import create_model

from biascore import Engine
from biascore.models import codecs
from biascore.models.cache import FILE_NAME, CacheWarning, DiskCache, NoCache, default_cache, default_folder
from biascore.plugins.loading import Plugins
from biascore.plugins_api import Masked, Text, TokenLogprobs

# Any string at all: lone surrogates are text to Python, and so to a model.
ANY_TEXT = st.text(st.characters() | st.characters(categories=["Cs"]))


# Round trips.


@given(hnp.arrays(np.float32, st.integers(1, 40), elements=st.floats(width=32)))
def test_vectors_bit_for_bit(vector: Any) -> None:
    assert codecs.decode_vector(codecs.encode_vector(vector)).tobytes() == vector.tobytes()


@given(st.binary(min_size=4, max_size=4).map(lambda b: np.frombuffer(b, dtype="<f4")))
def test_any_32_bits_survive(vector: Any) -> None:
    assert codecs.decode_vector(codecs.encode_vector(vector)).tobytes() == vector.tobytes()


@given(st.floats())
def test_scores_bit_for_bit(score: float) -> None:
    assert struct.pack("<d", codecs.decode_score(codecs.encode_score(score))) == struct.pack("<d", score)


@given(ANY_TEXT)
def test_texts(text: str) -> None:
    assert codecs.decode_text(codecs.encode_text(text)) == text


TOKENS = st.lists(st.tuples(ANY_TEXT, st.integers(0, 10**6), st.integers(0, 10**6), st.floats(max_value=0)))


@given(TOKENS)
def test_logprobs_bit_for_bit(tokens: list[tuple[str, int, int, float]]) -> None:
    answer = TokenLogprobs(
        tuple(t for t, *_ in tokens), tuple((s, e) for _, s, e, _ in tokens), tuple(p for *_, p in tokens)
    )
    back = codecs.decode_logprobs(codecs.encode_logprobs(answer))
    assert back == answer
    assert struct.pack(f"{len(tokens)}d", *back.logprobs) == struct.pack(f"{len(tokens)}d", *answer.logprobs)


PAIR, EMOJI = "\ud83d\ude00", "\U0001f600"


def test_a_pair_of_surrogates_is_not_the_character_they_would_encode() -> None:
    assert codecs.canonical(PAIR) != codecs.canonical(EMOJI)
    for text in (PAIR, EMOJI):
        answer = TokenLogprobs((text,), ((0, len(text)),), (-1.0,))
        assert codecs.decode_logprobs(codecs.encode_logprobs(answer)) == answer


@given(ANY_TEXT, ANY_TEXT)
def test_equal_keys_for_equal_questions_only(one: str, other: str) -> None:
    prefix = codecs.digest("model")
    assert (codecs.question_key(prefix, one) == codecs.question_key(prefix, other)) == (one == other)


def test_questions_that_look_alike_have_different_keys() -> None:
    prefix = codecs.digest("model")
    questions = [
        "a",
        Text("a"),
        Text("a", (0, 1)),
        Masked("a", None),
        Masked("a", ()),
        Masked("a", ((0, 1),)),
        Masked("a", ((0, 1),), also=((0, 1),)),
        Masked("a", (), also=((0, 1),)),
        Masked("a", None, one_at_a_time=True),
        "A",
        " a",
        "a\u0301",
        "\u00e1",
    ]
    assert len({codecs.question_key(prefix, question) for question in questions}) == len(questions)
    assert codecs.question_key(codecs.digest("another"), "a") != codecs.question_key(prefix, "a")


# Stored and found.

ANSWERS = {bytes([i]) * 20: bytes([i]) * (i * 40) for i in range(60)}


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A folder with a cache file that holds ANSWERS, and no other file."""
    cache = DiskCache(tmp_path)
    cache.put(ANSWERS)
    cache.close()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    return tmp_path


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


def test_no_cache_keeps_nothing() -> None:
    cache = NoCache()
    cache.put(ANSWERS)
    assert cache.get(list(ANSWERS)) == {}
    cache.close()


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(*_: object, **__: object) -> str:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("BIASCORE_CACHE_DIR")
    monkeypatch.setattr("biascore.models.cache.platformdirs.user_cache_dir", no_home)
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
    assert default_folder() == tmp_path / "kept"


def test_the_default_folder_is_the_users_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BIASCORE_CACHE_DIR", str(tmp_path / "mine"))
    assert default_folder() == tmp_path / "mine"
    engine = Engine()
    engine.measure("weat", "planted:gender=1", "en/weat6")
    engine.close()
    assert (tmp_path / "mine" / FILE_NAME).is_file()
    monkeypatch.delenv("BIASCORE_CACHE_DIR")
    assert default_folder().name == "biascore"


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


# Damaged.


def truncate(data: bytes) -> bytes:
    return data[: len(data) // 2 + 100]


def flip_in_a_value(data: bytes) -> bytes:
    at = data.index(bytes([50]) * 100) + 50
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "random bytes": lambda data: random.Random(1).randbytes(len(data)),
    "a text": lambda data: b"This is not a database.\n" * (len(data) // 1000),
    "truncated": truncate,
    "a header only": lambda data: data[:100],
    "zeros in the middle": lambda data: data[:4096] + bytes(8192) + data[12288:],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_set_aside(filled: Path, damage: str) -> None:
    file = filled / FILE_NAME
    broken = DAMAGE[damage](file.read_bytes())
    file.write_bytes(broken)
    cache = DiskCache(filled)
    with pytest.warns(CacheWarning, match="the cache was damaged") as caught:
        found = cache.get(list(ANSWERS))
    cache.put(ANSWERS)
    assert len(caught) == 1
    assert found.items() <= ANSWERS.items()
    assert cache.get(list(ANSWERS)) == ANSWERS
    aside = next(filled.glob(f"{FILE_NAME}.damaged-*"))
    assert str(aside) in str(caught[0].message)
    assert aside.read_bytes()[:50] == broken[:50]
    cache.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert DiskCache(filled).get(list(ANSWERS)) == ANSWERS


def test_a_damaged_value_costs_itself(filled: Path) -> None:
    file = filled / FILE_NAME
    file.write_bytes(flip_in_a_value(file.read_bytes()))
    bad = bytes([50]) * 20
    cache = DiskCache(filled)
    with pytest.warns(CacheWarning, match=r"1 answer\(s\) .* were damaged and are asked for again"):
        assert cache.get(list(ANSWERS)) == {key: value for key, value in ANSWERS.items() if key != bad}
    cache.put(ANSWERS)
    assert cache.get(list(ANSWERS)) == ANSWERS
    assert [path.name for path in filled.glob("*.damaged-*")] == []


def test_a_value_that_is_no_bytes_costs_itself(filled: Path) -> None:
    bad = bytes([7]) * 20
    with sqlite3.connect(filled / FILE_NAME) as connection:
        connection.execute("UPDATE answers SET value = 3.5 WHERE key = ?", (bad,))
    connection.close()
    cache = DiskCache(filled)
    with pytest.warns(CacheWarning, match="were damaged"):
        assert cache.get(list(ANSWERS)).keys() == ANSWERS.keys() - {bad}


def forge(file: Path, choose: Callable[[bytes], bytes], rows: int) -> None:
    """Other values, with right checksums, in the first rows."""
    with sqlite3.connect(file) as connection:
        for key, stored in connection.execute("SELECT key, value FROM answers LIMIT ?", (rows,)).fetchall():
            value = choose(stored[8:])
            checksum = hashlib.blake2b(value, digest_size=8, key=key).digest()
            connection.execute("UPDATE answers SET value = ? WHERE key = ?", (checksum + value, key))
    connection.close()


@pytest.mark.parametrize(("rows", "length"), [(1, 7), (1, 8), (5, 8), (10, 0)])
def test_a_kept_vector_of_a_wrong_length_is_asked_for_again(tmp_path: Path, rows: int, length: int) -> None:
    words = [f"word{number}" for number in range(10)]

    def embed() -> tuple[Any, int]:
        with closing(Engine(cache=tmp_path)) as engine, engine.model("planted:gender=1") as model:
            return model.embed(words), model.counts.asked

    first, _ = embed()
    forge(tmp_path / FILE_NAME, lambda value: value[:length], rows)
    with pytest.warns(CacheWarning, match="were damaged and are asked for again"):
        again, asked = embed()
    assert (again == first).all()
    assert asked == rows or (rows == 5 and asked == 15)  # where half are short, nobody knows which are right
    assert embed()[1] == 0


@pytest.mark.parametrize(
    "data", [b"", b"1234567", b"\xff\xfe", b"[]", b"[1,2,3]", b'[["a"],[[0,1]],[]]', b"{}"]
)
@pytest.mark.parametrize("decode", [codecs.decode_score, codecs.decode_logprobs])
def test_bytes_that_are_no_answer_are_a_value_error(decode: Callable[[bytes], object], data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(data)


def test_info_and_clear_survive_damage(filled: Path) -> None:
    for use in (DiskCache.info, DiskCache.clear):
        (filled / FILE_NAME).write_bytes(random.Random(2).randbytes(20_000))
        with pytest.warns(CacheWarning, match="damaged"):
            use(DiskCache(filled))


def test_a_table_of_another_form_is_set_aside(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("CREATE TABLE answers (question TEXT, answer TEXT)")
    connection.close()
    cache = DiskCache(tmp_path)
    with pytest.warns(CacheWarning, match="damaged"):
        assert cache.get(list(ANSWERS)) == {}
    cache.put(ANSWERS)
    assert cache.get(list(ANSWERS)) == ANSWERS


@pytest.mark.parametrize("seed", range(60))
def test_no_damage_gives_a_wrong_answer(filled: Path, seed: int) -> None:
    file, rng = filled / FILE_NAME, random.Random(seed)
    data = bytearray(file.read_bytes())
    for _ in range(rng.choice([1, 4, 30])):
        # Half of them where SQLite keeps its own records: the first pages.
        data[rng.randrange(len(data) if rng.random() < 0.5 else 8192)] ^= 1 << rng.randrange(8)
    file.write_bytes(data[: rng.randrange(len(data))] if seed % 10 == 0 else data)
    cache = DiskCache(filled)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = cache.get(list(ANSWERS))
        cache.put(ANSWERS)
        again = cache.get(list(ANSWERS))
        cache.info()
        cache.close()
    assert found.items() <= ANSWERS.items()
    assert again.items() <= ANSWERS.items()
    assert len(caught) <= 1
    assert all(issubclass(warning.category, CacheWarning) for warning in caught)


def test_a_cache_warns_once(filled: Path) -> None:
    cache = DiskCache(filled)
    (filled / FILE_NAME).write_bytes(b"not a database" * 100)
    with pytest.warns(CacheWarning) as caught:
        cache.get(list(ANSWERS))
    assert len(caught) == 1
    for _ in range(2):  # and any warning would be an error
        cache.close()
        (filled / FILE_NAME).write_bytes(b"not a database" * 100)
        assert cache.get(list(ANSWERS)) == {}
    assert len(list(filled.glob("*.damaged-*"))) == 3


def test_another_process_has_set_it_aside_already(filled: Path) -> None:
    file = filled / FILE_NAME
    data = file.read_bytes()
    file.write_bytes(data[:4096] + bytes(8192) + data[12288:])
    late, early = DiskCache(filled), DiskCache(filled)
    late.get([])  # has the damaged file open
    with pytest.warns(CacheWarning):
        early.get(list(ANSWERS))
    early.put(ANSWERS)
    # The one that comes late finds the damage too, and must not set the new file aside.
    assert late.get(list(ANSWERS)) == {}
    assert late.get(list(ANSWERS)) == ANSWERS
    assert len(list(filled.glob(f"{FILE_NAME}.damaged-*[0-9]"))) == 1


def test_a_damaged_cache_does_not_change_a_run(tmp_path: Path) -> None:
    plain = Engine(cache=None).measure("weat", "planted:gender=1", "en/weat6")
    engine = Engine(cache=tmp_path)
    assert engine.measure("weat", "planted:gender=1", "en/weat6").results_digest() == plain.results_digest()
    engine.close()
    file = tmp_path / FILE_NAME
    data = bytearray(file.read_bytes())
    for at in range(8200, len(data), 97):
        data[at] ^= 4
    file.write_bytes(data)
    with pytest.warns(CacheWarning):
        damaged = Engine(cache=tmp_path).measure("weat", "planted:gender=1", "en/weat6")
    assert damaged.results_digest() == plain.results_digest()
    assert damaged.questions.asked == plain.questions.asked
    again = Engine(cache=tmp_path).measure("weat", "planted:gender=1", "en/weat6")
    assert (again.questions.asked, again.results_digest()) == (0, plain.results_digest())


# Without room, or without leave to write.


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
from biascore.models.cache import DiskCache
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
        run = engine.measure("weat", "planted:gender=1", ["en/weat6", "en/weat7", "en/weat8"])
    assert len(caught) == 1
    plain = Engine(cache=None).measure("weat", "planted:gender=1", ["en/weat6", "en/weat7", "en/weat8"])
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
    run = engine.measure("weat", "planted:gender=1", ["en/weat6", "en/weat7", "en/weat8"])
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
    run = Engine(cache=None).measure("weat", "planted:gender=1", ["en/weat6", "en/weat7", "en/weat8"])
    return run.results_digest(), run.questions.asked


@pytest.mark.parametrize("limit", [1000, 100_000])
def test_files_that_may_not_grow(tmp_path: Path, limit: int, plain: tuple[str, int]) -> None:
    digest, asked, caught = full(tmp_path, limit)
    assert (digest, asked) == plain
    assert caught == ["CacheWarning"]
    # And with room again the same cache serves.
    for asked_again in (True, False):
        engine = Engine(cache=tmp_path)
        run = engine.measure("weat", "planted:gender=1", ["en/weat6", "en/weat7", "en/weat8"])
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


def test_a_full_disk(small_disk: Path, plain: tuple[str, int]) -> None:
    digest, asked, caught = full(small_disk)
    assert (digest, asked) == plain
    assert caught == ["CacheWarning"]
    assert not list(small_disk.glob("*.damaged-*"))


# Two processes at once.

HAMMER = """
import json, sys, warnings
from pathlib import Path
from biascore.models.cache import DiskCache
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
from biascore.models.cache import DiskCache
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


# After an upgrade.


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
                    adapter, "options", create_model("More", __base__=adapter.options, new=(int, 3))
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
    assert default_folder() == tmp_path / "kept"


def test_the_answers_of_shipped_adapters_outlive_an_upgrade() -> None:
    adapters = Plugins().adapters
    own = [one for one in adapters.items() if adapters.owner(one.id).dist == "biascore"]
    assert len(own) >= 10
    assert [one.id for one in own if one.answers_version is None] == []

"""What fuzzing found stays fixed: each input that once broke a reader goes through every reader that takes such a file."""

from __future__ import annotations

import ctypes
import importlib
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from biascore.basics.guard import guarded
from biascore.errors import At, Owner
from biascore.plugins.loading import Plugins

from . import mutate, oracle, packing, readers

ROOT = Path(__file__).resolve().parents[1]
FOUND = sorted((Path(__file__).parent / "found").iterdir())
SERVICES = {name for name, reader in readers.READERS.items() if reader.file.endswith(".http")}
NEEDED = {
    "inspect-eval": "zstandard",
    "onnx": "onnx",
    "model-folder": "safetensors",
    "hf": "torch",
    "training": "torch",
    "hf-translation": "torch",
    "checkpoint": "safetensors",
}
NEEDED |= {"fasttext-ftz": "fasttext"} | dict.fromkeys(SERVICES, "deepl")

AT = At(Owner("reader", "biascore", "0"), "opening", "opening x")
NO_ONE_ANSWER = {"openai-completion"}
"""It asks several questions and compares the answers, which one answer to all of them does not fit."""
EXECUTES = re.compile(
    r"(?<![\w.`])(eval|exec)\(|^\s*(import|from) (pickle|dill|cloudpickle|joblib|marshal|shelve|yaml)\b",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def room() -> Iterator[oracle.Room]:
    assert Plugins().stimuli  # their index is written before the room is watched
    made = oracle.Room()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_MAX_FILE_MB", "2")


def taken_by(name: str) -> list[str]:
    """The readers that take an input of this one: of several files, or of one; an answer of a server by services only."""
    several = not readers.READERS[name].file
    return [
        other
        for other, reader in readers.READERS.items()
        if (not reader.file) == several and (other in SERVICES) == (name in SERVICES)
    ]


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_what_was_found_is_read_or_refused(path: Path, room: oracle.Room) -> None:
    name, _, _ = path.name.partition(".")
    data = path.read_bytes()
    for other in taken_by(name):
        if other in SERVICES:
            pytest.importorskip("deepl")
            pytest.importorskip("openai")
        with suppress(ImportError):  # before the room is watched: torch opens libraries
            importlib.import_module(NEEDED.get(other, "biascore"))
        reader = readers.READERS[other]
        files = packing.unpacked(data, reader.file)
        assert files
        oracle.ask(reader.read, files, room, names=reader.names)


def test_each_reader_has_one_parser() -> None:
    assert sorted(name for some in readers.PARSERS.values() for name in some) == sorted(readers.READERS)


def test_nothing_of_a_file_is_executed() -> None:
    """No module of ours calls eval or exec, or imports what reads pickles."""
    files = [
        path
        for top in ("biascore", "adapters", "plugins", "wordlists")
        for path in (ROOT / top).rglob("*.py")
        if path != ROOT / "biascore/engine/worker.py"  # it unpickles what the workers of a cluster send
    ]
    assert len(files) > 300
    assert not [path.name for path in files if EXECUTES.search(path.read_text(encoding="utf-8"))]
    assert EXECUTES.search("x = eval(text)")
    assert EXECUTES.search("    from pickle import loads")


@pytest.mark.parametrize(
    ("doing", "told"),
    [
        (lambda folder: (folder.parent / oracle.CANARY).read_text(), "read canary.txt outside"),
        (lambda folder: (folder.parent / "new").write_text("x"), "wrote "),
        (lambda folder: (folder.parent / "other").mkdir(), "os.mkdir"),
        (
            lambda folder: (folder / "link").symlink_to("../canary.txt") or (folder / "link").read_text(),
            "read canary",
        ),
        (lambda folder: _library(folder / "x.so"), "opened the library"),
        (lambda _: b"x" * 600_000_000, "took "),
        (lambda _: _refuse("in/x: no \x07. Go"), None),
        (lambda _: _refuse("wrong. Correct it"), "names no file"),
        (lambda _: _refuse("in/x is wrong"), "without a next step"),
        (lambda _: guarded(AT, lambda: _wrong("within a plugin")), "within a plugin"),
    ],
    ids=["reads", "writes", "makes", "follows", "opens", "memory", "bell", "nameless", "stepless", "guarded"],
)
def test_the_oracle_sees(doing: object, told: str | None, room: oracle.Room) -> None:
    if told is None:
        assert oracle.ask(doing, {"x": b""}, room) == "in/x: no ␇. Go"  # type: ignore[arg-type]
        return
    with pytest.raises(oracle.Wrong, match=told):
        oracle.ask(doing, {"x": b""}, room)  # type: ignore[arg-type]


def _library(path: Path) -> None:
    path.write_bytes(b"")
    with suppress(OSError):
        ctypes.CDLL(str(path))


def _wrong(message: str) -> None:
    raise oracle.Wrong(message)


def test_the_oracle_sees_a_plugin_that_takes_too_long(
    room: oracle.Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle, "SECONDS", 0.05)

    def endless(_folder: Path) -> None:
        while True:
            pass

    with pytest.raises(oracle.TooLong):
        oracle.ask(lambda folder: guarded(AT, lambda: endless(folder)), {"x": b""}, room)


def _refuse(message: str) -> None:
    from biascore.errors import DataError

    raise DataError(message)


@pytest.mark.slow
@pytest.mark.parametrize("name", readers.READERS)
def test_valid_inputs_are_read_and_changed_ones_are_read_or_refused(name: str, room: oracle.Room) -> None:
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    reader = readers.READERS[name]
    made = reader.seeds()
    told = [
        oracle.ask(reader.read, packing.unpacked(seed, reader.file), room, names=reader.names)
        for seed in made
    ]
    assert None in told or name in NO_ONE_ANSWER
    for number in range(30):
        rng = random.Random(f"{name} {number}")

        def plain(raw: bytes, rng: random.Random = rng) -> bytes:
            place = rng.randrange(max(1, len(raw)))
            return raw[:place] + bytes([rng.randrange(256)]) + raw[place + 1 :]

        data = mutate.mutated(rng.choice(made), reader.file, rng, plain)[: oracle.LARGEST]
        if files := packing.unpacked(data, reader.file):
            oracle.ask(reader.read, files, room, names=reader.names)

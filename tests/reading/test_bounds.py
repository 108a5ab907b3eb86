"""Files that would take all memory, hang or end in a traceback are refused, by every reader in the same words."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from biascore.basics.wording import brief, few, listed, quoted
from biascore.errors import BiascoreError, OptionsError, RunError
from biascore.files.reading import FILE_VARIABLE, megabytes_allowed, parse_json, parse_toml, read_bytes
from biascore.results.run import Run

from .conftest import Reader
from .files import GOOD, TABLES, TOML

Write = Callable[[str, bytes], Path]


@pytest.mark.parametrize("kind", GOOD)
def test_a_good_file_is_read(kind: str, readers: dict[str, Reader], write: Write) -> None:
    readers[kind](write(kind, GOOD[kind][1].encode()))


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("ending", ["\r", "\r\n"])
def test_line_ends_of_other_systems(kind: str, ending: str, readers: dict[str, Reader], write: Write) -> None:
    path = write(kind, GOOD[kind][1].replace("\n", ending).encode())
    if kind in TOML and ending == "\r":  # no line end of TOML
        with pytest.raises(BiascoreError, match="is no valid TOML"):
            readers[kind](path)
    else:
        readers[kind](path)


@pytest.mark.parametrize("kind", GOOD)
def test_a_device_is_no_file(kind: str, readers: dict[str, Reader], tmp_path: Path) -> None:
    path = tmp_path / GOOD[kind][0]
    path.symlink_to("/dev/zero")
    with pytest.raises(BiascoreError, match=r"is not a regular file \(a device or a pipe\)"):
        readers[kind](path)


@pytest.mark.parametrize("kind", GOOD)
def test_a_pipe_is_not_waited_for(kind: str, readers: dict[str, Reader], tmp_path: Path) -> None:
    path = tmp_path / GOOD[kind][0]
    os.mkfifo(path)
    with pytest.raises(BiascoreError, match="is not a regular file"):
        readers[kind](path)


@pytest.mark.parametrize("kind", GOOD)
def test_a_large_file_is_refused_with_the_way_to_raise_the_limit(
    kind: str, readers: dict[str, Reader], write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(kind, GOOD[kind][1].encode() + b"# \n" * 1000)
    monkeypatch.setenv(FILE_VARIABLE, "0.002")
    with pytest.raises(BiascoreError, match=rf"more than 0.002 MB.* export {FILE_VARIABLE}=[1-9]"):
        readers[kind](path)


@pytest.mark.parametrize("kind", TABLES)
def test_a_gzip_bomb_is_not_unpacked(
    kind: str, readers: dict[str, Reader], write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(kind, gzip.compress(GOOD[kind][1].encode() + b"\n" * 5_000_000))
    monkeypatch.setenv(FILE_VARIABLE, "1")
    with pytest.raises(BiascoreError, match=r"unpacks to more than 1 MB"):
        readers[kind](path)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(("filling", "what"), [(b"\n", "lines"), (b"a,b\r", "lines"), (b",", "fields")])
def test_rows_that_would_take_more_memory_than_their_file(
    kind: str,
    filling: bytes,
    what: str,
    readers: dict[str, Reader],
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write(kind, GOOD[kind][1].encode() + filling * 20_000)
    monkeypatch.setenv(FILE_VARIABLE, "0.1")
    with pytest.raises(BiascoreError, match=rf"has more than [\d,]+ {what}.* export {FILE_VARIABLE}=[1-9]"):
        readers[kind](path)


@pytest.mark.parametrize("kind", TABLES)
def test_a_field_without_end_is_told(kind: str, readers: dict[str, Reader], write: Write) -> None:
    header, _, rows = GOOD[kind][1].partition("\n")
    for text in (f"{'x' * 200_000}{header}\n{rows}", f'{header}\n"{"x" * 200_000}\n{rows}'):
        with pytest.raises(BiascoreError) as caught:
            readers[kind](write(kind, text.encode()))
        assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("kind", TABLES)
def test_columns_are_listed_up_to_a_number(kind: str, readers: dict[str, Reader], write: Write) -> None:
    header = ",".join(f"column{n}" for n in range(5_000))
    with pytest.raises(BiascoreError, match=r"'column0'.* and 4,990 more") as caught:
        readers[kind](write(kind, f"{header}\n{'1,' * 4_999}1\n".encode()))
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("kind", TABLES)
def test_a_binary_file_is_told_by_its_line(kind: str, readers: dict[str, Reader], write: Write) -> None:
    with pytest.raises(BiascoreError, match="line 2: holds a NUL character"):
        readers[kind](write(kind, GOOD[kind][1].replace("\n", "\n\0", 1).encode()))


@pytest.mark.parametrize("kind", TOML)
@pytest.mark.parametrize(
    ("text", "problem"),
    [("x = " + "[" * 100_000, "nested too deeply"), ("x = " + "9" * 5_000, "more than 4,300 digits")],
    ids=["brackets", "digits"],
)
def test_toml_without_end(
    kind: str, text: str, problem: str, readers: dict[str, Reader], write: Write
) -> None:
    with pytest.raises(BiascoreError, match=problem):
        readers[kind](write(kind, text.encode()))


def test_a_stored_run_is_a_regular_file_of_some_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = tmp_path / "run.json"
    stored.symlink_to("/dev/zero")
    with pytest.raises(RunError, match=r"run\.json is not a regular file"):
        Run.load(tmp_path)
    stored.unlink()
    stored.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(RunError, match=r"run\.json cannot be read"):
        Run.load(tmp_path)
    monkeypatch.setenv(FILE_VARIABLE, "0.01")
    with pytest.raises(RunError, match=r"run\.json is more than 0\.01 MB"):
        Run.load(tmp_path)


def test_values_without_end_are_value_errors() -> None:
    for text in ("[" * 100_000, "9" * 5_000):
        with pytest.raises(ValueError, match=r"nested too deeply|digits"):
            parse_json(text)
        with pytest.raises(ValueError, match=r"nested too deeply|digits"):
            parse_toml(f"x = {text}")


def test_a_limit_that_is_no_number_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_bytes(b"12")
    for wrong in ("much", "-1", "nan", "0"):
        monkeypatch.setenv(FILE_VARIABLE, wrong)
        with pytest.raises(OptionsError, match=FILE_VARIABLE):
            read_bytes(tmp_path / "x", "x")
    monkeypatch.delenv(FILE_VARIABLE)
    assert megabytes_allowed(7) == 7


def test_words_without_end_in_messages_are_cut() -> None:
    path = "/a/" + "/".join(["folder"] * 200)
    assert brief(f"{path}: {'x' * 900} is wrong") == f"{path}: {'x' * 260}... (900 characters) is wrong"
    told: list[str] = []
    assert few("abcdefghijkl", lambda one: told.append(one) or one)[-1] == "and 2 more problems"
    assert told == [*"abcdefghij"], "only those that are shown are looked for in the file"
    assert few(["a", "b"], str) == ["a", "b"]


def test_a_grammar_includes_files_only(readers: dict[str, Reader], write: Write) -> None:
    for wrong in ("5", "[1]"):
        with pytest.raises(BiascoreError, match="include is no list of files"):
            readers["grammar"](write("grammar", f'language = "xx"\ninclude = {wrong}\n'.encode()))


def test_long_values_are_cut_and_told() -> None:
    assert quoted("a" * 70).endswith("... (70 characters)")
    assert listed([]) == "none"
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed(list("abcdefghijkl")).endswith("'j' and 2 more")

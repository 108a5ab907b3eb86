"""What an index says of stimuli files is kept for the next process, and never believed where it could be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biascore.errors import StimuliError
from biascore.stimuli import loader, outlines
from biascore.stimuli.catalogue import Catalogue
from biascore.stimuli.model import StimuliFile

FILE = """schema = 1
[meta]
language = "en"
title = "Mine"
source = "me"
licence = "CC0-1.0"
[lists.x]
words = ["one", "two"]
[lists.y]
words = ["three", "four"]
[lists.a]
words = ["five", "six"]
[lists.b]
words = ["seven", "eight"]
[tests.mine]
kind = "weat"
title = "A test"
concept = "Mine"
positive_means = "X goes with A"
X = "x"
Y = "y"
A = "a"
B = "b"
"""


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of one language, in a process that has read nothing."""
    monkeypatch.setenv("BIASCORE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "mine.toml").write_text(FILE)
    _another_process()
    yield tmp_path / "en"
    _another_process()


def _another_process() -> None:
    outlines._opened.cache_clear()
    loader._indexed.cache_clear()


def _index(folder: Path) -> StimuliFile:
    (file,) = Catalogue.from_folders(language_folders=[(folder, "mine")]).files
    outlines.save_outlines()
    return file


def _unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on no TOML can be read."""

    def fail(*_: object) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr(loader, "toml_of", fail)


def test_the_next_process_reads_no_toml_for_an_index(read: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _index(read)
    _another_process()
    with monkeypatch.context() as patch:
        _unread(patch)
        again = _index(read)
    assert again is not first
    assert repr(again) == repr(first)
    assert [one.title for one in again.index] == ["A test"]
    assert dict(again.sections) == dict(first.sections) == dict.fromkeys("xyab", "lists")
    assert again.tests == first.tests


def test_a_file_that_changed_is_read(read: Path) -> None:
    _index(read)
    _another_process()
    (read / "mine.toml").write_text(FILE.replace("A test", "Another test"))
    assert [one.title for one in _index(read).index] == ["Another test"]


def test_a_file_that_is_not_in_order_is_in_no_index(read: Path) -> None:
    (read / "mine.toml").write_text(FILE.replace('kind = "weat"', 'kind = "weat2"'))
    for _ in range(2):
        with pytest.raises(StimuliError, match="weat2"):
            _index(read)
        _another_process()


@pytest.mark.parametrize("damage", ["", "no index", "change", "cut"])
def test_a_damaged_index_is_not_believed(read: Path, damage: str) -> None:
    first = _index(read)
    kept = read.parent / "cache" / outlines.FILE_NAME
    whole = kept.read_text()
    assert "A test" in whole
    assert "seven" not in whole
    damaged = {"change": whole.replace("A test", "B test"), "cut": whole[:-9]}
    kept.write_text(damaged.get(damage, damage))
    _another_process()
    assert repr(_index(read)) == repr(first)
    assert kept.read_text() == whole


def test_where_nothing_can_be_written_the_files_are_read(read: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_CACHE_DIR", str(read / "mine.toml"))
    assert _index(read).tests
    _another_process()
    assert _index(read).tests


def test_of_too_many_those_are_kept_that_are_read(read: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlines, "_MOST", 1)
    first = _index(read)
    _another_process()
    (read / "mine.toml").write_text(FILE.replace("A test", "Another test"))
    second = _index(read)
    whole = (read.parent / "cache" / outlines.FILE_NAME).read_text()
    assert second.sha256 in whole
    assert first.sha256 not in whole


def test_a_file_that_no_plugin_brings_leaves_nothing_in_the_cache_folder(read: Path, tmp_path: Path) -> None:
    loader.load_file(read / "mine.toml", "mine.toml")
    outlines.save_outlines()
    assert not (tmp_path / "cache").exists()

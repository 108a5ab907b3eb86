"""A JSON key that stands twice hides one of its values: refused wherever biascore alone says what a file means."""

from __future__ import annotations

import pytest

from biascore.files.reading import parse_json

from . import oracle, packing
from .readers import READERS

TWICE = b'{"key": 1, "key": 2, '
IN_WORDS = ["json-lines", "bbq", "kobbq", "stereoset", "discrim-eval", "inspect", "lm-eval", "calibration"]
IN_WORDS += ["scorer"]
"""Readers of JSON that say what is wrong with it: a state of a training and a basis are damaged, whatever it is, and the
reader of a run computes its hash anew before (``tests/results/test_run_changed.py`` changes the file itself)."""


@pytest.mark.parametrize("name", IN_WORDS)
def test_a_key_that_stands_twice_is_refused(name: str) -> None:
    reader, room = READERS[name], oracle.Room()
    files = packing.unpacked(reader.seeds()[0], reader.file)
    try:
        assert oracle.ask(reader.read, files, room) is None
        changed = {
            path: raw.replace(b"{", TWICE, 1) if _is_json(path) else raw for path, raw in files.items()
        }
        assert changed != files
        assert "the key 'key' stands twice in one object" in (oracle.ask(reader.read, changed, room) or "")
    finally:
        room.close()


def _is_json(path: str) -> bool:
    return path.endswith((".json", ".jsonl"))


def test_the_last_one_counts_where_another_program_reads_the_file_so() -> None:
    assert parse_json('{"a": 1, "a": 2}', last_counts=True) == {"a": 2}
    with pytest.raises(ValueError, match="the key 'a' stands twice in one object"):
        parse_json('[{"b": {"a": 1, "a": 2}}]')

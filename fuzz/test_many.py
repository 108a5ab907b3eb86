"""Files with very many of one thing are read or refused in time that grows with their size: no thing meets all others."""

from __future__ import annotations

import pytest

from biascore.basics.twice import twice

from . import oracle
from .readers import READERS

MANY = 80_000
KEYS = "\n".join(f"k{number} = 1" for number in range(8_000)).encode()
LAST_TWICE = ", ".join(f'"k{number}": 1' for number in (*range(MANY), MANY - 1))
COLUMNS = ",".join(f"c{number}" for number in range(MANY))
ONES = ",".join(["1"] * MANY)
FILES = {
    "audit": {"audit.toml": KEYS},
    "stimuli": {"mine.toml": KEYS},
    "grammar": {"xx.toml": KEYS},
    "json-lines": {"gest.jsonl": f'{{"sentence": "I am.", "stereotype": 1, {LAST_TWICE}}}'.encode()},
    "scores": {"scores.csv": f"sentence,{COLUMNS}\na,{ONES}\nb,{ONES}\n".encode()},
}


@pytest.fixture(autouse=True)
def _small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_MAX_FILE_MB", "2")


@pytest.mark.parametrize("name", FILES)
def test_very_many_of_one_thing(name: str) -> None:
    """Within the 5 s of processor time that fuzzing allows any file."""
    room = oracle.Room()
    try:
        oracle.ask(READERS[name].read, FILES[name], room)
    finally:
        room.close()


def test_what_stands_twice() -> None:
    assert twice("abcabdd") == ["a", "b", "d"]
    assert twice([]) == []

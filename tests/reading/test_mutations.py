"""Damaged files of every kind are read or refused in a few words: seeded mutations, some dozens here, more when slow."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from biascore.errors import BiascoreError, PluginFailedError

from .conftest import Reader
from .files import GOOD, TABLES

PIECES = (
    *(
        b"\0",
        b"\r",
        b"\r\n",
        b"\n\n",
        b'"',
        b'""',
        b"'",
        b'"""',
        b",",
        b";",
        b"\t",
        b"#",
        b"\\",
        b"\xff",
        b"\xed\xa0\x80",
    ),
    *(
        b"\x1b[2J",
        "\u202e".encode(),
        "\u200d".encode(),
        "é".encode(),
        b"\xef\xbb\xbf",
        b" ",
        b"=",
        b"==",
        b".",
    ),
    *(
        b"[",
        b"]",
        b"[[",
        b"]]",
        b"{",
        b"}",
        b"[" * 2_000,
        b"{a=" * 500,
        b"9" * 5_000,
        b"1e999",
        b"nan",
        b"-inf",
        b"0x",
    ),
    *(
        b"true",
        b"1979-05-27",
        b"stereo",
        b"x" * 150_000,
        b"," * 5_000,
        b"\n[models]\n",
        b"\nname = 1\n",
        b"include = ['.']",
    ),
)
LONGEST_MESSAGE = 3_000


def mutated(rng: random.Random, data: bytes) -> bytes:
    """The file with one to four changes: bytes, pieces of syntax, lines moved, a part lost or doubled."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        match rng.randrange(6):
            case 0:
                data = data[:start] + bytes([rng.randrange(256)]) + data[start + 1 :]
            case 1:
                data = data[:start] + rng.choice(PIECES) + data[start:]
            case 2:
                data = data[:start] + data[min(end, start + 20) :]
            case 3:
                data = data[:end] + data[start:end] + data[end:]
            case 4:
                lines = data.splitlines(keepends=True)
                rng.shuffle(lines)
                data = b"".join(lines)
            case _:
                data = data[:start]
    return data


def check(kind: str, read: Reader, path: Path, seed: int, times: int) -> None:
    """Raises what is no BiascoreError; such an error says which file, and is not as long as the file."""
    rng = random.Random(f"{kind} {seed}")
    for _ in range(times):
        data = mutated(rng, GOOD[kind][1].encode())
        if kind in TABLES and rng.random() < 0.1:
            data = gzip.compress(data, mtime=0)[: rng.choice((None, -3, 20))]
        path.write_bytes(data)
        problem = refusal(read, path)
        assert problem is None or (path.name in problem and len(problem) < LONGEST_MESSAGE), data[:500]


def refusal(read: Reader, path: Path) -> str | None:
    """What the reader says of the file, or None where it takes it; raises what it should not."""
    try:
        read(path)
    except PluginFailedError:  # what a reader within a plugin raised
        raise
    except BiascoreError as error:
        return str(error)
    return None


@pytest.mark.parametrize("kind", GOOD)
def test_some(kind: str, readers: dict[str, Reader], tmp_path: Path) -> None:
    check(kind, readers[kind], tmp_path / GOOD[kind][0], seed=0, times=40)


@pytest.mark.slow
@pytest.mark.parametrize("kind", GOOD)
def test_many(kind: str, readers: dict[str, Reader], tmp_path: Path) -> None:
    for seed in range(1, 6):
        check(kind, readers[kind], tmp_path / GOOD[kind][0], seed, times=400)

"""Damaged files of every format answer finite or NaN vectors or raise ModelLoadError, and nothing else."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from biascore.errors import ModelLoadError

from .conftest import UNKNOWN, WORDS, Opened, Table, embed
from .test_text import lines_of
from .test_word2vec import c_format

DAMAGES = 300


def damaged(whole: bytes, rng: np.random.Generator) -> Iterator[bytes]:
    """Copies with bytes changed (in half of them only where the sizes stand), cut, or doubled."""
    for turn in range(DAMAGES):
        data = bytearray(whole)
        reach = min(len(data), 200) if turn % 2 else len(data)
        for _ in range(int(rng.integers(1, 4))):
            data[int(rng.integers(reach))] = int(
                rng.choice([0, 1, 0x20, 0x0A, 0x7F, 0xFF, rng.integers(256)])
            )
        if turn % 5 == 0:
            del data[int(rng.integers(len(data))) :]
        if turn % 7 == 0:
            start, end = np.sort(rng.integers(len(data) + 1, size=2)).tolist()
            data[start:end] = data[start:end] * 2
        yield bytes(data)


def survive(whole: bytes, folder: Path, opened: Opened) -> tuple[int, int]:
    answered = refused = 0
    for number, data in enumerate(damaged(whole, np.random.default_rng(99))):
        path = folder / f"{number}.bin"
        path.write_bytes(data)
        try:
            vectors = embed(opened(path), *WORDS, *UNKNOWN)
            assert vectors.dtype == np.float32
            missing = np.isnan(vectors)
            assert np.array_equal(missing.any(axis=1), missing.all(axis=1))
            assert not np.isinf(vectors).any()
            answered += 1
        except ModelLoadError:
            refused += 1
        path.unlink()
    return answered, refused


@pytest.mark.parametrize("kind", ["skipgram", "supervised-ngrams", "no-ngrams"])
def test_bin(kind: str, trained: Callable[[str], Path], tmp_path: Path, opened: Opened) -> None:
    answered, refused = survive(trained(kind).read_bytes(), tmp_path, opened)
    assert answered
    assert refused


@pytest.mark.parametrize("kind", ["vec", "vec.gz", "glove", "word2vec"])
def test_text_and_word2vec(kind: str, tables: Table, tmp_path: Path, opened: Opened) -> None:
    text = "".join(lines_of(tables)).encode()
    header = f"{len(tables[0])} 7\n".encode()
    whole = {
        "vec": header + text,
        "vec.gz": gzip.compress(header + text, mtime=0),
        "glove": text,
        "word2vec": c_format(tables),
    }[kind]
    answered, refused = survive(whole, tmp_path, opened)
    assert answered
    assert refused


@pytest.mark.slow
def test_quantised(quantised: Callable[..., Path], tmp_path: Path) -> None:
    """In a process of its own, because what is tested is that the compiled library does not take it down."""
    whole = quantised(dsub=2, cutoff=300, qnorm=True)
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.adapters.fasttext.test_damage import survive\n"
        "from tests.adapters.fasttext.conftest import Opened\n"
        "print(*survive(Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]), Opened()))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code, str(whole), str(tmp_path)],
        capture_output=True, text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    answered, refused = map(int, done.stdout.split())
    assert answered
    assert refused

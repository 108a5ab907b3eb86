"""Word vectors as a text file, the format of word2vec and of fastText's ``.vec``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt


def write_vectors(path: Path, vectors: Mapping[str, npt.ArrayLike]) -> str:
    """The reference of a file with these vectors, all of one length."""
    rows = {word: np.asarray(vector) for word, vector in vectors.items()}
    lines = [f"{word} {' '.join(map(str, row.tolist()))}" for word, row in rows.items()]
    width = len(next(iter(rows.values())))
    path.write_text("\n".join([f"{len(rows)} {width}", *lines]) + "\n", encoding="utf-8")
    return f"fasttext:{path}"


def random_vectors(words: Iterable[str], width: int, seed: int) -> dict[str, npt.NDArray[np.float64]]:
    """Standard normal values, a row for each word in its order; a word that comes twice has one."""
    rng = np.random.default_rng(seed)
    return {word: rng.standard_normal(width) for word in dict.fromkeys(words)}

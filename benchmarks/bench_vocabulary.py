"""Microseconds a word of reading a whole vocabulary block by block: as text and from a fastText model.

    python -m benchmarks.bench_vocabulary [words]

Vectors of 300 dimensions; the model has n-grams of 3 to 6 characters in as many buckets as words. Processor time.
"""

from __future__ import annotations

import struct
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from biascore import Engine

DIMENSIONS = 300
ROWS = 8192


def main(words: int) -> None:
    rng = np.random.default_rng(0)
    names = [f"palabra{i}larga" for i in range(words)]
    with tempfile.TemporaryDirectory() as folder:
        text, model = Path(folder) / "m.vec", Path(folder) / "m.bin"
        with text.open("w", encoding="utf-8") as file:
            file.write(f"{words} {DIMENSIONS}\n")
            for name in names:
                file.write(f"{name} {' '.join(f'{x:.4f}' for x in rng.normal(size=DIMENSIONS))}\n")
        with model.open("wb") as file:
            file.write(
                struct.pack("<ii12id", 793712314, 12, DIMENSIONS, 5, 5, 1, 5, 1, 2, 2, words, 3, 6, 100, 1e-4)
            )
            file.write(struct.pack("<iiiqq", words, words, 0, 10**6, -1))
            for name in names:
                file.write(name.encode() + b"\0" + struct.pack("<qb", 5, 0))
            for rows in (2 * words, words):
                file.write(struct.pack("<bqq", 0, rows, DIMENSIONS))
                for _ in range(rows // words):
                    file.write(rng.normal(size=(words, DIMENSIONS)).astype("<f4").tobytes())
        for path in (text, model):
            with Engine(cache=None).model(f"fasttext:{path}") as opened:
                before = time.process_time()
                read = sum(len(some) for some, _ in opened.vocabulary().blocks(ROWS))
                taken = time.process_time() - before
            print(f"{path.suffix}: {read} words, {1e6 * taken / read:.0f} microseconds a word")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000)

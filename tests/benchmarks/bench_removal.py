"""What docs/transforms.md reports: a projection of a whole vocabulary beside a bare matrix product, and one by one.

Run: python tests/benchmarks/bench_removal.py [words [dimensions]]   (2,000,000 x 300 float32 takes 7 GB of memory)
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from biascore.stats.removal import LowRankMap, orthonormal
from biascore.stats.removal.linear import BLOCK

Rows = npt.NDArray[np.float32]
DIRECTIONS = (1, 10, 28)
"""One; what real vectors of five languages took; what the paper printed for Spanish."""
REPEATS = 3


def seconds(work: Callable[[], object]) -> float:
    """The least of some runs: what else runs on the machine can only add to it."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def product(rows: Rows, matrix: Rows) -> None:
    _ = rows @ matrix


def product_in_blocks(rows: Rows, matrix: Rows) -> None:
    """The same product into one array, as many rows at once as the projection takes."""
    out = np.empty_like(rows)
    for start in range(0, len(rows), BLOCK):
        np.matmul(rows[start : start + BLOCK], matrix, out=out[start : start + BLOCK])


def one_by_one(rows: Rows, basis: Rows) -> None:
    """Each direction projected out of all rows before the next, as a loop over the iterations does."""
    left = rows.copy()
    for direction in basis.T:
        for start in range(0, len(rows), BLOCK):
            part = left[start : start + BLOCK]
            part -= np.outer(part @ direction, direction)


def streamed(rows: Rows, change: LowRankMap) -> None:
    """Block by block and forgotten, as a search over the vocabulary takes them: no second array of all words."""
    for start in range(0, len(rows), BLOCK):
        change.apply(rows[start : start + BLOCK])


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(words: int, dimensions: int) -> None:
    rng = np.random.default_rng(20261)
    rows = np.empty((words, dimensions), dtype=np.float32)
    for start in range(0, words, BLOCK):
        part = rows[start : start + BLOCK]
        part[:] = rng.standard_normal(part.shape, dtype=np.float32)
    print(f"{words:,} x {dimensions} float32, {rows.nbytes / 1e9:.2f} GB; blocks of {BLOCK:,} rows")
    changes = {
        count: LowRankMap.projection(orthonormal(rng.standard_normal((count, dimensions))))
        for count in DIRECTIONS
    }
    before = peak()
    for change in changes.values():
        streamed(rows, change)
    print(f"memory beside the rows, block by block: {(peak() - before) / 1e6:.0f} MB")
    square = changes[DIRECTIONS[-1]].matrix().astype(np.float32)
    bare, bare_blocks = (
        seconds(lambda work=work: work(rows, square)) for work in (product, product_in_blocks)
    )
    print(
        f"bare product with {dimensions} x {dimensions}: {bare:.2f} s at once, {bare_blocks:.2f} s in blocks"
    )
    reference = min(bare, bare_blocks)
    for count, change in changes.items():
        whole, blocks = seconds(lambda c=change: c.apply(rows)), seconds(lambda c=change: streamed(rows, c))
        singly = seconds(lambda c=change: one_by_one(rows, c.read.astype(np.float32)))
        print(
            f"{count} directions: {whole:.2f} s into a new array, {reference / whole:.2f} of the product's speed; "
            f"{blocks:.2f} s block by block ({reference / blocks:.2f}); one by one {singly:.2f} s, "
            f"{singly / whole:.1f} times as long"
        )
    if before < peak():
        print(f"peak memory of all: {peak() / 1e9:.1f} GB")


if __name__ == "__main__":
    given = [int(value) for value in sys.argv[1:]]
    main(*given, *(2_000_000, 300)[len(given) :])

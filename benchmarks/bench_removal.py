"""What docs/transforms.md reports: a projection of a whole vocabulary beside a bare matrix product, and one by one.

Run: python -m benchmarks.bench_removal [words [dimensions [most directions one by one]]]
(2,000,000 x 300 float32 takes 7 GB of memory)
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from biascore.stats.removal import LowRankMap, orthonormal
from biascore.stats.removal.linear import BLOCK

Rows = npt.NDArray[np.float32]
DIRECTIONS = (1, 10, 28)
"""One; what real vectors of five languages took; what the paper printed for Spanish."""
REPEATS = 3


def seconds(works: Mapping[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """The least wall-clock and the least processor time of each, in turns: what else runs can only add to them."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for _ in range(REPEATS):
        for name, work in works.items():
            wall, processor = time.perf_counter(), time.process_time()
            work()
            times[name].append((time.perf_counter() - wall, time.process_time() - processor))
    return {name: (min(w for w, _ in found), min(p for _, p in found)) for name, found in times.items()}


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


def main(words: int, dimensions: int, most_singly: int) -> None:
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
    works: dict[str, Callable[[], object]] = {
        "product": lambda: product(rows, square),
        "product in blocks": lambda: product_in_blocks(rows, square),
    }
    for count, change in changes.items():
        works[f"{count} directions"] = lambda c=change: c.apply(rows)
        works[f"{count} directions, streamed"] = lambda c=change: streamed(rows, c)
        if count <= most_singly:
            works[f"{count} directions, one by one"] = lambda c=change: one_by_one(
                rows, c.read.astype(np.float32)
            )
    found = seconds(works)
    print(
        f"seconds, the least of {REPEATS} runs in turns; speed beside the faster product with {dimensions} x {dimensions}"
    )
    bare = tuple(min(found[name][kind] for name in ("product", "product in blocks")) for kind in (0, 1))
    for name, (wall, processor) in found.items():
        print(
            f"{name}: {wall:.2f} s, {bare[0] / wall:.2f} of its speed; "
            f"processor {processor:.2f} s, {bare[1] / processor:.2f}"
        )
    print(f"peak memory of all: {peak() / 1e9:.1f} GB")


if __name__ == "__main__":
    given = [int(value) for value in sys.argv[1:]]
    main(*given, *(2_000_000, 300, 28)[len(given) :])

"""WEAT through engine, hooks and cache on ``planted:`` against the pure functions on the same vectors.

Run: python -m benchmarks.bench_engine_overhead
Prints medians of one run, in milliseconds, and their ratios.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable

import numpy as np

from biascore import Engine
from biascore.stats import cosine_matrix, effect_size, permutation_test
from biascore.stats.two_way import two_way_intervals

TEST = "en/weat7"
REPEATS = 30


def milliseconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cached, uncached = Engine(cache=folder), Engine(cache=None)
        test = cached.catalogue.test(TEST)
        model = cached.model("planted:gender=1")
        bare = uncached.model("planted:gender=1")
        vectors = {role: model.embed(test.roles[role].words) for role in "XYAB"}

        def pure() -> None:
            """What decides: d, both label tests and the two-way interval."""
            targets, attributes = (np.concatenate([vectors[r] for r in pair]) for pair in ("XY", "AB"))
            table = cosine_matrix(targets, attributes)
            s = table[:, :8].mean(axis=1) - table[:, 8:].mean(axis=1)
            g = table[:8].mean(axis=0) - table[8:].mean(axis=0)
            rng = np.random.default_rng(0)
            effect_size(s[:8], s[8:])
            permutation_test(s[:8], s[8:], rng=rng)
            permutation_test(g[:8], g[8:], rng=rng)
            two_way_intervals(table, 8, 8, ddof=1, level=0.95, resamples=5000, rng=rng)

        def embed_warm() -> None:
            model.embed([word for role in "XYAB" for word in test.roles[role].words])

        rows = {
            "pure functions on given vectors": milliseconds(pure),
            "engine, answers in the cache": milliseconds(lambda: cached.measure("weat", model, test)),
            "the same, without topics": milliseconds(
                lambda: cached.measure("weat", model, test, topics="none")
            ),
            "engine, no cache (planted answers)": milliseconds(lambda: uncached.measure("weat", bare, test)),
            "of which: 32 questions from the cache": milliseconds(embed_warm),
            "opening the planted model": milliseconds(lambda: cached.model("planted:gender=1"), 5),
        }
    base = rows["pure functions on given vectors"]
    for name, value in rows.items():
        print(f"{name:40s} {value:8.2f} ms  {value / base:6.2f} x pure")


if __name__ == "__main__":
    main()

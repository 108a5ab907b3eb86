"""WEAT through engine, hooks and cache on ``planted:`` against the pure functions on the same vectors.

Run: python tests/benchmarks/bench_engine_overhead.py
Prints medians of one run, in milliseconds, and their ratios.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable

import numpy as np

from biascore import Engine
from biascore.stats import association, bootstrap_effect, cosine_matrix, effect_size, permutation_test

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
            x, y = (
                association(cosine_matrix(vectors[r], vectors["A"]), cosine_matrix(vectors[r], vectors["B"]))
                for r in "XY"
            )
            rng = np.random.default_rng(0)
            effect_size(x, y)
            bootstrap_effect(x, y, rng=rng)
            permutation_test(x, y, rng=rng)

        def embed_warm() -> None:
            model.embed([word for role in "XYAB" for word in test.roles[role].words])

        rows = {
            "pure functions on given vectors": milliseconds(pure),
            "engine, answers in the cache": milliseconds(lambda: cached.measure("weat", model, test)),
            "engine, no cache (planted answers)": milliseconds(lambda: uncached.measure("weat", bare, test)),
            "of which: 32 questions from the cache": milliseconds(embed_warm),
            "opening the planted model": milliseconds(lambda: cached.model("planted:gender=1"), 5),
        }
    base = rows["pure functions on given vectors"]
    for name, value in rows.items():
        print(f"{name:40s} {value:8.2f} ms  {value / base:6.2f} x pure")


if __name__ == "__main__":
    main()

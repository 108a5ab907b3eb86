"""Times of the exact permutation p against Monte-Carlo and against WEFE's 10 000 permutations, in one run.

The draws are compared with numpy's ``permuted``, too, for lists of several sizes.

Run: OMP_NUM_THREADS=1 python -m benchmarks.bench_exact_p [--wefe-python PATH/TO/PYTHON/WITH/WEFE]

Words and vectors are simulated (25 dimensions, eight attribute words a side) and the same for every method.
Times are CPU seconds, as other work on the machine would stretch wall-clock times unequally. Those of exact
and Monte-Carlo are of the p alone, the best of several runs; WEFE's is of `WEAT.run_query` with its p-value
less the same without, once. WEFE's time is proportional to its iterations, so that --wefe-iterations 300
saves most of the ten minutes and more that its 10 000 take; the ratios printed are then those of the time
scaled up to 10 000.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from biascore.stats import association, cosine_matrix, permutation_test

SIZES = (8, 18, 22)
LISTS = ((8, 8), (30, 30), (90, 90), (20, 180), (250, 250), (30, 9970))
DRAWS = 10_000
DIMENSIONS = 25

WEFE_CHILD = """
import sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

data = np.load(sys.argv[1])
vectors, names = KeyedVectors(data["x"].shape[1]), {}
for key in "xyab":
    names[key] = [f"{key}{i}" for i in range(len(data[key]))]
    vectors.add_vectors(names[key], data[key])
query = Query([names["x"], names["y"]], [names["a"], names["b"]])
model = WordEmbeddingModel(vectors, "simulated")
start = time.process_time()
WEAT().run_query(query, model)
plain = time.process_time() - start
start = time.process_time()
result = WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=int(sys.argv[2]))
print(time.process_time() - start - plain, result["p_value"], result["effect_size"])
"""


def best_of(repeats: int, task: Callable[[], object]) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return min(times)


def simulated(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    vectors = {
        key: rng.standard_normal((size, DIMENSIONS)) for key, size in zip("xyab", (n, n, 8, 8), strict=True)
    }
    vectors["x"] += 0.15 * vectors["a"].mean(
        axis=0
    )  # an effect, but not one beyond the reach of 10 000 draws
    return vectors


def wefe_seconds(python: Path, vectors: dict[str, np.ndarray], iterations: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        script, data = Path(folder) / "child.py", Path(folder) / "vectors.npz"
        script.write_text(WEFE_CHILD, encoding="utf-8")
        np.savez(data, x=vectors["x"], y=vectors["y"], a=vectors["a"], b=vectors["b"])
        answer = subprocess.run(
            [python, script, data, str(iterations)], check=True, stdout=subprocess.PIPE, text=True
        ).stdout.split()
    return float(answer[-3]), float(answer[-2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wefe-python", type=Path, help="a Python that can import wefe")
    parser.add_argument("--wefe-iterations", type=int, default=DRAWS)
    parser.add_argument("--seed", type=int, default=20240501)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    permutation_test([1.0, 2.0], [3.0], rng=rng)  # imports and first calls are not timed
    for n in SIZES:
        vectors = simulated(n, rng)
        x, y = (
            association(cosine_matrix(vectors[t], vectors["a"]), cosine_matrix(vectors[t], vectors["b"]))
            for t in "xy"
        )
        counting = partial(permutation_test, x, y, method="exact", rng=rng)
        drawing = partial(permutation_test, x, y, method="monte-carlo", draws=DRAWS, rng=rng)
        exact, drawn = counting(), drawing()
        exact_s, drawn_s = best_of(20 if n < 20 else 3, counting), best_of(20, drawing)
        print(f"{n} + {n} words, {exact.n_partitions:,} partitions")
        print(f"  exact            {1e3 * exact_s:10.2f} ms   p = {exact.greater.p_value:.6g}")
        print(f"  {DRAWS} draws      {1e3 * drawn_s:10.2f} ms   p = {drawn.greater.p_value:.6g}")
        print(f"  exact takes {exact_s / drawn_s:.2f} times as long as {DRAWS} draws")
        if options.wefe_python is None:
            print("  WEFE was not compared (pass --wefe-python)")
            continue
        wefe_s, wefe_p = wefe_seconds(options.wefe_python, vectors, options.wefe_iterations)
        print(f"  WEFE, {options.wefe_iterations:5d} its {1e3 * wefe_s:10.0f} ms   p = {wefe_p:.6g}")
        scaled_s = wefe_s * DRAWS / options.wefe_iterations
        ratios = scaled_s / exact_s, scaled_s / drawn_s
        print(f"  WEFE's {DRAWS} take {ratios[0]:,.0f} times as long as exact, {ratios[1]:,.0f} as the draws")
        sys.stdout.flush()
    for nx, ny in LISTS:
        x, y = rng.standard_normal(nx), rng.standard_normal(ny)
        ours = best_of(5, partial(permutation_test, x, y, method="monte-carlo", draws=DRAWS, rng=rng))
        numpy_s = best_of(5, partial(permuted, np.concatenate([x, y]), nx, rng))
        print(f"{nx} + {ny}: {DRAWS} draws take {ours / numpy_s:.2f} of numpy's permuted")


def permuted(scores: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    return rng.permuted(np.broadcast_to(scores, (DRAWS, scores.size)), axis=1)[:, :size].sum(axis=1)


if __name__ == "__main__":
    main()

"""Beta regression beside statsmodels' BetaModel: time at the size of an EEC, and how often each converges by precision.

Run: OMP_NUM_THREADS=1 python -m benchmarks.bench_beta [--sets 60] [--seed 20260101]

Times are CPU milliseconds of one fit with its standard errors, the best of ten: 8640 scores, race x gender with their
interaction, as arrays of labels (ours codes them too) and as a matrix of 0 and 1. Then sets of 40 to 2000 rows with random
coefficients at each precision: the share in which a fit ends without an error, reports convergence, and has the
largest likelihood found by any of the three, to 1e-6.

One run, 60 sets, other work on the machine:

    biascore                            6.3 ms      1.0 x
    biascore, labels coded              7.4 ms      1.2 x
    statsmodels, bfgs (default)        58.3 ms      9.2 x
    statsmodels, newton                98.9 ms     15.7 x

    fitted, of 60: precision   biascore   bfgs   newton   steps of biascore (median, most)
                       0.1         60     60        0   5, 6
                       0.3         60     60        0   5, 6
                         1         60     60        6   4, 6
                         5         60     60       57   4, 5
                        50         60     60       60   3, 4
                      1000         60     59       60   3, 4
                    100000         60     30       60   3, 4
                     1e+07         60      8        0   3, 4
                     1e+09         60      0        0   3, 4
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy.special import expit
from statsmodels.othermod.betareg import BetaModel

from biascore.stats import beta, treatment

ROWS, PRECISION = 8640, 38.0
PRECISIONS = (0.1, 0.3, 1.0, 5.0, 50.0, 1e3, 1e5, 1e7, 1e9)


def simulated(
    n: int, phi: float, spread: float, rng: np.random.Generator
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Scores, and labels of a 2 x 2 design; zeros and ones, which are rounding, moved inside."""
    factors = {
        "race": np.array(["Anglo", "Latino"])[np.arange(n) % 2],
        "gender": np.array(["m", "f"])[np.arange(n) // 2 % 2],
    }
    matrix = treatment(factors, order=2).matrix
    mu = expit(matrix @ rng.normal(0, spread, size=4))
    scores = rng.beta(mu * phi, (1.0 - mu) * phi)
    return np.clip(scores, 1e-300, np.nextafter(1.0, 0.0)), factors


def milliseconds(task: Callable[[], object], repeats: int = 10) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        task()
        times.append(1e3 * (time.process_time() - start))
    return min(times)


def by_statsmodels(scores: np.ndarray, matrix: np.ndarray, method: str) -> float | None:
    """The log-likelihood; None where it reports no convergence, or raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = BetaModel(scores, matrix).fit(method=method, disp=0, maxiter=500)
        except (np.linalg.LinAlgError, ValueError, AssertionError, FloatingPointError):
            return None
    value = float(found.llf)
    return value if found.mle_retvals["converged"] and np.isfinite(value) else None


def speed(seed: int) -> None:
    scores, factors = simulated(ROWS, PRECISION, 0.1, np.random.default_rng(seed))
    design = treatment(factors, order=2)

    def theirs(method: str) -> None:
        BetaModel(scores, design.matrix).fit(method=method, disp=0).bse  # noqa: B018

    rows = {
        "biascore": milliseconds(lambda: beta.fit(scores, design)),
        "biascore, labels coded": milliseconds(lambda: beta.fit(scores, treatment(factors, order=2))),
        "statsmodels, bfgs (default)": milliseconds(lambda: theirs("bfgs")),
        "statsmodels, newton": milliseconds(lambda: theirs("newton")),
    }
    for name, value in rows.items():
        print(f"{name:30s} {value:8.1f} ms   {value / rows['biascore']:6.1f} x")


def convergence(sets: int, seed: int) -> None:
    print(f"\nfitted, of {sets}: precision   biascore   bfgs   newton   steps of biascore (median, most)")
    for phi in PRECISIONS:
        reached = np.zeros(3, dtype=int)
        steps = []
        for k in range(sets):
            rng = np.random.default_rng([seed, k])
            n = int(np.exp(rng.uniform(np.log(40), np.log(2000))))
            scores, factors = simulated(n, phi, 0.5, rng)
            design = treatment(factors, order=2)
            fit = beta.fit(scores, design)
            steps.append(fit.steps)
            found = [
                fit.log_likelihood,
                *(by_statsmodels(scores, design.matrix, m) for m in ("bfgs", "newton")),
            ]
            best = max(value for value in found if value is not None)
            reached += [value is not None and value > best - 1e-6 * max(1.0, abs(best)) for value in found]
        print(
            f"{phi:22g}   {reached[0]:8d}   {reached[1]:4d}   {reached[2]:6d}   {np.median(steps):g}, {max(steps)}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--seed", type=int, default=20260101)
    options = parser.parse_args()
    speed(options.seed)
    convergence(options.sets, options.seed)


if __name__ == "__main__":
    main()

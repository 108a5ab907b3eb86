"""Coverage and width of the two-way and the conditional interval of d, where words and attributes are both samples.

Run: python -m benchmarks.bench_two_way [--samples 300] [--resamples 400] [--seed 1] [--sizes 8 16] [--effects 0 1]
     [--rules]

A table of n + n words and n + n attributes is drawn whose cells are the sum of an effect, what an attribute has more with
words of X than of Y (deviation ``attributes``), what a word has more with A than with B (``words``), and a rest of its own
(``rest``): a crossed design. The true d is that of all words, for attribute lists of this length. In each cell: coverage
of nominal 95 % (median width). ``conditional``: `effect_interval`, which holds the attributes fixed; ``two-way``:
`two_way_intervals`; ``difference``: the same of the mean difference, by the inverted test of the targets and two-way. Last:
percent of samples in which the larger p of both labels is at most .05, the two-way interval leaves out 0, and both; with
``--rules`` these alone.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
import numpy.typing as npt

from biascore.stats import effect_interval, permutation_test, shift_interval
from biascore.stats.two_way import two_way_intervals

POPULATIONS = {
    "words": (0.0, 1.0, 1.0),
    "rest": (0.0, 0.0, 1.0),
    "words and attributes": (1.0, 1.0, 1.0),
    "attributes": (1.0, 0.3, 1.0),
    "attributes above all": (2.0, 1.0, 1.0),
}
Floats = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--resamples", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 16])
    parser.add_argument("--effects", type=float, nargs="+", default=[0.0, 1.0])
    parser.add_argument("--rules", action="store_true", help="the last table alone")
    given = parser.parse_args()
    print(f"nominal 95 %, {given.samples} samples, {given.resamples} resamples, seed {given.seed}\n")
    if not given.rules:
        print(
            "| what varies (sd: attributes, words, rest) | n | d | conditional | two-way | difference: targets | two-way |"
        )
        print("|---|---|---|---|---|---|---|")
    tests = []
    for name, deviations in POPULATIONS.items():
        for n in given.sizes:
            for d in given.effects:
                rng = np.random.default_rng([given.seed, n, int(100 * d)])
                rows = [one(n, d, deviations, given, rng) for _ in range(given.samples)]
                sds = ", ".join(f"{sd:g}" for sd in deviations)
                if not given.rules:
                    shown = " | ".join(cell(np.array([row[i] for row in rows])) for i in range(1, 5))
                    print(f"| {name} ({sds}) | {n} + {n} | {d:g} | {shown} |", flush=True)
                found = np.array([row[0] for row in rows], dtype=bool)
                shares = (*(100 * found.mean(axis=0)), 100 * found.all(axis=1).mean())
                tests.append(
                    f"| {name} ({sds}) | {n} + {n} | {d:g} | " + " | ".join(f"{x:.1f}" for x in shares) + " |"
                )
    print(
        "\n| what varies | n | d | larger p <= .05 | two-way leaves out 0 | both |\n|---|---|---|---|---|---|"
    )
    print("\n".join(tests))


def one(
    n: int,
    d: float,
    deviations: tuple[float, float, float],
    given: argparse.Namespace,
    rng: np.random.Generator,
) -> tuple[tuple[float, ...], ...]:
    """Whether the larger p and the two-way interval reject, then (covered, width) of the four intervals."""
    by_attribute, by_word, rest = deviations
    variance = by_word**2 + 2 * rest**2 / n
    effect = d * math.sqrt(variance / (1 - d * d / 4))
    sides = np.r_[np.ones(n), -np.ones(n)]
    table = effect * np.outer(sides, sides) / 4 + rest * rng.standard_normal((2 * n, 2 * n))
    table += np.outer(sides, by_attribute * rng.standard_normal(2 * n)) / 2
    table += np.outer(by_word * rng.standard_normal(2 * n), sides) / 2
    s = table[:, :n].mean(axis=1) - table[:, n:].mean(axis=1)
    g = table[:n].mean(axis=0) - table[n:].mean(axis=0)
    p, q = (
        permutation_test(some[:n], some[n:], method="monte-carlo", draws=199, rng=rng).two_sided.p_value
        for some in (s, g)
    )
    intervals = (
        []
        if given.rules
        else [
            (effect_interval(s[:n], s[n:], p_two_sided=p, resamples=given.resamples, rng=rng), d),
            (shift_interval(s[:n], s[n:], draws=given.resamples, rng=rng), effect),
        ]
    )
    both = two_way_intervals(table, n, n, resamples=given.resamples, rng=rng)
    for place, pair in ((1, (both.effect, d)), (3, (both.difference, effect))):
        intervals.insert(place, pair)
    kept = [
        (interval.low <= truth <= interval.high, interval.high - interval.low)
        for interval, truth in intervals
    ]
    return ((max(p, q) <= 0.05, not both.effect.low <= 0 <= both.effect.high), *kept)


def cell(found: Floats) -> str:
    return f"{100 * found[:, 0].mean():.1f} ({np.median(found[:, 1]):.2f})"


if __name__ == "__main__":
    main()

"""How often LPBS finds a bias of X against Y in models that have none, by the length of their words in sub-tokens.

Run: python -m benchmarks.bench_lpbs_lengths [--seeds 200] [--draws 199] [--test en/weat7]

A planted model without effect, in which each sub-token of any target is likelier by so many nats (``lift``) with a word of A
in sight than with one of B. Percent of seeds with p <= .05 of the larger of both labels, which decides, and of the target
labels, the papers' test, with the sum and with the mean over sub-tokens; and how many results warn.
"""

from __future__ import annotations

import argparse

import numpy as np

from biascore.engine.engine import Engine

MEAN = "effect size d with the mean over sub-tokens"
LENGTHS = ((1, 1), (2, 2), (1.5, 1), (2, 1), (3, 1), (3, 1.5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--draws", type=int, default=199)
    parser.add_argument("--test", default="en/weat7")
    parser.add_argument("--lifts", type=float, nargs="+", default=[0.3, 0.6, 1.0])
    given = parser.parse_args()
    engine = Engine(cache=None)
    print(f"{given.test}, {given.seeds} seeds, {given.draws} draws\n")
    print(
        "| sub-tokens X : Y | lift, nats | sum: larger p / targets | mean: larger p / targets | mean d, sum | warned |"
    )
    print("|---|---|---|---|---|---|")
    for x, y in LENGTHS:
        for lift in given.lifts:
            ref = f"planted:{given.test}=0,length.X={x},length.Y={y},lift={lift}"
            found = np.array([one(engine, ref, seed, given) for seed in range(given.seeds)])
            shares = 100 * (found[:, :4] <= 0.05).mean(axis=0)
            print(
                f"| {x:g} : {y:g} | {lift:g} | {shares[0]:.1f} / {shares[1]:.1f} | {shares[2]:.1f} / {shares[3]:.1f} | "
                f"{found[:, 4].mean():+.2f} | {100 * found[:, 5].mean():.0f} % |"
            )


def one(engine: Engine, ref: str, seed: int, given: argparse.Namespace) -> tuple[float, ...]:
    """The p of both labels and of the targets alone, with the sum and the mean; d with the sum; whether it warns."""
    with engine.model(ref, seed=seed) as model:
        run = engine.measure(
            "lpbs",
            model,
            [given.test],
            draws=given.draws,
            resamples=100,
            topics="none",
            permutation="monte-carlo",
        )
    (got,) = run.measurements
    names = [estimate.name for estimate in got.estimates]
    beside = got.estimate(MEAN) if MEAN in names else got.headline
    p_values = [
        each.p(name).value for each in (got.headline, beside) for name in (each.p_values[0].name, "two-sided")
    ]
    return (
        *p_values,
        got.headline.value or 0.0,
        float(any("sub-tokens, those of Y" in line for line in got.cautions)),
    )


if __name__ == "__main__":
    main()

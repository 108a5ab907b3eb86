"""How often crows-pairs rejects on a causal model where there is no preference and sent_more is often the longer sentence.

Differences of log-likelihood are normal with a deviation of 5 nats; an extra token costs its nats. Binomial tests at .05 of
all pairs (which decided until lengths were counted in tokens), what is left of them where lopsided lengths leave it
inconclusive, and of the pairs of equal length.
Run: python -m benchmarks.bench_crows_pairs_lengths
"""

from __future__ import annotations

import numpy as np

from biascore.stats.proportions import binomial_test

SETS = 2000


def rejects(more: int, pairs: int) -> bool:
    return pairs > 0 and binomial_test(more, pairs) <= 0.05


def main() -> None:
    rng = np.random.default_rng(1)
    print(f"{SETS} sets, percent")
    print(
        f"{'longer':>7}{'shorter':>9}{'nats':>6}{'pairs':>7}{'all pairs':>11}{'lopsided':>10}{'detected':>10}{'equal':>8}"
    )
    for longer, shorter in ((0.6, 0.0), (0.3, 0.3), (0.1, 0.0), (0.6, 0.4)):
        for nats in (2.0, 4.0):
            for pairs in (94, 1508):
                found = np.zeros(4)
                for _ in range(SETS):
                    extra = rng.choice([1, 0, -1], size=pairs, p=[longer, 1 - longer - shorter, shorter])
                    prefers = rng.normal(0, 5, pairs) - nats * extra > 0
                    every = rejects(int(prefers.sum()), pairs)
                    lopsided = rejects(int((extra > 0).sum()), int((extra != 0).sum()))
                    equal = rejects(int(prefers[extra == 0].sum()), int((extra == 0).sum()))
                    found += [every, lopsided, every and not lopsided, equal]
                shares = "".join(
                    f"{100 * one / SETS:>{width}.1f}"
                    for one, width in zip(found, (11, 10, 10, 8), strict=True)
                )
                print(f"{longer:>7}{shorter:>9}{nats:>6}{pairs:>7}{shares}")


if __name__ == "__main__":
    main()

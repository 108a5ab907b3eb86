"""What crows-pairs concludes of an even model, of bias types that lean opposite ways, and of lopsided differences.

Of each set of pairs: how often all pairs together are negligible or detected, and how often a part makes detected what would
be negligible. Differences are normal, with a deviation of 5 nats; the types have the sizes of the published file's nine.
Run: python -m benchmarks.bench_crows_pairs_parts
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from biascore.designs.mean import Mean
from biascore.designs.pairs.estimates import EVEN, differing, shares
from biascore.designs.pairs.options import PairOptions
from biascore.designs.pairs.scores import Paired, ScoredPair
from biascore.designs.pairs.test import SentencePair
from biascore.stats import Verdict, decide

SETS = 400
TYPES = (516, 262, 172, 159, 105, 87, 84, 63, 60)
OPTIONS = PairOptions()


def types(pairs: int) -> np.ndarray:
    """The bias type of each pair, in the proportions of the published file."""
    return np.searchsorted(np.cumsum(TYPES) / sum(TYPES), (np.arange(pairs) + 0.5) / pairs)


def even(rng: np.random.Generator, kinds: np.ndarray) -> np.ndarray:
    return rng.normal(0, 5, kinds.size)


def opposite(rng: np.random.Generator, kinds: np.ndarray) -> np.ndarray:
    """62 % in the second largest type, and as many pairs of others at 38 %."""
    leans = np.zeros(kinds.size)
    leans[kinds == 1] = ndtri(0.62)
    leans[np.flatnonzero(kinds > 1)[: int((kinds == 1).sum())]] = ndtri(0.38)
    return 5 * (rng.standard_normal(kinds.size) + leans)


def lopsided(rng: np.random.Generator, kinds: np.ndarray) -> np.ndarray:
    """Half of the pairs lean 3 nats one way, half 1 nat the other."""
    return np.where(rng.random(kinds.size) < 0.5, 3.0, -1.0) + rng.normal(0, 0.2, kinds.size)


def verdicts(rng: np.random.Generator, draw: Callable[..., np.ndarray], pairs: int) -> tuple[Verdict, bool]:
    """Of all pairs together, and whether a part overrides it."""
    kinds = types(pairs)
    scored = tuple(
        ScoredPair.of(
            SentencePair(f"a {i}", f"b {i}", "stereo" if i % 7 else "antistereo", f"{kind}"), d, 0.0, 3
        )
        for i, (kind, d) in enumerate(zip(kinds, draw(rng, kinds).tolist(), strict=True))
    )
    found = shares(Paired(scored), OPTIONS.confidence)
    together = decide(
        found.preferring.p_values[0].value,
        found.preferring_interval,
        alpha=OPTIONS.alpha,
        bound=OPTIONS.bound,
        neutral=EVEN,
    ).verdict
    if together is not Verdict.NEGLIGIBLE:
        return together, False
    differences = np.array([one.difference for one in scored])
    mean = Mean.of(differences, level=OPTIONS.confidence, items="pairs").estimate("mean", "nats")
    return together, bool(differing(Paired(scored), mean, OPTIONS))


def main() -> None:
    rng = np.random.default_rng(1)
    print(f"{SETS} sets, percent; of all pairs together negligible and detected, and detected by a part")
    print(f"{'':10}{'pairs':>6}{'negligible':>12}{'detected':>10}{'by a part':>11}{'in all':>8}")
    for draw in (even, opposite, lopsided):
        for pairs in (600, 944, 1508, 3000) if draw is even else (1508,):
            found = [verdicts(rng, draw, pairs) for _ in range(SETS)]
            together = [
                100 * sum(one is v for one, _ in found) / SETS for v in (Verdict.NEGLIGIBLE, Verdict.DETECTED)
            ]
            part = 100 * sum(override for _, override in found) / SETS
            shown = f"{together[0]:>12.1f}{together[1]:>10.1f}{part:>11.1f}{together[1] + part:>8.1f}"
            print(f"{draw.__name__:10}{pairs:>6}{shown}", flush=True)


if __name__ == "__main__":
    main()

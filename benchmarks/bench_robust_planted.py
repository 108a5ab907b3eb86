"""How often robust association finds a difference on models in which a known one was planted, none among them.

    python -m benchmarks.bench_robust_planted [MODELS]

MODELS planted models (200 unless told), one for each seed, asked for two of the templates of the professions held by
men: 20 words for people, 10 professions. Prints the share of p <= .05 by the planted difference in nats.
A planted difference moves the estimate alone, so the same models stand behind all differences.
"""

from __future__ import annotations

import sys

import numpy as np

from biascore import Engine
from biascore.designs.clustered import Difference
from biascore.stats import TTest
from biascore_metrics.robust.fits import PairFit, clustered, table_of
from biascore_metrics.robust.items import AssociationsTest
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design, MaskedProber

TEST = "en/professions_held_by_men"
GROUPS = ("male", "female")
EFFECTS = (0.0, 0.05, 0.1, 0.2, 0.3)


def rows(models: int) -> list[str]:
    """A row for the paper's model and one for the rule."""
    engine = Engine(cache=None)
    test = engine.catalogue.test(TEST)
    assert isinstance(test, AssociationsTest)
    design = Design.of(test, RobustOptions(groups=GROUPS, templates=("t1", "t2")))
    found: dict[str, list[list[TTest]]] = {"the paper's model": [], "the rule": []}
    for seed in range(models):
        with engine.model(f"planted:{TEST}=0.0", seed=seed) as model:
            table = table_of(MaskedProber().score(model, design).rows)
        one = PairFit.of(table, GROUPS, RobustOptions())
        assert one.test is not None, one.problem
        found["the paper's model"].append([one.test])
        found["the rule"].append(Difference.of(clustered(table), GROUPS, 0.95).tests)
    lines = [
        f"| p ≤ .05 ({models} models) | {' | '.join(map(str, EFFECTS))} |",
        "|---" * (1 + len(EFFECTS)) + "|",
    ]
    for name, tests in found.items():
        shares = [np.mean([larger(one, effect) <= 0.05 for one in tests]) for effect in EFFECTS]
        lines.append(f"| {name} | {' | '.join(f'{share:.3f}' for share in shares)} |")
    return lines


def larger(tests: list[TTest], effect: float) -> float:
    """The larger p-value, were the true difference ``effect``: errors and degrees of freedom stay."""
    return max(TTest.of(one.estimate + effect, one.se, one.df).p_value for one in tests)


if __name__ == "__main__":
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(*rows(models), sep="\n")

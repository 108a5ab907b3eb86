"""How often robust association finds a difference on models in which a known one was planted, none among them.

    python tests/benchmarks/bench_robust_planted.py [MODELS [--page]]

MODELS planted models (200 unless told), one for each seed, asked for two of the templates of the professions held by
men: 20 words for people, 10 professions. Prints the share of p <= .05 by the planted difference in nats
(``--page``: into docs/metrics/robust-association.md).
A planted difference moves the coefficient alone, so the same models stand behind all differences.
"""

from __future__ import annotations

import sys

import numpy as np
from pages import into_page
from scipy import stats

from biascore import Engine
from biascore.plugins_api import AssociationsTest
from biascore.stats import lmm
from biascore_metrics.robust.fits import Table, difference, fit
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design
from biascore_metrics.robust.scores import MaskedProber

TEST = "en/professions_held_by_men"
GROUPS = ("male", "female")
EFFECTS = (0.0, 0.05, 0.1, 0.2, 0.3)


def main(models: int, *, page: bool) -> None:
    """Print a row for the paper's model and one with a random effect of the attribute word."""
    engine = Engine(cache=None)
    test = engine.catalogue.test(TEST)
    assert isinstance(test, AssociationsTest)
    both = {
        mixed: RobustOptions(groups=GROUPS, templates=("t1", "t2"), random_attribute=mixed)
        for mixed in (False, True)
    }
    design = Design.of(test, both[False])
    found: dict[bool, list[lmm.TTest]] = {mixed: [] for mixed in both}
    for seed in range(models):
        with engine.model(f"planted:{TEST}=0.0", seed=seed) as model:
            table = Table.of(MaskedProber().score(model, design).rows)
        for mixed, options in both.items():
            one = fit(table, GROUPS, options)
            assert isinstance(one, lmm.Fit), one
            found[mixed].append(difference(one, GROUPS, 0.95))
    lines = [
        f"| random effects ({models} models) | {' | '.join(f'{effect:g}' for effect in EFFECTS)} |",
        "|---" * (1 + len(EFFECTS)) + "|",
    ]
    for mixed, tests in found.items():
        shares = [
            np.mean([2 * stats.t.sf(abs((one.estimate + effect) / one.se), one.df) <= 0.05 for one in tests])
            for effect in EFFECTS
        ]
        name = "and the attribute word" if mixed else "the paper's"
        lines.append(f"| {name} | {' | '.join(f'{share:.3f}' for share in shares)} |")
    print("\n".join(lines))
    if page:
        into_page("metrics/robust-association.md", "bench_robust_planted", lines)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, page="--page" in sys.argv)

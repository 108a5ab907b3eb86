"""How often the mixed model of CrowS-Pairs rejects, with and without a random intercept for the pair.

Usage: python tests/benchmarks/bench_crows_pairs_mixed.py [SETS] [--templates]

Simulated scores of 250 pairs: a pair's two sentences share a part with a standard deviation of 15 nats (CrowS-Pairs'
sentences differ by about as much) and differ by the effect and by noise whose variance is that of their perplexity.
Prints the share of SETS (default 400) rejected at .05, and the mean half width of the 95 % interval, in nats. With
--templates: fewer pairs, of templates that make 30 % of the variance of the differences, and what is rejected with the pair
where templates are declared, and where they are not.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace

import numpy as np

from biascore_metrics.crows_pairs.mixed import ANTI, STEREO, TYPE, Sentences, fit

PAIRS = 250
EFFECTS = (0.0, 0.5, 1.0, 2.0)


def drawn(effect: float, rng: np.random.Generator) -> Sentences:
    """Scores of pairs with this difference."""
    perplexity = np.exp(rng.normal(2.5, 0.8, 2 * PAIRS))
    shared = np.repeat(rng.normal(-40, 15, PAIRS), 2)
    own = rng.normal(0, 0.6, 2 * PAIRS) * np.sqrt(perplexity)
    kind = np.array([STEREO, ANTI] * PAIRS)
    length = np.repeat(rng.choice(["short", "medium", "long"], PAIRS), 2)
    return Sentences(
        text=np.array([""] * (2 * PAIRS)),
        type=kind,
        score=shared + own + effect * (kind == STEREO),
        perplexity=perplexity,
        length=length,
        pair=np.repeat(np.arange(PAIRS), 2),
        template=np.repeat(np.arange(PAIRS).astype(np.str_), 2),
        bias_type=np.array(["one"] * (2 * PAIRS)),
    )


def of_templates(effect: float, sizes: tuple[int, ...], rng: np.random.Generator) -> Sentences:
    """Scores of pairs, so many of each template."""
    template = np.repeat(np.arange(len(sizes)), sizes)
    pairs = len(template)
    common, own = 0.3**0.5 * rng.normal(size=len(sizes)), 0.7**0.5 * rng.normal(size=pairs)
    score = np.repeat(rng.normal(-40, 15, pairs), 2)
    score[::2] += effect + common[template] + own
    return Sentences(
        text=np.array([""] * (2 * pairs)),
        type=np.array([STEREO, ANTI] * pairs),
        score=score,
        perplexity=np.exp(rng.normal(2.5, 0.8, 2 * pairs)),
        length=np.repeat(rng.choice(["short", "medium", "long"], pairs), 2),
        pair=np.repeat(np.arange(pairs), 2),
        template=np.repeat(template.astype(np.str_), 2),
        bias_type=np.array(["one"] * (2 * pairs)),
    )


def templates(sets: int) -> None:
    print("| templates x pairs | effect (nats) | rejected, templates not declared | declared |")
    print("|---|---|---|---|")
    cases = {"19 x 5": (5,) * 19, "10 x 9": (9,) * 10, "10 x 5 and 40 alone": (5,) * 10 + (1,) * 40}
    for (name, sizes), effect in itertools.product(cases.items(), (0.0, 0.5)):
        rejected = [0, 0]
        for seed in range(sets):
            rows = of_templates(effect, sizes, np.random.default_rng([20251122, seed]))
            alone = replace(rows, template=rows.pair.astype(np.str_))
            for column, one in enumerate((alone, rows)):
                found = fit(one, random_pair=True)
                assert not isinstance(found, str), found
                rejected[column] += found.test(found.design.difference(TYPE, STEREO, ANTI)).p_value <= 0.05
        print(
            f"| {name} | {effect:g} | {' | '.join(f'{100 * count / sets:.1f} %' for count in rejected)} |",
            flush=True,
        )


def main() -> None:
    numbers = [int(one) for one in sys.argv[1:] if one.isdigit()]
    sets = numbers[0] if numbers else 400
    if "--templates" in sys.argv:
        templates(sets)
        return
    print("| effect (nats) | rejected, paper's model | rejected, with the pair | half widths |")
    print("|---|---|---|---|")
    for effect in EFFECTS:
        rejected, widths = [0, 0], [0.0, 0.0]
        for seed in range(sets):
            rows = drawn(effect, np.random.default_rng([20251121, seed]))
            for column, random_pair in enumerate((False, True)):
                found = fit(rows, random_pair=random_pair)
                assert not isinstance(found, str), found
                test = found.test(found.design.difference(TYPE, STEREO, ANTI))
                rejected[column] += test.p_value <= 0.05
                widths[column] += (test.high - test.low) / 2 / sets
        shares = [f"{100 * count / sets:.1f} %" for count in rejected]
        print(f"| {effect:g} | {shares[0]} | {shares[1]} | {widths[0]:.2f} / {widths[1]:.2f} |")


if __name__ == "__main__":
    main()

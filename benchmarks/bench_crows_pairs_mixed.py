"""How often crows-pairs-mixed rejects, by its rule and by mixed models, where residual variance follows perplexity or not.

Usage: python -m benchmarks.bench_crows_pairs_mixed [SETS] [--models] [--templates]

Pairs share a part with a standard deviation of 15 nats and differ by the effect and by noise of 2.1 nats a sentence at a
perplexity of 12, whose variance is proportional to perplexity (which the weights assert), constant, constant with Student's
t of 3 degrees of freedom, or proportional to 1 / perplexity. The log-perplexity has a standard deviation of .8 or 1.2; the
sentences of a pair have the same or unrelated ones. Prints percent of SETS (default 2000) rejected at .05.
--models: also what the paper's mixed model and that with (1 | pair) reject, of SETS / 10. --templates: pairs of templates
whose own gaps make 30 % of the variance of the differences; the rule where templates are declared, and where they are not.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from biascore.stats import lmm
from biascore_metrics.crows_pairs.mixed import ANTI, LENGTHS, STEREO, TYPE, Rows

Floats = npt.NDArray[np.float64]
USUAL, NOISE, LEVEL = 12.0, 2.1, 0.95
VARIANCES = ("~ perplexity", "constant", "constant, t3", "~ 1 / perplexity")
TEMPLATES = {"19 x 5": (5,) * 19, "10 x 9": (9,) * 10, "10 x 5 and 40 alone": (5,) * 10 + (1,) * 40}


def drawn(n: int, spread: float, variance: str, alike: bool, effect: float, rng: np.random.Generator) -> Rows:
    """So many pairs, each a template of its own."""
    logs = rng.normal(np.log(USUAL), spread, (n, 1 if alike else 2))
    perplexity = np.exp(np.broadcast_to(logs, (n, 2)))
    unit = rng.standard_t(3, (n, 2)) / 3**0.5 if "t3" in variance else rng.standard_normal((n, 2))
    power = {"~ perplexity": 0.5, "~ 1 / perplexity": -0.5}.get(variance, 0.0)
    noise = NOISE * unit * (perplexity / USUAL) ** power
    return Rows(
        score=rng.normal(-40, 15, (n, 1)) + noise + [effect, 0.0],
        perplexity=perplexity,
        length=np.repeat(LENGTHS[rng.integers(3, size=(n, 1))], 2, axis=1),
        cluster=np.arange(n).astype(np.str_),
        bias_type=np.full(n, "one"),
    )


def of_templates(sizes: tuple[int, ...], variance: str, effect: float, rng: np.random.Generator) -> Rows:
    """Pairs with the gap of their template."""
    template = np.repeat(np.arange(len(sizes)), sizes)
    rows = drawn(len(template), 0.8, variance, True, effect, rng)
    gaps = rng.normal(0, NOISE * (2 * 0.3 / 0.7) ** 0.5, len(sizes))
    return replace(
        rows,
        score=rows.score + np.column_stack([gaps[template], np.zeros(len(template))]),
        cluster=template.astype(np.str_),
    )


def rejects(rows: Rows) -> bool:
    """By the rule of the metric."""
    found = rows.mean(LEVEL)
    assert not isinstance(found, str), found
    return found.p_value() <= 0.05


def model_rejects(rows: Rows, *, random_pair: bool) -> bool:
    found = rows.fit(random_pair=random_pair)
    assert isinstance(found, lmm.Fit), found
    return found.test(found.design.difference(TYPE, STEREO, ANTI)).p_value <= 0.05


def told(counts: list[float]) -> str:
    return " | ".join(f"{100 * one:.1f}" for one in counts)


def templates(sets: int) -> None:
    print(
        "| templates x pairs | variance | undeclared, 0 | rule, 0 | rule, .5 nats | rule, 1 nat |\n|---|---|---|---|---|---|"
    )
    for (name, sizes), variance in itertools.product(TEMPLATES.items(), VARIANCES):
        rng = np.random.default_rng(2)
        null = [of_templates(sizes, variance, 0.0, rng) for _ in range(sets)]
        alone = np.mean(
            [rejects(replace(one, cluster=np.arange(len(one.score)).astype(np.str_))) for one in null]
        )
        rule = [np.mean([rejects(one) for one in null])]
        for effect in (0.5, 1.0):
            rule.append(np.mean([rejects(of_templates(sizes, variance, effect, rng)) for _ in range(sets)]))
        print(f"| {name} | {variance} | {told([float(alone), *map(float, rule)])} |", flush=True)


def main() -> None:
    numbers = [int(one) for one in sys.argv[1:] if one.isdigit()]
    sets, models = numbers[0] if numbers else 2000, "--models" in sys.argv
    if "--templates" in sys.argv:
        templates(sets)
        return
    further = " paper's model, 0 | .5 | with (1 \\| pair), 0 | .5 |" if models else ""
    print(f"| pairs | sd | variance | pairs' perplexities | rule, 0 | .5 | 1 nat |{further}")
    print(f"|---|---|---|---|---|---|---|{'---|' * further.count(' |')}")
    cells = itertools.product((30, 87, 500), (0.8, 1.2), VARIANCES, (True, False))
    for n, spread, variance, alike in cells:
        rng = np.random.default_rng(1)
        shares = []
        for effect in (0.0, 0.5, 1.0):
            every = (drawn(n, spread, variance, alike, effect, rng) for _ in range(sets))
            shares.append(float(np.mean([rejects(one) for one in every])))
        for random_pair, effect in itertools.product((False, True), (0.0, 0.5)) if models else ():
            some = (drawn(n, spread, variance, alike, effect, rng) for _ in range(sets // 10))
            shares.append(float(np.mean([model_rejects(one, random_pair=random_pair) for one in some])))
        alike_told = "alike" if alike else "unrelated"
        print(f"| {n} | {spread} | {variance} | {alike_told} | {told(shares)} |", flush=True)


if __name__ == "__main__":
    main()

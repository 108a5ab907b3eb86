"""Coverage of the parametric bootstrap by how residuals are drawn, and false positives by which groups are modelled.

Run: python -m benchmarks.bench_lmm_coverage [--sets 400] [--replicates 400] [--seed 20240501]
     [--only coverage | false-positives]

Data sets are drawn from a weighted mixed model with known parameters: weights are 1 / pseudo-perplexity, lognormal
with log mean 3 and log sd 1; sigma 0.5 at weight 1; sd of templates 0.7 and of words 0.4. The true R^2 is that of the
parameters. A share c of m sets has a standard error of sqrt(c (1 - c) / m): 1.1 points at 95 % and 400 sets.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from biascore.stats import lmm

SIGMA, TEMPLATES, WORDS = 0.5, 0.7, 0.4


def simulated(
    n: int, attributes: int, sd_attribute: float, effect: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Scores, gender, groups and weights: 6 templates x 10 words, or 6 x 7 x attribute words of one gender each."""
    if attributes:
        grid = np.indices((6, 7, attributes)).reshape(3, -1)
        groups = dict(zip(("template", "word", "attribute"), grid, strict=True))
        gender = groups["attribute"] % 2
    else:
        groups = {"template": np.arange(n) % 6, "word": np.arange(n) // 6 % 10}
        gender = rng.permutation(np.arange(n) % 2)
    n = len(gender)
    weights = np.exp(-rng.normal(3.0, 1.0, size=n))
    scores = effect * gender + SIGMA * rng.normal(size=n) / np.sqrt(weights)
    sds = {"template": TEMPLATES, "word": WORDS, "attribute": sd_attribute}
    for name, codes in groups.items():
        scores = scores + sds[name] * rng.normal(size=codes.max() + 1)[codes]
    return scores, gender, groups, weights


def coverage(sets: int, replicates: int, seed: int, n: int, effect: float) -> None:
    kinds: tuple[lmm.Kind, ...] = ("model", "lme4")
    hits = {kind: np.zeros(4) for kind in kinds}
    for k in range(sets):
        rng = np.random.default_rng([seed, n, k])
        scores, gender, groups, weights = simulated(n, 0, 0.0, effect, rng)
        fit = lmm.fit(scores, lmm.treatment({"gender": gender}), groups=groups, weights=weights)
        fixed = effect**2 * float(np.var(gender, ddof=1))
        random = TEMPLATES**2 + WORDS**2
        true = fixed / (fixed + random + SIGMA**2)
        true_mean = fixed / (fixed + random + SIGMA**2 * float(np.mean(1.0 / weights)))
        for kind in kinds:
            drawn = fit.bootstrap(kind, resamples=replicates, rng=rng)
            part, mean = drawn.r2().part["gender"], drawn.r2("mean-variance").part["gender"]
            beta = drawn.interval({"gender: 1": 1.0})
            hits[kind] += [
                part.low <= true <= part.high,
                mean.low <= true_mean <= mean.high,
                beta.low <= effect <= beta.high,
                not part.low <= fit.r2().part["gender"] <= part.high,
            ]
    for kind in kinds:
        shares = "   ".join(f"{share:16.1%}" for share in hits[kind] / sets)
        print(f"{n:6d} {effect:7.2f} {kind:>6s}   {shares}", flush=True)


def false_positives(sets: int, seed: int, sd_attribute: float) -> None:
    rejected = np.zeros(2)
    dfs = np.zeros(2)
    for k in range(sets):
        rng = np.random.default_rng([seed, k, math.floor(10 * sd_attribute)])
        scores, gender, groups, weights = simulated(0, 188, sd_attribute, 0.0, rng)
        design = lmm.treatment({"gender": gender})
        without = {name: groups[name] for name in ("template", "word")}
        for place, chosen in enumerate((without, groups)):
            test = lmm.fit(scores, design, groups=chosen, weights=weights).coefficients["gender: 1"]
            rejected[place] += test.p_value <= 0.05
            dfs[place] += test.df / sets
    row = "   ".join(f"{share:8.1%} (df {df:6.0f})" for share, df in zip(rejected / sets, dfs, strict=True))
    print(f"{sd_attribute:12.1f}   {row}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--seed", type=int, default=20240501)
    parser.add_argument("--only", choices=("coverage", "false-positives"))
    options = parser.parse_args()
    print(f"{options.sets} sets, seed {options.seed}")
    if options.only != "false-positives":
        print(f"coverage of nominal 95 %, {options.replicates} replicates")
        titles = ("part R^2", "its mean-variance", "coefficient", "excludes estimate")
        print(
            f"{'rows':>6s} {'effect':>7s} {'drawn':>6s}   " + "   ".join(f"{title:>16s}" for title in titles)
        )
        for n, effect in ((600, 0.8), (1500, 0.8), (1500, 0.3)):
            coverage(options.sets, options.replicates, options.seed, n, effect)
    if options.only != "coverage":
        print("rejected at .05 without an effect, 7896 rows (6 templates x 7 words x 188 attribute words)")
        print(f"{'sd attribute':>12s}   without (1 | attribute)   with it")
        for sd in (0.0, 0.3, 0.6):
            false_positives(options.sets, options.seed, sd)


if __name__ == "__main__":
    main()

"""False positives and coverage of tests of race, gender and their interaction where names have effects of their own.

Run: OMP_NUM_THREADS=1 python tests/benchmarks/bench_beta_names.py [--sets 300] [--seed 20260101]

Corpora like an EEC: names in 2 x 2 cells, every name in the same 35 frames; scores from a Beta distribution of precision 40
whose logit mean is -0.2, plus 0.3 for women, plus a frame's effect (standard deviation 0.5, the frames are the same in all
sets), plus a name's. Names are drawn anew in each set: the question is one of race, not of these names. Columns: Beta
regression with standard errors of independent rows; clustered by name; by name and frame; least squares with
frames absorbed and clustered by name; the permutation of labels over names. A share c of m sets has a standard error of
sqrt(c (1 - c) / m): 1.3 points at 5 % and 300 sets.

One run, 300 sets:

    sd of names, names a cell    tested                naive           name    name, frame  least squares    permutation
    rejected, effect of race 0:
              0              8    race                 0.0%           6.3%          61.3%           7.0%           5.7%
              0              8    interaction          0.0%           7.0%          71.7%           7.0%           6.0%
            0.1              8    race                 8.3%           6.3%          21.0%           6.3%           5.7%
            0.1              8    interaction          6.7%           5.7%          25.0%           4.7%           4.3%
            0.2              8    race                30.0%           4.3%           8.0%           3.7%           3.3%
            0.2              8    interaction         29.7%           6.3%          10.0%           6.3%           5.7%
            0.1              4    race                 6.3%           5.3%          23.3%           5.0%           4.0%
            0.1              4    interaction          8.7%           9.0%          38.0%           7.0%           5.7%
            0.1             20    race                 9.0%           6.0%          22.0%           6.3%           6.0%
            0.1             20    interaction          8.7%           4.7%          27.3%           4.3%           4.0%
    covered, effect of race 0.3:
              0              8    race               100.0%          92.0%          46.0%          92.7%
              0              8    interaction        100.0%          92.7%          56.0%          92.3%
            0.1              8    race                91.0%          94.0%          80.0%          94.7%
            0.1              8    interaction         92.0%          93.7%          75.7%          94.7%
            0.2              8    race                69.0%          95.7%          93.0%          96.0%
            0.2              8    interaction         73.0%          94.0%          90.0%          94.0%
            0.1              4    race                93.0%          93.7%          75.7%          94.7%
            0.1              4    interaction         91.3%          91.3%          64.7%          91.7%
            0.1             20    race                92.3%          94.7%          82.0%          94.3%
            0.1             20    interaction         89.3%          92.7%          76.0%          93.7%

Standard errors of independent rows are wrong both ways: frames that the design leaves out make them too large, names make
them too small. Those clustered by name hold, but are a little small with four names a cell; those by name and frame do not,
since frames cancel between names.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import expit

from biascore.stats import beta, cluster_means, ols, treatment

FRAMES, PRECISION = 35, 40.0
CASES = ((0.0, 8), (0.1, 8), (0.2, 8), (0.1, 4), (0.1, 20))
"""Standard deviation of names on the logit scale, and names in each of the four cells."""
COLUMNS = ("naive", "name", "name, frame", "least squares", "permutation")
RACE = {"race": ("Latino", "Anglo")}
BOTH = RACE | {"gender": ("female", "male")}
LEVELS = {"race": ("Anglo", "Latino"), "gender": ("male", "female")}
FRAME_EFFECTS = np.random.default_rng(20260101).normal(0.0, 0.5, size=FRAMES)


def logits(race: np.ndarray, gender: np.ndarray, effect: float) -> np.ndarray:
    """Of race and gender, 0 or 1, without name and frame; the interaction has the size of the effect of race."""
    return -0.2 + effect * race + 0.3 * gender + effect * race * gender


def true_effects(effect: float, sd: float) -> tuple[float, float]:
    """Average marginal effects over the frames, and over all names that could have been drawn."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    race, gender = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    eta = logits(race, gender, effect)[:, np.newaxis, np.newaxis] + FRAME_EFFECTS[:, np.newaxis] + sd * nodes
    mean = (expit(eta).mean(axis=1) @ weights) / weights.sum()
    men, women = mean[2] - mean[0], mean[3] - mean[1]
    return float((men + women) / 2), float(women - men)


def one_set(effect: float, sd: float, names: int, rng: np.random.Generator) -> np.ndarray:
    """(2, 5): whether the 95 % interval of race, and of the interaction, misses the truth; for permutation, the p of 0."""
    name = np.repeat(np.arange(4 * names), FRAMES)
    frame = np.tile(np.arange(FRAMES), 4 * names)
    race, gender = name // (2 * names), name // names % 2
    of_name = rng.normal(0.0, sd, size=4 * names)
    mu = expit(logits(race, gender, effect) + FRAME_EFFECTS[frame] + of_name[name])
    scores = rng.beta(mu * PRECISION, (1.0 - mu) * PRECISION)
    factors = {level: np.array(LEVELS[level])[codes] for level, codes in (("race", race), ("gender", gender))}
    design = treatment(factors, levels=LEVELS, order=2)
    fit, by_frame = beta.fit(scores, design), ols.fit(scores, design, absorb={"frame": frame})
    fits = (
        fit,
        fit.clustered({"name": name}),
        fit.clustered({"name": name, "frame": frame}),
        by_frame.clustered({"name": name}),
    )
    missed = np.zeros((2, 5), dtype=bool)
    for row, (change, truth) in enumerate(zip((RACE, BOTH), true_effects(effect, sd), strict=True)):
        for column, of in enumerate(fits):
            test = of.marginal_effect(change)
            missed[row, column] = not test.low <= truth <= test.high
        if effect == 0.0:
            clusters = cluster_means(scores, name, factors)
            missed[row, 4] = clusters.test(change, draws=9_999, rng=rng).two_sided.p_value <= 0.05
    return missed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20260101)
    options = parser.parse_args()
    print("sd of names, names a cell    tested        " + "  ".join(f"{name:>13s}" for name in COLUMNS))
    for effect, told in ((0.0, "rejected"), (0.3, "covered")):
        print(f"{told}, effect of race {effect:g}:")
        for sd, names in CASES:
            missed = np.zeros((2, 5))
            for k in range(options.sets):
                missed += one_set(effect, sd, names, np.random.default_rng([options.seed, names, k]))
            shares = missed / options.sets if effect == 0.0 else 1.0 - missed / options.sets
            for row, what in enumerate(("race", "interaction")):
                figures = [f"{share:13.1%}" for share in shares[row][: 5 if effect == 0.0 else 4]]
                print(f"{sd:11g} {names:14d}    {what:12s}" + "  ".join(figures), flush=True)


if __name__ == "__main__":
    main()

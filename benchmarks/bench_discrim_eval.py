"""How often discrim-eval rejects, by its rule, by the published mixed model, and with the texts as observations.

Usage: python -m benchmarks.bench_discrim_eval [SETS] [--models]

Questions (70 as published, 12 or 5) x 135 persons: nine ages, three genders, five races. The logit has a level of each
question (sd 2), slopes of each question on every column (sd 0, .2 or .5), and noise of each text (sd .5). Worlds: alike;
noise of each question by a factor e^N(0, 1); slopes by Student's t with 3 degrees of freedom; slopes with a size of each
question, e^N(0, 1). The effect is that of one gender. Prints percent of SETS (default 400) with any effect rejected at .05.
--models: also by Holm's smallest p of the mixed model's Wald tests, and of least squares with an intercept for each
question, every text an observation (SETS / 10 each).
"""

from __future__ import annotations

import itertools
import sys

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from biascore.stats import Design, holm
from biascore.stats.lmm import fit_slopes
from biascore_metrics.discrim_eval.effects import Effects, Factors

Floats = npt.NDArray[np.float64]
GENDERS, RACES = ("male", "female", "non-binary"), ("white", "Black", "Asian", "Hispanic", "Native American")
FACTORS = Factors({"gender": GENDERS, "race": RACES}, 60.0, float(np.std(np.arange(20, 101, 10))))
PERSONS = np.array(
    [
        (
            1.0,
            *(gender == one for one in GENDERS[1:]),
            *(race == one for one in RACES[1:]),
            (age - 60) / FACTORS.age_sd,
        )
        for gender, race, age in itertools.product(GENDERS, RACES, range(20, 101, 10))
    ],
    dtype=np.float64,
)
WORLDS = ("alike", "noise of questions differs", "slopes t3", "sizes of slopes differ")
LEVEL = 0.05


def drawn(
    questions: int, sd: float, world: str, effect: float, rng: np.random.Generator
) -> tuple[Floats, Design, list[str]]:
    """Scores of every person in so many questions."""
    p = PERSONS.shape[1]
    unit = (
        rng.standard_t(3, (questions, p)) / 3**0.5 if "t3" in world else rng.standard_normal((questions, p))
    )
    own = sd * unit
    if "sizes" in world:
        own *= np.exp(rng.standard_normal((questions, 1)))
    own[:, 0] = rng.normal(0, 2, questions)
    own[:, 1] += effect
    noise = 0.5 * (np.exp(rng.standard_normal(questions)) if "noise" in world else np.ones(questions))
    scores = own @ PERSONS.T + noise[:, np.newaxis] * rng.standard_normal((questions, len(PERSONS)))
    design = Design(np.tile(PERSONS, (questions, 1)), ("(Intercept)", *FACTORS.columns))
    return scores.ravel(), design, np.repeat(np.arange(questions), len(PERSONS)).astype(np.str_).tolist()


def rejects(data: tuple[Floats, Design, list[str]]) -> bool:
    """By the rule of the metric."""
    found = Effects.of(*data, 1 - LEVEL)
    assert not isinstance(found, str), found
    return bool(found.p.adjusted.min() <= LEVEL)


def model_rejects(data: tuple[Floats, Design, list[str]]) -> bool:
    fit = fit_slopes(*data)
    assert fit.converged
    p = [test.p_value for name, test in fit.coefficients.items() if name in FACTORS.columns]
    return float(holm(p).min()) <= LEVEL


def texts_reject(data: tuple[Floats, Design, list[str]]) -> bool:
    """Least squares within questions, each text an observation."""
    scores, _design, questions = data
    count = len(set(questions))
    y = scores.reshape(count, -1)
    x = PERSONS[:, 1:] - PERSONS[:, 1:].mean(axis=0)
    y = y - y.mean(axis=1, keepdims=True)
    inverse = np.linalg.inv(x.T @ x * count)
    beta = inverse @ (x.T @ y.sum(axis=0))
    left = float(np.square(y - x @ beta).sum()) / (y.size - count - len(beta))
    p = 2 * norm.sf(np.abs(beta) / np.sqrt(left * np.diag(inverse)))
    return float(holm(p).min()) <= LEVEL


def told(shares: list[float]) -> str:
    return " | ".join(f"{100 * one:.1f}" for one in shares)


def main() -> None:
    numbers = [int(one) for one in sys.argv[1:] if one.isdigit()]
    sets, models = numbers[0] if numbers else 400, "--models" in sys.argv
    further = " mixed model, 0 | texts, 0 |" if models else ""
    print(f"| questions | slopes' sd | world | rule, 0 | .1 | .3 |{further}")
    print(f"|---|---|---|---|---|---|{'---|' * further.count(' |')}")
    for questions, sd, world in itertools.product((70, 12, 5), (0.0, 0.2, 0.5), WORLDS):
        if sd == 0.0 and ("slopes" in world):
            continue
        rng = np.random.default_rng(1)
        shares = [
            float(np.mean([rejects(drawn(questions, sd, world, effect, rng)) for _ in range(count)]))
            for effect, count in ((0.0, sets), (0.1, max(1, sets // 4)), (0.3, max(1, sets // 4)))
        ]
        for one in (model_rejects, texts_reject) if models else ():
            rng = np.random.default_rng(2)
            shares.append(
                float(
                    np.mean([one(drawn(questions, sd, world, 0.0, rng)) for _ in range(max(1, sets // 10))])
                )
            )
        print(f"| {questions} | {sd:g} | {world} | {told(shares)} |", flush=True)


if __name__ == "__main__":
    main()

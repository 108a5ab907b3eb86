"""For every metric: what a planted effect of d is in the metric's own unit, and the estimate that recovers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import logit
from scipy.stats import norm

from biascore.api.exporters import Measurement
from biascore.engine.engine import Engine
from biascore.planting.lexicon import ATTRIBUTE, NOISE_DIMENSIONS, SPREAD, target_shift
from biascore_metrics.counterfactual.planted import FRAMES, MIDDLE, TEMPLATES
from biascore_metrics.discrim_eval.planted import SLOPES
from biascore_metrics.eec.planted import PERSONS

FAST = {"resamples": 100, "draws": 200}
FEW = {"draws": 200}
ALONE = FAST | {"reference": "none"}
"""The share of harmless pairs takes most of the time, and is not read."""


@dataclass(frozen=True)
class Case:
    """A metric on a test, what is read off a measurement, and its true value under an effect.

    ``null``: the declaration under which nothing is to be found, by default an effect of 0.
    """

    metric: str
    test: str
    estimate: str
    truth: Callable[[float], float]
    options: Mapping[str, Any] = field(default_factory=dict)
    read: Callable[[Measurement], float] | None = None
    null: str | None = None

    def measure(self, engine: Engine, declared: str, seed: int) -> Measurement:
        """On a planted model of that seed."""
        model = engine.model(f"planted:{declared}", seed=seed)
        return engine.measure(self.metric, model, self.test, **self.options)[0]

    def value(self, engine: Engine, effect: float, seed: int) -> float:
        """What is estimated on a model in which ``effect`` is planted."""
        found = self.measure(engine, f"{self.test}={effect}", seed)
        value = self.read(found) if self.read else found.estimate(self.estimate).value
        assert value is not None
        return float(value)

    def rejects(self, engine: Engine, seed: int) -> bool:
        """Whether p <= .05 where nothing is planted."""
        found = self.measure(engine, f"{self.test}=0" if self.null is None else self.null, seed)
        p = found.p_value
        return p is not None and p <= 0.05


def identity(effect: float) -> float:
    """The effect is declared in the unit of the estimate."""
    return effect


def between_lists(measurement: Measurement) -> float:
    """SC-WEAT: the mean effect size of the words of X less that of the words of Y."""
    means = measurement.items_frame().groupby("group", sort=False)["value"].mean()
    return float(means.iloc[0] - means.iloc[1])


def single_words(effect: float, words: int = 10) -> float:
    """The same in the population: a word at l has an effect size of 2 x 0.25 l over the sd of its cosines."""
    shift = target_shift(effect, dict.fromkeys("XYAB", words))
    place = shift + SPREAD * norm.ppf((np.arange(999) + 0.5) / 999)
    noise = (1 - ATTRIBUTE**2) * (1 - place**2) / NOISE_DIMENSIONS
    half = ATTRIBUTE * place
    return 2 * float(np.mean(2 * half / np.sqrt(noise + half**2 * 2 * words / (2 * words - 1))))


def share_preferred(effect: float) -> float:
    """CrowS-Pairs: differences are normal with mean d and sd 1."""
    return 100 * float(norm.cdf(effect))


def probits(effect: float) -> float:
    """GEST in translation: p_m - p_f, whose probits are +-d / 2."""
    return float(norm.cdf(effect / 2) - norm.cdf(-effect / 2))


def spread_of_two(effect: float) -> float:
    """FISE: two independent dimensions, each with a share Phi(d) of the words on one side; distance from even."""
    a = float(norm.cdf(effect))
    shares = (a * a, a * (1 - a), (1 - a) * a, (1 - a) * (1 - a))
    return 0.5 * sum(abs(share - 0.25) for share in shares)


def logits_by_first_factor(measurement: Measurement) -> float:
    """eec: the mean logit of the names of the level that is compared, less that of the reference."""
    rows = measurement.items_frame()
    means = logit(rows["value"]).groupby(rows["race/ethnicity"]).mean()
    return float(means["African-American"] - means["European"])


def warm_words(effect: float) -> float:
    """Counterfactual pairs: a sentence has one word of the list, or none."""
    shares = norm.cdf((MIDDLE + np.array([0.5, -0.5]) * effect) / np.hypot(1.0, TEMPLATES))
    words = np.mean([len(frame.split()) for frame in FRAMES["en"]])
    return float((shares[0] - shares[1]) / words)


PLACED = "it/fise_it1_traits"
OWN = "en/gest_own"
PAIRS = "en/crows_own"
WORK = "en/professions_held_by_both"
LIST = "it/IT1"
EASY = {"resamples": 100}
CASES = {
    "weat": Case("weat", LIST, "effect size d", identity, ALONE),
    "seat": Case("seat", LIST, "effect size d", identity, ALONE),
    "lpbs": Case("lpbs", LIST, "effect size d", identity, ALONE),
    "sc-weat": Case("sc-weat", LIST, "mean d of X less mean d of Y", single_words, FAST, between_lists, ""),
    "crows-pairs": Case("crows-pairs", PAIRS, "stereotype score B", share_preferred),
    "crows-pairs, nats": Case("crows-pairs", PAIRS, "mean PLL difference", identity),
    "crows-pairs, causal": Case(
        "crows-pairs", PAIRS, "stereotype score B", share_preferred, {"model_kind": "causal"}
    ),
    "fise": Case("fise", PLACED, "standardised mean bias gender", identity, FEW),
    "fise, distance": Case("fise", PLACED, "distance of the distribution from even", spread_of_two, FEW),
    "gg-fise": Case("gg-fise", PLACED, "standardised mean bias gender", identity, FEW),
    "gest-mt": Case("gest-mt", OWN, "raw stereotype rate f_s", probits, {"target": "it"}),
    "gest-lm": Case("gest-lm", OWN, "stereotype rate g_s", identity, {"templates": [1]}),
    "gest-lm, pairs": Case(
        "gest-lm", OWN, "stereotype rate g_s", identity, {"translator": "self", "target": "it"}
    ),
    "gest-lm, causal": Case("gest-lm", OWN, "stereotype rate g_s", identity, {"model_kind": "causal"}),
    "eec": Case(
        "eec",
        "en/eec",
        "",
        lambda effect: PERSONS * effect,
        {"emotions": ["anger"]},
        logits_by_first_factor,
    ),
    "discrim-eval": Case(
        "discrim-eval", "en/decisions_own", "gender: female - male", lambda effect: SLOPES * effect
    ),
    "characters": Case("characters", "en/occasions-occupations", "stereotype gap", identity),
    "advice": Case("advice", "en/advice-black", "log ratio", identity),
    "counterfactual": Case("counterfactual", "en/counterfactual-gender", "difference", warm_words),
    "robust-association": Case(
        "robust-association", WORK, "difference male - female", identity, {**EASY, "pairs": 4}
    ),
}
"""By the metric, and what is measured where there are several."""

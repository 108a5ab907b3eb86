"""Size and power of the gap in drawn worlds: occasions differ among themselves (sd 1.3 logits), texts by chance.

Of 200 worlds each, no gap: 4.5 % rejected by occasion and 17.0 % by text (80 x 5), 3.0 and 15.5 (60 x 5), 5.5 and 46.0
(80 x 20). A gap of .23: 89.5 % by occasion (80 x 5), 80.5 (60 x 5).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import fisher_exact

from biascore.api.metrics import Context
from biascore.api.readers import Reading
from biascore.api.writing import Prompt
from biascore.designs.texts import READ, ReadText, Texts
from biascore_metrics.characters.gaps import Gaps
from biascore_metrics.characters.items import Occasion

from ..measuring import NOTHING, no_second

WORLDS = 100
SD = 1.3
LOGIT = -0.6
"""Of a man, on average over occasions: most texts are about women."""
UP = 0.65
"""Added to one norm and taken from the other, it makes a gap of .23."""


def world(seed: int, side: int, texts: int, up: float) -> tuple[float, float]:
    """p by occasion, as the metric tests it, and p of a test that takes every text as an observation of its own."""
    rng = np.random.default_rng(seed)
    women = np.repeat([20.0, 80.0], side)
    p = expit(LOGIT + np.where(women < 50, up, -up) + SD * rng.standard_normal(2 * side))
    masculine = rng.random((2 * side, texts)) < p[:, None]
    asked = [
        Occasion(f"{one}, {text}", f"{one}", f"{text}", share)
        for one, share in enumerate(women)
        for text in range(texts)
    ]
    rows = tuple(
        ReadText(place, Prompt(asked[place].prompt), "", READ, Reading("masculine" if man else "feminine"))
        for place, man in enumerate(masculine.ravel().tolist())
    )
    context = Context(np.random.default_rng(seed), seed, NOTHING, no_second)
    by_occasion = Gaps(asked, Texts(rows)).gap(0.95, context)[0].p_values[0].value
    men = [int(some.sum()) for some in (masculine[women < 50], masculine[women > 50])]
    by_text = fisher_exact(np.array([[one, side * texts - one] for one in men])).pvalue
    return by_occasion, float(by_text)


def rejected(side: int, texts: int, up: float) -> tuple[float, float]:
    found = np.array([world(seed, side, texts, up) for seed in range(WORLDS)]) <= 0.05
    share = found.mean(axis=0)
    print(f"{2 * side} x {texts}, up {up:g}: rejected {share[0]:.3f} by occasion, {share[1]:.3f} by text")
    return float(share[0]), float(share[1])


@pytest.mark.slow
@pytest.mark.parametrize(("side", "texts"), [(40, 5), (40, 20)])
def test_no_gap_is_rejected_at_its_level_by_occasion_and_far_more_by_text(side: int, texts: int) -> None:
    by_occasion, by_text = rejected(side, texts, 0.0)
    assert by_occasion <= 0.115  # .05 and three standard errors
    assert by_text > by_occasion


@pytest.mark.slow
def test_a_gap_of_a_quarter_is_detected() -> None:
    assert rejected(40, 5, UP)[0] >= 0.75

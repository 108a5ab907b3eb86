"""How often robust association finds a difference where there is none, and where there is one."""

from __future__ import annotations

import numpy as np
import pytest

from biascore_metrics.robust.fits import difference, fit
from biascore_metrics.robust.options import RobustOptions

from .drawn import GROUPS, null_tests, rejected, table


@pytest.mark.slow
def test_the_words_own_effect_keeps_the_rate_of_false_positives() -> None:
    # 200 data sets: a rate of .05 has a standard error of .015, so that one within .03 to .07 is what is to be seen.
    found = null_tests(200, 0.3, random_attribute=True, seed=1)
    assert 0.03 <= rejected(found, 0.0) <= 0.07
    assert rejected(found, 0.2) > 0.8


def test_a_true_difference_moves_the_coefficient_alone() -> None:
    without, beside = (
        difference(fit(table(np.random.default_rng(4), 0.3, effect), GROUPS, RobustOptions()), GROUPS, 0.95)
        for effect in (0.0, 0.4)
    )
    assert beside.estimate - without.estimate == pytest.approx(0.4)
    assert (beside.se, beside.df) == pytest.approx((without.se, without.df), rel=1e-5)

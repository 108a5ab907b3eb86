"""Groups with many levels: another way to the same numbers, and a bound that is told beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import lmm
from biascore.stats.design import treatment
from biascore.stats.errors import RegressionError
from biascore.stats.lmm import reml


def _fit(levels: int, rows: int) -> lmm.Fit:
    rng = np.random.default_rng(20240501)
    a, b, x = rng.integers(levels, size=rows), rng.integers(levels, size=rows), rng.integers(2, size=rows)
    scores = 0.3 * x + rng.normal(size=levels)[a] + 0.7 * rng.normal(size=levels)[b] + rng.normal(size=rows)
    return lmm.fit(scores, treatment({"x": x}), groups={"word": a, "template": b})


def test_groups_with_many_levels_give_the_same_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = _fit(40, 1000)
    monkeypatch.setattr(reml, "_WIDE", 1)
    wide = _fit(40, 1000)
    assert wide.criterion == pytest.approx(usual.criterion, rel=1e-13)
    for name, test in usual.coefficients.items():
        other = wide.coefficients[name]
        assert (other.estimate, other.se, other.df) == pytest.approx(
            (test.estimate, test.se, test.df), rel=1e-9
        )
    assert dict(wide.theta) == pytest.approx(dict(usual.theta), rel=1e-9)


def test_too_many_levels_are_refused_with_their_numbers() -> None:
    with pytest.raises(RegressionError, match=r"word 3,000 and template 3,000.*[Ll]eave"):
        _fit(3000, 60_000)

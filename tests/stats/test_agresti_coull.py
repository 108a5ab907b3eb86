"""Agresti and Coull's interval against Wilson's, whose centre it shares, against coverage, and against Table 6."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from biascore.stats.normal import critical_value
from biascore.stats.proportions import agresti_coull


@pytest.mark.parametrize(("successes", "trials"), [(0, 4), (3, 7), (50, 100), (199, 200), (12, 12)])
def test_its_centre_is_wilsons_and_it_is_never_shorter(successes: int, trials: int) -> None:
    found = agresti_coull(successes, trials)
    wilson = binomtest(successes, trials).proportion_ci(method="wilson")
    assert found.centre == pytest.approx((wilson.low + wilson.high) / 2)
    assert found.interval.low <= wilson.low + 1e-12
    assert found.interval.high >= wilson.high - 1e-12
    assert 0 <= found.interval.low <= found.interval.high <= 1


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.9])
def test_its_coverage_is_at_least_about_its_level(p: float) -> None:
    n = 30
    held = [
        binom.pmf(k, n, p) for k in range(n + 1) if (i := agresti_coull(k, n).interval).low <= p <= i.high
    ]
    assert sum(held) > 0.94


def test_the_level_changes_the_critical_value() -> None:
    assert critical_value(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert agresti_coull(9, 10, level=0.5).centre > agresti_coull(9, 10, level=0.99).centre


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3), (0, 0)])
def test_wrong_counts_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="0 <= successes <= trials"):
        agresti_coull(successes, trials)


def test_every_triple_of_table_6_is_the_interval_of_whole_counts(shared_data: Path) -> None:
    """Wilson's interval around the plain share fits far fewer of them, so this is the convention printed."""
    rows = json.loads((shared_data / "gest" / "expected_table6_dev.json").read_text())["rows"]
    printed = [(t["lower"], t["mean"], t["upper"]) for row in rows.values() for t in row["p_i"]]
    n = np.arange(120, 260)
    for lower, mean, upper in printed:
        assert any(
            (round(f.interval.low, 2), round(f.centre, 2), round(f.interval.high, 2)) == (lower, mean, upper)
            for trials in n
            for successes in range(max(0, int(trials * (mean - 0.02))), int(trials * (mean + 0.02)) + 2)
            if successes <= trials and (f := agresti_coull(successes, int(trials)))
        ), (lower, mean, upper)

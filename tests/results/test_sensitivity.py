"""What an inconclusive measurement could have seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, binomtest, nct, norm
from scipy.stats import t as student

from biascore import Engine, Run
from biascore.results.coverage import Coverage
from biascore.results.estimates import ConfidenceInterval, Equivalence, Estimate, PValue
from biascore.results.measurement import Measurement
from biascore.results.sensitivity import seen_lines, sensitivity, undecided
from biascore.results.verdicts import reason_of
from biascore.stats import Verdict


def measured(
    value: float | None = 1.4,
    interval: tuple[float, float] | None = (-1.96, 1.96),
    p: float = 0.9,
    n: int = 100,
    bound: float | None = None,
    **estimate: Any,
) -> Measurement:
    """An interval of ``value`` +- these ends, and a p-value that says nothing of its own."""
    ends = interval and ConfidenceInterval(
        low=(value or 0) + interval[0], high=(value or 0) + interval[1], level=0.95, method="normal"
    )
    p_value = PValue(name="two-sided", value=p, kind="asymptotic", alternative="two-sided")
    headline = Estimate(
        **{
            "name": "gap",
            "value": value,
            "unit": "points",
            "n": {"items": n},
            "interval": ends,
            "p_values": (p_value,),
        }
        | estimate
    )
    return Measurement(
        metric="own", test="en/own", test_title="", language="en", concept="", model="m", positive_means="",
        estimates=(headline,), verdict=Verdict.INCONCLUSIVE, reason="It is so.", alpha=0.05,
        equivalence=Equivalence.within(bound, "gap"), coverage=Coverage(given={}, used={}), conventions={}, seed=0,
    )  # fmt: skip


def test_normal_estimates_follow_the_textbook() -> None:
    """(1.96 + 0.84) standard errors are seen in 80 %; a bound of 1 takes 10.5 times the items."""
    found = sensitivity(measured(value=1.4, bound=1.0))
    assert found is not None
    seen = norm.ppf(0.975) + norm.ppf(0.8)
    assert found.smallest == pytest.approx(seen, rel=1e-3)
    assert found.times_bound == pytest.approx((norm.ppf(0.975) + norm.ppf(0.9)) ** 2, rel=1e-3)
    assert "With 100 items, it detects gap of about 2.80 or more in 80 % of cases at best" in found.text
    assert "as large as that found" not in found.text
    assert found.would_decide == "About 11 times as many items would show that one of 0 is within 1 of it."
    stricter = sensitivity(measured(), alpha=0.005, power=0.9)
    assert stricter is not None
    assert stricter.smallest == pytest.approx(norm.ppf(0.9975) + norm.ppf(0.9), rel=1e-3)


@pytest.mark.parametrize("n", [8, 12, 25])
def test_effect_sizes_of_two_lists_follow_the_t_test(n: int) -> None:
    """d over both lists together is d_C / sqrt(1 + d_C^2 / 4); its permutation test has the power of Student's."""
    d = np.linspace(0.05, 4, 2000)
    critical, df = student.ppf(0.975, 2 * n - 2), 2 * n - 2
    power = nct.sf(critical, df, d * np.sqrt(n / 2))
    exact = float(np.interp(0.8, power, d / np.sqrt(1 + d**2 / 4)))
    half = 1.96 * np.sqrt(2 / n)
    reach = np.sqrt((2 * n - 1) * 2 / n)
    found = sensitivity(measured(value=0.0, interval=(-half, half), limits=(-reach, reach)))
    assert found is not None
    assert found.smallest == pytest.approx(exact, rel=0.08)


@pytest.mark.parametrize("n", [30, 94, 944])
def test_shares_follow_the_binomial_test(n: int) -> None:
    counts = np.arange(n + 1)
    rejects = np.array([binomtest(int(k), n).pvalue <= 0.05 for k in counts])
    shares = np.linspace(0.5, 0.95, 400)
    power = np.array([binom.pmf(counts, n, share)[rejects].sum() for share in shares])
    exact = 100 * float(np.interp(0.8, power, shares)) - 50
    half = 196 * np.sqrt(0.25 / n)
    found = sensitivity(measured(50.0, (-half, half), unit="%", neutral=50.0, n=n))
    assert found is not None
    assert found.smallest == pytest.approx(exact, rel=0.12)
    assert "away from 50" in found.text


def test_the_larger_standard_error_counts() -> None:
    """A test may ask a wider question than its interval answers, as of other attribute words too."""
    narrow = measured(value=1.0, interval=(-0.5, 0.5), p=0.3)
    found = sensitivity(narrow)
    assert found is not None
    assert found.smallest == pytest.approx((1.96 + 0.8416) / norm.ppf(0.85), rel=1e-3)


@pytest.mark.parametrize(
    "what",
    [
        {"value": None, "interval": None, "p_values": ()},
        {"interval": None},
        {"neutral": None},
        {"chance": 0.2},
        {"p_values": ()},
    ],
    ids=str,
)
def test_what_cannot_be_told_is_not(what: dict[str, Any]) -> None:
    assert sensitivity(measured(**what)) is None


def test_too_few_relabellings_detect_nothing() -> None:
    few = PValue(name="p", value=0.4, kind="exact", alternative="two-sided", n=6)
    found = sensitivity(measured(p_values=(few,)))
    assert found is not None
    assert found.smallest is None
    assert "no gap that there can be" in found.text
    (line,) = seen_lines([("en/own", found)])
    assert line.endswith("1 of 1 can detect nothing at all")


def test_only_what_is_inconclusive_is_told_and_at_the_level_of_its_run() -> None:
    one = measured()
    assert undecided(one, Verdict.DETECTED) is None
    assert undecided(one, Verdict.NEGLIGIBLE) is None
    alone = one.model_copy(update={"verdict": Verdict.DETECTED})
    found = undecided(alone, Verdict.INCONCLUSIVE, 10)
    assert found is not None
    assert found.alpha == pytest.approx(0.005)
    plain = undecided(one, Verdict.INCONCLUSIVE, 10)
    assert plain is not None
    assert plain.alpha == 0.05


def test_every_surface_of_a_run_tells_it(engine: Engine) -> None:
    run = engine.measure("weat", "planted:gender=0", "en/weat6", resamples=100, reference="none")
    (found,) = run.sensitivities
    assert found is not None
    assert found.smallest is not None
    assert 1.0 < found.smallest < 1.4  # 8 + 8 words see 1.20: docs/calibration.md
    assert run.to_frame()["smallest_detectable"].iloc[0] == found.smallest
    assert found.text in reason_of(run[0], run.verdicts[0], run.adjustment)
    assert run.seen_lines[0].startswith("minimum detectable effect (80 % power, at best): effect size d 1.2")
    body = run.to_json()
    assert body["sensitivities"][0]["smallest"] == found.smallest
    assert Run.model_validate({**run.model_dump(), "measurements": run.measurements}) == run

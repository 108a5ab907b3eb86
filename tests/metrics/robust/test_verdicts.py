"""Verdicts on made scores, and what the paper would say by the size of its R^2."""

from __future__ import annotations

import math
import re
from itertools import pairwise

from biascore.api.figures import Dots, Histogram
from biascore.results.verdicts import contradiction
from biascore.stats import Verdict
from biascore_metrics.robust.fits import SIZES, conclusion, size_of

from .conftest import MadeOf
from .probing import noisy, rows_of

DETECTED, INCONCLUSIVE = Verdict.DETECTED, Verdict.INCONCLUSIVE


def test_the_sizes_are_the_paper_s_and_leave_no_gap() -> None:
    assert [(one.high, two.low) for one, two in pairwise(SIZES)] == [
        (0.01, 0.01), (0.03, 0.03), (0.06, 0.06), (0.09, 0.09), (0.25, 0.25), (0.64, 0.64)
    ]  # fmt: skip
    assert [size_of(r2).symbol for r2 in (0.0, 0.01, 0.03, 0.06, 0.09)] == ["", "▽", "△", "▲", "*"]
    assert [size_of(r2).word for r2 in (0.25, 0.64, 1.0)] == ["large", "very large", "very large"]
    assert conclusion(0.04, 0.0099, alpha=0.05, r2_min=0.01).startswith("unbiased")


def test_a_large_difference_is_detected_and_the_paper_s_words_stand_by_it(made: MadeOf) -> None:
    got = made(rows_of(noisy({"male": 2.0, "female": 0.0})))
    assert got.verdict is DETECTED
    assert contradiction(got) == ""
    assert got.equivalence is not None
    assert (got.equivalence.bound, got.equivalence.of) == (0.1, got.headline.name)
    assert "male more than with female" in got.positive_means
    assert "The paper's mixed model, in its words: bias score" in got.reason
    assert "biased, effect" in got.reason


def test_both_r2_are_named_where_they_are_of_different_sizes(made: MadeOf) -> None:
    scores = noisy({"male": 2.0, "female": 0.0})
    alike = made(rows_of(scores, perplexity=lambda _: 1.0)).reason
    high = made(rows_of(scores, perplexity=lambda i: 1000.0 + i % 7)).reason
    assert "mean residual variance" not in alike
    assert re.search(
        r"part R² \S+, large, but \S+, medium, with the mean residual variance: biased, effect large", high
    )


def test_another_sign_of_the_paper_s_model_is_told(made: MadeOf) -> None:
    """One sentence in six weighs a thousand times as much, and says the contrary."""

    def score(group: str, template: int, target: int, word: int) -> float:
        noise = 0.1 * math.sin(7 * template + 3 * target + 11 * word + len(group))
        return noise + (group == "male") * (-1.0 if template == 0 else 1.0)

    rows = rows_of(score, perplexity=lambda i: 1.0 if i % 288 < 48 else 1000.0)
    got = made(rows)
    assert got.headline.value is not None
    assert got.headline.value > 0
    assert "The paper's mixed model has the other sign" in got.reason


def test_no_difference_among_few_rows_is_inconclusive(made: MadeOf) -> None:
    got = made(rows_of(noisy({"male": 0.0, "female": 0.0}), templates=5, targets=5, words=2))
    assert got.verdict is INCONCLUSIVE
    assert "neutral" in got.reason
    assert contradiction(got.model_copy(update={"verdict": DETECTED})) != ""


def test_pictures_name_what_they_draw(made: MadeOf) -> None:
    got = made(rows_of(noisy({"male": 2.0, "female": 0.0}), templates=3), ppl_bins=[0, 3, 100])
    drawn = {
        figure.title.partition(":")[0].partition(",")[0]: figure.estimates
        for figure in got.figures
        if not isinstance(figure, Histogram)
    }
    (perplexities,) = (figure for figure in got.figures if isinstance(figure, Histogram))
    assert perplexities.column == "perplexity"
    assert [(one.low, one.high, one.estimate) for one in perplexities.ranges] == [
        (0, 3, "bias score male - female at perplexity 0 to 3"),
        (3, 100, "bias score male - female at perplexity 3 to 100"),
    ]
    assert drawn["Differences by test and model"] == ("difference male - female",)
    assert drawn["Share of variance that the group explains"] == (
        "part R² male - female",
        "part R² (mean residual variance) male - female",
    )
    (bands,) = (figure.bands for figure in got.figures if isinstance(figure, Dots) and figure.bands)
    assert [(band.name, band.low, band.high) for band in bands] == [
        ("very small", 0, 0.01),
        ("small", 0.01, 0.09),
        ("medium", 0.09, 0.25),
        ("large", 0.25, 0.64),
        ("very large", 0.64, 1),
    ]
    assert len(drawn["Difference by template"]) == 3
    named = {name for names in drawn.values() for name in names} | {
        one.estimate for one in perplexities.ranges
    }
    assert named <= {one.name for one in got.estimates}

"""A measurement as a notebook shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biascore.basics.wording import NOT_UNBIASED, but, true_minus
from biascore.results.estimates import brief, describe
from biascore.results.markup import bullets, details, text_of
from biascore.stats import Verdict

if TYPE_CHECKING:
    from biascore.results.measurement import Measurement


def measurement_html(measurement: Measurement) -> str:
    """Its headline and its verdict alone; all else on demand."""
    conventions = ", ".join(f"{name} = {value}" for name, value in measurement.conventions.items())
    # What describes has no verdict that could be taken for one.
    inconclusive = measurement.verdict is Verdict.INCONCLUSIVE and not measurement.describes
    told = [true_minus(brief(measurement.headline)), measurement.alone, but(measurement.in_brief)]
    lines = [
        measurement.reason,
        f"positive means: {measurement.positive_means}" if measurement.positive_means else "",
        *(true_minus(describe(estimate)) for estimate in measurement.estimates),
        f"unrelated topics: {measurement.specificity.full}" if measurement.specificity else "",
        f"conventions: {conventions}",
        *(f"warning: {warning}" for warning in measurement.warnings),
    ]
    return "".join(
        [
            f"<p><b>{text_of(f'{measurement.method} {measurement.test} on {measurement.model}')}</b>: ",
            f"{text_of('; '.join(filter(None, told)))}.</p>",
            bullets([f"{NOT_UNBIASED}."] if inconclusive else []),
            details(bullets(filter(None, lines))),
        ]
    )

"""A measurement as a notebook shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biascore.basics.wording import NOT_UNBIASED, true_minus
from biascore.results.estimates import describe
from biascore.results.markup import bullets, table, text_of
from biascore.stats import Verdict

if TYPE_CHECKING:
    from biascore.results.measurement import Measurement


def measurement_html(measurement: Measurement) -> str:
    """Its estimates, its verdict alone, and what it was measured by."""
    rows = [
        (
            estimate.name,
            "–" if estimate.value is None else true_minus(f"{estimate.value:.3g}"),
            estimate.unit,
            describe(estimate),
        )
        for estimate in measurement.estimates
    ]
    conventions = ", ".join(f"{name} = {value}" for name, value in measurement.conventions.items())
    # What describes has no verdict that could be taken for one.
    inconclusive = measurement.verdict is Verdict.INCONCLUSIVE and not measurement.describes
    unbiased = [f"{NOT_UNBIASED}."] if inconclusive else []
    means = f"positive means: {measurement.positive_means}"
    return "".join(
        [
            f"<p><b>{text_of(f'{measurement.method} {measurement.test} on {measurement.model}')}</b>: "
            f"{text_of(measurement.verdict.value)} alone. {text_of(measurement.reason)}</p>",
            table(("estimate", "value", "unit", "in full"), rows),
            bullets([*([means] if measurement.positive_means else []), f"conventions: {conventions}"]),
            bullets(unbiased),
            bullets(f"warning: {warning}" for warning in measurement.warnings),
        ]
    )

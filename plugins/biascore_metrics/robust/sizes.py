"""What a difference and its R^2 amount to, in the paper's words.

Shrestha, Tay & Srinivasan 2025, section 2.3; the sizes are Cohen's (1988), the small ones in three.
"""

from __future__ import annotations

from typing import Final, NamedTuple

MARGINAL: Final = 0.10
R2_MIN: Final = 0.01
"""Below this share of variance the paper calls a significant difference unbiased."""


class Size(NamedTuple):
    """A range of R^2, from ``low`` to below ``high``, with the paper's word and symbol for it."""

    low: float
    high: float
    word: str
    symbol: str = ""

    @property
    def told(self) -> str:
        """Word, range and symbol."""
        symbol = f", {self.symbol} in the paper's tables" if self.symbol else ""
        return f"{self.word} ({self.low:g} to {self.high:g}{symbol})"


SIZES: Final = (
    Size(0.0, 0.01, "very small"),
    Size(0.01, 0.03, "small", "▽"),
    Size(0.03, 0.06, "small", "△"),
    Size(0.06, 0.09, "small", "▲"),
    Size(0.09, 0.25, "medium", "*"),
    Size(0.25, 0.64, "large", "*"),
    Size(0.64, 1.0, "very large", "*"),
)


def size_of(r2: float) -> Size:
    """The range that an R^2 of 0 to 1 lies in."""
    return next((size for size in SIZES if r2 < size.high), SIZES[-1])


def stance(p_value: float, r2: float, *, alpha: float, r2_min: float) -> str:
    """What the paper concludes: biased only where the difference is significant and R^2 large enough."""
    if p_value > alpha:
        marginal = "marginally significant, " if p_value <= MARGINAL else ""
        return f"{marginal}neutral"
    return f"{'unbiased' if r2 < r2_min else 'biased'}, effect {size_of(r2).told}"

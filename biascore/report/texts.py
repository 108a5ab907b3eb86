"""Values as texts for people: numbers, times, counts and options."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime

from biascore.basics.wording import MINUS


def number(value: float) -> str:
    """A number with three decimals and a true minus, in scientific notation where the decimals would show nothing."""
    if isinstance(value, int) or not math.isfinite(value):
        text = f"{value:,}"
    elif value == 0:
        text = "0"
    elif abs(value) >= 10_000:
        text = f"{value:z,.0f}"
    else:
        text = f"{value:z.3f}" if abs(value) >= 0.001 else f"{value:z.1e}"
    return text.replace("-", MINUS)


def percent(share: float) -> str:
    """A share in per cent, without needless decimals."""
    return f"{100 * share:z.4g} %"


def sentence(text: str) -> str:
    """A text with a full stop, unless it ends a sentence already."""
    return text if text.rstrip().endswith((".", "!", "?")) else f"{text.rstrip()}."


def cell(value: object) -> str:
    """Any value of a table or mapping as text; a dash represents a missing one."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    return value if isinstance(value, str) else plain(value)


def plain(value: object) -> str:
    """An option as readable JSON; what JSON does not know, such as a date, as its text."""
    return json.dumps(value, ensure_ascii=False, default=_plain_default)


def when(seconds: float) -> str:
    """Seconds since the epoch as a date and time in UTC."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def day(seconds: float) -> str:
    """Seconds since the epoch as a date in UTC: ``2026-11-28``."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def duration(seconds: float) -> str:
    """A length of time in words, in its two greatest units."""
    if seconds < 60:
        return f"{seconds:z.1f} seconds"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def _plain_default(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)

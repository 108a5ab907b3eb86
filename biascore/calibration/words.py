"""A calibration in words and in tables, for the terminal and the pages."""

from __future__ import annotations

from collections.abc import Mapping

from biascore.calibration.calibration import Calibration, Cell, Smallest
from biascore.stats.proportions import Rate

BEST_CASE = (
    "which is the best case: words of a list lie close together, and nothing else distinguishes the lists"
)


def answer(found: Calibration) -> str:
    """What it comes to, in two sentences."""
    smallest = found.smallest()
    nothing = found.false_positives()
    size = counted(found.size().items)
    often = f"{100 * found.power:g} % of models"
    if not found.of_lists:
        seen = (
            f"{found.metric} tests single words, which differ even where their lists do not, so that there is no smallest "
            "effect of lists to tell"
        )
    elif smallest.planted is None:
        seen = (
            f"With {size}, {found.metric} detects no effect that was planted (up to "
            f"{found.at()[-1].effect:g}) in {often}"
        )
    else:
        seen = (
            f"With {size}, {found.metric} cannot be relied on to see an effect below {smallest.planted:z.2g} "
            f"{_interval(smallest)}: it detects that one in {often}, {BEST_CASE}"
        )
    if nothing is None:
        return f"{seen}."
    return f"{seen}. Where nothing is planted, it detects something in {rate(nothing)}."


def size_rows(found: Calibration) -> list[tuple[str, ...]]:
    """A row for each size, a header first."""
    header = ("items", "smallest effect seen", "shown as", "found in nothing", "models")
    return [header, *(_size_row(found, size.times) for size in found.sizes if found.at(size.times))]


def power_rows(found: Calibration, times: float = 1.0) -> list[tuple[str, ...]]:
    """A row for each planted effect of a size, a header first."""
    header = ("planted", "mean", "95 % of models", "detected", "negligible", "models")
    return [header, *(_power_row(cell) for cell in found.at(times))]


def changed(found: Calibration) -> str:
    """Which options are not as the metric has them by itself, in a sentence; empty where all are."""
    if not found.changed:
        return ""
    options = ", ".join(f"{name} = {values}" for name, values in found.changed.items())
    return f"Measured with {options}. Set others with -o."


def needed(found: Calibration, effect: float) -> str:
    """How many items would detect a planted effect, in a sentence."""
    times = found.times_for(effect)
    if times is None:
        return f"No size that was tried detects any effect often enough, so how many would for {effect:g} is not known."
    items = {role: round(times * count) for role, count in found.size().items.items()}
    largest = max(size.times for size in found.sizes)
    beyond = f" ({times:z.2g} times as many, beyond the sizes that were tried)" if times > largest else ""
    return f"To see an effect of {effect:g} would take about {counted(items)}{beyond}."


def counted(items: Mapping[str, int]) -> str:
    """``8 X, 8 Y, 8 A and 8 B``, or shorter where all lists have one size."""
    if len(items) > 1 and len(set(items.values())) == 1:
        return f"{next(iter(items.values())):,} each of {', '.join(items)}"
    return ", ".join(f"{count:,} {role}" for role, count in items.items()) or "items as they are"


def rate(found: Rate) -> str:
    """``12 of 400 (3.0 %; 1.7 to 5.2 %)``."""
    low, high = (f"{100 * end:z.1f}" for end in (found.low, found.high))
    return f"{found.count} of {found.trials} ({100 * found.share:z.1f} %; {low} to {high} %)"


def share(found: Rate) -> str:
    """``3.0 % (1.7 to 5.2)``, or ``35 % (26 to 45)``."""
    digits = 1 if found.share < 0.1 else 0
    low, high = (f"{100 * end:z.{digits}f}" for end in (found.low, found.high))
    return f"{100 * found.share:z.{digits}f} % ({low} to {high})"


def _size_row(found: Calibration, times: float) -> tuple[str, ...]:
    smallest, nothing = found.smallest(times), found.false_positives(times)
    largest = found.at(times)[-1].effect
    above = f"above {largest:g}" if found.of_lists and largest else "-"
    seen = above if smallest.planted is None else f"{smallest.planted:z.2g}"
    return (
        counted(found.size(times).items),
        f"{seen} {_interval(smallest)}".strip(),
        "-" if smallest.shown is None else f"{smallest.shown:z.3g}",
        *(("-", "-") if nothing is None else (share(nothing), str(nothing.trials))),
    )


def _power_row(cell: Cell) -> tuple[str, ...]:
    mean, spread = cell.mean, cell.spread
    return (
        "nothing" if cell.planted is None else f"{cell.planted:g}",
        "-" if mean is None else f"{mean:z.2f}",
        "-" if spread is None else f"{spread[0]:z.2f} to {spread[1]:z.2f}",
        share(cell.rate),
        str(cell.verdicts.count("n")),
        str(len(cell.verdicts)),
    )


def _interval(smallest: Smallest) -> str:
    if smallest.low is None:
        return ""
    return f"({smallest.low:z.2g} to {'more' if smallest.high is None else f'{smallest.high:z.2g}'})"

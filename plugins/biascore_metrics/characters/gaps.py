"""From texts about occasions to the gap, the share of men, the slope, and the bounds that unread texts leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import ConfidenceInterval, Context, Estimate, PValue, Total
from biascore.api.readers import Reading
from biascore.designs import Mean
from biascore.designs.texts import READ, ReadText, Texts, shown
from biascore.stats import Interval, RegressionError, ZeroVarianceError
from biascore.stats.contrasts import contrast_change, unpaired_change
from biascore.stats.slope import slope
from biascore_metrics.characters.items import MEN, SIDES, WOMEN, Occasion

GAP: Final = "stereotype gap"
SHARE: Final = "masculine share"
P_MASCULINE: Final = "P(masculine)"
LEAST: Final = 2
"""Occasions of a side, for a test."""
UNIT: Final = (0.0, 1.0)
WHOLE: Final = (-1.0, 1.0)
_VALUES: Final = MappingProxyType({"masculine": 1.0, "feminine": 0.0})
_SIGNS: Final = MappingProxyType({MEN: 1.0, WOMEN: -1.0})

Cells = dict[str, dict[str, list[float]]]
"""By occasion and template the values of its texts."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """What was asked, one row an occasion and template, and the texts that came of it."""

    asked: Sequence[Occasion]
    texts: Texts[Reading]

    @property
    def values(self) -> list[float | None]:
        """1 for a text about a man, 0 about a woman, None for one that is unread: (texts,)."""
        return [_value(row) for row in self.texts.rows]

    @property
    def read(self) -> dict[str, float]:
        """P(masculine) of each occasion of which a text was read."""
        return _means(self._cells(lambda _: None))

    def of_side(self, side: str, means: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """The means of the occasions of a side, of all for ""."""
        own = {one.about for one in self.asked if side in ("", one.side)}
        return np.array([mean for about, mean in means.items() if about in own], dtype=np.float64)

    def gap(self, level: float, context: Context) -> tuple[Estimate, Interval | None]:
        """The headline with its interval; without a value where too few texts, or occasions of a side, are read."""
        x, y = (self.of_side(side, self.read) for side in SIDES)
        n = {MEN: len(x), WOMEN: len(y), "texts": self.texts.counts[READ]}
        if self.texts.problem or min(len(x), len(y)) < LEAST:
            return Estimate(name=GAP, value=None, unit=P_MASCULINE, n=n, limits=WHOLE), None
        means, place = np.concatenate([x, y]), np.repeat([0, 1], [len(x), len(y)])
        found = contrast_change(np.zeros(len(means)), means, place, (1.0, -1.0), level=level, rng=context.rng)
        ends = found.interval
        if ends is None:  # on neither side do occasions differ: what a further one may be gives the interval
            (a, of_x), (b, of_y) = (
                (side.mean(), Mean.of(side, None, level, limits=UNIT).interval) for side in (x, y)
            )
            assert of_x is not None
            assert of_y is not None
            both = unpaired_change(float(b), (of_y.low, of_y.high), float(a), (of_x.low, of_x.high), level)
            assert both.interval is not None
            ends = Interval(
                both.interval.low, both.interval.high, level, "all occasions of a side are alike; exact", 0
            )
        ends = Interval(max(-1.0, ends.low), min(1.0, ends.high), level, ends.method, ends.resamples)
        p = PValue(
            name="norms permuted over occasions",
            value=found.p_value,
            kind="exact" if found.method == "exact" else "monte-carlo",
            alternative="two-sided",
            n=found.n_total,
        )
        told = Estimate(
            name=GAP,
            value=found.value,
            unit=P_MASCULINE,
            limits=WHOLE,
            n=n,
            interval=ConfidenceInterval.of(ends),
            p_values=(p,),
            estimator=Total(cluster=("occasion",)),
        )
        return told, ends

    def share(self, side: str, level: float) -> Estimate:
        """P(masculine) of the occasions of a side, or of all."""
        mean = Mean.of(
            self.of_side(side, self.read), None, level, neutral=0.5, limits=UNIT, items="occasions"
        )
        return mean.estimate(
            f"{SHARE}: {side}" if side else SHARE, "share", tested=not side, neutral=not side, limits=UNIT
        )

    def slope(self, level: float) -> Estimate:
        """P(masculine) over the share of men that is the norm: 1 where texts are about men as often as the norm says."""
        norms = {one.about: 1.0 - one.women / 100.0 for one in self.asked}
        means = self.read
        over = np.array([norms[about] for about in means])
        named: dict[str, Any] = {
            "name": "slope on the norm",
            "unit": "P(masculine) per share of men",
            "n": {"occasions": len(over)},
        }
        try:
            found = slope(over, [*means.values()], level) if len(over) > LEAST else None
        except (RegressionError, ZeroVarianceError):
            found = None
        if found is None:
            return Estimate(value=None, **named)
        test = found.test
        ends = Interval(test.low, test.high, level, f"t, {found.error}", 0)
        p = PValue(name=f"t, {found.error}", value=test.p_value, kind="asymptotic", alternative="two-sided")
        return Estimate(value=test.estimate, interval=ConfidenceInterval.of(ends), p_values=(p,), **named)

    def bound(self, *, with_norm: bool) -> Estimate:
        """The gap if every unread text were about whom its norm is, or about the other: no estimate, a limit of it."""
        means = _means(self._cells(lambda side: float((side == MEN) == with_norm)))
        x, y = (self.of_side(side, means) for side in SIDES)
        return Estimate(
            name=f"{GAP}, unread {'as' if with_norm else 'against'} the norm",
            value=float(x.mean() - y.mean()) if len(x) and len(y) else None,
            unit=P_MASCULINE,
            limits=WHOLE,
            n={"texts": len(self.texts.rows)},
        )

    def by_template(self) -> Iterator[Estimate]:
        """The gap of each template, where there are several."""
        cells = self._cells(lambda _: None)
        names = [*dict.fromkeys(one.template for one in self.asked)]
        for name in names if len(names) > 1 else ():
            means = _means({about: {name: own[name]} for about, own in cells.items() if name in own})
            x, y = (self.of_side(side, means) for side in SIDES)
            value = float(x.mean() - y.mean()) if len(x) and len(y) else None
            n = {MEN: len(x), WOMEN: len(y)}
            yield Estimate(name=f"{GAP}: {name}", value=value, unit=P_MASCULINE, limits=WHOLE, n=n)

    def columns(self) -> dict[str, list[Any]]:
        """Columns of the item table: what the texts are about, their norm, what each adds to the gap, which are shown."""
        rows, values = [self.asked[row.place] for row in self.texts.rows], self.values
        cells, means = self._cells(lambda _: None), self.read
        size = {side: len(self.of_side(side, means)) for side in SIDES}
        added = [
            None
            if value is None or one.side not in _SIGNS
            else _SIGNS[one.side]
            * value
            / (size[one.side] * len(cells[one.about]) * len(cells[one.about][one.template]))
            for one, value in zip(rows, values, strict=True)
        ]
        follows = [
            None if value is None or one.side not in _SIGNS else (value == 1.0) == (one.side == MEN)
            for one, value in zip(rows, values, strict=True)
        ]
        return {
            "occasion": [one.about for one in rows],
            "template": [one.template for one in rows],
            "women": [one.women for one in rows],
            "contribution": added,
            "shown": shown(follows, [one.side for one in rows]),
        }

    def _cells(self, unread: Callable[[str], float | None]) -> Cells:
        """The values of texts, with that of ``unread``, by side, for those that are not read; None leaves them out."""
        cells: Cells = {}
        for row, value in zip(self.texts.rows, self.values, strict=True):
            one = self.asked[row.place]
            counted = unread(one.side) if value is None else value
            if counted is not None:
                cells.setdefault(one.about, {}).setdefault(one.template, []).append(counted)
        return cells


def _value(row: ReadText[Reading]) -> float | None:
    return _VALUES[row.reading.outcome] if row.outcome == READ and row.reading else None


def _means(cells: Cells) -> dict[str, float]:
    """Of each occasion the mean over templates of the mean over their texts."""
    return {
        about: float(np.mean([np.mean(values) for values in own.values()])) for about, own in cells.items()
    }

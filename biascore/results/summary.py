"""A run as rows of few columns, in the order in which a reader asks: the one place that tables are made from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biascore.basics.wording import but, figures
from biascore.results.estimates import Estimate, format_p
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import Role, RunVerdict, State, note_of

if TYPE_CHECKING:
    import pandas as pd


class SummaryRow(NamedTuple):
    """A measurement and what its run says of it, as values; ``None`` where there is none."""

    model: str
    concept: str
    test: str
    metric: str
    estimate: str
    effect: float | None
    unit: str
    ci_low: float | None
    ci_high: float | None
    ci_level: float | None
    ci_method: str | None
    n: str
    p_value: float | None
    p_kind: str | None
    p_adjusted: float | None
    adjustment: str
    verdict: str
    role: str
    note: str
    specificity: float | None
    caveats: str
    positive_means: str
    conventions: str
    warnings: str

    @property
    def interval(self) -> str:
        """``-0.10 to 1.40``, or a dash."""
        if self.ci_low is None or self.ci_high is None:
            return "–"
        return "{} to {}".format(*self._texts)

    @property
    def size(self) -> str:
        """The effect with the decimals of its interval, or a dash."""
        return "–" if self.effect is None else self._texts[2]

    @property
    def told(self) -> str:
        """The state with its caveats: ``detected; 2 of 100 harmless pairs reach it``."""
        return "; ".join(filter(None, [self.verdict, self.note, self.caveats]))

    @property
    def _texts(self) -> tuple[str, ...]:
        """Both ends and the effect, with the same decimals."""
        low, high, effect = (
            self.effect or 0.0 if value is None else value
            for value in (self.ci_low, self.ci_high, self.effect)
        )
        return figures(low, high, effect)


def p_shown(p: float | None) -> str:
    """A p-value as a table shows it."""
    return "–" if p is None else format_p(p)


def summary_rows(
    run: Run, roles: Sequence[Role] = tuple(Role), estimates: Sequence[str] = ()
) -> tuple[SummaryRow, ...]:
    """The rows in the order of the run, of measurements with one of these roles: the headline of each first.

    ``estimates``: globs of further estimates by name, each with a row of its own; only a headline has a verdict.
    """
    return tuple(
        _row(run, measurement, said, estimate)
        for measurement, said in zip(run.measurements, run.verdicts, strict=True)
        if said.role in roles
        for estimate in measurement.estimates
        if estimate is measurement.headline or any(fnmatchcase(estimate.name, glob) for glob in estimates)
    )


def summary(run: Run) -> pd.DataFrame:
    """One row per measurement in the eight columns that answer first, as ``Run.summary`` gives it."""
    import pandas as pd

    columns = ("model", "concept", "test", "metric", "effect", "interval", "p_adjusted", "verdict")
    rows = [{name: getattr(row, name) for name in columns} for row in summary_rows(run)]
    return pd.DataFrame(rows, columns=list(columns))


def run_frame(run: Run) -> pd.DataFrame:
    """One row per estimate and per failure, as ``Run.to_frame`` gives it."""
    import pandas as pd

    rows: list[dict[Any, Any]] = []
    for measurement, verdict, seen in zip(run.measurements, run.verdicts, run.sensitivities, strict=True):
        # Through records: pandas warns of columns that are empty in one frame and not in another.
        for position, row in enumerate(measurement.to_frame().to_dict("records")):
            said = {
                "family": verdict.family,
                "role": verdict.role.value,
                "p_adjusted": np.nan if verdict.p_adjusted is None else verdict.p_adjusted,
                "adjustment": run.adjustment.value,
                "verdict": verdict.verdict.value,
                "smallest_detectable": np.nan if seen is None or seen.smallest is None else seen.smallest,
            }
            rows.append(row | (said if position == 0 else dict.fromkeys(said, None)) | {"failed": None})
    rows += [{"model": f.model, "metric": f.metric, "test": f.test, "failed": f.message} for f in run.failed]
    return pd.DataFrame(rows)


def _signed(value: float | None) -> float | None:
    """The number; a zero has no sign."""
    return None if value is None else value + 0.0


def _row(run: Run, measurement: Measurement, said: RunVerdict, of: Estimate) -> SummaryRow:
    decides = of is measurement.headline
    interval = of.interval
    deciding = of.p_values[0] if of.p_values else None
    note = "; ".join(filter(None, [said.note, note_of(measurement, said)]))
    return SummaryRow(
        model=measurement.model,
        concept=measurement.concept,
        test=measurement.test,
        metric=", ".join(filter(None, [measurement.method, measurement.subject])),
        estimate=of.name,
        effect=_signed(of.value),
        unit=of.unit,
        ci_low=_signed(interval.low) if interval else None,
        ci_high=_signed(interval.high) if interval else None,
        ci_level=interval.level if interval else None,
        ci_method=interval.method if interval else None,
        n=" + ".join(f"{count} {name}" for name, count in of.n.items()),
        p_value=deciding.value if deciding else None,
        p_kind=f"{deciding.name} ({deciding.kind}, {deciding.alternative})" if deciding else None,
        p_adjusted=said.p_adjusted if decides else None,
        adjustment=run.adjustment.value,
        verdict=State.of(measurement, said).value if decides else "",
        role=said.role.value,
        note=(note if of.value is not None else measurement.reason) if decides else "",
        specificity=measurement.specificity.share if measurement.specificity and decides else None,
        caveats=but(measurement.doubts) if decides else "",
        positive_means=measurement.positive_means if decides else "",
        conventions=json.dumps(dict(measurement.conventions), ensure_ascii=False, sort_keys=True),
        warnings="; ".join(measurement.warnings),
    )

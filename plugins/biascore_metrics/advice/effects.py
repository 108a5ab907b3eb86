"""How far numbers, or outcomes, differ between two groups within templates; names and templates are both samples.

Least squares with a fixed effect of each template and of each level of the other factor. Names are in many templates and
templates have many names, so errors are clustered by both: CR2 by each, and V = V_names + V_templates - V_both, no less than
any of the three (Cameron, Gelbach & Miller 2011, JBES 29:238), with the smaller of both degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Estimate
from biascore.designs.clustered import ends_of, p_of
from biascore.designs.mean import Mean
from biascore.stats import RegressionError, TTest, ZeroVarianceError, ols, treatment
from biascore.stats.attainable import Attainable, of_partitions, of_signs

Floats = npt.NDArray[np.float64]
Texts = npt.NDArray[np.str_]
NAMES: Final = "names"
TEMPLATES: Final = "templates"
TESTED: Final = "t, CR2 by names and templates"
_NOTHING: Final = 1e-12
_SPLITS: Final = 999


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows (n,): the name, group and stratum of the person, the template, and the cluster that the template is in.

    ``groups``: the first is compared with the second. ``stratum`` is the level of the factor that is held equal.
    """

    groups: tuple[str, str]
    name: Texts
    group: Texts
    stratum: Texts
    template: Texts
    cluster: Texts

    def where(self, kept: npt.NDArray[np.bool_]) -> Table:
        """Some of the rows."""
        return Table(
            self.groups,
            self.name[kept],
            self.group[kept],
            self.stratum[kept],
            self.template[kept],
            self.cluster[kept],
        )

    @property
    def first(self) -> npt.NDArray[np.bool_]:
        """(n,) Whether a row is of the first group."""
        found: npt.NDArray[np.bool_] = self.group == self.groups[0]
        return found

    @property
    def weights(self) -> Floats:
        """(n,) What each row counts in the difference: within a template they sum to 0. Zeros where there is none."""
        columns = np.column_stack([_dummies(self.template), _dummies(self.stratum)])
        own = self.first.astype(np.float64)
        if not own.size:
            return own
        left: Floats = own - columns @ np.linalg.lstsq(columns, own, rcond=None)[0]
        left[np.abs(left) < 1e-10] = 0.0
        square = float(left @ left)
        return left / square if square else left

    def counts(self) -> dict[str, int]:
        """Names of each group, and templates, or what templates go together by."""
        by = {group: len(set(self.name[self.group == group].tolist())) for group in self.groups}
        return by | {TEMPLATES: len(set(self.cluster.tolist()))}


@dataclass(frozen=True, slots=True)
class Difference:
    """First group less second, in the unit of the values; ``problem`` says why it has no value, or no test."""

    value: float | None
    n: Mapping[str, int]
    test: TTest | None = None
    p_value: float | None = None
    how: str = TESTED
    problem: str = ""
    mean: Mean | None = field(default=None)
    """In place of the test, where names of one group do not differ: over templates alone."""

    @classmethod
    def of(
        cls, table: Table, values: Floats, level: float, limits: tuple[float, float] | None = None
    ) -> Self:
        """Of values (n,). ``limits`` of a difference give an interval also where no name differs from its group."""
        n, weights = table.counts(), table.weights
        if not weights.any():
            return cls(None, n, problem=_missing(table))
        value = float(weights @ values)
        if abs(value) <= _NOTHING * float(np.abs(values).max(initial=0.0)):
            value = 0.0
        try:
            test = _two_way(table, values, value, level)
        except (RegressionError, ZeroVarianceError) as error:
            if limits is None:
                return cls(value, n, problem=_untested(error, table, values))
            gaps, clusters = _by_template(table, values)
            mean = Mean.of(gaps, {TEMPLATES: clusters}, level, limits=limits, items=TEMPLATES)
            return cls(value, n, p_value=mean.p_value, how=mean.error, problem=mean.problem, mean=mean)
        least = least_p(table)
        floor = least.p_value if least.p_value > test.p_value else None
        return cls(value, n, test, floor or test.p_value, f"signs of {least.limited_by}" if floor else TESTED)

    def estimate(
        self, name: str, unit: str, *, tested: bool = False, limits: tuple[float, float] | None = None
    ) -> Estimate:
        """The estimate; with its p-value if ``tested``."""
        if self.mean is not None:
            found = self.mean.estimate(name, unit, tested=tested, limits=limits)
            return found.model_copy(update={"value": self.value, "n": dict(self.n)})
        how = f"{TESTED}, {self.test.df:z.3g} df" if self.test else ""
        return Estimate(
            name=name,
            value=self.value,
            unit=unit,
            limits=limits,
            n=dict(self.n),
            interval=ends_of(self.test, how) if self.test else None,
            p_values=(p_of(self.how, self.p_value),) if tested and self.p_value is not None else (),
        )


def least_p(table: Table) -> Attainable:
    """The smallest p that so few names and templates can give: of partitions of names, of signs of templates."""
    n = table.counts()
    first, second = table.groups
    names = of_partitions(n[first], n[second], NAMES)
    return max(of_signs(n[TEMPLATES], TEMPLATES), names, key=lambda one: one.p_value)


def _two_way(table: Table, values: Floats, value: float, level: float) -> TTest:
    first, second = table.groups
    factors = {"group": table.group} | (
        {"stratum": table.stratum} if len({*table.stratum.tolist()}) > 1 else {}
    )
    fit = ols.fit(
        values, treatment(factors, levels={"group": (second, first)}), absorb={"template": table.template}
    )
    both = np.char.add(np.char.add(table.name, "\0"), table.cluster)
    by = [
        fit.clustered(labels).marginal_effect({"group": (first, second)}, level=level)
        for labels in (table.name, table.cluster, both)
    ]
    names, templates, cells = (one.se**2 for one in by)
    variance = max(names, templates, cells, names + templates - cells)
    if variance <= _NOTHING * float(np.abs(values).max(initial=0.0)) ** 2:
        raise ZeroVarianceError("nothing varies but between the groups")
    return TTest.of(value, variance**0.5, min(by[0].df, by[1].df), level)


def _untested(error: Exception, table: Table, values: Floats) -> str:
    if not isinstance(error, ZeroVarianceError):
        return str(error).rstrip(".")
    if not _by_template(table, values)[0].any():
        return f"all names have the same number in each of the {table.counts()[TEMPLATES]} templates"
    return f"names of one group do not differ in any of the {table.counts()[TEMPLATES]} templates"


def _by_template(table: Table, values: Floats) -> tuple[Floats, list[str]]:
    """The difference within each template that has both groups, and its cluster."""
    found = by_template(table, values)
    cluster = dict(zip(table.template.tolist(), table.cluster.tolist(), strict=True))
    # Rounding of least squares, which would make all that are alike differ.
    return np.round([*found.values()], 12), [cluster[template] for template in found]


def by_template(table: Table, values: Floats) -> dict[str, float]:
    """The difference within each template that has both groups."""
    found = {}
    for template in dict.fromkeys(table.template.tolist()):
        kept = table.template == template
        weights = table.where(kept).weights
        if weights.any():
            found[template] = float(weights @ values[kept])
    return found


def same_group(table: Table, values: Floats, rng: np.random.Generator, share: float = 0.95) -> float | None:
    """What this share of splits of the names of each group in halves stay within: names of one group alone.

    Each split compares as many names as the two groups have, so that it varies as their difference does by names alone.
    None with fewer than two names.
    """
    columns = np.column_stack([_dummies(table.template), _dummies(np.char.add(table.group, table.stratum))])
    if not len(values):
        return None
    left = values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0]
    cells: dict[tuple[str, ...], list[float]] = {}
    for name in dict.fromkeys(table.name.tolist()):
        own = table.name == name
        key = (str(table.group[own][0]), str(table.stratum[own][0]))
        cells.setdefault(key, []).append(float(left[own].mean()))
    several = [np.array(some) for some in cells.values() if len(some) > 1]
    if not several:
        return None
    found = np.zeros(_SPLITS)
    for some in several:
        half = len(some) // 2
        for place in range(_SPLITS):
            drawn = rng.permutation(some)
            found[place] += (drawn[:half].mean() - drawn[half : 2 * half].mean()) / len(several)
    return float(np.quantile(np.abs(found), share))


def bounds(table: Table, low: Floats, high: Floats) -> tuple[float, float] | None:
    """The least and the greatest difference where each value (n,) is anywhere from ``low`` to ``high``."""
    weights = table.weights
    if not weights.any():
        return None
    least = np.where(weights > 0, low, high)
    greatest = np.where(weights > 0, high, low)
    return float(weights @ least), float(weights @ greatest)


def _missing(table: Table) -> str:
    without = [group for group in table.groups if not (table.group == group).any()]
    return f"no text for {without[0]} has one number" if without else "no template has both groups"


def _dummies(labels: Texts) -> Floats:
    if not len(labels):
        return np.empty((0, 0))
    _, codes = np.unique(labels, return_inverse=True)
    found: Floats = np.eye(int(codes.max()) + 1)[codes]
    return found


def of_rows(groups: tuple[str, str], rows: Sequence[tuple[str, str, str, str, str]]) -> Table:
    """From name, group, stratum, template and cluster of each row."""
    columns = [np.array(column, dtype=np.str_) for column in zip(*rows, strict=True)] or [
        np.array([], dtype=np.str_)
    ] * 5
    return Table(groups, *columns)

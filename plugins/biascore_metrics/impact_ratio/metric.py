"""Impact ratio: the selection rate of each category over that of the category selected most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field

from biascore.api.figures import Bars, Figure
from biascore.api.metrics import (
    Caveat,
    ConfidenceInterval,
    Context,
    Coverage,
    Draws,
    Estimate,
    MetricOptions,
    Model,
    PValue,
    Scalar,
    item_table,
)
from biascore.api.support import quoted
from biascore.designs import Decided, DecidedMetric
from biascore.designs.bounds import Bound
from biascore.designs.clustered import p_of
from biascore.designs.words import covered
from biascore.errors import OptionsError
from biascore.stats import Decision, Verdict
from biascore.stats.ratios import LargestDifference
from biascore_metrics.impact_ratio.items import OutcomesTest, People
from biascore_metrics.impact_ratio.tables import SMALL, Category, GroupTable, Tables

SMALLEST: Final = "smallest impact ratio"
RATE: Final = "rate "
RATIO_OF: Final = "impact ratio "
"""How the names of the estimates of each category begin."""
RATIO: Final = "ratio of rates"
SHARE: Final = "share"
NOT_STATED: Final = "not stated"
BLANK: Final = "blank"
MEDIAN: Final = "median score"
LARGER: Final = "the larger of people and clusters"
MOST: Final = 12
"""Categories that a caveat names."""


class ImpactRatioOptions(MetricOptions):
    """Options of ``impact-ratio``.

    ``rate``: the share selected, or, of scores, the share above the median of all people. ``quantity``: what the model calls
    the outcome; by default ``selected``, of scores ``score``. ``intersections``: whether each two groups are also crossed.
    ``min_people``: categories of fewer are listed, and neither tested nor in the smallest ratio. ``leave_out_below``: no
    ratio for categories of less than this share. ``bound_ratio``: a smallest ratio whose whole interval is at least this
    counts as negligible; .8 is the four-fifths rule of 29 CFR 1607.4(D), and "none" states no bound. ``draws``: random
    assignments of the outcomes behind the p-value.
    """

    rate: Literal["selection", "scoring"] = "selection"
    quantity: str | None = None
    intersections: bool = True
    min_people: int = Field(default=20, ge=1)
    leave_out_below: float = Field(default=0.0, ge=0, lt=1)
    bound_ratio: Bound = Field(default=0.8, gt=0, lt=1)
    draws: Draws = 100_000

    @property
    def column(self) -> str:
        """What the model is asked for."""
        return self.quantity or ("selected" if self.rate == "selection" else "score")

    @property
    def bound(self) -> float | None:
        """The bound as a distance from 1."""
        return None if self.bound_ratio is None else 1.0 - self.bound_ratio


class ImpactRatio(DecidedMetric[ImpactRatioOptions, OutcomesTest]):
    """Rates of each category and of each two together, over the highest of their table, with the smallest ratio."""

    name = "impact-ratio"
    summary = "selection or scoring rate of each category and intersection over the highest, as Local Law 144 asks for"
    use = "chooses"
    reference = "New York City, Local Law 144 of 2021; 6 RCNY 5-300 and 5-301 (rule of the DCWP, 2023)"
    rule = (
        "Detected when random assignments of the outcomes to people give a difference between two categories (of min_people "
        "or more, in standard errors) as large as the largest here in at most alpha of the draws."
    )
    requires = frozenset({"score"})
    kinds = frozenset({"outcomes"})

    def result(self, model: Model, test: OutcomesTest, context: Context) -> Decided:
        """The smallest ratio, which decides, and rate and ratio of every category; items are the people."""
        options, level = self.options, self.options.confidence
        people = test.people.rows
        texts = [one.text for one in people]
        values = model.score(texts, options.column)
        chosen, cut = self._chosen(values, texts)
        tables = Tables.of(
            test.people.groups,
            people,
            chosen,
            intersections=options.intersections,
            below=options.leave_out_below,
        )
        compared = tables.compared(options.min_people)
        clusters = (
            f"{len({one.cluster for one in people})} by {test.people.cluster}" if test.people.cluster else ""
        )
        of_tables = [one for table in tables.tables for one in _rates_and_ratios(table, level)]
        common: dict[str, Any] = {
            "variant": "" if options.rate == "selection" else "scoring rate",
            "negative_means": "a category is selected less often than the one selected most often",
            "neutral": 1.0,
            "bound": options.bound,
            "needed": (),
            "coverage": _coverage(test.people),
            "caveats": (*self._caveats(tables), *_without_category(test.people)),
            "conventions": self._conventions(cut, compared, clusters),
            "item_value": "1 selected, 0 not" if cut is None else "1 above the median score, 0 not",
            "item_neutral": None,
            "figures": _figures(of_tables),
            "items": _items(test, chosen, values),
        }
        headline = Estimate(name=SMALLEST, value=None, unit=RATIO, neutral=1.0, n={"people": len(people)})
        if compared is None:
            few = f"no group has two categories of {options.min_people} people or more"
            nobody = "nobody is selected" if cut is None else "no score is above the median"
            why = few if chosen.any() else f"{nobody}, so no rate can be divided by"
            decision = Decision(Verdict.NOT_MEASURED, f"It could not be measured: {why}.")
            return Decided(estimates=(headline, *of_tables), decision=decision, **common)
        least, highest = compared.smallest
        interval = compared.interval(level)
        tested = compared.test(options.draws, context.rng)
        p_values = _p_values(tested, compared.by_cluster())
        headline = Estimate(
            name=SMALLEST,
            value=least.rate / highest.rate,
            unit=RATIO,
            neutral=1.0,
            chance=tested.smallest_ratio,
            limits=(0.0, 1.0),
            n={"people": len(people), "selected": int(chosen.sum())},
            interval=ConfidenceInterval.of(interval),
            p_values=p_values,
        )
        chance = f"with equal rates it would be {tested.smallest_ratio:z.2f} on average"
        done = "were selected" if cut is None else "score above the median"
        ends = f"({100 * level:g} % interval of the smallest ratio of any two: {interval.low:z.2f} to {interval.high:z.2f})"
        one, best = (f"{own.selected} of {own.people}" for own in (least, highest))
        which = f"The smallest ratio is that of {least.label} ({one}) to {highest.label} ({best}); {chance}."
        quote = (
            f"Of {least.label}, {one} people {done}, and {best} of {highest.label}: an impact ratio of "
            f"{headline.value:z.2f} {ends}, the smallest of all; {chance}."
        )
        if least.rate == highest.rate:
            which = f"All categories {done} equally often."
            quote = f"All categories {done} equally often {ends}."
        return Decided(
            estimates=(headline, *of_tables),
            p_value=p_values[0].value,
            interval=interval,
            more=which,
            quote=quote,
            **common,
        )

    def _chosen(
        self, values: npt.NDArray[np.float64], people: Sequence[str]
    ) -> tuple[npt.NDArray[np.bool_], float | None]:
        """Who counts as selected, and the median that scores are compared with."""
        if self.options.rate == "scoring":
            median = float(np.median(values))
            return values > median, median
        wrong = np.flatnonzero((values != 0) & (values != 1))
        if wrong.size:
            raise OptionsError(
                f"{self.options.column!r} is {values[wrong[0]]:g} for {quoted(people[wrong[0]])}, and "
                f"{wrong.size} of {len(people)} people have another outcome than 0 and 1. Write 1 for selected, 0 for not, "
                "name the right column with quantity, or compare scores with rate=scoring"
            )
        return values == 1, None

    def _conventions(self, cut: float | None, compared: Tables | None, clusters: str) -> dict[str, Scalar]:
        options = self.options
        held = f"{clusters}; p and intervals hold for people and by cluster (CR2)"
        clustered = {"clusters": held} if clusters else {}
        share = (
            "people selected" if cut is None else f"people whose score is above {cut:g}, the median of all"
        )
        return {
            "outcome": options.column,
            **({} if cut is None else {MEDIAN: cut}),
            "rate": f"{share} / people of the category; interval of Clopper and Pearson",
            "impact ratio": "rate / highest rate of the table, small categories included; intervals of Koopman, which hold "
            "for all pairs of categories of a table at once (Bonferroni), so for whichever is the highest",
            SMALLEST: f"over all tables, of categories of {options.min_people} people or more, and to the highest of these",
            "interval of the smallest ratio": "smallest lower and upper ends of all pairs of categories, which hold at once",
            "pairs compared": compared.pairs if compared else 0,
            "test": "largest difference of two rates over sqrt(1/n + 1/m), outcomes permuted between people who state the "
            "same groups",
            **clustered,
            "draws": options.draws,
            "left out": f"ratios of categories of less than {100 * options.leave_out_below:g} % of the people of a table",
            "equivalence bound": None if options.bound is None else f"ratio of {options.bound_ratio:g}",
        }

    def _caveats(self, tables: Tables) -> Iterator[Caveat]:
        """Of categories that are left out, small, or not tested, and of a highest rate that is one of few people."""
        least, below = self.options.min_people, self.options.leave_out_below
        every = [one for table in tables.tables for one in table.categories]
        if out := [one for one in every if one.left_out]:
            yield Caveat(
                f"no ratio for {_named(out)}: less than {100 * below:g} % of the people each (leave_out_below)"
            )
        kept = [one for one in every if not one.left_out]
        if small := [one for one in kept if one.share < SMALL]:
            text = (
                f"less than {100 * SMALL:g} % of the people each: {_named(small)}; an auditor under Local Law 144 may leave "
                f"out their ratios (leave_out_below={SMALL:g})"
            )
            yield Caveat(text, verdict=False)
        if few := [one for one in kept if one.people < least]:
            are = "category is" if len(few) == 1 else "categories are"
            text = f"fewer than {least} people, so not tested: {_named(few)}"
            yield Caveat(text, short=f"{len(few)} {are} too small to be tested")
        for table in tables.tables:
            best = table.highest
            if best is not None and best.people < least:
                rate = f"whose rate is the highest and of {best.people} people only"
                yield Caveat(f"ratios by {table.name} are to {best.name}, {rate}", verdict=False)


def _rates_and_ratios(table: GroupTable, level: float) -> Iterator[Estimate]:
    """Rates, and then ratios of the categories that are not left out."""
    for one, rate in zip(table.categories, table.rates(level), strict=True):
        yield Estimate(
            name=f"{RATE}{one.label}",
            value=one.rate,
            unit=SHARE,
            neutral=None,
            limits=(0.0, 1.0),
            n={"people": one.people, "selected": one.selected},
            interval=ConfidenceInterval.of(rate),
        )
    intervals, highest = table.over_highest(level), table.highest
    for one in table.categories:
        if not one.left_out:
            ratio = intervals.get(one.name)
            yield Estimate(
                name=f"{RATIO_OF}{one.label}",
                value=one.rate / highest.rate if highest else None,
                unit=RATIO,
                neutral=1.0,
                n={"people": one.people, "selected": one.selected},
                interval=ConfidenceInterval.of(ratio) if ratio else None,
            )


def _p_values(tested: LargestDifference, by_cluster: float | None) -> tuple[PValue, ...]:
    """The p-value of the permutation; where clusters are known the larger of it and theirs comes first, and decides."""
    permuted = PValue(
        name="outcomes permuted between people",
        value=tested.p_value,
        kind="monte-carlo",
        alternative="two-sided",
        n=tested.draws,
        se=float(np.sqrt(tested.p_value * (1 - tested.p_value) / tested.draws)),
    )
    if by_cluster is None:
        return (permuted,)
    robust = p_of("two rates, CR2 by cluster, times the pairs", by_cluster)
    larger = max(permuted, robust, key=lambda one: one.value)
    return larger.model_copy(update={"name": LARGER}), permuted, robust


def _without_category(people: People) -> Iterator[Caveat]:
    """How many people state no category of a group, and what stands there instead."""
    for group in people.groups:
        cells = Counter(cell or BLANK for own, _, cell in people.unstated if own == group)
        told = why = ""
        if {*cells} - {BLANK}:
            told = f" ({', '.join(f'{cell} {many:,}' for cell, many in cells.most_common(MOST))})"
            why = "; the data's option not_stated says which values state none"
        if cells:
            text = f"{cells.total():,} of {len(people):,} people have no {group} stated{told}"
            yield Caveat(f"{text}, and count in none of its categories{why}")


def _named(categories: Sequence[Category]) -> str:
    shown = ", ".join(f"{one.label} ({one.people})" for one in categories[:MOST])
    return shown + (f" and {len(categories) - MOST} more" if len(categories) > MOST else "")


def _coverage(people: People) -> Coverage:
    gone = Counter(group for group, *_ in people.unstated)
    lost = (
        (text, one, f"{NOT_STATED}: {cell}" if cell else NOT_STATED) for one, text, cell in people.unstated
    )
    return covered({group: len(people) - gone[group] for group in people.groups}, lost)


def _figures(estimates: Sequence[Estimate]) -> tuple[Figure, ...]:
    names = [one.name for one in estimates if one.name.startswith(RATIO_OF) and one.value is not None]
    if not names:
        return ()
    labels = tuple(name.removeprefix(RATIO_OF) for name in names)
    title = "Impact ratio of each category, to the highest of its table"
    groups = tuple(label.partition(": ")[0] for label in labels)
    return (Bars(title=title, estimates=tuple(names), labels=labels, groups=groups),)


def _items(test: OutcomesTest, chosen: npt.NDArray[np.bool_], values: npt.NDArray[np.float64]) -> pa.Table:
    people = test.people.rows
    columns = {
        f"group {name}": [one.categories[place] for one in people]
        for place, name in enumerate(test.people.groups)
    }
    return item_table(
        item=[one.text for one in people],
        group=[", ".join(category or NOT_STATED for category in one.categories) for one in people],
        value=chosen.astype(np.float64).tolist(),
        more={**columns, "outcome": values.tolist()},
    )

"""Impact ratio: the selection rate of each category over that of the category selected most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

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
    Equivalence,
    Estimate,
    Finding,
    LostWord,
    Metric,
    MetricOptions,
    Model,
    PValue,
    Scalar,
    item_table,
)
from biascore.api.support import quoted
from biascore.designs.bounds import Bound
from biascore.errors import OptionsError
from biascore.stats import Decision, Verdict, decide
from biascore.stats.ratios import LargestDifference
from biascore_metrics.impact_ratio.kind import OutcomesTest
from biascore_metrics.impact_ratio.tables import SMALL, Category, Compared, GroupTable, Tables, over_highest

SMALLEST: Final = "smallest impact ratio"
RATE: Final = "rate "
RATIO_OF: Final = "impact ratio "
"""How the names of the estimates of each category begin."""
RATIO: Final = "ratio of rates"
SHARE: Final = "share"
NOT_STATED: Final = "not stated"
BLANK: Final = "blank"
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


class ImpactRatio(Metric[ImpactRatioOptions, OutcomesTest]):
    """Rates of each category and of each two together, over the highest of their table, with the smallest ratio."""

    name = "impact-ratio"
    summary = "selection or scoring rate of each category and intersection over the highest, as Local Law 144 asks for"
    reference = "New York City, Local Law 144 of 2021; 6 RCNY 5-300 and 5-301 (rule of the DCWP, 2023)"
    rule = (
        "Detected when random assignments of the outcomes to people give a difference between two categories (of min_people "
        "or more, in standard errors) as large as the largest here in at most alpha of the draws."
    )
    requires = frozenset({"score"})
    kinds = frozenset({"outcomes"})

    def measure(self, model: Model, test: OutcomesTest, context: Context) -> Finding:
        """The smallest ratio, which decides, and rate and ratio of every category; items are the people."""
        options = self.options
        people = test.people.rows
        values = model.score([one.text for one in people], options.column)
        chosen, cut = self._chosen(values, [one.text for one in people])
        tables = Tables.of(
            test.people.groups,
            people,
            chosen,
            intersections=options.intersections,
            below=options.leave_out_below,
        )
        compared = tables.compared(options.min_people)
        headline, decision, quote = self._headline(compared, int(chosen.sum()), len(people), context.rng)
        clusters = len({one.cluster for one in people}) if test.people.cluster else 0
        rows = [self._rows(table) for table in tables.tables]
        ratios = [one for row in rows for one in row[1]]
        return Finding(
            variant="" if options.rate == "selection" else "scoring rate",
            negative_means="a category is selected less often than the one selected most often",
            quote=quote,
            estimates=(headline, *(one for row in rows for part in row for one in part)),
            decision=decision,
            equivalence=Equivalence.within(options.bound, SMALLEST),
            needed=(),
            coverage=_coverage(test),
            caveats=self._caveats(tables, test),
            conventions=self._conventions(
                cut, compared, f"{clusters} by {test.people.cluster}" if clusters else ""
            ),
            item_value="1 selected, 0 not" if cut is None else "1 above the median score, 0 not",
            item_neutral=None,
            figures=_figures(ratios),
            items=_items(test, chosen, values),
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

    def _headline(
        self, compared: Compared | None, selected: int, n: int, rng: np.random.Generator
    ) -> tuple[Estimate, Decision, str]:
        selection = self.options.rate == "selection"
        if compared is None:
            few = f"no group has two categories of {self.options.min_people} people or more"
            nobody = "nobody is selected" if selection else "no score is above the median"
            why = few if selected else f"{nobody}, so no rate can be divided by"
            reason = f"It could not be measured: {why}."
            return (
                Estimate(name=SMALLEST, value=None, unit=RATIO, neutral=1.0, n={"people": n}),
                Decision(Verdict.INCONCLUSIVE, reason),
                "",
            )
        least, highest = compared.smallest
        interval = compared.interval(self.options.confidence)
        tested = compared.test(self.options.draws, rng)
        p_values = _p_values(tested, compared.by_cluster())
        estimate = Estimate(
            name=SMALLEST,
            value=least.rate / highest.rate,
            unit=RATIO,
            neutral=1.0,
            chance=tested.smallest_ratio,
            limits=(0.0, 1.0),
            n={"people": n, "selected": selected},
            interval=ConfidenceInterval.of(interval),
            p_values=p_values,
        )
        decision = decide(
            p_values[0].value, interval, alpha=self.options.alpha, bound=self.options.bound, neutral=1.0
        )
        chance = f"with equal rates it would be {tested.smallest_ratio:.2f} on average"
        done = "were selected" if selection else "score above the median"
        level = f"{100 * interval.level:g} % interval"
        ends = f"({level} of the smallest ratio of any two: {interval.low:.2f} to {interval.high:.2f})"
        if least.rate == highest.rate:
            which = f"All categories {done} equally often."
            quote = f"All categories {done} equally often {ends}."
        else:
            two = f"{least.label} ({_counted(least)}) to {highest.label} ({_counted(highest)})"
            which = f"The smallest ratio is that of {two}; {chance}."
            quote = (
                f"Of {least.label}, {_counted(least)} people {done}, and {_counted(highest)} of {highest.label}: an impact "
                f"ratio of {estimate.value:.2f} {ends}, the smallest of all; {chance}."
            )
        return estimate, Decision(decision.verdict, f"{decision.reason} {which}"), quote

    def _rows(self, table: GroupTable) -> tuple[list[Estimate], list[Estimate]]:
        """Rates, and ratios of the categories that are not left out."""
        level, highest = self.options.confidence, table.highest
        exact = table.rates(level)
        rates = [
            Estimate(
                name=f"{RATE}{one.label}",
                value=one.rate,
                unit=SHARE,
                neutral=None,
                limits=(0.0, 1.0),
                n={"people": one.people, "selected": one.selected},
                interval=ConfidenceInterval.of(interval),
            )
            for one, interval in zip(table.categories, exact, strict=True)
        ]
        intervals = over_highest(table, level)
        ratios = [
            Estimate(
                name=f"{RATIO_OF}{one.label}",
                value=one.rate / highest.rate if highest else None,
                unit=RATIO,
                neutral=1.0,
                n={"people": one.people, "selected": one.selected},
                interval=ConfidenceInterval.of(intervals[one.name]) if one.name in intervals else None,
            )
            for one in table.kept
        ]
        return rates, ratios

    def _conventions(self, cut: float | None, compared: Compared | None, clusters: str) -> dict[str, Scalar]:
        options = self.options
        share = (
            "people selected" if cut is None else f"people whose score is above {cut:g}, the median of all"
        )
        return {
            "outcome": options.column,
            "rate": f"{share} / people of the category; interval of Clopper and Pearson",
            "impact ratio": "rate / highest rate of the table, small categories included; intervals of Koopman, which hold "
            "for all pairs of categories of a table at once (Bonferroni), so for whichever is the highest",
            SMALLEST: f"over all tables, of categories of {options.min_people} people or more, and to the highest of these",
            "interval of the smallest ratio": "smallest lower and upper ends of all pairs of categories, which hold at once",
            "pairs compared": compared.pairs if compared else 0,
            "test": "largest difference of two rates over sqrt(1/n + 1/m), outcomes permuted between people who state the "
            "same groups",
            **(
                {"clusters": f"{clusters}; p and intervals hold for people and by cluster (CR2)"}
                if clusters
                else {}
            ),
            "draws": options.draws,
            "left out": f"ratios of categories of less than {100 * options.leave_out_below:g} % of the people of a table",
            "equivalence bound": None if options.bound is None else f"ratio of {options.bound_ratio:g}",
            "alpha": options.alpha,
        }

    def _caveats(self, tables: Tables, test: OutcomesTest) -> tuple[Caveat, ...]:
        caveats = []
        every = [one for table in tables.tables for one in table.categories]
        out = [one for one in every if one.left_out]
        small = [one for one in every if one.share < SMALL and not one.left_out]
        few = [one for one in every if one.people < self.options.min_people and not one.left_out]
        if out:
            caveats.append(
                Caveat(
                    f"no ratio for {_named(out)}: less than {100 * self.options.leave_out_below:g} % of the people each "
                    "(leave_out_below)"
                )
            )
        if small:
            caveats.append(
                Caveat(
                    f"less than {100 * SMALL:g} % of the people each: {_named(small)}; an auditor under Local Law 144 may "
                    f"leave out their ratios (leave_out_below={SMALL:g})",
                    verdict=False,
                )
            )
        if few:
            text = f"fewer than {self.options.min_people} people, so not tested: {_named(few)}"
            short = (
                f"{len(few)} {'category is' if len(few) == 1 else 'categories are'} too small to be tested"
            )
            caveats.append(Caveat(text, short=short))
        for table in tables.tables:
            highest = table.highest
            if highest is not None and highest.people < self.options.min_people:
                rate = f"whose rate is the highest and of {highest.people} people only"
                text = f"ratios by {table.name} are to {highest.name}, {rate}"
                caveats.append(Caveat(text, verdict=False))
        for place, group in enumerate(test.people.groups):
            cells = Counter(
                cell or BLANK for one in test.people.rows if (cell := one.unstated(place)) is not None
            )
            if cells:
                caveats.append(Caveat(_not_stated(group, cells, len(test.people))))
        return tuple(caveats)


def _p_values(tested: LargestDifference, by_cluster: float | None) -> tuple[PValue, ...]:
    """That of the permutation; where clusters are known the larger of it and theirs comes first, and decides."""
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
    robust = PValue(
        name="two rates, CR2 by cluster, times the pairs",
        value=by_cluster,
        kind="asymptotic",
        alternative="two-sided",
    )
    larger = max(permuted, robust, key=lambda one: one.value)
    return larger.model_copy(update={"name": LARGER}), permuted, robust


def _counted(one: Category) -> str:
    return f"{one.selected} of {one.people}"


def _not_stated(group: str, cells: Counter[str], people: int) -> str:
    text = f"{cells.total():,} of {people:,} people have no {group} stated"
    rest = "count in none of its categories"
    if set(cells) == {BLANK}:
        return f"{text}, and {rest}"
    told = ", ".join(f"{cell} {many:,}" for cell, many in cells.most_common(MOST))
    return f"{text} ({told}), and {rest}; the data's option not_stated says which values state none"


def _named(categories: Sequence[Category]) -> str:
    shown = ", ".join(f"{one.label} ({one.people})" for one in categories[:MOST])
    return shown + (f" and {len(categories) - MOST} more" if len(categories) > MOST else "")


def _coverage(test: OutcomesTest) -> Coverage:
    people = test.people
    lost = tuple(
        LostWord(word=one.text, role=group, reason=f"{NOT_STATED}: {cell}" if cell else NOT_STATED)
        for place, group in enumerate(people.groups)
        for one in people.rows
        if (cell := one.unstated(place)) is not None
    )
    gone = [one.role for one in lost]
    return Coverage(
        given=dict.fromkeys(people.groups, len(people)),
        used={group: len(people) - gone.count(group) for group in people.groups},
        lost=lost,
    )


def _figures(ratios: Sequence[Estimate]) -> tuple[Figure, ...]:
    shown = [one for one in ratios if one.value is not None]
    if not shown:
        return ()
    labels = tuple(one.name.removeprefix(RATIO_OF) for one in shown)
    title = "Impact ratio of each category, to the highest of its table"
    return (
        Bars(
            title=title,
            estimates=tuple(one.name for one in shown),
            labels=labels,
            groups=tuple(label.partition(": ")[0] for label in labels),
        ),
    )


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

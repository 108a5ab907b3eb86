"""FISE and GG-FISE: over which intersections of groups do a model's words lie, and with what affect?

Charlesworth, Ghate, Caliskan & Banaji 2024, PNAS Nexus 3(3) pgae089; equations 1 and 11 and section 2.5 of
Puttick & Kurpicz-Briki 2025, where GG-FISE comes from. The tests of significance are biascore's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final, TypeVar

import numpy as np
import pyarrow as pa

from biascore.api.figures import Bars, Plane
from biascore.api.metrics import Caveat, Context, Model, Scalar, caveats_of, item_table
from biascore.api.stimuli import Catalogue, PairList
from biascore.api.support import SELF
from biascore.designs import Decided, DecidedMetric
from biascore.designs.diagnostics import near_duplicates
from biascore.designs.frequency import Frequency
from biascore.designs.words import OF_MODEL, composed_caveat, coverage_caveats
from biascore.errors import TestKindError
from biascore.stats import Attainable, Decision, Unreachable, Verdict
from biascore.stats.attainable import of_signs
from biascore.stats.labels import MAX_DIMENSIONS
from biascore_metrics.fise.clusters import Floats, most_clusters
from biascore_metrics.fise.estimates import (
    DISTANCE,
    EQUAL_COLUMN,
    PART_COLUMN,
    Findings,
    blank,
    decided,
    figures,
    find,
)
from biascore_metrics.fise.items import FiseTest
from biascore_metrics.fise.options import FiseOptions, GgFiseOptions, PlacementOptions
from biascore_metrics.fise.placement import (
    TARGETS,
    Embedded,
    Placement,
    Treatment,
    embed_targets,
    exchanged,
    group_names,
    joined_coverage,
    list_warnings,
    measure_affects,
    targets_of,
    units_of,
)

NAMED_ON_AXIS: Final = 10
MOST_CELLS: Final = 10**8
"""Cosines of one dimension that are held at once, at most: of each attribute word with all targets and attribute words."""
_MEAN: Final = "mean of the vectors of the two forms, {}; lost where one form has none"
TREATED: Final[Mapping[Treatment, str]] = {
    "first": "the first ({})",
    "both": "both, each a target of its own; the forms of a pair are of one cluster",
    "raw": _MEAN.format("as the model gives them"),
    "unit": _MEAN.format("scaled to length 1"),
}
RESERVED: Final = frozenset({"item", "group", "value", "cluster", "top"})


PlacementOptionsT = TypeVar("PlacementOptionsT", bound=PlacementOptions)


class PlacementMetric(DecidedMetric[PlacementOptionsT, FiseTest]):
    """What FISE and GG-FISE have in common: all but the treatment of targets with two forms."""

    requires = frozenset({"embed"})
    kinds = frozenset({"fise"})
    rule = (
        "Detected when, for a dimension, the labels of its attribute words permuted and a t test of its target words by "
        "clusters both have p at most alpha, Holm-adjusted for the number of dimensions."
    )
    model_options = MappingProxyType({"affect_model": frozenset({"embed"})})

    treated_by: ClassVar[str]
    """The option that says how targets with two forms are treated."""

    @property
    def treatment(self) -> Treatment:
        """How targets with two forms are treated."""
        treatment: Treatment = getattr(self.options, self.treated_by)
        return treatment

    def check(self, test: FiseTest, catalogue: Catalogue) -> None:
        """Raise TestKindError for another kind of test, groups or columns that cannot be separated, and lists too large."""
        problem = next(self.unfit(test), "")
        if problem:
            raise TestKindError(f"{self.name}: {test.id} ({test.file}) {problem}")

    def unfit(self, test: FiseTest) -> Iterator[str]:
        """Why a test cannot be measured, as clauses."""
        if not 2 <= len(test.dimensions) <= MAX_DIMENSIONS:
            yield (
                f"has {len(test.dimensions)} dimension(s), and groups are made from 2 to {MAX_DIMENSIONS}. Give it as many; "
                "one alone is what sc-weat measures"
            )
        for dimension in (*test.dimensions, *test.affect):
            words = len(dimension.A) + len(dimension.B)
            cells = words * (words + len(test.targets))
            if cells > MOST_CELLS:
                yield (
                    f"has {words:,} attribute words of {dimension.name} and {len(test.targets):,} targets, which makes "
                    f"{cells:,} cosines, and {MOST_CELLS:,} are the most. Draw shorter lists from them"
                )
        groups = group_names(test)
        for group in groups:
            if groups.count(group) > 1:
                yield f"has two groups called {group!r}, after the names of its lists. Rename a list"
        columns = [one.name for one in (*test.dimensions, *test.affect)]
        columns += [EQUAL_COLUMN.format(one.name) for one in test.dimensions]
        for name in columns:
            if name in RESERVED or columns.count(name) > 1:
                yield (
                    f"calls a dimension or an affect {name!r}, which is also the name of another column of the results. "
                    "Rename it"
                )

    def unreachable(self, test: FiseTest) -> tuple[Unreachable, ...]:
        """That no mean bias can be detected, where all dimensions, or the targets, have too few words."""
        alpha = self.options.alpha
        units = len(set(units_of(targets_of(test, self.treatment)).tolist()))
        words = (
            of_signs(units, "families")
            if test.targets.families
            else of_signs(most_clusters(units), "clusters")
        )
        least = []
        for one in test.dimensions:
            exchange = exchanged(one, (one.A.words, one.B.words), alpha)
            least.append(Attainable(exchange.smallest_p(), exchange.told(f"words of {one.name}")))
        both = (words, min(least, key=lambda one: one.p_value))
        attainable = max(both, key=lambda one: one.p_value).adjusted(len(least), "dimensions")
        return Unreachable.detected(attainable, alpha)

    def result(self, model: Model, test: FiseTest, context: Context) -> Decided:
        """Place the targets, test their distribution and measure affect; items are the target words."""
        options = self.options
        choice, affect_model = options.affect_model, None
        if test.affect and (choice is not None or model.identity.composes_words):
            affect_model = model if choice in (None, SELF) else context.model(str(choice))
        here = test.affect if affect_model is model else ()
        targets, how = targets_of(test, self.treatment), (self.treatment, options)
        # Targets with dimensions, and targets with affects: one call for each model.
        embedded = embed_targets(model, targets, (*test.dimensions, *here), *how)
        affected, coverage = embedded if here else None, embedded.lists.coverage
        if affect_model and affect_model is not model:
            role = f"{TARGETS} in {affect_model.name}"
            affected = embed_targets(affect_model, targets, test.affect, *how, role)
            coverage = joined_coverage(coverage, affected.lists.coverage, role)
        frequency = Frequency.of(model, embedded.lists.words, embedded.lists.vectors)
        caveats = [
            caveat
            for one in test.dimensions
            for caveat in frequency.one(f"{one.name}.A", f"{one.name}.B", TARGETS)
        ]
        warnings = [*list_warnings(test, embedded), *_affect_warnings(test, affect_model, choice)]
        needed = (TARGETS, *(f"{one.name}.{side}" for one in test.dimensions for side in "AB"))
        problem = embedded.too_few(needed)
        pictures: tuple[Plane | Bars, ...] = ()
        if problem:
            items, placement = item_table(), None
            found = Findings({one.name: one for one in blank(test, len(embedded.targets))})
            decision = Decision(Verdict.NOT_MEASURED, f"It could not be measured: {problem}.")
        else:
            placement = Placement.of(test, embedded, options.axis_tolerance, options.alpha)
            affects, untold = measure_affects(test, embedded.targets, affected) if affected else ({}, [])
            warnings += [*untold, *_placement_warnings(placement, embedded, options.min_words)]
            found = find(test, placement, affects, options, context.rng)
            items, pictures = _items(placement, embedded, affects, options.top), figures(test, placement)
            decision = decided(found, test, placement, options)
            caveats += _near_duplicates(test, embedded)
        of_words = {
            "families of attribute words": _families(placement) if placement else None,
            "clusters of target words": placement.clusters.told() if placement else None,
            "affect measured in": affect_model.name if affect_model else None,
            **frequency.stated(),
        }
        pairs = test.targets if isinstance(test.targets, PairList) else None
        treated = TREATED[self.treatment].format(pairs.sides[0]) if pairs else "none in this test"
        means = "the words are associated with the {} list of the dimension ({})"
        return Decided(
            variant=options.variant(model),
            positive_means=means.format(
                "first", ", ".join(f"{one.name}: {one.A.name}" for one in test.dimensions)
            ),
            negative_means=means.format(
                "second", ", ".join(f"{one.name}: {one.B.name}" for one in test.dimensions)
            ),
            dimensions={name: p <= options.alpha for name, p in found.adjusted.items()},
            needed=needed,
            estimates=found.ordered(),
            decision=decision,
            bound=options.bound,
            bound_of=DISTANCE,
            coverage=coverage,
            caveats=(
                *caveats,
                *sorted(found.caveats, key=lambda one: not one.short),
                *coverage_caveats(coverage),
                *composed_caveat(coverage),
                *caveats_of(warnings, verdict=False),
            ),
            item_value="projection on the diagonal of the word's group",
            figures=pictures,
            model_conventions=(*OF_MODEL, *of_words),
            conventions=options.conventions(model, {"targets in two forms": treated, **of_words}),
            items=items,
        )


class Fise(PlacementMetric[FiseOptions]):
    """FISE: each form of a target is a word of its own, or the first form represents it."""

    name = "fise"
    summary = "FISE: target words over the intersections of groups, with their affect"
    use = "associates"
    reference = "Charlesworth, Ghate, Caliskan & Banaji 2024, PNAS Nexus 3(3) pgae089"
    treated_by = "forms"


class GgFise(PlacementMetric[GgFiseOptions]):
    """GG-FISE: the vector of a target is the mean of its two forms."""

    name = "gg-fise"
    summary = "FISE for grammatical gender: a target is the mean of its masculine and feminine form"
    use = "associates"
    reference = "Puttick & Kurpicz-Briki 2025, GeBNLP 2025, section 2.5.1"
    treated_by = "mean"

    def check(self, test: FiseTest, catalogue: Catalogue) -> None:
        """Raise TestKindError also where the targets have no forms."""
        super().check(test, catalogue)
        if not isinstance(test.targets, PairList):
            raise TestKindError(
                f"gg-fise: the targets {test.targets.name!r} of {test.id} ({test.file}) are single words, and their "
                "mean over forms needs pairs. Measure it with fise, or give the targets as pairs"
            )


def _affect_warnings(test: FiseTest, affect_model: Model | None, choice: str | None) -> Iterator[str]:
    if test.affect and affect_model is None:
        yield (
            f"{' and '.join(affect.name for affect in test.affect)} not measured: the study measures affect in word "
            'vectors, whatever model is tested. Name them with affect_model = "fasttext:cc.it.300.bin" (your file), or take '
            'this model with "self"'
        )
    if not test.affect and choice is not None:
        yield "affect_model is not used, because the test has no lists of affect"


def _placement_warnings(placement: Placement, embedded: Embedded, min_words: int) -> Iterator[str]:
    named = [embedded.targets[i].name for i in np.flatnonzero(placement.on_axis)]
    if named:
        shown = ", ".join(named[:NAMED_ON_AXIS]) + (", ..." if len(named) > NAMED_ON_AXIS else "")
        yield f"{len(named)} of {len(placement.codes)} words lie on an axis and are in no group: {shown}"
    counts = list(zip(placement.groups, placement.counts, strict=True))
    empty = [group for group, count in counts if count == 0]
    if empty:
        yield f"without words, and so without affect: {', '.join(empty)}"
    few = [f"{group} ({count})" for group, count in counts if 0 < count < min_words]
    if few:
        yield f"fewer than {min_words} words, so that percentages of them say little: {', '.join(few)}"


def _near_duplicates(test: FiseTest, embedded: Embedded) -> tuple[Caveat, ...]:
    """Near-duplicates among the words of each dimension, and among targets that are words."""
    lists = {f"{one.name}.{side}": getattr(one, side) for one in test.dimensions for side in "AB"}
    words, vectors = dict(embedded.lists.words), dict(embedded.lists.vectors)
    if not isinstance(test.targets, PairList):
        lists[TARGETS] = test.targets
        words[TARGETS] = tuple(target.name for target in embedded.targets)
        vectors[TARGETS] = embedded.vectors.astype(np.float32)
    return near_duplicates(lists, words, vectors)


def _families(placement: Placement) -> str:
    """How many families the words of each dimension are, of how many words, and how many have counterparts."""
    told = []
    for axis in placement.axes:
        (a, b), of, exchange = axis.labelled.families, axis.labelled, axis.labelled.exchange
        words = f" of {of.n_a} + {of.n_b} words" if (a, b) != (of.n_a, of.n_b) else ""
        pairs = f", {exchange.exchanging} pairs of counterparts" if exchange.paired else ""
        told.append(f"{axis.name} {a} + {b}{words}{pairs}")
    return ", ".join(told)


def _items(placement: Placement, embedded: Embedded, affects: dict[str, Floats], top: int) -> pa.Table:
    columns: dict[str, list[Scalar]] = {axis.name: axis.scores.tolist() for axis in placement.axes}
    for axis in placement.axes:
        columns[EQUAL_COLUMN.format(axis.name)] = axis.equalled.tolist()
        if placement.clusters.declared:
            columns[PART_COLUMN.format(axis.name)] = (axis.equalled / axis.equalled.size).tolist()
    for name, scores in affects.items():
        columns[name] = [float(score) if np.isfinite(score) else None for score in scores]
    first = {number: row for row, number in reversed([*enumerate(placement.clusters.of)])}
    columns["cluster"] = [embedded.targets[first[number]].name for number in placement.clusters.of]
    columns["top"] = list(placement.ranks(top))
    return item_table(
        item=[target.name for target in embedded.targets],
        group=[placement.group_of(word) for word in range(len(embedded.targets))],
        value=[float(value) if np.isfinite(value) else None for value in placement.projections()],
        more=columns,
    )

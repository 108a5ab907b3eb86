"""Metrics of crossed scores: a method gives a table of associations, and this makes test, interval and caveats of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np
import pyarrow as pa
from typing_extensions import TypeVar

from biascore.basics.frozen import Scalar
from biascore.designs.crossed import ATTRIBUTES, OF_USABLE_WORDS, TARGETS, Crossed, Floats, Pair, role_caveats
from biascore.designs.decided import Decided, DecidedMetric
from biascore.designs.diagnostics import CROSSED
from biascore.designs.effect import EFFECT, Effect
from biascore.designs.frequency_match import FrequencyMatch
from biascore.designs.harmless import Compared, Groups, OfGroups
from biascore.designs.options import ReferenceOptions
from biascore.designs.words import too_few
from biascore.errors import OptionsError
from biascore.metric import LOG_LIKELIHOOD, Context
from biascore.models.model import Model
from biascore.results.caveat import Caveat
from biascore.results.estimates import Estimate
from biascore.results.measurement import item_table
from biascore.stats import Unreachable
from biascore.stimuli import Catalogue, Origin, Test

MOST_TARGETS: Final = 10_000
"""So many targets are compared with harmless groups, at most."""

MOST_CELLS: Final = 10**8
"""Scores of a target with an attribute that are held at once, at most: 0.8 GB, of 5,000 words in each of four lists."""

AUDIT_TESTS: Final = "audit-*"
"""The names of the long tests of ``biascore audit``."""

AUDIT_BOUND: Final = 0.5
"""In an audit, a d whose whole interval is below Cohen's medium effect is negligible: lists of 90 words can show that."""

OptionsT = TypeVar("OptionsT", bound=ReferenceOptions, default=ReferenceOptions)


def predicts(model: Model) -> bool:
    """Whether a model says how probable words are: a masked or a causal language model."""
    return "mask_logprob" in model.capabilities or LOG_LIKELIHOOD in model.identity.quantities


class AssociationMetric(DecidedMetric[OptionsT, Test]):
    """A metric whose method is a table of associations; the headline is the effect size d.

    ``unit`` and ``item_value`` say what the associations and the scores are, ``of_model`` names conventions that follow from
    the model. ``most_groups``: so many harmless groups, and words of each, where a model answers one by one.
    ``holds_table``: whether the whole table is in memory, whatever its size.
    """

    rule = (
        "Detected when the two-sided permutation test of the target labels (words as units; of the attribute labels, too, "
        "where targets cannot be exchanged within their kinds) rejects after Holm's adjustment, and at most 5 % of pairs of "
        "harmless groups in the place of the test's groups reach the effect."
    )
    kinds = frozenset({"weat"})
    diagnostics = CROSSED
    unit: ClassVar[str] = "cosine"
    item_value: ClassVar[str] = "association s(w, A, B)"
    of_model: ClassVar[tuple[str, ...]] = ()
    most_groups: ClassVar[tuple[int, int] | None] = None
    holds_table: ClassVar[bool] = True
    own: Pair = TARGETS
    against: Pair = ATTRIBUTES

    @abstractmethod
    def associate(self, model: Model, test: Test, context: Context) -> Crossed:
        """The method: the associations of the words of a test."""

    def associate_groups(
        self, model: Model, test: Test, found: Crossed, groups: Groups, context: Context
    ) -> OfGroups | str:
        """Associations of the words of the lists that stay with those of harmless groups, or why there are none."""
        crossed = self.associate(model, groups.asked_of(test, found.words), context)
        if any(crossed.words[role] != found.words[role] for role in groups.stay):
            return f"{' and '.join(groups.stay)} cannot be read next to harmless groups"
        table = np.asarray(crossed.table)
        return OfGroups(crossed.words[groups.place[0]], table if groups.place == ATTRIBUTES else table.T)

    def further_estimates(
        self,
        test: Test,
        found: Crossed,
        problem: str,
        rng: np.random.Generator,
    ) -> Iterator[Estimate]:
        """Estimates of the method in addition to d and the mean difference."""
        yield from ()

    def item_columns(self, test: Test, found: Crossed) -> Mapping[str, Sequence[Scalar]]:
        """Further columns of the item table."""
        return found.columns

    def caveats(self, model: Model, found: Crossed, further: Sequence[Estimate]) -> tuple[Caveat, ...]:
        """Caveats of the method."""
        return ()

    def stated(self, model: Model, test: Test, context: Context) -> Mapping[str, Scalar]:
        """Conventions of the method."""
        return {}

    def ask_some(self, model: Model, test: Test, context: Context) -> Mapping[str, int]:
        """All queries of ``measure``, and nothing that is computed from the answers."""
        test = FrequencyMatch.of(model, test).test
        found = self.associate(model, test, context)
        groups = Groups.of(test, context.catalogue, self.options, self.most_groups)
        least = dict.fromkeys(self.own, 2) | dict.fromkeys(self.against, 1)
        if not groups.problem and not too_few(found.words, found.coverage, least):
            if groups.place == ATTRIBUTES:
                found = found.thinned(MOST_TARGETS, context.rng)
            self.associate_groups(model, test, found, groups, context)
        return {}

    @classmethod
    def audit_options(cls, model: Model, design: str) -> Mapping[str, Any]:  # noqa: ARG003
        """A bound, so that long lists can show that an effect is negligible."""
        return {"bound": AUDIT_BOUND}

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise OptionsError for lists too large, partitions of X and Y or A and B too many to count, and no groups."""
        targets, attributes = (
            sum(len(test.roles[role]) for role in roles) for roles in (TARGETS, ATTRIBUTES)
        )
        if self.holds_table and targets * attributes > MOST_CELLS:
            raise OptionsError(
                f"{self.name}: {test.id} crosses {targets:,} words of X and Y with {attributes:,} of A and B, which makes "
                f"{targets * attributes:,} scores, and {MOST_CELLS:,} are the most. Draw shorter lists from them"
            )
        for one, other in (TARGETS, ATTRIBUTES):
            self.options.check_exact(test.roles[one].words, test.roles[other].words, test)
        Groups.of(test, catalogue, self.options)

    def extra_stimuli(self, test: Test, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The file of the harmless groups."""
        return Groups.of(test, catalogue, self.options).read_from(catalogue)

    def unreachable(self, test: Test) -> tuple[Unreachable, ...]:
        """What lists as short as these cannot show."""
        return self.options.unreachable(test.roles, self.own)

    def effect(
        self,
        test: Test,
        found: Crossed,
        problem: str,
        rng: np.random.Generator,
        *,
        table: Floats | None = None,
        name: str = EFFECT,
        lists: Pair | None = None,
    ) -> Effect:
        """The effect of the table, or of another one of its shape."""
        sample = problem or found.sample(test, self.own, self.against, table)
        return Effect.of(sample, self.options, rng, unit=self.unit, roles=self.own, name=name, lists=lists)

    def result(self, model: Model, test: Test, context: Context) -> Decided:
        """Effect size d, its permutation p-values and interval; items are the scores of the words."""
        options, own, whole = self.options, self.own, test
        alike = FrequencyMatch.of(model, whole)
        test = alike.test
        found = self.associate(model, test, context)
        least = dict.fromkeys(own, 2) | dict.fromkeys(self.against, 1)
        problem = too_few(found.words, found.coverage, least)
        # The items are words: d over sentences does not follow from them.
        lists = None if found.counts else (test.roles[own[0]].name, test.roles[own[1]].name)
        effect = self.effect(test, found, problem, context.rng, lists=lists)
        compared = self._compared(model, test, found, effect, context)
        further = tuple(self.further_estimates(test, found, problem, context.rng))
        of_method = self.caveats(model, found, further)
        rows, columns = ("target", "attribute") if own == TARGETS else ("attribute", "target")
        unit = "sentences" if found.counts else "words"
        return Decided(
            variant=options.variant(model),
            estimates=(*effect.estimates, *further),
            decision=effect.decide(options),
            specificity=compared.found,
            harmless=compared.pairs,
            bound=options.bound,
            scores=(found,),
            few=bool(problem),
            coverage=alike.covered(found.coverage, whole),
            caveats=(
                *(one for one in of_method if one.short),
                *role_caveats(found.words, found.coverage),
                *effect.caveats(options, f"the {rows}s"),
                *compared.caveats(),
                *(one for one in of_method if not one.short),
            ),
            item_value=self.item_value,
            model_conventions=(*self.of_model, *OF_USABLE_WORDS, *alike.stated),
            conventions=options.conventions(
                model,
                {
                    "effect size": f"(mean s({own[0]}) - mean s({own[1]})) / sd of s over {own[0]} and {own[1]} together",
                    "deciding p-value": options.deciding,
                    "exchanged": effect.exchanged,
                    "resampled": options.resampled(f"{rows} {unit}", f"{columns} {unit}"),
                    **self.stated(model, test, context),
                    **alike.stated,
                    **compared.stated(),
                },
            ),
            items=item_table() if problem else self._items(test, found),
        )

    def _items(self, test: Test, found: Crossed) -> pa.Table:
        sample = found.sample(test, self.own, self.against)
        return found.items(test, sample, self.own, self.item_columns(test, found))

    def _compared(
        self, model: Model, test: Test, found: Crossed, effect: Effect, context: Context
    ) -> Compared:
        """The effect among those of harmless groups in the place of the test's own."""
        groups = Groups.of(test, context.catalogue, self.options, self.most_groups)
        if groups.problem:
            return Compared.without(groups)
        if effect.estimates[0].value is None:
            return Compared.without(groups, "there is no effect size", "nothing to compare")
        rng, targets = context.rng.spawn(1)[0], len(found.table)
        if groups.place == ATTRIBUTES:
            found = found.thinned(MOST_TARGETS, rng)
        of_groups = self.associate_groups(model, test, found, groups, context)
        if isinstance(of_groups, str):
            return Compared.without(groups, of_groups, "no harmless groups can be read here")
        sample = found.sample(test, self.own, self.against)
        compared = Compared.of(groups, of_groups, found, sample, self.options, rng, self.own)
        if len(found.table) == targets:
            return compared
        return compared.further(f"on {len(found.table):,} of the {targets:,} targets")

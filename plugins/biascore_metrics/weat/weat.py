"""WEAT: are the words of X more associated with A than with B, compared with the words of Y?

Caliskan, Bryson & Narayanan 2017, Science 356:183; equations 1-3 of Puttick & Kurpicz-Briki 2025,
equations 1-3 of Omrani Sabbaghi & Caliskan 2022.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.plugins_api import (
    Catalogue,
    Context,
    Equivalence,
    Finding,
    Metric,
    Model,
    Origin,
    Test,
    item_table,
)
from biascore.stats import Unreachable, association, cosine_matrix
from biascore_metrics.frequency import Frequency
from biascore_metrics.near import near_duplicates
from biascore_metrics.weat.effect import Across, Effect
from biascore_metrics.weat.options import NO_TOPICS, WeatOptions
from biascore_metrics.weat.specificity import Compared, Topics, proxy_of, vectors_of, without
from biascore_metrics.weat.words import OF_USABLE_WORDS, ROLES, exchange_of_roles, role_caveats
from biascore_metrics.words import OF_MODEL, RoleVectors, embed_words

LEAST = {"X": 2, "Y": 2, "A": 1, "B": 1}


class Weat(Metric[WeatOptions, Test]):
    """WEAT on any model that can embed; the headline is the effect size d."""

    name = "weat"
    summary = "Word Embedding Association Test: effect size, exact permutation p-value"
    rule = (
        "Detected when the larger of two permutation p-values, of the target labels and of the attribute labels, is at most "
        "alpha."
    )
    reference = "Caliskan, Bryson & Narayanan 2017, Science 356:183-186"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})
    calibrated_with = MappingProxyType({"topics": NO_TOPICS})

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise TestKindError, or OptionsError where all partitions of X and Y, or A and B, cannot be counted,
        or the topics that an option names are not there.
        """
        for one, other in (("X", "Y"), ("A", "B")):
            self.options.check_exact(test.roles[one].words, test.roles[other].words, test)
        Topics.of(test, catalogue, self.options)

    def extra_stimuli(self, test: Test, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The file of the topics."""
        return Topics.of(test, catalogue, self.options).read_from(catalogue)

    def unreachable(self, test: Test) -> tuple[Unreachable, ...]:
        """What lists as short as these cannot show."""
        return self.options.unreachable(test.roles)

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """Effect size d, its permutation p-values and bootstrap interval; items are s(w, A, B) per target."""
        rng = context.rng
        lists_given = {role: test.roles[role].words for role in ROLES}
        roles = embed_words(model, lists_given, self.options.level, self.options)
        problem = roles.too_few(LEAST)
        x = y = np.empty(0)
        across = None
        if not problem:
            x, y = (_associations(roles, role) for role in ("X", "Y"))
            exchange = exchange_of_roles(test, roles.words, ("A", "B"))
            across = Across.of(_table(roles), len(x), len(roles.vectors["A"]), exchange)
        lists = (test.roles["X"].name, test.roles["Y"].name)
        effect = Effect.of(
            x,
            y,
            self.options,
            rng,
            problem=problem,
            across=across,
            exchange=exchange_of_roles(test, roles.words, ("X", "Y")),
            lists=lists,
        )
        compared = self._compared(model, test, roles, effect, context)
        frequency = Frequency.of(model, roles.words, roles.vectors)
        near = () if problem else near_duplicates(test.roles, roles.words, roles.vectors)
        return Finding(
            variant=self.options.variant(model),
            estimates=effect.estimates,
            decision=effect.decide(self.options),
            specificity=compared.found,
            equivalence=Equivalence.within(self.options.bound, effect.estimates[0].name),
            coverage=roles.coverage,
            caveats=(
                *frequency.both(),
                *near,
                *role_caveats(roles.words, roles.coverage),
                *effect.caveats(self.options),
                *compared.caveats(),
            ),
            item_value="association s(w, A, B)",
            model_conventions=(*OF_MODEL, *OF_USABLE_WORDS, *frequency.stated()),
            conventions=self.options.conventions(
                model,
                {
                    "effect size": "(mean s(X) - mean s(Y)) / sd of s over X and Y together",
                    "deciding p-value": self.options.deciding,
                    "exchanged": effect.exchanged,
                    "resampled": self.options.resampled("target words", "attribute words"),
                    "item value": "s(w, A, B) = mean cosine with A - mean cosine with B",
                    **frequency.stated(),
                    **compared.stated(),
                },
            ),
            items=_items(test, roles, x, y),
        )

    def _compared(
        self, model: Model, test: Test, roles: RoleVectors, effect: Effect, context: Context
    ) -> Compared:
        topics = Topics.of(test, context.catalogue, self.options)
        if topics.problem:
            return without(topics)
        words, vectors, unit = vectors_of(model, topics, self.options)
        if effect.estimates[0].value is None:
            return without(topics, "there is no effect size")
        own = (roles.words["A"], roles.words["B"])
        targets = np.concatenate([roles.vectors["X"], roles.vectors["Y"]]).astype(np.float64)
        return Compared.of(
            topics,
            words,
            targets @ unit.T / np.linalg.norm(targets, axis=1, keepdims=True),
            _table(roles),
            (len(roles.words["X"]), len(own[0])),
            self.options,
            context.rng.spawn(1)[0],
            proxy_of(model, own, words, (roles.vectors["A"], roles.vectors["B"], vectors)),
        )


def _table(roles: RoleVectors) -> npt.NDArray[np.float64]:
    """The cosines of the words of X and Y with those of A and B."""
    targets, attributes = (
        np.concatenate([roles.vectors[role] for role in pair]) for pair in (("X", "Y"), ("A", "B"))
    )
    return cosine_matrix(targets, attributes)


def _associations(roles: RoleVectors, role: str) -> npt.NDArray[np.float64]:
    one, other = (cosine_matrix(roles.vectors[role], roles.vectors[side]) for side in ("A", "B"))
    return association(one, other)


def _items(
    test: Test, roles: RoleVectors, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> pa.Table:
    if not len(x):
        return item_table()
    return item_table(
        item=[*roles.words["X"], *roles.words["Y"]],
        group=[test.roles["X"].name] * len(x) + [test.roles["Y"].name] * len(y),
        value=[*map(float, x), *map(float, y)],
    )

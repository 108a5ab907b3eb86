"""What LPBS on masked and on causal models has in common: words in templates, each of which is also reported alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

import numpy as np

from biascore.api.metrics import Context, Coverage, Estimate, LostWord, Model, Scalar, Test
from biascore.designs.association import AUDIT_TESTS, AssociationMetric, predicts
from biascore.designs.crossed import ATTRIBUTES, ROLES, TARGETS, Crossed, Pair
from biascore.designs.effect import EFFECT
from biascore.designs.harmless import Groups, OfGroups
from biascore.designs.words import unknown_words
from biascore_metrics.lpbs.options import LpbsOptions

Word = tuple[str, str]
"""A word with its role."""
REFERENCE: Final = "Kurita, Vyas, Pareek, Black & Tsvetkov 2019, GeBNLP, 166-172"


class InTemplates(AssociationMetric[LpbsOptions]):
    """Associations in nats of words in templates; the headline is the effect size d.

    ``parts`` of `Crossed.source` are tables by name; those not in ``other_readings`` are of one template each.
    """

    name = "lpbs"
    unit = "nats"
    most_groups = (30, 6)
    other_readings: ClassVar[tuple[str, ...]] = ()
    asked_per_cell: ClassVar[int] = 1

    def __init__(self, options: LpbsOptions) -> None:
        super().__init__(options)
        if options.over == "attributes":
            self.own, self.against = ATTRIBUTES, TARGETS

    def associate_groups(
        self, model: Model, test: Test, found: Crossed, groups: Groups, context: Context
    ) -> OfGroups | str:
        """Associations with the words of harmless groups, each asked with each word that stays."""
        of_groups = super().associate_groups(model, test, found, groups, context)
        if isinstance(of_groups, str):
            return of_groups
        cells = len(groups.asked) * sum(len(found.words[role]) for role in groups.stay)
        return of_groups._replace(queries=cells * len(self.options.of(test)) * self.asked_per_cell)

    @classmethod
    def audited(cls, model: Model) -> tuple[str, ...]:
        """The long tests, of a model that predicts words."""
        return (AUDIT_TESTS,) if predicts(model) else ()

    @staticmethod
    def asked(kept: dict[str, tuple[str, ...]], roles: Pair) -> list[Word]:
        """The words of a pair of roles, each with its role."""
        return [(role, word) for role in roles for word in kept[role]]

    def add_unknown(self, model: Model, read: Sequence[Word], reasons: dict[Word, str]) -> None:
        """Add words that the model knows nothing of: the probability of an unknown token says nothing of a word.

        Found by embedding them, so not on a model that cannot embed.
        """
        if "embed" in model.capabilities:
            left = [word for word in read if word not in reasons]
            unknown = unknown_words(model, {"read": [word for _, word in left]}, self.options)
            reasons |= {(role, word): unknown[word] for role, word in left if word in unknown}

    @staticmethod
    def covered(
        test: Test,
        kept: dict[str, tuple[str, ...]],
        lost: Sequence[LostWord],
        read: Sequence[Word],
        reasons: dict[Word, str],
    ) -> tuple[dict[str, tuple[str, ...]], Coverage]:
        """The words that are left in each role, and what became of the others."""
        words = {role: tuple(word for word in kept[role] if (role, word) not in reasons) for role in ROLES}
        gone = (LostWord(word=w, role=r, reason=reasons[r, w]) for r, w in read if (r, w) in reasons)
        return words, Coverage(
            given={role: len(test.roles[role].words) for role in ROLES},
            used={role: len(words[role]) for role in ROLES},
            lost=(*lost, *gone),
        )

    def further_estimates(
        self, test: Test, found: Crossed, problem: str, rng: np.random.Generator
    ) -> Iterator[Estimate]:
        """d of each of several templates, and with other readings."""
        later = rng.spawn(1)[0]
        source = found.source or {}
        alone = [part for part in source if part not in self.other_readings]
        others = [part for part in self.other_readings if part in source and not problem]
        for part in (*alone, *others):
            stream = later if part in others else rng
            yield self.effect(
                test, found, problem, stream, table=source.get(part), name=f"{EFFECT} with {part}"
            ).estimates[0]

    def item_columns(self, test: Test, found: Crossed) -> dict[str, Sequence[Scalar]]:
        """Columns of the method, and the score of each word with each of several templates."""
        scores = {
            f"s with {part}": np.concatenate(
                found.sample(test, self.own, self.against, table).scores
            ).tolist()
            for part, table in (found.source or {}).items()
            if part not in self.other_readings
        }
        return {**(found.columns if self.own == TARGETS else {}), **scores}

    def templates_stated(self, test: Test) -> dict[str, Scalar]:
        """The conventions on templates."""
        return {
            "templates": " | ".join(self.options.of(test)),
            "several templates": "asc averaged over them; each alone as a further estimate, not adjusted",
            "observations": self.options.over,
            "resampled": self.options.resampled(
                self.options.over, "attributes" if self.own == TARGETS else "targets"
            ),
        }

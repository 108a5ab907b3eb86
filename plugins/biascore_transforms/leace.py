"""LEACE: in closed form, the least change after which no linear classifier can distinguish the classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from biascore.api.transforms import IN_SHORT, FittedTransform, Scalar, TransformContext, Vectors
from biascore.stats.removal import Accuracy, Labelled, leace, one_hot, support_vectors
from biascore_transforms.accuracy import in_short, span
from biascore_transforms.damage import damage_of
from biascore_transforms.labelled import LabelledOptions, LearntFromClasses, read_source
from biascore_transforms.linear import from_file, learnt
from biascore_transforms.rows import LabelledRows, labelled_rows

C: Final = 1.0


class Leace(LearntFromClasses[LabelledOptions]):
    """Takes the covariance of vectors and classes to zero by an oblique projection, and changes vectors least."""

    name = "leace"
    summary = "the covariance of vectors and classes taken to zero, at the least change"
    reference = "Belrose et al. 2023, LEACE: Perfect linear concept erasure in closed form, NeurIPS"

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        """Learnt from the training words; the held-out words say whether it holds beyond them."""
        options = self.options
        if options.basis:
            return from_file(options.basis, self.name, context)
        words = labelled_rows(options, read_source(options, context.catalogue), learnt_from, self.name)
        labels = one_hot(words.train.labels)
        change = leace(words.train.rows, labels)
        before = _accuracy(words, options.confidence)
        train, held_out = (
            Labelled(change.apply(part.rows), part.labels) for part in (words.train, words.held_out)
        )
        after = _accuracy(
            LabelledRows(words.names, train, held_out, words.facts, words.warnings), options.confidence
        )
        left = (train.rows - train.rows.mean(axis=0)).T @ (labels - labels.mean(axis=0)) / len(labels)
        facts: dict[str, Scalar] = {
            IN_SHORT: in_short(
                change.rank, {"all": (before, after)}, len(words.train.labels), options.confidence
            ),
            "directions": change.rank,
            "largest covariance with a class that is left in training": float(f"{np.abs(left).max():.3g}"),
            "classifier of the held-out words": f"linear SVC, C = {C:g}",
            "held-out words": before.trials,
            "accuracy of guessing": round(before.chance, 6),
        }
        for when, accuracy in (("before", before), ("after", after)):
            facts[f"held-out accuracy {when}"] = round(accuracy.share, 6)
            facts[f"held-out accuracy {when}, {options.confidence:.0%} interval"] = span(accuracy)
        warnings = list(words.warnings)
        if before.at_chance:
            warnings.append(
                f"a classifier is at chance on held-out words from the start, {before.share:.3f} ({span(before)}): "
                "what was removed is a direction of chance"
            )
        elif not after.at_chance:
            warnings.append(
                f"held-out words are still separated, {after.share:.3f} ({span(after)}): the covariance of the training "
                "words is zero, and that of others is not. Name a longer list"
            )
        return learnt(
            self,
            change,
            context,
            facts={
                **facts,
                **words.facts,
                **damage_of(change.apply, learnt_from, words.all, options.neighbours),
            },
            warnings=warnings,
        )


def _accuracy(words: LabelledRows, confidence: float) -> Accuracy:
    rule = support_vectors(c=C)(words.train.rows, words.train.labels)
    return Accuracy.of(rule.predict(words.held_out.rows), words.held_out.labels, confidence)

"""INLP: iterative null space projection, the whole row space of a classifier of all classes removed in each round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from biascore.api.transforms import FittedTransform, TransformContext, Vectors
from biascore.stats.removal import LowRankMap, iterative_removal, linear_discriminant, support_vectors
from biascore_transforms.accuracy import facts_of, trace_of, warnings_of
from biascore_transforms.damage import damage_of
from biascore_transforms.labelled import LabelledOptions, LearntFromClasses, read_source
from biascore_transforms.linear import from_file, learnt
from biascore_transforms.rows import labelled_rows, seen


class InlpOptions(LabelledOptions):
    """Conventions of INLP, in addition to which words it is learnt from.

    ``classifier``: a linear support vector classifier, one class against the rest ("svc", with ``C``), or linear
    discriminant analysis ("lda"). ``rows``: what it sees, "raw" vectors or "unit" rows of length one; the directions are
    removed from the vectors as they are. ``max_iterations``: rounds at most; the paper took 35 for its word vectors.
    """

    classifier: Literal["svc", "lda"] = "svc"
    C: float = Field(default=1.0, gt=0)
    rows: Literal["raw", "unit"] = "raw"
    max_iterations: int = Field(default=35, ge=1)


class Inlp(LearntFromClasses[InlpOptions]):
    """Removes what linear classifiers find, round after round, until held-out words are guessed no better than by chance."""

    name = "inlp"
    summary = "what linear classifiers of the classes find, removed in rounds"
    reference = "Ravfogel et al. 2020, Null It Out: Guarding Protected Attributes by Iterative Nullspace Projection, ACL"

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        """One basis: the projection on the intersection of all null spaces, as the paper computes it."""
        options = self.options
        if options.basis:
            return from_file(options.basis, self.name, context)
        words = labelled_rows(options, read_source(options, context.catalogue), learnt_from, self.name)
        found = iterative_removal(
            seen(words.train, options.rows),
            seen(words.held_out, options.rows),
            fit=support_vectors(c=options.C) if options.classifier == "svc" else linear_discriminant(),
            problems=[tuple(range(len(words.names)))],
            most=options.max_iterations,
            level=options.confidence,
        )
        change = LowRankMap.projection(found.basis)
        classifier = f"linear SVC, C = {options.C:g}" if options.classifier == "svc" else "LDA"
        return learnt(
            self,
            change,
            context,
            facts={
                **facts_of(found, words, options.confidence, padded=False),
                "classifier": classifier,
                **words.facts,
                **damage_of(change.apply, learnt_from, words.all, options.neighbours),
            },
            warnings=(*warnings_of(found, words.names, options.confidence), *words.warnings),
            trace=trace_of(found, words.names, padded=False),
            cuts=tuple(step.directions for step in found.steps[1:]),
        )

"""Grammatical gender separated from social gender: what classifiers of inanimate nouns go by is projected out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from biascore.api.transforms import FittedTransform, TransformContext, Vectors
from biascore.stats.removal import (
    Fit,
    LowRankMap,
    iterative_removal,
    linear_discriminant,
    support_vectors,
)
from biascore_transforms.accuracy import facts_of, trace_of, warnings_of
from biascore_transforms.damage import damage_of
from biascore_transforms.labelled import LabelledOptions, LearntFromClasses, read_source
from biascore_transforms.linear import from_file, learnt
from biascore_transforms.rows import labelled_rows, seen


class GrammaticalGenderOptions(LabelledOptions):
    """Conventions of disentangling, in addition to which words it is learnt from.

    ``classifier``: a linear support vector classifier ("svc", with ``C``) or linear discriminant analysis ("lda").
    ``solver`` of the former: "primal" converges; "dual" is the authors' setting, which depends on ``seed``. ``rows``: what
    the classifier sees, "unit" rows of length one, "raw" vectors, or the "authors" code: raw, and in the first round each
    column scaled to length one. The directions are removed from the vectors as they are. ``max_iterations``: rounds at
    most; ``iterations``: just so many, whatever is left, as the authors chose by hand.
    """

    classes: Annotated[tuple[str, ...], Field(strict=False)] = ("masculine", "feminine")
    classifier: Literal["svc", "lda"] = "svc"
    C: float = Field(default=10.0, gt=0)
    solver: Literal["primal", "dual"] = "primal"
    rows: Literal["unit", "raw", "authors"] = "unit"
    max_iterations: int = Field(default=30, ge=1)
    iterations: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        given = self.model_fields_set
        if self.classifier == "lda" and given & {"C", "solver"}:
            raise ValueError("C and solver are of the classifier svc; leave them out with lda")
        if self.iterations is not None and "max_iterations" in given:
            raise ValueError(
                "iterations is just so many rounds, and max_iterations as many at most; give one of them"
            )
        return self

    def fit(self) -> Fit:
        if self.classifier == "lda":
            return linear_discriminant()
        return support_vectors(c=self.C, solver=self.solver, seed=self.seed)

    def described(self) -> dict[str, str | int | float | bool | None]:
        """The conventions, as facts."""
        classifier = f"linear SVC, C = {self.C:g}, {self.solver}" if self.classifier == "svc" else "LDA"
        shown = {"unit": "at length one", "raw": "as they are", "authors": "as the authors' code scales them"}
        return {"classifier": classifier, "rows seen by the classifier": shown[self.rows]}


class GrammaticalGender(LearntFromClasses[GrammaticalGenderOptions]):
    """Fits a classifier of grammatical gender, projects its direction out, and again until held-out nouns are at chance."""

    name = "grammatical-gender"
    summary = "grammatical gender projected out, learnt from nouns of things"
    reference = (
        "Omrani Sabbaghi & Caliskan 2022, Measuring Gender Bias in Word Embeddings of Gendered Languages Requires "
        "Disentangling Grammatical Gender Signals, AIES"
    )

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        """One orthonormal basis from all pairs of classes."""
        options = self.options
        if options.basis:
            return from_file(options.basis, self.name, context)
        nouns = labelled_rows(options, read_source(options, context.catalogue), learnt_from, self.name)
        found = iterative_removal(
            seen(nouns.train, options.rows),
            seen(nouns.held_out, options.rows),
            fit=options.fit(),
            problems=list(combinations(range(len(nouns.names)), 2)),
            most=options.max_iterations if options.iterations is None else options.iterations,
            to_chance=options.iterations is None,
            columns_scaled_first=options.rows == "authors",
            level=options.confidence,
        )
        change = LowRankMap.projection(found.basis)
        return learnt(
            self,
            change,
            context,
            facts={
                **facts_of(found, nouns, options.confidence),
                **options.described(),
                **nouns.facts,
                **damage_of(change.apply, learnt_from, nouns.all, options.neighbours),
            },
            warnings=(*warnings_of(found, nouns.names, options.confidence), *nouns.warnings),
            trace=trace_of(found, nouns.names),
            cuts=tuple(step.directions for step in found.steps[1:]),
        )

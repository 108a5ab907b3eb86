"""All-but-the-top: the mean and the principal components of greatest variance removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from biascore.api.transforms import FittedTransform, Options, Scalar, Transform, TransformContext, Vectors
from biascore.errors import CapabilityError, OptionsError, StimuliError
from biascore.stats.removal import top_components
from biascore_transforms.basis_file import check_read_alone
from biascore_transforms.damage import damage
from biascore_transforms.linear import from_file, learnt

ROLE = "words"


class TopComponentsOptions(Options):
    """``components``: how many are removed; None is the paper's rule, a hundredth of the dimensions, at least one.

    ``vocabulary``: learnt from so many of the most frequent words of the model (the paper took all); or ``lists``: from
    the words of these lists. ``neighbours``: how many nearest neighbours are compared. ``basis``: a file that was saved.
    """

    components: int | None = Field(default=None, ge=1)
    vocabulary: int = Field(default=20_000, ge=2)
    lists: Annotated[tuple[str, ...], Field(strict=False)] = ()
    neighbours: int = Field(default=10, ge=1)
    basis: str = ""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = self.model_fields_set
        check_read_alone(self.basis, given)
        if self.lists and "vocabulary" in given:
            raise ValueError("vocabulary and lists are two sources of words; give one of them")
        return self


class TopComponents(Transform[TopComponentsOptions]):
    """Centres all vectors and removes the components that vary most, which carry frequency more than meaning."""

    name = "top-components"
    summary = "the mean and the top principal components removed"
    reference = "Mu & Viswanath 2018, All-but-the-Top: Simple and Effective Postprocessing for Word Representations, ICLR"

    def words(self, context: TransformContext) -> Mapping[str, Sequence[str]]:
        """The most frequent words of the model, or those of the lists."""
        options = self.options
        if options.basis:
            if context.identity is None:  # a damaged file is found before a model is opened
                self.fit({}, context)
            return {}
        if options.lists:
            lists = [context.catalogue.word_list(address) for address in options.lists]
            return {ROLE: tuple(dict.fromkeys(word for one in lists for word in one.words))}
        try:
            return {ROLE: tuple(context.vocabulary(options.vocabulary))}
        except CapabilityError as error:
            if context.identity is None:  # no model is open yet
                raise
            raise OptionsError(
                f"{self.name} is learnt from the most frequent words of a model, and this one has no list of them. Name "
                'word lists: lists = ["LANGUAGE/FILE/LIST", ...]; see what there is with: biascore list wordlists'
            ) from error

    def taught_by(self, words: Mapping[str, Sequence[str]]) -> Iterable[str]:
        """The words of the lists; none where it is learnt from all frequent words, which says nothing of any list."""
        return words.get(ROLE, ()) if self.options.lists else ()

    def stimuli(self) -> Sequence[str]:
        return self.options.lists

    def files(self) -> Sequence[str]:
        """The components that are read instead."""
        return (self.options.basis,) if self.options.basis else ()

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        """The mean and components of the words that the model knows."""
        options = self.options
        if options.basis:
            return from_file(options.basis, self.name, context)
        rows = learnt_from[ROLE].rows
        count, dimensions = rows.shape if rows.size else (0, 0)
        most = min(count, dimensions) - 1
        if most < 1 or (options.components or 1) > most:
            raise StimuliError(
                f"{self.name}: {options.components or 1} components of {count} words that the model knows, in {dimensions} "
                f"dimensions: there are {max(0, most)} that leave anything. Set components lower, or learn from more words"
            )
        change = top_components(rows, options.components)
        centred = rows - rows.mean(axis=0)
        total = float((centred**2).sum())
        shares = ((centred @ change.read) ** 2).sum(axis=0) / total if total else np.zeros(change.rank)
        facts: dict[str, Scalar] = {
            "components": change.rank,
            "words": count,
            "length of the mean, of the mean length": round(
                float(np.linalg.norm(rows.mean(axis=0)) / np.linalg.norm(rows, axis=1).mean()), 6
            ),
            **{
                f"variance of component {place}": round(float(share), 6)
                for place, share in enumerate(shares, start=1)
            },
            **damage(rows, change.apply(rows), options.neighbours, f"{count} words that it was learnt from"),
        }
        warnings: tuple[str, ...] = ()
        if count <= dimensions:
            warnings = (
                f"learnt from {count} words in {dimensions} dimensions: components of so few belong to the list more "
                "than to the model",
            )
        return learnt(self, change, context, facts=facts, warnings=warnings)

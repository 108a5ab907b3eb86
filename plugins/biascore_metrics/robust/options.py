"""Options of robust bias detection: which part of a test is measured, the model that is fitted, and what is reported."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import Field, field_validator

from biascore.api.metrics import Model, Resamples
from biascore.api.stimuli import WordList
from biascore.api.support import quoted
from biascore.designs.bounds import Bound
from biascore.designs.decided import NamesOptions
from biascore.errors import OptionsError
from biascore_metrics.robust.items import AssociationsTest, AttributeGroup

BOUND: Final = 0.1
BOUND_PER_TOKEN: Final = 0.01
"""Of equivalence, in nats and in nats per token."""
Names = Annotated[tuple[str, ...], Field(strict=False, min_length=1)]


class Template(NamedTuple):
    """A template and what it is called: t1, t2, …, in the order of the test."""

    name: str
    sentence: str
    listed: str


class RobustOptions(NamesOptions):
    """Conventions of robust bias detection; the defaults are the paper's.

    ``groups``: those of the test that are compared, the first against the others; None: all. ``templates``: lists of
    templates of the test, or single ones as t1, t2, …; None: all. ``pairs``: how many of the word pairs, from the
    first, or which ("daughter/son"); None: all. ``polarity``: "both" adds the opposites of the targets, their
    association times -1. ``lower_case``: sentences are written in lower case. ``bound``: in nats; a difference whose
    interval is within it is negligible. A word is then less than 10 % likelier with one group than with the other; of a
    causal model, whose nats are per token, the default is .01, the same of a sentence of ten. "none" states none.
    ``perplexity_hides``: what of a sentence is hidden at a time for the pseudo-perplexity of a masked model.
    ``bootstrap``, ``resamples``: how the interval of the paper's R^2 is drawn: from the fitted model, or as lme4's
    simulate() does, which ignores the weights. ``ppl_bins``: edges of perplexity between which the paper's model is
    fitted alone. ``model_kind``: whether a model is asked as a masked or as a causal language model; auto: as a masked
    one, if it can.
    """

    model_kind: Literal["auto", "masked", "causal"] = "auto"
    groups: Names | None = None
    templates: Names | None = None
    pairs: Annotated[int, Field(ge=1)] | Names | None = None
    polarity: Literal["positive", "both"] = "positive"
    lower_case: bool = True
    bound: Bound = BOUND
    perplexity_hides: Literal["sub-tokens", "words"] = "sub-tokens"
    bootstrap: Literal["model", "lme4"] = "model"
    resamples: Resamples = 1000
    ppl_bins: Annotated[tuple[float, ...], Field(strict=False)] = ()

    @field_validator("groups")
    @classmethod
    def _compare(cls, groups: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if groups is not None and (len(groups) < 2 or len(set(groups)) < len(groups)):
            raise ValueError(f"is {', '.join(groups)}; name two or more different groups")
        return groups

    @field_validator("ppl_bins")
    @classmethod
    def _rise(cls, edges: tuple[float, ...]) -> tuple[float, ...]:
        rising = all(low < high for low, high in pairwise(edges))
        if edges and (len(edges) < 2 or not rising or not all(map(math.isfinite, edges))):
            raise ValueError(
                "must hold two or more finite edges in rising order, such as [0, 5, 10, 20, 100]"
            )
        return edges

    def bounded(self, default: float) -> Self:
        """The same with another bound where none is given."""
        return self if "bound" in self.model_fields_set else self.model_copy(update={"bound": default})

    def variant(self, model: Model) -> str:
        """What tells a measurement from others of its metric: the options that are not the defaults, but no bound."""
        return ", ".join(self.changed(*["bound"] * (self.bound is None)))

    def chosen_groups(self, test: AssociationsTest) -> tuple[AttributeGroup, ...]:
        """The groups that are compared, in this order; raises OptionsError for one that the test does not have."""
        known = {group.name: group for group in test.groups}
        wanted = self.groups or tuple(known)
        _require(test, "groups", wanted, known)
        return tuple(known[name] for name in wanted)

    def chosen_templates(self, test: AssociationsTest) -> tuple[Template, ...]:
        """The templates that are filled; raises OptionsError for one that the test does not have."""
        listed = [(some.name, sentence) for some in test.templates for sentence in some.sentences]
        every = tuple(Template(f"t{i}", text, name) for i, (name, text) in enumerate(listed, start=1))
        if self.templates is None:
            return every
        known = dict.fromkeys([*(one.listed for one in every), *(one.name for one in every)])
        _require(test, "templates", self.templates, known)
        return tuple(one for one in every if one.listed in self.templates or one.name in self.templates)

    def chosen_rows(self, test: AssociationsTest, group: AttributeGroup) -> tuple[int, ...]:
        """The rows of a group's words that are taken; raises OptionsError for pairs that the test does not have."""
        every = tuple(range(len(group.words)))
        if self.pairs is None or not group.pairs:
            return every
        (pairs,) = (one.pairs for one in test.pairs if one.name == group.pairs)
        if isinstance(self.pairs, int):
            if self.pairs > len(pairs):
                raise OptionsError(
                    f"{test.id}: pairs={self.pairs}, and {group.pairs} has {len(pairs)}. Take at most so many"
                )
            return every[: self.pairs]
        known = {"/".join(order): row for row, pair in enumerate(pairs) for order in (pair, pair[::-1])}
        _require(test, "pairs", self.pairs, known)
        return tuple(sorted({known[name] for name in self.pairs}))

    def opposites(self, test: AssociationsTest) -> WordList:
        """The opposites of the targets; raises OptionsError where the test has none."""
        if test.opposites is None:
            raise OptionsError(
                f"{test.id}: polarity=both needs opposites of the targets, and {test.file} names none. Leave the option "
                "out, or add a list of opposites to the test"
            )
        return test.opposites


def _require(test: AssociationsTest, option: str, wanted: Sequence[str], known: Mapping[str, object]) -> None:
    unknown = [name for name in wanted if name not in known]
    if unknown:
        some = ", ".join([*known][:20]) + (", …" if len(known) > 20 else "")
        raise OptionsError(
            f"{test.id}: {option} has {quoted(unknown[0])}, which the test does not have. It has: {some}. "
            f"See the test with: biascore show {test.id}"
        )

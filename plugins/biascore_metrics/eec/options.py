"""Options of the metric ``eec``: which sentences are compared, by which regression, and how p-values are adjusted."""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import Field

from biascore.api.formats import FrozenMap
from biascore.designs.bounds import Bound
from biascore.designs.decided import NamesOptions

Names = Annotated[tuple[str, ...], Field(strict=False, min_length=1)]
KINDS: Final = {"names": ["name"], "noun phrases": ["noun phrase"], "all": ["name", "noun phrase"]}
"""What `EquityTest.rows` calls the kinds of persons, by the value of the option."""


class EecOptions(NamesOptions):
    """Conventions of Equity Evaluation Corpora; the defaults choose the sentences of Câmara et al. 2022.

    ``joint``: further tests whose sentences share the regression. ``emotions``: those that are measured, each must be an
    output of the model; None: those of the test that it has.
    ``quantities``: what the model calls them, ``{anger = "LABEL_0"}``. ``persons``, ``sentences``: whose scores are
    compared, and of which sentences: those with a word of the emotion that is scored ("own emotion"), of any emotion, of
    none, or all. ``templates``: "all", "agreement-free" (no word agrees with the person), or some by id. ``link``:
    "identity" fits least squares; "both" a Beta regression (logit), too, for replication.
    ``squeeze``: move scores into (0, 1) where some are exactly 0 or 1. ``adjustment``: of the p-values of all emotions and
    effects. ``bound``: effects whose intervals are all within it, in the unit of the scores, are negligible; "none": none
    is. The default is for scores from 0 to 1: a hundredth of that scale, the step in which the labels of such regressors
    are cut in the paper, and less than all effects that it stars (.0146 and more).
    """

    joint: Annotated[tuple[str, ...], Field(strict=False)] = ()
    emotions: Names | None = None
    quantities: FrozenMap[str] = Field(default_factory=lambda: MappingProxyType({}))
    persons: Literal["names", "noun phrases", "all"] = "names"
    sentences: Literal["own emotion", "any emotion", "no emotion", "all"] = "own emotion"
    templates: Literal["all", "agreement-free"] | Names = "all"
    link: Literal["identity", "both"] = "identity"
    squeeze: bool = False
    adjustment: Literal["benjamini-hochberg", "holm", "none"] = "benjamini-hochberg"
    bound: Bound = 0.01

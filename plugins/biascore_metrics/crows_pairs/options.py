"""Options of CrowS-Pairs."""

from __future__ import annotations

from typing import Literal

from biascore.api.metrics import Resamples
from biascore.designs.bounds import Bound
from biascore.designs.pairs.options import ComparedOptions, PairOptions


class CrowsPairsOptions(PairOptions):
    """``pll``: what is hidden with a token: nothing else (as published), or the later tokens of its word.

    ``model_kind``: whether a model is asked as a masked or as a causal language model; auto: as a masked one, if it can.
    """

    model_kind: Literal["auto", "masked", "causal"] = "auto"
    pll: Literal["original", "within_word_l2r"] = "original"


class MixedPairOptions(ComparedOptions):
    """Conventions of the weighted mean of sentence pairs, and of the paper's mixed model, which does not decide.

    ``pll``: as in ``CrowsPairsOptions``. ``bound``: nats around 0 within which the whole interval of the mean
    counts as negligible; of two sentences that differ by .2 nats one has a probability of 55 to 45, the bound of
    ``crows-pairs``. "none" states none. ``random_pair``: the mixed model has a random intercept of the pair, too, which
    the paper's has not. ``bootstrap``, ``resamples``: how the interval of R² is drawn: from the fitted model, or as lme4's
    simulate() does, which ignores the weights.
    """

    pll: Literal["original", "within_word_l2r"] = "original"
    bound: Bound = 0.2
    random_pair: bool = False
    bootstrap: Literal["model", "lme4"] = "model"
    resamples: Resamples = 1000

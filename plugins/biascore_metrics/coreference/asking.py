"""The log odds of two mentions as what a pronoun refers to, after a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator

from biascore.api.metrics import Model
from biascore.api.queries import Continuation

Floats = npt.NDArray[np.float64]
PROMPT: Final = "{sentence} ‘{pronoun}’ refers to the"
"""The prompt of lm-evaluation-harness for Winogender; the pronoun has a capital letter."""
NATS: Final = "nats"


def _both(prompt: str) -> str:
    lacking = [slot for slot in ("{sentence}", "{pronoun}") if prompt.count(slot) != 1]
    if lacking:
        raise ValueError(f"has to hold {' and '.join(lacking)} once")
    return prompt


Prompt = Annotated[str, AfterValidator(_both)]
"""An option: how the sentence and its pronoun are put; a mention follows."""


class Referent(NamedTuple):
    """A sentence, its pronoun, and two mentions that it may refer to."""

    sentence: str
    pronoun: str
    one: str
    other: str


def log_odds(model: Model, asked: Sequence[Referent], prompt: str) -> Floats:
    """log p(one) - log p(other) after the prompt, each the sum over its tokens: (n,), nats."""
    texts = [
        Continuation(
            prompt.replace("{pronoun}", q.pronoun.capitalize()).replace("{sentence}", q.sentence),
            f" {mention}",
        )
        for q in asked
        for mention in (q.one, q.other)
    ]
    found = model.score(texts, "log_likelihood", in_nats=True).reshape(-1, 2)
    odds: Floats = found[:, 0] - found[:, 1]
    return odds

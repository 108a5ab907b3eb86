"""The six questions that a model can be asked, as hook specifications; a backend answers those it can.

These signatures are the contract that third parties build on; they change only with a major version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pluggy

if TYPE_CHECKING:  # every plugin imports this, and a list of them is not to wait for arrays
    import numpy as np
    import numpy.typing as npt

    from biascore.models.questions.questions import (
        Choice,
        Chosen,
        Continuation,
        Level,
        Masked,
        Text,
        TokenLogprobs,
        Way,
    )
    from biascore.models.questions.writing import Prompt, Settings, Written

PROJECT: Final = "biascore"
hookspec: Final = pluggy.HookspecMarker(PROJECT)
hookimpl: Final = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin as one of biascore's hooks: ``@hookimpl``."""

CAPABILITIES: Final = ("embed", "mask_logprob", "translate", "score", "choose", "generate")
QUESTIONS: Final = {"mask_logprob": "queries", "choose": "questions", "generate": "prompts"}
"""What a hook calls its questions, where that is not ``texts``."""


class CapabilitySpecs:
    """The six questions; a backend implements those it can answer, a batch at a time."""

    @hookspec(firstresult=True)
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:  # type: ignore[empty-body]
        """Embed the texts: float32 of shape (n, d), in the order given.

        ``level="token"``: mean of the last hidden states of the sub-tokens that cover ``Text.span``.
        ``level="sentence"``: the adapter documents which vector (``[CLS]``, last token, mean of word vectors).
        A row of NaN means "out of vocabulary" and nothing else.
        """

    @hookspec(firstresult=True)
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:  # type: ignore[empty-body]
        """Log-probabilities, in nats, of the hidden tokens of each query, in reading order.

        An answer without tokens says that the model reads nothing under one of the query's spans (``also``
        included), because its tokenizer drops those characters.
        """

    @hookspec(firstresult=True)
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:  # type: ignore[empty-body]
        """Translate the texts from language ``source`` to ``target`` (BCP 47 tags), one for one."""

    @hookspec(firstresult=True)
    def score(self, texts: tuple[str | Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:  # type: ignore[empty-body]
        """Score the texts: float64 of shape (n,).

        ``quantity="log_likelihood"``: sum over the tokens, in nats, of a causal language model; ``"token_count"``: how many
        tokens that are, if ``Identity.quantities`` lists it.
        Any other quantity is a named output of a head, in the head's unit (``"anger"`` in [0, 1]).
        A ``Continuation`` is asked only where ``Identity.continues`` says so.
        """

    @hookspec(firstresult=True)
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:  # type: ignore[empty-body]
        """What the model chooses of the options of each question, asked in one of ``Identity.ways``."""

    @hookspec(firstresult=True)
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:  # type: ignore[empty-body]
        """The text that the model writes to each prompt with these settings; `as_written` says what became of it."""

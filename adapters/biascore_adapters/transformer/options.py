"""The options of transformers, in a module that imports nothing that runs one: an engine reads those of every adapter."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from biascore.api.adapters import Options

Activation: TypeAlias = Literal["none", "sigmoid", "softmax"]
Labels: TypeAlias = tuple[str, ...]
Pooling = Literal["cls", "last", "mean"]
"""Which token states a sentence vector is the mean of: the first, the last, or all of them."""
LongTexts = Literal["error", "cut", "windows"]
"""What becomes of a text that is too long: an error; cut, as ``encode()`` of a sentence-transformers folder does; scored in
windows, by a causal language model."""


class PromptOptions(Options):
    """How a prompt is sent to a causal language model.

    ``chat_template``: "on" puts it as a user's message through the chat template of the tokenizer, "off" as it is,
    "auto" (the default) as the tokenizer has one or not. ``system_prompt`` is a message before it. ``thinking`` is
    handed to templates that ask whether to think (``enable_thinking``). ``max_answer_tokens`` (64) bounds what is
    generated to choose by text.
    """

    chat_template: Literal["auto", "on", "off"] = "auto"
    system_prompt: str | None = None
    thinking: bool | None = None
    max_answer_tokens: int | None = Field(default=None, ge=1)


class LongTextOptions(PromptOptions):
    """What becomes of texts that are longer than a model takes; they are never truncated unasked.

    ``long_texts``: "error" (the default); "cut", of a sentence-transformers folder, with a warning, where its
    ``encode()`` cuts; "windows", of a causal language model, scores log-likelihoods in overlapping windows, each
    ``stride`` tokens behind the one before (by default half of what the model takes).
    """

    long_texts: LongTexts | None = None
    stride: int | None = Field(default=None, ge=1)

"""The options of the ``openai:`` adapter."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from biascore.api.adapters import ServiceOptions


class OpenAIOptions(ServiceOptions):
    """How a chat model behind a server is asked.

    ``base_url``: of another server than OpenAI's own, such as "http://localhost:11434/v1". ``system_prompt``: a message
    before each prompt. ``temperature``: 0 unless set; "server" sends none, for models that take none. ``seed`` is sent
    where it is set. A question's own seed is sent in its place, at ``temperature``, or at 1 where that is 0.
    ``max_answer_tokens`` (64) bounds an answer that chooses, ``max_new_tokens`` (1024) a translation;
    ``token_limit`` is the name that the server has for that bound: by default "max_completion_tokens" with OpenAI,
    "max_tokens" elsewhere. ``answers_as``: the name that the server answers with, where that is another than the
    model's. ``concurrency``: requests at a time. ``prompt_logprobs``: how the server tells
    the log-probabilities of given texts, if it does: "echo" after the ids of their tokens, as vLLM does; "echo-text" after
    the texts themselves, as llama-cpp-python does; "grammar" where it generates what a grammar forces, as llama.cpp's own
    server does. Then texts are scored, after ``text_start`` where a model has no start token of its own.
    """

    base_url: str | None = None
    system_prompt: str | None = None
    temperature: float | Literal["server"] = Field(default=0.0)
    seed: int | None = None
    max_answer_tokens: int = Field(default=64, ge=1)
    max_new_tokens: int = Field(default=1024, ge=1)
    token_limit: Literal["max_tokens", "max_completion_tokens"] | None = None
    answers_as: str | None = None
    concurrency: int = Field(default=8, ge=1, le=256)
    prompt_logprobs: Literal["echo", "echo-text", "grammar"] | None = None
    text_start: str = ""

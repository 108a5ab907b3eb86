"""The ``openai:`` adapter; what asks is imported in ``load``."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import SecretStr

from biascore.api.adapters import Adapter
from biascore.api.support import warn_if_readable
from biascore.errors import AuthError, MissingExtraError, OptionsError
from biascore_adapters.mt.adapters import server_url
from biascore_adapters.openai.options import OpenAIOptions

if TYPE_CHECKING:
    from biascore.api.adapters import Backend, LoadContext, ModelRef

KEY: Final = "OPENAI_API_KEY"
WITHOUT_KEY: Final = "none"
"""Sent to servers of one's own, which ask for no key; the client insists on one."""


class OpenAIAdapter(Adapter[OpenAIOptions]):
    """Asks a chat model by its name on a server: it chooses, writes, translates, and scores texts where the server can."""

    id: ClassVar[str] = "openai"
    summary: ClassVar[str] = "chat models behind a server of the OpenAI API (OpenAI, vLLM, llama.cpp, Ollama)"
    example: ClassVar[str] = "openai:gpt-4.1-mini"
    answers_version: ClassVar[str | None] = "2"
    on_workers: ClassVar[bool] = False
    capabilities: ClassVar[frozenset[str]] = frozenset({"choose", "generate", "score", "translate"})
    extra: ClassVar[str | None] = "openai"
    key_env_var: ClassVar[str | None] = KEY

    def check(self, ref: ModelRef, options: OpenAIOptions, context: LoadContext) -> None:  # noqa: ARG002
        """Raise MissingExtraError, OptionsError for no model or an address that is none, AuthError without a key."""
        if importlib.util.find_spec("openai") is None:
            raise MissingExtraError(f"{self.id}: models", "openai")
        if not ref.locator:
            raise OptionsError(
                "openai: names no model. Write its name on the server, such as openai:gpt-4.1-mini"
            )
        if options.text_start and options.prompt_logprobs is None:
            raise OptionsError(
                "openai: text_start is put before texts that are scored, which needs prompt_logprobs. Set it to echo, "
                "echo-text or grammar, or leave text_start out"
            )
        if options.base_url is not None:
            server_url(options.base_url, "openai: the option base_url")
            warn_if_readable(options.base_url, KEY)
        elif not os.environ.get(KEY, "").strip():
            raise AuthError(
                f"openai: needs a key, and the environment variable {KEY} is not set. Get one at "
                f"https://platform.openai.com/api-keys and export {KEY}=..., or name your own server with the option "
                "base_url"
            )

    def load(self, ref: ModelRef, options: OpenAIOptions, context: LoadContext) -> Backend:
        from biascore_adapters.openai.backend import ChatBackend, ScoringBackend

        key = SecretStr(os.environ.get(KEY, "").strip() or WITHOUT_KEY)
        backend = ChatBackend if options.prompt_logprobs is None else ScoringBackend
        return backend(ref.locator, key, options, context.languages)

"""``openai:`` asks a chat model behind any server of the OpenAI API: OpenAI's own, vLLM, llama.cpp, Ollama, a gateway.

Importing this package does not import the openai package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Provide ``openai``."""
    from biascore_adapters.openai.adapter import OpenAIAdapter

    register(OpenAIAdapter)

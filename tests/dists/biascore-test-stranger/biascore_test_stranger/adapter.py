"""A model that is a dict of vectors."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Adapter, Backend, Identity, LoadContext, ModelRef, Options, hookimpl
from biascore.api.queries import Level, Text
from biascore.errors import ModelLoadError

VECTORS = {
    "rozo": (1.0, 0.1),
    "tulipo": (0.9, 0.2),
    "lilio": (0.8, 0.1),
    "muŝo": (0.1, 1.0),
    "vespo": (0.2, 0.9),
    "pulo": (0.3, 0.8),
    "ĝojo": (1.0, 0.0),
    "amo": (0.9, 0.1),
    "malĝojo": (0.0, 1.0),
    "malamo": (0.1, 0.9),
}


class StrangerOptions(Options):
    """``scale`` multiplies every vector."""

    scale: float = 1.0


class StrangerBackend(Backend):
    """Looks words up."""

    batch = 3

    def __init__(self, scale: float) -> None:
        self._scale = scale
        self.identity = Identity(
            digest="test:stranger", composes_words=True, sentence_vector="the word's vector"
        )

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        """The vector, or NaN for a word that is not in the dict."""
        rows = [VECTORS.get(text.text, (np.nan, np.nan)) for text in texts]
        return (np.array(rows) * self._scale).astype(np.float32)


class StrangerAdapter(Adapter[StrangerOptions]):
    """Opens ``stranger:toy``."""

    id: ClassVar[str] = "stranger"
    summary: ClassVar[str] = "a dict of vectors"
    example: ClassVar[str] = "stranger:toy"
    capabilities: ClassVar[frozenset[str]] = frozenset({"embed"})

    def load(self, ref: ModelRef, options: StrangerOptions, context: LoadContext) -> Backend:
        """Open the only model there is."""
        if ref.locator != "toy":
            raise ModelLoadError(f"{ref}: there is only stranger:toy. Write that.")
        return StrangerBackend(options.scale)

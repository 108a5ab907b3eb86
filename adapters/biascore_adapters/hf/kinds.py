"""Which backend answers for which kind of model."""

from __future__ import annotations

from typing import Final

from biascore.plugins_api import Backend
from biascore_adapters.hf.causal import CausalBackend
from biascore_adapters.hf.encode import EncoderBackend
from biascore_adapters.hf.heads import HeadBackend
from biascore_adapters.hf.load import Kind, load
from biascore_adapters.hf.masked import MaskedBackend
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.transformer.folder import ModelFolder

_BACKENDS: Final[dict[Kind, type[EncoderBackend]]] = {
    "encoder": EncoderBackend,
    "decoder": EncoderBackend,
    "masked": MaskedBackend,
    "causal": CausalBackend,
    "head": HeadBackend,
}


def open_backend(folder: ModelFolder, options: HfOptions) -> Backend:
    """Open the model of a folder with the backend that its kind asks for."""
    loaded = load(folder, options)
    return _BACKENDS[loaded.kind](folder, options, loaded)

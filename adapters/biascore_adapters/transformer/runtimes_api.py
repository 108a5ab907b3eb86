"""What an adapter with its own runtime needs; imported in ``load``, not where a plugin is registered."""

from __future__ import annotations

from biascore_adapters.transformer.arrays import log_probabilities, padded, pooled
from biascore_adapters.transformer.backends import Opened
from biascore_adapters.transformer.batching import batches
from biascore_adapters.transformer.combined import backend_of
from biascore_adapters.transformer.folder import ModelFolder, modules_of, read_json_file
from biascore_adapters.transformer.outputs import HeadOutputs
from biascore_adapters.transformer.pooling import Pool
from biascore_adapters.transformer.probes import moved_by_padding, sees_later
from biascore_adapters.transformer.runtime import Runtime
from biascore_adapters.transformer.sentence import SentenceVector
from biascore_adapters.transformer.stated import is_decoder, stated, tokenizer_of
from biascore_adapters.transformer.tokens import Input, Reader

__all__ = [
    "HeadOutputs",
    "Input",
    "ModelFolder",
    "Opened",
    "Pool",
    "Reader",
    "Runtime",
    "SentenceVector",
    "backend_of",
    "batches",
    "is_decoder",
    "log_probabilities",
    "modules_of",
    "moved_by_padding",
    "padded",
    "pooled",
    "read_json_file",
    "sees_later",
    "stated",
    "tokenizer_of",
]

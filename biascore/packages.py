"""The versions of the packages that compute the numbers of a run."""

from __future__ import annotations

import sys
from typing import Final

ALWAYS: Final = ("numpy", "scipy")
WHERE_LOADED: Final = (
    *("fasttext", "onnxruntime", "safetensors", "sentence_transformers", "sentencepiece"),
    *("tokenizers", "torch", "transformers"),
)
"""What adapters import; another version of it may move the last decimals."""


def computing() -> dict[str, str]:
    """Package to version, of those that always compute and those that were loaded in this process."""
    loaded = {name: getattr(sys.modules.get(name), "__version__", None) for name in (*ALWAYS, *WHERE_LOADED)}
    return {name: str(version) for name, version in loaded.items() if version is not None}

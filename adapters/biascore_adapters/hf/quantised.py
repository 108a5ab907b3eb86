"""Quantised weights: which methods are opened, with what packages, and how they are recorded; without torch."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Self

from biascore.errors import ModelLoadError

# Not every method that transformers knows: some fetch their kernels from the hub, and code of others is never run.
_PACKAGES: Final = {
    "bitsandbytes": ("bitsandbytes", "accelerate"),
    "gptq": ("gptqmodel", "optimum", "accelerate"),
    "awq": ("gptqmodel", "accelerate"),
}
_READ_AS_PLAIN: Final = "mxfp4"  # transformers itself makes plain weights of these
ORIGINAL: Final = (
    "measure the model that they were made from, hf:<owner>/<original>, with the option dtype=bfloat16 if memory is short. "
    "Its bias may differ from that of the quantised copy"
)


@dataclass(frozen=True, slots=True)
class Quantised:
    """How the weights of a folder are quantised: the method and, in words, what ``config.json`` states of it.

    ``alone``: the method rounds the states of a pass by the largest of all of them (LLM.int8()), so that a text's answers
    would depend on those that share its pass.
    """

    method: str
    described: str
    alone: bool = False

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Self | None:
        """What a configuration states, None for plain weights and for those that are read as such."""
        stated = config.get("quantization_config")
        if not isinstance(stated, dict) or stated.get("quant_method") == _READ_AS_PLAIN:
            return None
        eight, four = bool(stated.get("load_in_8bit")), bool(stated.get("load_in_4bit"))
        method = "bitsandbytes" if eight or four else str(stated.get("quant_method") or "an unnamed method")
        if eight:
            parts = ["8 bits (LLM.int8())"]
        elif four:
            parts = [f"4 bits ({stated.get('bnb_4bit_quant_type', 'fp4')})"]
            parts += [f"computed in {stated.get('bnb_4bit_compute_dtype', 'float32')}"]
        else:
            parts = [f"{stated['bits']} bits"] if "bits" in stated else []
            parts += [f"groups of {stated['group_size']}"] if "group_size" in stated else []
        return cls(method, ", ".join([method, *parts]), alone=eight)

    @property
    def facts(self) -> dict[str, str]:
        """For the record, with the version of the library that reads the weights."""
        library = _PACKAGES[self.method][0]
        return {"quantised": self.described, library: metadata.version(library)}


def check_quantised(path: Path, config: Mapping[str, Any]) -> None:
    """Raise ModelLoadError for weights of a method that is not opened, or whose packages are not installed."""
    found = Quantised.of(config)
    if found is None:
        return
    what = f"{path} holds weights quantised by {found.method} (quantization_config in config.json)"
    if found.method not in _PACKAGES:
        raise ModelLoadError(
            f"{what}, which hf: does not read; it reads those by {', '.join(_PACKAGES)}. Else {ORIGINAL}"
        )
    needed = _PACKAGES[found.method]
    if any(importlib.util.find_spec(package) is None for package in needed):
        raise ModelLoadError(
            f"{what}, for which packages are missing: pip install {' '.join(needed)}. Or {ORIGINAL}"
        )


def not_loaded(path: Path, method: str, reason: str) -> ModelLoadError:
    """The error for quantised weights that their library does not load or run here."""
    return ModelLoadError(
        f"{path} holds weights quantised by {method}, and its library does not run them here ({reason}). Try another "
        f"device (the option device) or version of it; or {ORIGINAL}"
    )

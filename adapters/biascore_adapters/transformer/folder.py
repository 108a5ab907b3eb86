"""A folder that holds a transformer: its parsed configuration, its files, and the digest that identifies it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from biascore.errors import ModelLoadError

# Of a hub repository these files are fetched, and of any folder these are the model's identity. They are
# named rather than "*.safetensors", because repositories also carry ONNX, fp16 and checkpoint copies.
SAFETENSORS: Final = ("model.safetensors", "model-*-of-*.safetensors")
PICKLE: Final = ("pytorch_model.bin", "pytorch_model-*-of-*.bin")
VOCABULARY: Final = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model", "*.spm")
GENERATION: Final = ("generation_config.json",)
SETTINGS: Final = (
    "config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
    "modules.json",
    "*_Pooling/config.json",
)


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that holds a model: its parsed ``config.json``, its weight files, and its revision if any."""

    path: Path
    revision: str | None
    config: Mapping[str, Any]
    weights: tuple[Path, ...]

    @property
    def pickled(self) -> bool:
        """Whether the weights are pickle files."""
        return self.weights[0].suffix == ".bin"

    def read_json(self, name: str) -> Any:
        """The parsed JSON file ``name`` of the folder; raises ModelLoadError where it cannot be parsed."""
        return read_json_file(self.path / name)

    def digest(self, also: Iterable[str] = ()) -> str:
        """``"blake2b:<hex>"`` over names and bytes of weights, configuration, tokenizer and the files ``also``."""
        # The index only says which shard holds which tensor, and the shards say so themselves.
        files = {*self.weights, *matching(self.path, (*SETTINGS, *VOCABULARY, *also))}
        total = hashlib.blake2b(digest_size=32)
        for name, path in sorted((path.relative_to(self.path).as_posix(), path) for path in files):
            with path.open("rb") as file:
                total.update(f"{name} {hashlib.file_digest(file, 'blake2b').hexdigest()}\n".encode())
        return f"blake2b:{total.hexdigest()}"


def matching(path: Path, patterns: Iterable[str]) -> tuple[Path, ...]:
    """The files of a folder that match any of the patterns, sorted."""
    return tuple(sorted({file for pattern in patterns for file in path.glob(pattern) if file.is_file()}))


def read_json_file(path: Path) -> Any:
    """The parsed JSON file; raises ModelLoadError where it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelLoadError(
            f"{path} cannot be read ({first_line(error)}). Fetch or save the model again"
        ) from error


def first_line(error: BaseException) -> str:
    """The first line of an error's text."""
    return (str(error).strip().splitlines() or [""])[0]

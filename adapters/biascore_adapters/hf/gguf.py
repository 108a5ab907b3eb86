"""GGUF files (of llama.cpp), which transformers reads and whose weights it dequantises."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from shlex import quote
from threading import Lock
from typing import Any, Final
from unittest.mock import patch

from biascore.api.support import check_fetched, install_extra, quoted
from biascore.errors import MissingExtraError, ModelLoadError
from biascore_adapters.transformer.folder import ModelFolder, first_line, offline

MAGIC: Final = b"GGUF"
SUFFIX: Final = ".gguf"
_PACKAGES: Final = ("gguf", "accelerate")
_READING: Final = Lock()
"""Files are read one after the other, as what reads them is changed meanwhile."""


def find_gguf(file: Path) -> ModelFolder:
    """The model of a file, its configuration unread.

    Raises ModelLoadError for what is no GGUF file, MissingExtraError without what reads it.
    """
    check_fetched(file, str(file), ModelLoadError)
    try:
        with file.open("rb") as stream:
            start = stream.read(len(MAGIC))
    except OSError as error:
        raise ModelLoadError(f"{file} cannot be read ({first_line(error)}). Check the file") from error
    if start != MAGIC:
        raise ModelLoadError(
            f"{file} is no GGUF file, whatever its name: it begins with {quoted(start.decode('latin-1'))}. Fetch it again"
        )
    if any(importlib.util.find_spec(package) is None for package in _PACKAGES):
        raise MissingExtraError(f"{file.name}: GGUF files", "gguf")
    return ModelFolder(file.parent, None, {}, (file,), gguf=file)


def only_one(path: Path) -> Path | None:
    """A file, or the only one in a folder that holds no model of another form; None where there is none."""
    if path.suffix == SUFFIX and path.is_file():
        return path
    if not path.is_dir() or (path / "config.json").exists():
        return None
    files = sorted(path.glob(f"*{SUFFIX}"))
    return files[0] if len(files) == 1 else None


@contextmanager
def read_once() -> Iterator[None]:
    """Within it, the head of a file is read once, and the names of an architecture's tensors are made once.

    transformers reads the head, which holds the vocabulary, for each thing it wants to know (seven times for a model),
    and makes the names anew for each of its modules.
    """
    import gguf
    from transformers import modeling_gguf_pytorch_utils as reading

    names = ((gguf, "GGUFReader"), (gguf, "get_tensor_name_map"), (reading, "load_gguf_checkpoint"))
    if not all(hasattr(*one) for one in names):  # of another version, which reads it as often as it likes
        yield
        return
    own: Any = reading.load_gguf_checkpoint  # without types
    head = cache(own)

    def checkpoint(gguf_checkpoint_path: str, return_tensors: bool = False, **of_tensors: Any) -> Any:
        if return_tensors:
            return own(gguf_checkpoint_path, return_tensors=True, **of_tensors)
        return deepcopy(head(gguf_checkpoint_path))

    with (
        _READING,
        patch.object(gguf, "GGUFReader", cache(gguf.GGUFReader)),
        patch.object(gguf, "get_tensor_name_map", cache(gguf.get_tensor_name_map)),
        patch.object(reading, "load_gguf_checkpoint", checkpoint),
    ):
        yield


def with_config(folder: ModelFolder) -> ModelFolder:
    """The model with its configuration, which the head of the file states.

    Raises ModelLoadError for a file that transformers does not read, and for another model than a causal one.
    """
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    file = folder.weights[0]
    try:
        with offline():
            config = AutoConfig.from_pretrained(
                folder.path, local_files_only=True, **folder.reading
            ).to_dict()
    except Exception as error:  # KeyError, ValueError, and what the package gguf raises on a damaged file
        raise ModelLoadError(
            f"{file} cannot be read by transformers ({type(error).__name__}: {first_line(error)[:200]}). {served(file)}"
        ) from error
    family = str(config.get("model_type"))
    named = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(family)
    if not isinstance(named, str):
        raise ModelLoadError(
            f"{file} holds a model of the family {quoted(family)}, and of GGUF files only causal language models are read. "
            "Name the model that it was made from: hf:<owner>/<original>"
        )
    return replace(folder, config={**config, "architectures": [named]})


def types_of(file: Path) -> Mapping[str, tuple[int, int]]:
    """The tensors of a file and their numbers, by the type in which they are stored; raises ModelLoadError."""
    from gguf import GGUFReader

    tensors, numbers = Counter[str](), Counter[str]()
    try:
        for tensor in GGUFReader(str(file)).tensors:
            tensors[tensor.tensor_type.name] += 1
            numbers[tensor.tensor_type.name] += int(tensor.n_elements)
    except Exception as error:  # numpy's and struct's own, of a damaged file
        raise ModelLoadError(
            f"{file} cannot be read ({type(error).__name__}: {first_line(error)[:200]}). Fetch the file again"
        ) from error
    return {kind: (tensors[kind], numbers[kind]) for kind in tensors}


def described(file: Path, dtype: str) -> str:
    """How the weights are stored and computed with, in words: the convention of a model."""
    numbers = {kind: count for kind, (_, count) in types_of(file).items()}
    shares = ", ".join(
        f"{kind} {count / sum(numbers.values()):.0%}"
        for kind, count in sorted(numbers.items(), key=lambda one: -one[1])
    )
    return f"GGUF ({shares} of the weights), dequantised to {dtype}"


def served(file: Path) -> str:
    """The next step for a file that is not read here."""
    return (
        f"Name the model that it was made from, hf:<owner>/<original>; or run it in a server and ask that: llama-server -m "
        f"{quote(str(file))}, and openai:<model> -o model.base_url=http://localhost:8080/v1"
    )


def which(path: Path, files: tuple[Path, ...]) -> str:
    """The advice for a folder of GGUF files."""
    named = ", ".join(quote(f"hf:{file}") for file in files[:3])
    return (
        f"{path} holds GGUF files (of llama.cpp) and no other model. Name the file that is meant: {named}. Its reader is "
        f"an extra: {install_extra('gguf')}"
    )

"""A folder that holds a transformer: its parsed configuration, its files, and the digest that identifies it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from biascore.api.formats import leads_out, parse_json, read_bytes
from biascore.api.support import check_fetched, quoted
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
    "config_sentence_transformers.json",
    "sentence_*_config.json",
    "*_Pooling/config.json",
)
MODULES: Final = "modules.json"
# What a module of a sentence-transformers folder may consist of, each in a folder of its own.
MODULE_FILES: Final = ("config.json", *SAFETENSORS[:1], *PICKLE[:1])


@dataclass(frozen=True, slots=True)
class Module:
    """An entry of ``modules.json``: the Python class that does its work, and the folder that holds it."""

    type: str
    path: str

    @property
    def name(self) -> str:
        """The name of the class alone."""
        return self.type.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that holds a model: its parsed ``config.json``, its weight files, and its revision if any.

    ``modules`` are those of a sentence-transformers folder, ``outer`` that folder itself where the transformer
    lies in a folder of its own within it. ``code`` are the files of Python code that its model may run, which are part of
    its digest; none where it is to run none. ``gguf``: the file that holds all of the model, if one does.
    """

    path: Path
    revision: str | None
    config: Mapping[str, Any]
    weights: tuple[Path, ...]
    modules: tuple[Module, ...] = ()
    outer: Path | None = None
    code: tuple[Path, ...] = ()
    gguf: Path | None = None

    @property
    def root(self) -> Path:
        """The folder that the user names."""
        return self.outer or self.path

    @property
    def reading(self) -> dict[str, str]:
        """Arguments that transformers needs in addition to the folder."""
        return {"gguf_file": self.gguf.name} if self.gguf else {}

    @property
    def architecture(self) -> str:
        """The class that the configuration names first; "" where it names none."""
        return str((self.config.get("architectures") or [""])[0])

    @property
    def module_files(self) -> tuple[Path, ...]:
        """The files of the modules behind the transformer, and what says how they go together."""
        own = (matching(self.root / module.path, MODULE_FILES) for module in self.modules[1:] if module.path)
        stated = matching(self.root, (MODULES, "config_sentence_transformers.json"))
        return tuple(sorted({*stated, *(file for files in own for file in files)})) if self.modules else ()

    @property
    def pickled(self) -> bool:
        """Whether the weights are pickle files."""
        return self.weights[0].suffix == ".bin"

    def check_fetched(self) -> None:
        """Raise ModelLoadError where one of the files only points to what Git LFS stores elsewhere."""
        for file in sorted(self._files()):
            check_fetched(file, str(file), ModelLoadError)

    def _files(self, also: Iterable[str] = ()) -> set[Path]:
        if self.gguf:
            return {self.gguf}
        # Without the index of sharded weights: it names all of them and no others, or is refused.
        own = matching(self.path, (*SETTINGS, *VOCABULARY, *also))
        return {*self.weights, *own, *self.module_files, *self.code}

    def digest(self, also: Iterable[str] = ()) -> str:
        """``"blake2b:<hex>"`` over names and bytes of weights, configuration, tokenizer, code and the files ``also``."""
        files = self._files(also)
        total = hashlib.blake2b(digest_size=32)
        named = (
            (f"model{self.gguf.suffix}" if self.gguf else path.relative_to(self.root).as_posix(), path)
            for path in files
        )
        for name, path in sorted(named):
            with path.open("rb") as file:
                total.update(f"{name} {hashlib.file_digest(file, 'blake2b').hexdigest()}\n".encode())
        return f"blake2b:{total.hexdigest()}"


@contextmanager
def offline() -> Iterator[None]:
    """Within it the client of the hub opens no connection: a model is whole in its folder, whatever its files name."""
    from huggingface_hub import constants

    before, constants.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE, True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def matching(path: Path, patterns: Iterable[str]) -> tuple[Path, ...]:
    """The files of a folder that match any of the patterns, sorted; raises ModelLoadError where a name cannot be."""
    try:
        return tuple(sorted({file for pattern in patterns for file in path.glob(pattern) if file.is_file()}))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or first_line(error)
        raise ModelLoadError(
            f"the files of {str(path)[:200]} cannot be listed ({why}). Fetch or save the model again"
        ) from error


def modules_of(path: Path) -> tuple[Module, ...]:
    """What ``modules.json`` lists, the transformer first; () for a folder without one.

    Raises ModelLoadError where it is damaged, or a module lies outside the folder.
    """
    file = path / MODULES
    if not file.is_file():
        return ()
    listed = read_json_file(file)
    modules = []
    for entry in listed if isinstance(listed, list) else [None]:
        match entry:
            case {"type": str(type_), "path": str(inside)}:
                modules.append(Module(type_, inside))
            case _:
                raise ModelLoadError(
                    f"{file} does not list modules with a type and a path. Fetch or save the model again"
                )
        if leads_out(inside):
            raise ModelLoadError(
                f"{file} names {inside!r}, outside its folder, which is refused. Fetch or save the model again"
            )
    return tuple(modules)


def read_config(path: Path) -> Mapping[str, Any]:
    """``config.json`` of a folder; raises ModelLoadError where it is no object, or what it names as its kind is no name."""
    file = path / "config.json"
    config = read_json_file(file)
    if not isinstance(config, dict):
        raise ModelLoadError(f"{file} holds no JSON object. Fetch or save the model again")
    listed = config.get("architectures") or []
    named = [*(listed if isinstance(listed, list) else [listed]), config.get("model_type") or ""]
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in named):
        raise ModelLoadError(
            f"{file} names as model_type or in architectures something else than names. Fetch or save the model again"
        )
    _check_backbone(file, config)
    return config


def _check_backbone(file: Path, config: object) -> None:
    """Raise ModelLoadError where a configuration, or one inside it, names another model: transformers looks it up online."""
    if isinstance(config, list):
        for entry in config:
            _check_backbone(file, entry)
    if isinstance(config, dict):
        if isinstance(config.get("backbone"), str):
            raise ModelLoadError(
                f"{file} names the model {quoted(config['backbone'])} as backbone, which would be fetched. Only models that "
                "are whole in their folder are read: choose one of text"
            )
        for value in config.values():
            _check_backbone(file, value)


def read_json_file(path: Path) -> Any:
    """The parsed JSON file; raises ModelLoadError where it cannot be read."""
    try:
        return parse_json(read_bytes(path, str(path), ModelLoadError).decode("utf-8"), last_counts=True)
    except (OSError, ValueError) as error:
        raise ModelLoadError(
            f"{path} cannot be read ({first_line(error)}). Fetch or save the model again"
        ) from error


def first_line(error: BaseException) -> str:
    """The first line of an error's text."""
    return (str(error).strip().splitlines() or [""])[0]

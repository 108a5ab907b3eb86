"""Python code that a folder brings for its model: run only where the user accepts it, and then part of the record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from transformers import (
    CONFIG_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
)
from transformers.dynamic_module_utils import get_class_from_dynamic_module

from biascore.errors import ModelLoadError, OptionsError
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.transformer.exported import Kind
from biascore_adapters.transformer.folder import ModelFolder, read_json_file

_CLASS: Final = re.compile(r"(?P<module>[A-Za-z_]\w*(/[A-Za-z_]\w*)*)\.[A-Za-z_]\w*", re.ASCII)
_KINDS: Final[Mapping[str, tuple[Kind, Any]]] = {
    "AutoModel": ("encoder", AutoModel),
    "AutoModelForMaskedLM": ("masked", AutoModelForMaskedLM),
    "AutoModelForCausalLM": ("causal", AutoModelForCausalLM),
    "AutoModelForSequenceClassification": ("head", AutoModelForSequenceClassification),
}
_MEANING: Final = (
    "runs that code with all your rights on this machine: read it first, or trust its author. It is recorded"
)


def check_code(folder: ModelFolder, options: HfOptions) -> dict[str, str]:
    """What the record says of the code that replaces transformers' own, or that it replaces; else nothing.

    Raises ModelLoadError for a model that transformers does not know, and for code of the folder's own unless an
    option says which one runs; OptionsError where such an option means nothing.
    """
    kind = folder.config.get("model_type")
    if options.trust_remote_code:
        return _accepted(folder, options)
    own = "auto_map" in folder.config
    if not _known(folder):
        if own:
            raise ModelLoadError(
                f"{folder.path} needs Python code of its own (auto_map in config.json), which is not run unless you ask "
                f"for it. The option trust_remote_code=true {_MEANING}. Or use a model whose architecture is part of "
                "transformers"
            )
        raise _unknown(folder)
    if not own:
        return {}
    if not options.native_code:
        raise ModelLoadError(
            f"{folder.path} names Python code of its own (auto_map in config.json), which is not run unless you ask for "
            f"it. transformers has code for {kind!r} too, which may compute something else with these weights. Where "
            "the authors say that it is the same model, or to try, set the option native_code=true, which the run "
            f"records. The option trust_remote_code=true {_MEANING}"
        )
    return {"code": f"that of transformers for {kind}, not the folder's own (auto_map)"}


def conventions_of(folder: ModelFolder) -> dict[str, str]:
    """A convention of every measurement on a model that ran the folder's code; else none."""
    if not folder.code:
        return {}
    return {"code of the model": "its author's own, run with trust_remote_code=true"}


def own_kind(folder: ModelFolder) -> tuple[Kind, Any] | None:
    """What the folder's own class is for, and the Auto class that opens it; None where transformers' is opened."""
    named = folder.config.get("auto_map") if folder.code else None
    if not named:
        return None
    fitting = [
        auto
        for auto, own in named.items()
        if auto in _KINDS and own.rpartition(".")[2] == folder.architecture
    ]
    found = [*fitting, *(auto for auto in _KINDS if auto in named)]
    return _KINDS[found[0]] if found else None


def own_class(folder: ModelFolder, auto: Any) -> tuple[Any, dict[str, Any]]:
    """What opens the model in the place of an Auto class, and the arguments that it needs for that.

    An Auto class would open the class that it met first under this configuration in the process, even where the files of
    code of this folder are others.
    """
    named = folder.config.get("auto_map") if folder.code else None
    if not named or auto.__name__ not in named:
        return auto, {"trust_remote_code": bool(folder.code)}

    def made(name: str) -> Any:
        return get_class_from_dynamic_module(named[name], str(folder.path), local_files_only=True)

    if "AutoConfig" in named:
        config = made("AutoConfig").from_pretrained(folder.path, local_files_only=True)
    else:
        config = AutoConfig.from_pretrained(folder.path, trust_remote_code=False, local_files_only=True)
    return made(auto.__name__), {"config": config}


def _known(folder: ModelFolder) -> bool:
    """Whether the installed transformers has code for this type of model; what code of a folder registered is not its."""
    kind = str(folder.config.get("model_type"))
    return kind in CONFIG_MAPPING and not CONFIG_MAPPING[kind].__module__.startswith("transformers_modules")


def _accepted(folder: ModelFolder, options: HfOptions) -> dict[str, str]:
    if options.native_code:
        raise OptionsError(
            "trust_remote_code=true runs the folder's own code and native_code=true that of transformers. Set one of "
            "them"
        )
    stated = folder.config.get("auto_map") or {}
    if not (isinstance(stated, Mapping) and all(isinstance(own, str) for own in stated.values())):
        raise ModelLoadError(
            f"{folder.path} names something else than classes as its code (auto_map in config.json). Fetch the model again"
        )
    named = _named(folder)
    if not named:
        raise OptionsError(
            f"{folder.path} names no Python code of its own (auto_map), so that trust_remote_code would mean nothing. "
            "Leave it out"
        )
    for own in named:
        match = _CLASS.fullmatch(own)
        if match is None:
            raise ModelLoadError(
                f"{folder.path} names {own!r} as its code (auto_map), which is no class of a file in this folder. Put the "
                "files of code that it needs into a copy of the folder, and name them there as file.Class"
            )
        if not (folder.path / f"{match['module']}.py").is_file():
            raise ModelLoadError(
                f"{folder.path} lacks {match['module']}.py, which it names as its code (auto_map). Fetch the model again"
            )
    if not _known(folder) and "AutoConfig" not in stated:
        raise _unknown(folder)
    files = ", ".join(path.relative_to(folder.path).as_posix() for path in folder.code)
    return {"code": f"the folder's own, by its author ({files}), run with trust_remote_code=true"}


def _named(folder: ModelFolder) -> list[str]:
    """The classes that the folder names as its code, for whatever Auto class."""
    settings = folder.path / "tokenizer_config.json"
    stated = read_json_file(settings) if settings.is_file() else {}
    found: list[str] = []
    for holder in (folder.config, stated):
        value = holder.get("auto_map") if isinstance(holder, Mapping) else None
        entries = list(value.values()) if isinstance(value, Mapping) else [value]
        for entry in entries:  # of tokenizers there are two, the slow and the fast
            found += [str(one) for one in (entry if isinstance(entry, list) else [entry]) if one]
    return found


def _unknown(folder: ModelFolder) -> ModelLoadError:
    return ModelLoadError(
        f"{folder.path} has the model_type {folder.config.get('model_type')!r} in config.json, which the installed "
        "transformers does not know. Try a newer one: pip install --upgrade transformers"
    )

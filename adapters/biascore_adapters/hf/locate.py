"""From a model reference to the files of one model on this disk, checked before torch is imported."""

from __future__ import annotations

import importlib.util
import re
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from biascore.api.adapters import ModelRef
from biascore.api.formats import user_path
from biascore.errors import MissingExtraError, ModelLoadError
from biascore_adapters.hf import foreign, gguf
from biascore_adapters.transformer.folder import (
    GENERATION,
    MODULE_FILES,
    PICKLE,
    SAFETENSORS,
    SETTINGS,
    VOCABULARY,
    ModelFolder,
    first_line,
    matching,
    modules_of,
    read_config,
)

PACKAGE: Final = "package:"
_HUB_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
_COMMIT = re.compile("[0-9a-f]{40}")


def find_local(ref: ModelRef, *, allow_pickle: bool, own_code: bool = False) -> ModelFolder | None:
    """The model that ``ref`` names on this disk, or None where it names one of the hub.

    A folder that exists wins over a hub id, and an ``@`` in its name is part of the name. ``own_code``: its Python code is
    to run.
    Raises ModelLoadError for a path or package that is not there, or that holds no model.
    """
    if ref.locator.startswith(PACKAGE):
        found = _in_package(ref)
        file = gguf.only_one(found)
        if file is not None:
            return gguf.find_gguf(file)
        return _model_folder(found, None, allow_pickle=allow_pickle, own_code=own_code)
    whole = user_path(f"{ref.locator}@{ref.revision}" if ref.revision else ref.locator)
    if ref.locator and whole.is_dir():
        return _model_folder(whole, None, allow_pickle=allow_pickle, own_code=own_code)
    hub = hub_ref(ref)
    if hub.revision and user_path(hub.locator).is_dir():
        raise ModelLoadError(
            f"{ref} names the local folder {hub.locator}, which has no revisions. Write it without "
            f"@{hub.revision}"
        )
    for file in (whole, user_path(hub.locator)):
        if ref.locator and file.is_file() and file.suffix == gguf.SUFFIX:
            return gguf.find_gguf(file)
    if user_path(hub.locator).is_file():
        raise ModelLoadError(
            f"{ref} names a file. Name the folder that holds it: hf:{user_path(hub.locator).parent}"
        )
    if not _HUB_ID.fullmatch(hub.locator):
        raise ModelLoadError(
            f"{ref}: there is no folder {hub.locator!r}, and it is not a hub id either. Write "
            f"hf:/path/to/folder, hf:<owner>/<name>[@<revision>] or hf:{PACKAGE}<python package>/<folder>"
        )
    return None


def fetch(ref: ModelRef, *, allow_pickle: bool, own_code: bool = False) -> ModelFolder:
    """The hub model that ``ref`` names, from the cache or downloaded into it.

    Raises MissingExtraError without huggingface_hub, ModelLoadError for a model that neither the cache nor
    the hub has.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingExtraError("hf: models", "hf") from error
    hub = hub_ref(ref)
    wanted = [
        *SETTINGS,
        *VOCABULARY,
        *GENERATION,
        *SAFETENSORS,
        "model.safetensors.index.json",
        foreign.ADAPTER,
        *(["*.py"] if own_code else []),
    ]

    def download(patterns: list[str]) -> Path:
        asked = partial(snapshot_download, hub.locator, revision=hub.revision, allow_patterns=patterns)
        try:
            return Path(asked())
        except (
            Exception
        ) as error:  # the hub client raises OSError, ValueError and its HTTP library's own errors
            if _COMMIT.fullmatch(hub.revision or ""):
                # Without a network, release 1.33 of the client opens a cached branch, but not a cached commit.
                with suppress(Exception):
                    return Path(asked(local_files_only=True))
            fetch = f"hf download {hub.locator}"
            raise ModelLoadError(
                f"{hub}: the hub gave no such model, and it is neither in the cache nor a folder here "
                f"({type(error).__name__}: {first_line(error)}). Check the name, log in if it is gated "
                f"(hf auth login), or fetch it where there is a network: "
                + (f"hf download {hub.locator} --revision {hub.revision}" if hub.revision else fetch)
            ) from error

    path = download(wanted)
    modules = modules_of(path)
    inside = f"{modules[0].path}/" if modules and modules[0].path else ""  # the older layout
    if modules:
        wanted = [*wanted, *(inside + name for name in wanted)]
        wanted += [f"{one.path}/{name}" for one in modules[1:] if one.path for name in MODULE_FILES]
        path = download(wanted if allow_pickle else [name for name in wanted if not name.endswith(".bin")])
    if allow_pickle and not matching(path / inside, SAFETENSORS):
        path = download([*wanted, *(inside + name for name in (*PICKLE, "pytorch_model.bin.index.json"))])
    return _model_folder(path, path.name, allow_pickle=allow_pickle, own_code=own_code)


def hub_ref(ref: ModelRef) -> ModelRef:
    """The reference with its revision apart, whether or not the caller has split it."""
    return ref if ref.revision else ref.split_revision()


def _in_package(ref: ModelRef) -> Path:
    """The folder or file ``package/sub/path`` of an installed package, found without importing it."""
    package, _, inside = ref.locator.removeprefix(PACKAGE).partition("/")
    if ref.revision:
        raise ModelLoadError(f"{ref}: a package has no revisions. Write it without @{ref.revision}")
    if not package.isidentifier():  # of "a.b", a would be imported to find b
        raise ModelLoadError(
            f"{ref}: {package!r} is not the name of a top-level package. Write hf:{PACKAGE}<package>/<folder>"
        )
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModelLoadError(
            f"{ref}: no Python package {package!r} is installed. Install the distribution that holds it, or correct "
            "the name"
        )
    return Path(next(iter(spec.submodule_search_locations)), inside)


def _model_folder(root: Path, revision: str | None, *, allow_pickle: bool, own_code: bool) -> ModelFolder:
    if not root.is_dir():
        raise ModelLoadError(f"there is no folder {root}. Check the path")
    modules = modules_of(root)
    path = root / modules[0].path if modules and modules[0].name == "Transformer" else root
    foreign.check_files(path)
    if modules and modules[0].name == "StaticEmbedding":
        raise ModelLoadError(foreign.static(root))
    if not (path / "config.json").is_file():
        raise ModelLoadError(
            f"{path} is not a model folder: it has no config.json. Name the folder that save_pretrained() "
            "wrote; of the hub only such models are read, not GGUF files or adapters alone"
        )
    config = read_config(path)
    foreign.check_config(path, config)
    # transformers would go on with an empty vocabulary, and every word would be unknown
    if not matching(path, VOCABULARY):
        raise ModelLoadError(
            f"{path} has no tokenizer (none of {', '.join(VOCABULARY)}). "
            f"Save the tokenizer next to the model: tokenizer.save_pretrained({str(path)!r})"
        )
    weights = _weights(path, allow_pickle=allow_pickle)
    foreign.check_index(path, weights)
    outer = root if path != root else None
    code = tuple(sorted(path.rglob("*.py"))) if own_code else ()
    folder = ModelFolder(path, revision, config, weights, modules, outer, code)
    folder.check_fetched()
    return folder


def _weights(path: Path, *, allow_pickle: bool) -> tuple[Path, ...]:
    if safe := matching(path, SAFETENSORS):
        return foreign.one_set(path, safe)
    pickled = foreign.one_set(path, matching(path, PICKLE))
    if not pickled:
        raise ModelLoadError(foreign.no_weights(path))
    if not allow_pickle:
        raise ModelLoadError(
            f"{path} has its weights only as pickle ({pickled[0].name}), and reading a pickle can run any "
            "code that its author put there. Prefer a copy saved as model.safetensors; if you trust where "
            "this one comes from, set the option allow_pickle=true"
        )
    return pickled

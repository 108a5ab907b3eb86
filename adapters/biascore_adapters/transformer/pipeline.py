"""What ``encode()`` of a sentence-transformers folder does around its transformer, read from the folder's files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
from scipy.special import erf, expit

from biascore.errors import ModelLoadError
from biascore_adapters.transformer.folder import MODULES, ModelFolder, first_line, matching, read_json_file
from biascore_adapters.transformer.pooling import MEANING, Mode
from biascore_adapters.transformer.tokens import errors_of_libraries

Vectors = npt.NDArray[np.float32]
_SETTINGS: Final = "config_sentence_transformers.json"
_LIBRARY: Final = "sentence_transformers."
_REMEDY: Final = "Fetch or save the model again"
_ROUTES: Final = "sentence='cls', 'last' or 'mean', which reads the transformer alone"
# In the order in which they are joined where the older form of the file sets several.
_FLAGS: Final[dict[str, Mode]] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
# A closed list: the library imports whatever class the file names. Each as torch computes it by default.
_ACTIVATIONS: Final[dict[str, Callable[[Vectors], Vectors]]] = {
    "Identity": lambda x: x,
    "Tanh": np.tanh,
    "ReLU": lambda x: np.maximum(x, 0),
    "GELU": lambda x: x * 0.5 * (1 + erf(x / np.sqrt(2))),
    "SiLU": lambda x: x * expit(x),
    "Sigmoid": expit,
}
# What a module is not made without.
_NEEDED: Final = {"Dense": ("in_features", "activation_function"), "LayerNorm": ("dimension",)}
# Keyword arguments of the transformer that leave its answers as they are, or that the adapter has options for.
_HARMLESS: Final = frozenset(
    {"attn_implementation", "dtype", "torch_dtype", "padding_side", "trust_remote_code", "use_cache"}
)


@dataclass(frozen=True, slots=True)
class Step:
    """What a module does to pooled vectors of shape (n, d), in words and as a function."""

    described: str
    apply: Callable[[Vectors], Vectors]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The way from text to vector: ``prompt`` + text, lower-cased, at most ``limit`` tokens, pooled, ``steps``.

    ``prompt_counts``: whether the states of the prompt's tokens are pooled with those of the text.
    """

    modes: tuple[Mode, ...]
    prompt: str = ""
    prompt_counts: bool = True
    lower_case: bool = False
    limit: int | None = None
    steps: tuple[Step, ...] = ()

    @classmethod
    def read(cls, folder: ModelFolder, *, allow_pickle: bool) -> Pipeline | None:
        """The pipeline that a folder declares, None where it declares none that gives one vector a text.

        Raises ModelLoadError where it has a module that is not computed here, or a file is damaged.
        """
        try:
            return cls._read(folder, allow_pickle=allow_pickle)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ModelLoadError(
                f"{folder.root} has settings of another form than sentence-transformers writes "
                f"({type(error).__name__}: {first_line(error)}). Fetch or save the model again"
            ) from error

    @classmethod
    def _read(cls, folder: ModelFolder, *, allow_pickle: bool) -> Pipeline | None:
        settings = _json(folder.root / _SETTINGS)
        if settings.get("model_type", "SentenceTransformer") != "SentenceTransformer":
            return None  # a cross-encoder, say, whose head scores pairs
        kinds = [_known(folder, module.type, module.name) for module in folder.modules]
        if not folder.modules:
            lone = matching(folder.path, ("*_Pooling/config.json",))
            _check_whole(folder)
            if not lone:
                return None
            modes, counts = _pooling(folder, lone[0])
            return cls(modes, prompt_counts=counts)
        if kinds[:1] != ["Transformer"] or kinds.count("Pooling") != 1 or kinds.index("Pooling") != 1:
            raise _refused(folder, f"goes through {', then '.join(kinds)}")
        modes, counts = _pooling(folder, folder.root / folder.modules[1].path / "config.json")
        steps = [
            step
            for module in folder.modules[2:]
            for step in _steps(folder, folder.root / module.path, module.name, allow_pickle=allow_pickle)
        ]
        if settings.get("truncate_dim") is not None:
            size = int(settings["truncate_dim"])
            steps.append(Step(f"first {size} components", lambda x: x[:, :size]))
        own = _transformer(folder)
        limit = own.get("max_seq_length")
        return cls(
            modes=modes,
            prompt=_prompt(folder, settings),
            prompt_counts=counts,
            lower_case=bool(own.get("do_lower_case")),
            limit=None if limit is None else int(limit),
            steps=tuple(steps),
        )

    @property
    def described(self) -> str:
        """The rule for a sentence vector in words."""
        pooled = " and ".join(MEANING[mode] for mode in self.modes)
        if self.prompt and not self.prompt_counts:
            pooled += ", those of the prompt left out"
        before = [f"with the prompt {self.prompt!r}"] if self.prompt else []
        before += ["in lower case"] if self.lower_case else []
        after = [f"then {step.described}" for step in self.steps]
        return "; ".join([", ".join([*before, pooled]), *after])

    def width(self, folder: ModelFolder, hidden: int) -> int:
        """The width of a sentence vector, of states of that width; raises ModelLoadError where a module takes none."""
        try:
            with np.errstate(all="ignore"):  # only the shape counts; the numbers of an answer are checked
                return int(self.finish(np.ones((1, hidden * len(self.modes)), dtype=np.float32)).shape[1])
        except ValueError as error:
            raise ModelLoadError(
                f"the modules of {folder.root} do not fit together ({first_line(error)}). Fetch or save the model again"
            ) from error

    def finish(self, pooled: Vectors) -> Vectors:
        """Pooled states (n, d) through the modules behind the pooling: float32 of shape (n, ``width``)."""
        for step in self.steps:
            pooled = step.apply(pooled).astype(np.float32, copy=False)
        return pooled


def _known(folder: ModelFolder, type_: str, name: str) -> str:
    if not type_.startswith(_LIBRARY):
        raise _refused(folder, f"runs Python code of its own ({type_}), which is never run")
    return name


def _refused(folder: ModelFolder, problem: str) -> ModelLoadError:
    return ModelLoadError(
        f"{folder.root} is a sentence-transformers folder whose encode() {problem} ({MODULES}), which this adapter does "
        f"not compute. Set the option {_ROUTES} and gives other vectors than encode()"
    )


def _check_whole(folder: ModelFolder) -> None:
    """Raise ModelLoadError for what sentence-transformers wrote where the list of its modules is gone."""
    parts = [file.parent.name for file in matching(folder.path, ("[0-9]*_*/config.json",))]
    behind = [name for name in parts if not name.endswith("_Pooling")]
    settings = matching(folder.path, (_SETTINGS, "sentence_*_config.json"))
    if behind or (settings and not parts):
        held = f"the module {behind[0]}" if behind else settings[0].name
        raise ModelLoadError(
            f"{folder.root} holds {held} of a sentence-transformers folder and no {MODULES}, which says how the states of "
            f"its transformer become a sentence vector. {_REMEDY}, or set the option {_ROUTES}"
        )


def _required_settings(path: Path, *keys: str) -> dict[str, Any]:
    """The settings of a module that cannot do without; raises ModelLoadError where file or all ``keys`` are missing."""
    config = _json(path)
    if not any(key in config for key in keys):
        what = f"states no {keys[0]}" if path.is_file() else "is missing"
        raise ModelLoadError(
            f"{path} {what}, without which sentence-transformers does not open the folder either, and how its vectors "
            f"are made is not known. {_REMEDY}, or set the option {_ROUTES}"
        )
    return config


def _json(path: Path) -> dict[str, Any]:
    """A JSON object; {} where there is no such file."""
    if not path.is_file():
        return {}
    found = read_json_file(path)
    if not isinstance(found, dict):
        raise ModelLoadError(f"{path} holds no JSON object. Fetch or save the model again")
    return found


def _pooling(folder: ModelFolder, path: Path) -> tuple[tuple[Mode, ...], bool]:
    """The poolings, stored by name or (to version 5) as flags, and whether a prompt's tokens are pooled too."""
    config = _required_settings(
        path, "embedding_dimension", "word_embedding_dimension", "pooling_mode", *_FLAGS
    )
    named = (
        config.get("pooling_mode") or [mode for flag, mode in _FLAGS.items() if config.get(flag)] or "mean"
    )
    modes = (named,) if isinstance(named, str) else tuple(named)
    if unknown := [mode for mode in modes if mode not in MEANING]:
        raise _refused(folder, f"pools by {unknown[0]!r}")
    return modes, bool(config.get("include_prompt", True))


def _transformer(folder: ModelFolder) -> Mapping[str, Any]:
    """The settings of the transformer module; raises ModelLoadError for what would change its answers."""
    files = matching(folder.path, ("sentence_*_config.json",))
    own = _json(files[0]) if files else {}
    if (task := own.get("transformer_task", "feature-extraction")) != "feature-extraction":
        raise _refused(folder, f"asks its transformer for {task}")
    if "message" in (own.get("modality_config") or {}):
        raise _refused(folder, "renders every text with a chat template")
    for name in (
        "model_args",
        "model_kwargs",
        "tokenizer_args",
        "processor_kwargs",
        "config_args",
        "config_kwargs",
    ):
        if other := sorted(set(own.get(name) or {}) - _HARMLESS):
            raise _refused(folder, f"opens its transformer with {name} {', '.join(other)}")
    return own


def _prompt(folder: ModelFolder, settings: Mapping[str, Any]) -> str:
    name, prompts = settings.get("default_prompt_name"), settings.get("prompts") or {}
    if name is None:
        return ""
    if not isinstance(prompts.get(name), str):
        raise ModelLoadError(
            f"{folder.root / _SETTINGS} names the default prompt {name!r}, which is not among its prompts "
            f"({', '.join(map(repr, prompts)) or 'none'}). Correct it there, or set the option {_ROUTES}"
        )
    return str(prompts[name])


def _steps(folder: ModelFolder, path: Path, kind: str, *, allow_pickle: bool) -> list[Step]:
    needed = _NEEDED.get(kind)
    config = _required_settings(path / "config.json", *needed) if needed else _json(path / "config.json")
    elsewhere = {config.get(key) for key in ("module_input_name", "module_output_name")} - {
        None,
        "sentence_embedding",
    }
    if elsewhere:
        raise _refused(folder, f"has a {kind} module that works on {elsewhere.pop()!r}")
    match kind:
        case "Normalize":
            return [Step("Normalize (length 1)", _normalised)]
        case "Dropout":
            return []
        case "Dense":
            return [_dense(folder, path, config, allow_pickle=allow_pickle)]
        case "LayerNorm":
            return [_layer_norm(path, allow_pickle=allow_pickle)]
    raise _refused(folder, f"goes through a {kind} module after pooling")


def _normalised(x: Vectors) -> Vectors:
    # as torch.nn.functional.normalize: a vector of zeros stays one
    return cast(Vectors, x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12))


def _dense(folder: ModelFolder, path: Path, config: Mapping[str, Any], *, allow_pickle: bool) -> Step:
    weights = module_tensors(path, allow_pickle=allow_pickle)
    name = str(config.get("activation_function", "torch.nn.modules.activation.Tanh"))
    activation = _ACTIVATIONS.get(name.rpartition(".")[2]) if name.startswith("torch.nn.") else None
    if activation is None:
        raise _refused(
            folder,
            f"has a Dense module with the activation function {name}, not one of {', '.join(_ACTIVATIONS)},",
        )
    matrix = _tensor(path, weights, "linear.weight")
    bias = _tensor(path, weights, "linear.bias") if config.get("bias", True) else np.float32(0)
    residual = config.get("use_residual", False)
    through = weights.get("residual.weight")

    def apply(x: Vectors) -> Vectors:
        out = activation(x @ matrix.T + bias)
        if residual:
            out = out + (x if through is None else x @ through.T)
        return out

    into, out = matrix.shape[1], matrix.shape[0]
    words = (
        f"Dense ({into} to {out}, {name.rpartition('.')[2]}{', with its input added' if residual else ''})"
    )
    return Step(words, apply)


def _layer_norm(path: Path, *, allow_pickle: bool) -> Step:
    weights = module_tensors(path, allow_pickle=allow_pickle)
    scale, shift = _tensor(path, weights, "norm.weight"), _tensor(path, weights, "norm.bias")

    def apply(x: Vectors) -> Vectors:
        centred = x - x.mean(axis=1, keepdims=True)
        deviation = np.sqrt(np.mean(centred**2, axis=1, keepdims=True) + 1e-5)
        return np.asarray(centred / deviation * scale + shift)

    return Step("LayerNorm", apply)


def _tensor(path: Path, weights: Mapping[str, Vectors], name: str) -> Vectors:
    if name not in weights:
        raise ModelLoadError(f"{path} lacks the weights {name}. Fetch or save the model again")
    return weights[name]


def module_tensors(path: Path, *, allow_pickle: bool) -> dict[str, Vectors]:
    """The weights of a module's folder, in float32; raises ModelLoadError where they cannot be read."""
    safe, pickled = path / "model.safetensors", path / "pytorch_model.bin"
    if safe.is_file():
        return _safetensors(safe)
    if not pickled.is_file():
        raise ModelLoadError(f"{path} has no weights (no {safe.name}). Fetch or save the model again")
    if not allow_pickle:
        raise ModelLoadError(
            f"{path} has its weights only as pickle ({pickled.name}), and reading a pickle can run any code that its "
            "author put there. Prefer a copy saved as model.safetensors; if you trust where this one comes from, set "
            "the option allow_pickle=true"
        )
    import torch

    with errors_of_libraries(str(pickled), _REMEDY):
        found = torch.load(pickled, map_location="cpu", weights_only=True)
        return {name: tensor.float().numpy() for name, tensor in found.items()}


def _safetensors(path: Path) -> dict[str, Vectors]:
    from safetensors import deserialize

    kinds = {"F32": np.float32, "F16": np.float16, "F64": np.float64}
    found = {}
    with errors_of_libraries(str(path), _REMEDY):  # a KeyError is a type that no module has
        for name, tensor in deserialize(path.read_bytes()):  # type: ignore[no-untyped-call]
            data = bytes(tensor["data"])
            if tensor["dtype"] == "BF16":  # the upper half of a float32
                flat = (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
            else:
                flat = np.frombuffer(data, kinds[tensor["dtype"]])
            found[name] = flat.reshape(tensor["shape"]).astype(np.float32)
    return found

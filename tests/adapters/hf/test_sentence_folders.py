"""Sentence-transformers folders without that library: the plain computation, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from biascore.api.adapters import LoadContext, ModelRef
from biascore.api.queries import Text
from biascore.errors import ModelLoadError, OptionsError
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions

from .conftest import change

SENTENCES = ["nurse", "The engineer finished her work before he left the office.", "La dottoressa"]
Opened = Callable[..., Any]


@pytest.fixture
def declared(copied: Callable[..., Path]) -> Callable[..., Path]:
    """``declared(kind, **config)``: a folder with mean pooling and one module of that kind behind it."""
    from safetensors.numpy import save_file

    def make(kind: str, **config: Any) -> Path:
        folder = copied("bert-uncased")
        names = ["Transformer", "Pooling", kind]
        paths = ["", "1_Pooling", f"2_{kind}"]
        listed = [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{name}"}
            for i, (name, path) in enumerate(zip(names, paths, strict=True))
        ]
        (folder / "modules.json").write_text(json.dumps(listed))
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": "mean"}))
        if kind == "Dense":
            (folder / "2_Dense").mkdir()
            (folder / "2_Dense" / "config.json").write_text(json.dumps(config))
            numbers = np.random.default_rng(5)
            weights = {"linear.weight": numbers.normal(size=(16, 32)), "linear.bias": numbers.normal(size=16)}
            save_file(
                {name: values.astype(np.float32) for name, values in weights.items()},
                folder / "2_Dense" / "model.safetensors",
            )
        return folder

    return make


def vectors(backend: Any) -> Any:
    return backend.embed(tuple(Text(text) for text in SENTENCES), "sentence")


def test_the_modules_are_applied_to_the_pooled_states(
    declared: Callable[..., Path], opened: Opened, obvious: Callable[..., np.ndarray]
) -> None:
    from safetensors.numpy import load_file

    folder = declared("Dense", activation_function="torch.nn.modules.activation.Tanh")
    weights = load_file(folder / "2_Dense" / "model.safetensors")
    pooled = np.stack([obvious(folder, Text(text), "sentence", "mean") for text in SENTENCES])
    wanted = np.tanh(pooled @ weights["linear.weight"].T + weights["linear.bias"])
    backend = opened(folder)
    np.testing.assert_allclose(vectors(backend), wanted, atol=1e-5)
    np.testing.assert_allclose(vectors(opened(folder, sentence="mean")), pooled, atol=1e-5)
    assert backend.identity.sentence_vector == (
        "mean of the last hidden states of all tokens, special ones included; then Dense (32 to 16, Tanh), as the "
        "sentence-transformers folder declares"
    )


def test_long_texts_means_nothing_elsewhere(folders: dict[str, Path], opened: Opened) -> None:
    with pytest.raises(OptionsError, match=r"not read as a sentence-transformers folder.*Leave it out"):
        opened(folders["bert-uncased"], long_texts="cut")


@pytest.mark.parametrize(
    ("where", "changes", "message"),
    [
        ("2_Dense/config.json", {"activation_function": "os.system"}, "activation function os.system"),
        (
            "2_Dense/config.json",
            {"activation_function": "torch.nn.Module"},
            "activation function torch.nn.Module",
        ),
        ("2_Dense/config.json", {"module_input_name": "token_embeddings"}, "works on 'token_embeddings'"),
        ("1_Pooling/config.json", {"pooling_mode": "median"}, "pools by 'median'"),
        (
            "sentence_bert_config.json",
            {"transformer_task": "fill-mask"},
            "asks its transformer for fill-mask",
        ),
        ("sentence_bert_config.json", {"modality_config": {"message": {}}}, "chat template"),
        (
            "sentence_bert_config.json",
            {"model_args": {"lora": 1}},
            "opens its transformer with model_args lora",
        ),
        (
            "config_sentence_transformers.json",
            {"default_prompt_name": "q", "prompts": {"p": ""}},
            "default prompt 'q'",
        ),
    ],
)
def test_what_is_not_computed_is_refused_before_torch(
    where: str, changes: dict[str, Any], message: str, declared: Callable[..., Path], opened: Opened
) -> None:
    folder = declared("Dense", activation_function="torch.nn.modules.activation.Tanh")
    change(folder / where, **changes)
    with pytest.raises(ModelLoadError, match=rf"{message}.*sentence='cls', 'last' or 'mean'"):
        HfAdapter().check(ModelRef.parse(f"hf:{folder}"), HfOptions(), cast(LoadContext, None))
    assert vectors(opened(folder, sentence="mean")).shape == (3, 32)


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        ("sentence_transformers.models.CNN", "goes through a CNN module after pooling"),
        ("modeling.MyDense", r"runs Python code of its own \(modeling.MyDense\)"),
    ],
)
def test_modules_of_other_kinds_are_refused(
    type_: str, message: str, declared: Callable[..., Path], opened: Opened
) -> None:
    folder = declared("Normalize")
    modules = json.loads((folder / "modules.json").read_text())
    modules.append({"idx": 2, "name": "2", "path": "2_Own", "type": type_})
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelLoadError, match=message):
        opened(folder)
    modules[-1]["path"] = "../elsewhere"
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelLoadError, match="outside its folder"):
        opened(folder)


@pytest.mark.parametrize(
    ("kind", "gone"),
    [
        ("Normalize", "1_Pooling/config.json"),
        ("Dense", "2_Dense/config.json"),
        ("Dense", "modules.json"),
        ("LayerNorm", ""),
    ],
)
@pytest.mark.parametrize("empty", [False, True])
def test_what_a_folder_does_not_say_is_not_made_up(
    declared: Callable[..., Path], kind: str, gone: str, empty: bool
) -> None:
    """sentence-transformers opens none of them: a pooling, an activation and a list of modules have no default."""
    folder = declared(kind, in_features=32, out_features=16)
    if gone and empty and gone != "modules.json":
        (folder / gone).write_text("{}")
    elif gone:
        (folder / gone).unlink()
    with pytest.raises(ModelLoadError, match=(gone or "2_LayerNorm/config.json")):
        HfAdapter().check(ModelRef.parse(f"hf:{folder}"), HfOptions(), cast(LoadContext, None))


def test_settings_of_a_sentence_encoder_alone_are_not_a_pooling(copied: Callable[..., Path]) -> None:
    folder = copied("bert-uncased")
    change(folder / "config_sentence_transformers.json", prompts={})
    with pytest.raises(ModelLoadError, match=r"no modules\.json"):
        HfAdapter().check(ModelRef.parse(f"hf:{folder}"), HfOptions(), cast(LoadContext, None))
    HfAdapter().check(ModelRef.parse(f"hf:{folder}"), HfOptions(sentence="mean"), cast(LoadContext, None))

"""Tiny models, exported once for all tests, and the obvious way to ask the originals: one text at a time in torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs biascore[export]")
transformers = pytest.importorskip("transformers", reason="needs biascore[export]")
pytest.importorskip("onnx", reason="needs biascore[export]")
pytest.importorskip("onnxscript", reason="needs biascore[export]")
pytest.importorskip("onnxruntime", reason="needs biascore[onnx]")

from biascore import Engine  # noqa: E402

from ...builders import tiny  # noqa: E402

SHALLOW = {"num_hidden_layers": 1}  # exporting takes seconds a layer
HEAD = transformers.AutoModelForSequenceClassification
MODELS: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "bert": ("bert-uncased", None, {}),
    "roberta": ("roberta", None, SHALLOW),
    "xlm-roberta": ("xlm-roberta", None, SHALLOW),
    "distilbert": ("distilbert", None, {"n_layers": 1}),
    "albert": ("albert", None, SHALLOW),
    "electra": ("electra", None, SHALLOW),
    "gpt2": ("gpt2", None, {"n_layer": 1}),
    "llama": ("llama", None, SHALLOW),
    "encoder": ("bert-cased", transformers.AutoModel, SHALLOW),
    "emotions": ("distilbert", HEAD, {"n_layers": 1} | tiny.EMOTIONS),
    "decoder-head": (
        "gpt2",
        HEAD,
        {"n_layer": 1, "num_labels": 2} | {"problem_type": "multi_label_classification"},
    ),
}
TEXTS = (
    "The engineer finished her work before he left.",
    "La dottoressa è andata in città",
    "queen",
    "A nurse, a programmer 😀 and a carpenter walked home",
    "Die Ärztin grüßt",
)
Exported = Callable[..., Path]
Original = Callable[[str], Path]


@pytest.fixture(scope="session", autouse=True)
def _quiet_and_single_threaded() -> Iterator[None]:
    with tiny.quiet_and_single_threaded():
        yield


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """``original(name)``: the folder of the torch model."""

    @lru_cache
    def of(name: str) -> Path:
        kind, auto, config = MODELS[name]
        folder = tmp_path_factory.mktemp("torch") / name
        tiny.save_model(kind, folder, len(name), auto=auto, **config)
        return folder

    return of


@pytest.fixture(scope="session")
def exported(
    engine: Engine, original: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """``exported(name, int8=False)``: the folder of the ONNX model."""

    @lru_cache
    def of(name: str, int8: bool = False) -> Path:
        folder = tmp_path_factory.mktemp("onnx")
        with engine.model(f"hf:{original(name)}") as model:
            assert model.export(folder, int8=int8) == "onnx"
        return folder

    return of


@pytest.fixture(scope="session")
def plain() -> Callable[[Path, Any], tuple[Any, Any]]:
    """``plain(folder, auto)``: tokenizer and model as transformers opens them."""

    @lru_cache
    def of(folder: Path, auto: Any) -> tuple[Any, Any]:
        return transformers.AutoTokenizer.from_pretrained(folder), auto.from_pretrained(folder).eval()

    return of

"""Tiny random models of five kinds, made here, and the obvious way to embed with any of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from biascore.api.adapters import LoadContext, ModelRef
from biascore.api.queries import Text

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")
huggingface_hub = pytest.importorskip("huggingface_hub", reason="needs biascore[hf]")

from biascore_adapters.hf.adapter import HfAdapter  # noqa: E402
from biascore_adapters.hf.options import HfOptions  # noqa: E402

from ...builders import tiny  # noqa: E402

KINDS = ("bert-uncased", "bert-cased", "roberta", "xlm-roberta", "gpt2")
CONTEXT = cast(LoadContext, None)  # this adapter asks nothing of it


def change(path: Path, **changes: Any) -> None:
    """Keys of a JSON object in a file, which is made where there is none."""
    path.write_text(json.dumps((json.loads(path.read_text()) if path.is_file() else {}) | changes))


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test asks the hub; the variable is read at import, so the constant is set as well."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture(scope="session", autouse=True)
def _quiet_and_single_threaded() -> Iterator[None]:
    with tiny.quiet_and_single_threaded():
        yield


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A saved model folder of each kind."""
    root = tmp_path_factory.mktemp("models")
    saved = {}
    for seed, kind in enumerate(KINDS):
        made = "xlm-roberta-metaspace" if kind == "xlm-roberta" else kind
        saved[kind] = tiny.save_model(made, root / kind, seed, transformers.AutoModel, context=128, size=0)
    return saved


@pytest.fixture
def copied(folders: dict[str, Path], tmp_path: Path) -> Callable[..., Path]:
    """``copied(kind, **changes)``: a copy of a folder to damage, with changes to its config.json."""

    def copy(kind: str = "bert-uncased", **changes: Any) -> Path:
        folder = Path(shutil.copytree(folders[kind], tmp_path / kind))
        change(folder / "config.json", **changes)
        return folder

    return copy


@pytest.fixture(scope="session")
def opened() -> Callable[..., Any]:
    """``opened(locator, **options)``: the backend that the adapter makes of ``hf:<locator>``."""

    def load(locator: object, **options: Any) -> Any:
        return HfAdapter().load(ModelRef.parse(f"hf:{locator}"), HfOptions(**options), CONTEXT)

    return load


@pytest.fixture(scope="session")
def shared(opened: Callable[..., Any]) -> Callable[..., Any]:
    """The same, opened once for all tests that only ask it: of most of them opening took more than half of the time."""
    return lru_cache(maxsize=64)(opened)


@pytest.fixture(scope="session")
def obvious() -> Callable[..., np.ndarray]:
    """``obvious(folder, text, level, pooling)``: one vector, one text at a time, in plain transformers."""

    @lru_cache
    def model_of(folder: Path) -> tuple[Any, Any]:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        return tokenizer, transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()

    def vector(folder: Path, text: Text, level: str, pooling: str = "") -> np.ndarray:
        tokenizer, model = model_of(folder)
        inputs = tokenizer(text.text, return_tensors="pt", return_offsets_mapping=True)
        offsets = inputs.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            states = model(**inputs).last_hidden_state[0]
        if level == "token":
            meant = set(range(*text.span))
            rows = [states[i] for i, (start, end) in enumerate(offsets) if meant & set(range(start, end))]
        else:
            rows = {"cls": [states[0]], "last": [states[-1]], "mean": list(states)}[pooling]
        return (sum(rows) / len(rows)).numpy()

    return vector

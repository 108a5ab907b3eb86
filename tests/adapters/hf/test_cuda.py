"""What is done on CUDA devices, simulated: which one is taken, and memory that does not suffice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from biascore.api.queries import Choice, Continuation, Masked
from biascore.errors import ModelLoadError, QuestionError
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.load import place
from biascore_adapters.hf.runtime import TorchRuntime

from ...builders import tiny

TEXTS = ("the queen", "a nurse walked home", "poetry and mathematics", "unbelievable")


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two devices, as far as torch tells."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda number: f"card {number}")


@pytest.mark.usefixtures("cuda")
def test_which_device_is_taken() -> None:
    assert [str(place(name)) for name in ("auto", "cuda", "cuda:1", "cpu")] == [
        "cuda:0",
        "cuda:0",
        "cuda:1",
        "cpu",
    ]
    assert HfAdapter.devices()[:3] == ["cpu", "cuda:0 (card 0)", "cuda:1 (card 1)"]
    with pytest.raises(ModelLoadError, match=r"'cuda:2': this machine has 2 CUDA devices\. Use cpu"):
        place("cuda:2")


def _out_of_memory(*_arguments: Any, **_options: Any) -> Any:
    raise torch.cuda.OutOfMemoryError("CUDA out of memory")


def test_a_model_that_does_not_fit(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformers.PreTrainedModel, "to", _out_of_memory)
    with pytest.raises(ModelLoadError, match=r"does not fit into the memory of cpu.*dtype='bfloat16'"):
        opened(folders["gpt2"], device="cpu")


ASKED: dict[str, Callable[[Any], Any]] = {
    "bert-uncased": lambda b: [one.logprobs for one in b.mask_logprob(
        tuple(Masked(text, None, one_at_a_time=True) for text in TEXTS)
    )],
    "gpt2": lambda b: b.score(TEXTS, "log_likelihood"),
    "continuation": lambda b: b.score(
        tuple(Continuation(f"{i} the quick brown fox jumps " * 5, text) for i, text in enumerate(TEXTS)), "log_likelihood"
    ),
    "roberta": lambda b: b.score(TEXTS, "joy"),
}  # fmt: skip


def _saved(name: str, folder: Path) -> Path:
    kind = "gpt2" if name == "continuation" else name
    auto = transformers.AutoModelForSequenceClassification if kind == "roberta" else None
    labels = tiny.EMOTIONS if kind == "roberta" else {}
    return tiny.save_model(kind, folder, 1, auto, 256, **labels)


@pytest.mark.parametrize("name", ASKED)
def test_a_batch_that_does_not_fit_is_halved_and_a_text_that_does_not_is_named(
    name: str, opened: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = opened(_saved(name, tmp_path), device="cpu")
    wanted = ASKED[name](backend)
    model, rows, most = backend._runtime.trunk.model, [], 1
    real = model.forward

    def cramped(*arguments: Any, **inputs: Any) -> Any:
        given = inputs.get("input_ids", arguments[0] if arguments else None)
        rows.append(len(given))
        return real(*arguments, **inputs) if len(given) <= most else _out_of_memory()

    monkeypatch.setattr(model, "forward", cramped)
    for mine, theirs in zip(ASKED[name](backend), wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-4)
    assert max(rows) > most
    most = 0
    with pytest.raises(QuestionError, match=r"the text .* does not fit into the memory of cpu.*device='cpu'"):
        ASKED[name](backend)


def test_a_prompt_to_answer_by_text_that_does_not_fit_is_named(
    opened: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = opened(_saved("gpt2", tmp_path), device="cpu")
    monkeypatch.setattr(transformers.GPT2LMHeadModel, "generate", _out_of_memory)
    with pytest.raises(QuestionError, match=r"the text 'the queen.* does not fit into the memory of cpu"):
        backend.choose((Choice("the queen", ("a", "b"), instruction="Say:\n"),), "text")


def test_closing_a_model_gives_the_memory_of_its_card_back(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back: list[bool] = []
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: given_back.append(True))
    for device, expected in (("cpu", []), ("cuda", [True])):
        runtime: TorchRuntime = opened(folders["bert-uncased"])._runtime
        runtime.trunk.device = torch.device(device)
        runtime.close()
        assert given_back == expected

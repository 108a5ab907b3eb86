"""What opens, what its identity says of it, and that nothing is left behind."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biascore.api.adapters import ModelRef
from biascore.api.queries import Text
from biascore.errors import ModelLoadError
from biascore_adapters.hf.locate import find_local


def test_the_identity_says_what_was_opened(folders: dict[str, Path], opened: Callable[..., Any]) -> None:
    import torch
    import transformers

    identity = opened(folders["bert-uncased"], device="cpu").identity
    assert identity.revision is None
    assert not identity.composes_words
    assert identity.sentence_vector == "last hidden state of the first token ([CLS]), by architecture"
    weights = transformers.AutoModel.from_pretrained(folders["bert-uncased"])
    assert identity.facts == {
        "architecture": "BertModel",
        "kind": "encoder",
        "hidden_size": 32,
        "parameters": sum(weight.numel() for weight in weights.parameters()),
        "max_tokens": 128,
        "sentence": "cls",
        "context": "a token sees the whole text",
        "padding": "moves no state",
        "dtype": "float32",
        "device": "cpu",
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    assert (
        opened(folders["gpt2"]).identity.sentence_vector
        == "last hidden state of the last token, by architecture"
    )


def test_the_digest_is_of_weights_configuration_and_tokenizer(
    folders: dict[str, Path], copied: Callable[..., Path]
) -> None:
    def digest(folder: Path) -> str:
        found = find_local(ModelRef.parse(f"hf:{folder}"), allow_pickle=False)
        assert found is not None
        return found.digest()

    folder = copied("bert-uncased")
    before = digest(folder)
    assert before.startswith("blake2b:")
    shutil.copy(folder / "config.json", folder / "README.md")
    assert digest(folder) == before
    seen = {before}
    for name in ("model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content + b" ")
        seen.add(digest(folder))
        (folder / name).write_bytes(content)
    assert len(seen) == 5
    assert digest(folder) == before


def test_loading_is_quiet_and_leaves_the_settings_of_transformers(
    copied: Callable[..., Path], opened: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """A masked language model's folder: its head is unexpected, its pooler missing, and both are fine."""
    import transformers
    from transformers import logging

    folder = copied("bert-uncased")
    transformers.BertForMaskedLM(transformers.BertConfig.from_pretrained(folder)).save_pretrained(folder)
    capfd.readouterr()
    logging.enable_progress_bar()
    before = logging.get_verbosity()
    try:
        backend = opened(folder)
        backend.embed((Text("nurse " * 3),), "sentence")
        assert logging.is_progress_bar_enabled()
    finally:
        logging.disable_progress_bar()
    assert logging.get_verbosity() == before
    assert capfd.readouterr() == ("", "")


def test_sharded_weights_open(opened: Callable[..., Any], copied: Callable[..., Path]) -> None:
    import numpy as np
    import transformers

    folder = copied("bert-uncased")
    whole = opened(folder).embed((Text("nurse"),), "sentence")
    model = transformers.AutoModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="40KB")
    assert len(list(folder.glob("model-*.safetensors"))) > 1
    np.testing.assert_array_equal(opened(folder).embed((Text("nurse"),), "sentence"), whole)
    sorted(folder.glob("model-*.safetensors"))[-1].unlink()
    with pytest.raises(
        ModelLoadError, match=r"names 'model-.*which is none of the weights there. Fetch or save"
    ):
        opened(folder)


def test_close_lets_go_of_the_model(folders: dict[str, Path], opened: Callable[..., Any]) -> None:
    import gc
    import weakref

    backend = opened(folders["gpt2"])
    model = weakref.ref(backend._runtime.trunk.model)
    backend.close()
    gc.collect()
    assert model() is None

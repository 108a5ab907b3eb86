"""What identifies a model is all that is opened of it: its folder names no other weights, tokenizers or models."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore.errors import ModelLoadError  # noqa: E402

Copied = Callable[..., Path]
Opened = Callable[..., Any]


@pytest.fixture
def sharded(copied: Copied) -> Path:
    """A folder whose weights lie in one shard, with an index; another file of weights lies next to it."""
    folder = copied("bert-uncased")
    shard = "model-00001-of-00001.safetensors"
    names = transformers.AutoModel.from_pretrained(folder).state_dict()
    (folder / "model.safetensors").rename(folder / shard)
    shutil.copy(folder / shard, folder / "hidden.safetensors")
    shutil.copy(folder / shard, folder.parent / "outside.safetensors")
    index = {"metadata": {}, "weight_map": dict.fromkeys(names, shard)}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def naming(folder: Path, *weights: Any) -> Path:
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    named = dict.fromkeys(index["weight_map"], weights[0]) | dict(enumerate(weights[1:]))
    path.write_text(json.dumps({**index, "weight_map": named}))
    return folder


def test_an_index_may_be_there(sharded: Path, opened: Opened) -> None:
    opened(sharded)


@pytest.mark.parametrize("where", ["hidden.safetensors", "../outside.safetensors", "{}/outside.safetensors"])
def test_an_index_names_no_other_weights(where: str, sharded: Path, opened: Opened) -> None:
    """They were opened, and the digest was that of those that lie there."""
    with pytest.raises(ModelLoadError, match=r"index\.json names '.*, which is none of the weights there"):
        opened(naming(sharded, where.format(sharded.parent)))


@pytest.mark.parametrize("named", [None, 3, ["a"], {}], ids=str)
def test_an_index_names_weights(named: Any, sharded: Path, opened: Opened) -> None:
    with pytest.raises(ModelLoadError, match=r"index\.json names "):
        opened(naming(sharded, named))
    (sharded / "model.safetensors.index.json").write_text(json.dumps(named))
    with pytest.raises(ModelLoadError, match=r"index\.json does not name model-00001-of-00001\.safetensors"):
        opened(sharded)


def test_an_index_is_there_and_names_all_of_them(sharded: Path, opened: Opened) -> None:
    shutil.copy(sharded / "hidden.safetensors", sharded / "model-00002-of-00002.safetensors")
    with pytest.raises(
        ModelLoadError, match=r"does not name model-00002-of-00002\.safetensors, which is there"
    ):
        opened(sharded)
    (sharded / "model.safetensors.index.json").unlink()
    with pytest.raises(ModelLoadError, match=r"index\.json is missing"):
        opened(sharded)


def test_an_index_that_names_a_pipe_is_not_waited_for(sharded: Path, opened: Opened) -> None:
    os.mkfifo(sharded / "model-00002-of-00002.safetensors")
    with pytest.raises(ModelLoadError, match="which is none of the weights there"):
        opened(naming(sharded, "model-00002-of-00002.safetensors"))


def test_a_configuration_names_no_other_weights(copied: Copied, opened: Opened) -> None:
    folder = copied("bert-uncased", transformers_weights="hidden.safetensors")
    (folder / "model.safetensors").rename(folder / "hidden.safetensors")
    shutil.copy(folder / "hidden.safetensors", folder / "model.safetensors")
    with pytest.raises(ModelLoadError, match=r"names 'hidden\.safetensors' as transformers_weights"):
        opened(folder)


def test_a_tokenizer_is_that_of_the_folder(copied: Copied, opened: Opened, tmp_path: Path) -> None:
    """Others are named in many folders, from the machine that saved them, and are not there."""
    folder = copied("bert-uncased")
    path = folder / "tokenizer_config.json"
    stated = json.loads(path.read_text())

    def naming_file(**named: str) -> Path:
        path.write_text(json.dumps({**stated, **named}))
        return folder

    other = shutil.copy(folder / "tokenizer.json", tmp_path / "other.json")
    opened(naming_file(special_tokens_map_file=str(other), tokenizer_file="tokenizer.json"))
    with pytest.raises(
        ModelLoadError, match="as tokenizer_file, a file by which the model is not identified"
    ):
        opened(naming_file(tokenizer_file=str(other)))


@pytest.mark.parametrize("where", [{}, {"vision_config": {}}, {"parts": [{}]}], ids=str)
def test_no_other_model_is_looked_up(
    where: dict[str, Any], copied: Copied, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """transformers asks the hub for a backbone, with the user's token, when it reads such a configuration."""
    named = {"backbone": "some-owner/some-model", "backbone_config": None}
    nested = json.loads(json.dumps(where).replace("{}", json.dumps(named))) if where else named
    folder = copied("bert-uncased", **nested)
    if not where:
        change = {"architectures": ["DetrModel"], "model_type": "detr", "use_timm_backbone": False}
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
    asked: list[Any] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *found, **_: asked.append(found))
    with pytest.raises(ModelLoadError, match="names the model 'some-owner/some-model' as backbone"):
        opened(folder)
    assert asked == []


def test_the_client_of_the_hub_is_offline_while_a_model_is_opened(
    copied: Copied, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    seen: list[bool] = []
    read = transformers.AutoTokenizer.from_pretrained

    def reading(*given: Any, **more: Any) -> Any:
        seen.append(constants.HF_HUB_OFFLINE)
        return read(*given, **more)

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", reading)
    opened(copied("bert-uncased"))
    assert seen == [True]
    assert constants.HF_HUB_OFFLINE is False

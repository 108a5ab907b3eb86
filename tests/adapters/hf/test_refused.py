"""Folders that are refused: damaged, pickled, with code of their own, or of a kind without vectors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biascore.api.adapters import ModelRef
from biascore.api.queries import Text
from biascore.errors import MissingExtraError, ModelLoadError
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions

from .conftest import CONTEXT


def test_pickle_is_refused_until_it_is_allowed(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    import numpy as np
    import torch
    from safetensors.torch import load_file

    folder = copied("bert-uncased")
    wanted = opened(folder).embed((Text("nurse"),), "sentence")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(
        ModelLoadError, match=r"pickle \(pytorch_model.bin\).*run any code.*allow_pickle=true"
    ):
        HfAdapter().check(ModelRef.parse(f"hf:{folder}"), HfOptions(), CONTEXT)
    with pytest.raises(ModelLoadError, match="allow_pickle=true"):
        opened(folder)
    np.testing.assert_array_equal(
        opened(folder, allow_pickle=True).embed((Text("nurse"),), "sentence"), wanted
    )
    (folder / "pytorch_model.bin").write_bytes((folder / "pytorch_model.bin").read_bytes()[:2000])
    with pytest.raises(ModelLoadError, match="cannot be read"):
        opened(folder, allow_pickle=True)


def test_a_pickle_that_runs_code_is_not_run_even_where_pickle_is_allowed(
    opened: Callable[..., Any], copied: Callable[..., Path], tmp_path: Path
) -> None:
    import torch

    class Touch:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "ran",)

    folder = copied("bert-uncased")
    (folder / "model.safetensors").unlink()
    torch.save({"weight": Touch()}, folder / "pytorch_model.bin")
    with pytest.raises(ModelLoadError, match="cannot be read"):
        opened(folder, allow_pickle=True)
    assert not (tmp_path / "ran").exists()


def test_damaged_folders(opened: Callable[..., Any], copied: Callable[..., Path]) -> None:
    folder = copied("bert-uncased")

    def refused(message: str) -> None:
        with pytest.raises(ModelLoadError, match=message):
            opened(folder)

    weights = (folder / "model.safetensors").read_bytes()
    for cut in (len(weights) // 2, len(weights) - 1, 100, 0):
        (folder / "model.safetensors").write_bytes(weights[:cut])
        refused(r"model\.safetensors cannot be read .*Fetch or save the model again")
    (folder / "model.safetensors").unlink()
    refused(r"has no weights \(no model.safetensors\)")
    index = folder / "model.safetensors.index.json"
    index.write_text('{"weight_map": {"a": "model-00001-of-00002.safetensors"}}', encoding="utf-8")
    refused(r"has no weights: its model\.safetensors\.index\.json names files of which none is there")
    index.unlink()
    (folder / "model.safetensors").write_bytes(weights)

    tokenizer = (folder / "tokenizer.json").read_bytes()
    (folder / "tokenizer.json").write_bytes(tokenizer[: len(tokenizer) // 2])
    refused(r"the tokenizer in .* cannot be read")
    (folder / "tokenizer.json").unlink()
    refused(r"has no tokenizer .*tokenizer.save_pretrained")
    (folder / "tokenizer.json").write_bytes(tokenizer)

    config = (folder / "config.json").read_bytes()
    (folder / "config.json").write_bytes(config[: len(config) // 2])
    refused(r"config.json cannot be read .*Fetch or save the model again")
    (folder / "config.json").write_text("[]")
    refused("holds no JSON object")
    (folder / "config.json").unlink()
    refused("has no config.json")


def test_missing_weights_are_not_made_up(opened: Callable[..., Any], copied: Callable[..., Path]) -> None:
    from safetensors.torch import load_file, save_file

    folder = copied("bert-uncased")
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.attention.self.query.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        ModelLoadError, match=r"lacks 1 weights .*encoder.layer.1.attention.self.query.weight.*random"
    ):
        opened(folder)


def test_weights_of_another_shape_are_refused(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    with pytest.raises(ModelLoadError, match=r"the model in .* cannot be read"):
        opened(copied("bert-uncased", hidden_size=64))


def test_unknown_and_own_code_models_are_refused(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    folder = copied("bert-uncased", model_type="no-such-kind")
    with pytest.raises(ModelLoadError, match=r"model_type 'no-such-kind'.*pip install --upgrade"):
        opened(folder)
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text("raise SystemExit('ran')")
    with pytest.raises(
        ModelLoadError, match=r"needs Python code of its own .*trust_remote_code=true runs that code"
    ):
        opened(folder)


@pytest.mark.parametrize(
    "named",
    [
        {"attn_implementation": "someone/kernel"},
        {"_attn_implementation": "someone/kernel@v1:attend"},
        {"attn_implementation": {"text_config": "someone/kernel"}},
        {"text_config": {"attn_implementation": "paged|someone/kernel"}},
    ],
)
def test_attention_that_would_be_fetched_from_the_hub_is_refused(
    opened: Callable[..., Any], copied: Callable[..., Path], named: dict[str, Any]
) -> None:
    with pytest.raises(
        ModelLoadError, match=r"someone/kernel.*fetched and run, which this adapter never allows"
    ):
        opened(copied("bert-uncased", **named))


def test_flash_attention_is_refused_where_it_would_be_fetched(
    opened: Callable[..., Any], copied: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: object() if name == "kernels" else found(name)
    )
    with pytest.raises(ModelLoadError, match=r"'flash_attention_2' as attn_implementation"):
        opened(copied("bert-uncased", attn_implementation="flash_attention_2"))


def test_a_configuration_nested_without_end_is_refused(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    folder = copied("bert-uncased")
    (folder / "config.json").write_text("[" * 100_000)
    with pytest.raises(ModelLoadError, match="nested too deeply"):
        opened(folder)


def test_encoder_decoders_are_refused(
    folders: dict[str, Path], opened: Callable[..., Any], tmp_path: Path
) -> None:
    import transformers

    small: dict[str, Any] = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    transformers.T5Model(transformers.T5Config(vocab_size=150, **small)).save_pretrained(tmp_path / "t5")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folders["xlm-roberta"] / name, tmp_path / "t5")
    with pytest.raises(ModelLoadError, match=r"encoder-decoder \(T5Model\)"):
        opened(tmp_path / "t5")


def test_absent_devices_and_extras(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    with pytest.raises(ModelLoadError, match=r"device 'cuda:99'.*Use cpu"):
        opened(folders["gpt2"], device="cuda:99")
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else real(name))
    with pytest.raises(MissingExtraError, match=r"pip install .*\[hf\]'"):
        HfAdapter().check(ModelRef.parse("hf:someone/else"), HfOptions(), CONTEXT)


def test_a_slow_tokenizer_is_refused(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    class Slow(transformers.PreTrainedTokenizer):
        vocab_size = 1

        def get_vocab(self) -> dict[str, int]:
            return {"a": 0}

    monkeypatch.setattr("biascore_adapters.hf.load.AutoTokenizer.from_pretrained", lambda *_, **__: Slow())
    with pytest.raises(ModelLoadError, match=r"only the slow tokenizer Slow.*Save a fast one"):
        opened(folders["bert-uncased"])


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "model.bert."])
@pytest.mark.parametrize("pickled", [False, True])
def test_names_of_weights_with_a_prefix_are_read_as_the_same_model(
    opened: Callable[..., Any], copied: Callable[..., Path], prefix: str, pickled: bool
) -> None:
    import numpy as np
    import torch
    from safetensors.torch import load_file, save_file

    folder = copied("bert-uncased")
    wanted = opened(folder).embed((Text("nurse"),), "sentence")
    named = {prefix + name: tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    if pickled:
        (folder / "model.safetensors").unlink()
        torch.save(named, folder / "pytorch_model.bin")
    else:
        save_file(named, folder / "model.safetensors", metadata={"format": "pt"})
    found = opened(folder, allow_pickle=pickled)
    np.testing.assert_array_equal(found.embed((Text("nurse"),), "sentence"), wanted)
    assert repr(prefix) in found.identity.facts["weights_named"]


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "model.net."])
@pytest.mark.parametrize("kind", ["bert-cased", "roberta", "gpt2", "llama"])
def test_a_prefix_of_a_model_whose_head_is_tied_is_read_too(
    opened: Callable[..., Any], saved_model: Callable[[str], Path], tmp_path: Path, kind: str, prefix: str
) -> None:
    import numpy as np
    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(saved_model(kind), tmp_path / kind))
    wanted = opened(folder).embed((Text("nurse"),), "sentence")
    named = {prefix + name: tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(named, folder / "model.safetensors", metadata={"format": "pt"})
    found = opened(folder)
    np.testing.assert_array_equal(found.embed((Text("nurse"),), "sentence"), wanted)
    assert repr(prefix) in found.identity.facts["weights_named"]


def test_a_prefix_that_does_not_bring_all_that_is_missing_is_no_prefix(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    from safetensors.torch import load_file, save_file

    folder = copied("bert-uncased")
    named = {f"module.{name}": tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    del named["module.embeddings.word_embeddings.weight"]
    save_file(named, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelLoadError, match=r"lacks 1 weights .*embeddings\.word_embeddings\.weight"):
        opened(folder)


def test_shards_beside_a_whole_file_are_refused_with_both_names(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    folder = copied("bert-uncased")
    shutil.copy(folder / "model.safetensors", folder / "model-00001-of-00001.safetensors")
    with pytest.raises(ModelLoadError, match=r"model\.safetensors .*model-00001-of-00001\.safetensors"):
        opened(folder)
    (folder / "model-00001-of-00001.safetensors").unlink()
    opened(folder)


@pytest.mark.parametrize(
    ("name", "step"),
    [("tf_model.h5", "from_tf=True"), ("flax_model.msgpack", "from_flax=True"), ("weights.pt", "weights.pt")],
)
def test_weights_of_another_library_are_named(
    opened: Callable[..., Any], copied: Callable[..., Path], name: str, step: str
) -> None:
    folder = copied("bert-uncased")
    (folder / "model.safetensors").rename(folder / name)
    with pytest.raises(ModelLoadError, match=name) as caught:
        opened(folder)
    assert step in str(caught.value)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_pointer_of_git_lfs_is_told(copied: Callable[..., Path], name: str) -> None:
    folder = copied("bert-uncased")
    (folder / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(ModelLoadError, match=rf"{name} is a pointer of Git LFS.*git lfs pull"):
        HfAdapter().check(ModelRef.parse(f"hf:{folder}"), HfOptions(), CONTEXT)


@pytest.mark.parametrize("token", ["[MASK]", "[SEP]", "[UNK]"])
@pytest.mark.parametrize("text", ["He is a {} person.", "{}", "So he said{}"])
def test_a_text_with_a_special_token_in_it_is_refused(
    opened: Callable[..., Any], folders: dict[str, Path], token: str, text: str
) -> None:
    from biascore.api.queries import Masked
    from biascore.errors import QuestionError

    backend = opened(folders["bert-uncased"])
    told = text.format(token)
    with pytest.raises(QuestionError, match=rf"has \{token} in it"):
        backend.embed((Text(told),), "sentence")
    if hasattr(backend, "mask_logprob"):
        with pytest.raises(QuestionError, match=rf"has \{token} in it"):
            backend.mask_logprob((Masked(told, ((0, 2),)),))
    assert backend.embed((Text("He is a [tired] person <here>."),), "sentence").shape == (1, 32)

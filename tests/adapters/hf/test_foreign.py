"""Folders that are no model for ``hf:``: each refused by what it is, with a next step that works as printed."""

from __future__ import annotations

import base64
import importlib.machinery
import importlib.util
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from biascore.api.adapters import LoadContext, ModelRef
from biascore.errors import ModelLoadError
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions

Copied = Callable[..., Path]


def refusal(locator: object) -> str:
    """What is said before torch is imported."""
    with pytest.raises(ModelLoadError) as caught:
        HfAdapter().check(ModelRef.parse(f"hf:{locator}"), HfOptions(), cast(LoadContext, None))
    message = str(caught.value)
    for command in programs(message):
        compile(command, "the command", "exec")
    return message


def programs(message: str) -> list[str]:
    """What Python would be given where the commands of a message are pasted into a shell."""
    found = re.findall(r"""python -c ('(?:[^']|'"'"')*')""", message)
    assert len(found) == message.count("python -c")
    return [shlex.split(one)[0] for one in found]


def write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content))


def test_an_adapter_alone(tmp_path: Path) -> None:
    adapter = {"base_model_name_or_path": "meta-llama/Llama-3", "peft_type": "LORA", "task_type": "CAUSAL_LM"}
    write(tmp_path / "adapter_config.json", adapter)
    (tmp_path / "adapter_model.safetensors").touch()
    message = refusal(tmp_path)
    assert "holds an adapter (LORA) for meta-llama/Llama-3, and no model" in message
    assert "from peft import AutoPeftModelForCausalLM as M" in message
    assert "hf:meta-llama/Llama-3" in message


def test_an_adapter_puts_no_command_of_its_own_into_the_advice(tmp_path: Path) -> None:
    base = "$(touch owned)'; touch owned; echo \"`touch owned`"
    write(tmp_path / "adapter_config.json", {"base_model_name_or_path": base, "peft_type": "LORA"})
    (tmp_path / "adapter_model.safetensors").touch()
    message = refusal(tmp_path)
    (program,) = programs(message)
    assert json.dumps(base) in program
    assert message.endswith("measure the base model, " + shlex.quote(f"hf:{base}"))


def test_an_adapter_beside_a_model(copied: Copied) -> None:
    folder = copied("gpt2")
    write(folder / "adapter_config.json", {})
    message = refusal(folder)
    assert "does not say which of the two is meant" in message
    assert "move adapter_config.json out of the folder" in message


@pytest.mark.parametrize("method", ["fp8", "hqq", "compressed-tensors", "no-such-method"])
def test_quantised_weights(method: str, copied: Copied) -> None:
    message = refusal(copied("gpt2", quantization_config={"quant_method": method}))
    assert f"weights quantised by {method}" in message
    assert "it reads those by bitsandbytes, gptq, awq" in message
    assert "with the option dtype=bfloat16" in message


@pytest.mark.parametrize(
    ("stated", "command"),
    [
        ({"quant_method": "gptq", "bits": 4}, "pip install gptqmodel optimum accelerate"),
        ({"quant_method": "awq", "bits": 4}, "pip install gptqmodel accelerate"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "pip install bitsandbytes accelerate"),
        ({"load_in_4bit": True}, "pip install bitsandbytes accelerate"),
    ],
)
def test_quantised_weights_whose_packages_are_missing(
    stated: dict[str, Any], command: str, copied: Copied, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    missing = {"gptqmodel", "optimum", "bitsandbytes"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in missing else find(name))
    message = refusal(copied("gpt2", quantization_config=stated))
    assert f"for which packages are missing: {command}. Or measure the model" in message
    assert "with the option dtype=bfloat16" in message


@pytest.mark.parametrize("late", [False, True])
def test_a_library_that_cannot_run_here_is_named(
    late: bool, copied: Copied, opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if late:  # as on a GPU, where the check passes and the library is imported with the weights
        opener = SimpleNamespace(from_pretrained=lambda *_, **__: importlib.import_module("no_such_library"))
        monkeypatch.setattr("biascore_adapters.hf.load._check_library", lambda *_: None)
        monkeypatch.setattr("biascore_adapters.hf.load.own_class", lambda *_: (opener, {}))
    pretended = importlib.machinery.ModuleSpec("pretended", None)
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: pretended if name in ("gptqmodel", "accelerate") else find(name, *rest),
    )
    with pytest.raises(ModelLoadError, match=r"quantised by awq, and its library does not run them here \("):
        opened(copied("gpt2", quantization_config={"quant_method": "awq", "bits": 4}))


@pytest.mark.parametrize(
    ("tokenizer", "family", "says"),
    [
        ("BertJapaneseTokenizer", "bert", "exists in Python only"),
        ("FlaubertTokenizer", "flaubert", "hf:almanach/camembert-base"),
        (None, "xlm", "XLMTokenizer, which exists in Python only"),
        (None, "canine", "CanineTokenizer, which reads single characters"),
        ("ByT5Tokenizer", "t5", "reads single characters or bytes"),
    ],
)
def test_tokenizers_that_exist_in_python_only(
    tokenizer: str | None, family: str, says: str, copied: Copied
) -> None:
    folder = copied("bert-uncased", model_type=family)
    (folder / "tokenizer.json").unlink()
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings.pop("tokenizer_class")
    write(folder / "tokenizer_config.json", settings | ({"tokenizer_class": tokenizer} if tokenizer else {}))
    message = refusal(folder)
    assert says in message
    assert "tokenizer.json" in message


def test_static_embeddings(copied: Copied) -> None:
    folder = copied("bert-uncased")
    write(
        folder / "modules.json",
        [{"type": "sentence_transformers.models.StaticEmbedding", "path": "0_Static"}],
    )
    assert "holds static embeddings" in refusal(folder)
    write(folder / "modules.json", [])
    assert "holds static embeddings" in refusal(change(folder, model_type="model2vec"))


def change(folder: Path, **changes: Any) -> Path:
    write(folder / "config.json", json.loads((folder / "config.json").read_text()) | changes)
    return folder


@pytest.mark.slow
def test_the_command_for_mistrals_own_tokenizer_works(copied: Copied, opened: Callable[..., Any]) -> None:
    folder = copied("gpt2", vocab_size=380)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink(missing_ok=True)
    pieces = [bytes([i]) for i in range(256)] + [b"th", b"the"]
    vocabulary = [
        {"rank": i, "token_bytes": base64.b64encode(piece).decode(), "token_str": None}
        for i, piece in enumerate(pieces)
    ]
    special = [
        {"rank": i, "token_str": s, "is_control": True} for i, s in enumerate(("<unk>", "<s>", "</s>"))
    ]
    config = {
        "pattern": r"\p{L}+|\s+|\p{N}|[^\s\p{L}\p{N}]+",
        "num_vocab_tokens": len(pieces),
        "version": "v3",
    }
    config |= {"default_vocab_size": len(pieces) + 3, "default_num_special_tokens": 3}
    write(folder / "tekken.json", {"config": config, "vocab": vocabulary, "special_tokens": special})
    (command,) = programs(refusal(folder))
    subprocess.run([sys.executable, "-c", command], check=True)
    assert opened(folder).identity.facts["kind"] == "decoder"


@pytest.mark.parametrize("options", [{}, {"beams": 4}])
def test_an_encoder_decoder_says_so_whatever_the_options(
    options: dict[str, Any], copied: Copied, opened: Callable[..., Any]
) -> None:
    folder = copied("bert-uncased", is_encoder_decoder=True, architectures=["BartForConditionalGeneration"])
    with pytest.raises(
        ModelLoadError, match=r"encoder-decoder \(BartFor.*neither embeddings nor masked words"
    ):
        opened(folder, **options)

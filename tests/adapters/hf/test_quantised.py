"""Quantised weights: what is recorded of them, and models that bitsandbytes quantises for this test alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs biascore[hf]")
pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore_adapters.hf.quantised import Quantised

from ...builders import tiny

TEXTS = ["The nurse said that he left", "The nurse said that she left", "A nurse walked home"]
WORK = """
import json, sys
sys.path.append(sys.argv[1])
import torch, transformers
from biascore import Engine
from biascore.api.queries import Continuation
from biascore.errors import CapabilityError
plain, into, config, texts = sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), json.loads(sys.argv[5])
config = transformers.BitsAndBytesConfig(**config)
made = transformers.AutoModelForCausalLM.from_pretrained(plain, quantization_config=config, device_map="cpu")
made.save_pretrained(into)
transformers.AutoTokenizer.from_pretrained(plain).save_pretrained(into)
one, other = (Engine(cache=None).model(f"hf:{folder}") for folder in (plain, into))
asked = [*texts, *(Continuation("The nurse said " * 2 + "that", " " + text) for text in texts)]
try:
    other.export("/nowhere")
    refused = ""
except CapabilityError as error:
    refused = str(error)
print("found", json.dumps({
    "plain": one.score(asked, "log_likelihood").tolist(),
    "quantised": other.score(asked, "log_likelihood").tolist(),
    "alone": [float(other.view().score([text], "log_likelihood")[0]) for text in asked],
    "direct": [sum(own) for own in DIRECT(into, texts)],
    "facts": dict(other.identity.facts),
    "parameters": one.identity.facts["parameters"],
    "conventions": dict(other.identity.conventions),
    "refused": refused,
}))
"""
DIRECT = """
def DIRECT(folder, texts):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, device_map="cpu").eval()
    for text in texts:
        ids = [tokenizer.bos_token_id, *tokenizer(text)["input_ids"]]
        with torch.no_grad():
            logprobs = network(torch.tensor([ids])).logits[0].log_softmax(-1)
        yield [float(logprobs[i - 1, ids[i]]) for i in range(1, len(ids))]
"""


@pytest.mark.parametrize(
    ("stated", "described", "alone"),
    [
        (
            {"quant_method": "bitsandbytes", "load_in_8bit": True},
            "bitsandbytes, 8 bits (LLM.int8())",
            True,
        ),
        (
            {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_compute_dtype": "bfloat16"},
            "bitsandbytes, 4 bits (nf4), computed in bfloat16",
            False,
        ),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "gptq, 4 bits, groups of 128", False),
        ({"quant_method": "awq"}, "awq", False),
    ],
)
def test_what_is_recorded(stated: dict[str, Any], described: str, alone: bool) -> None:
    found = Quantised.of({"quantization_config": stated})
    assert found is not None
    assert (found.described, found.alone) == (described, alone)


def test_plain_weights_and_what_transformers_makes_of_mxfp4() -> None:
    assert Quantised.of({}) is None
    assert Quantised.of({"quantization_config": {"quant_method": "mxfp4"}}) is None


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with bitsandbytes and what transformers loads its weights with."""
    folder = tmp_path_factory.mktemp("bitsandbytes")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    done = subprocess.run(
        [*command, "bitsandbytes", "accelerate", "psutil"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"bitsandbytes cannot be installed here: {done.stderr.strip()[-200:]}")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "within", "rounding"),
    [
        ({"load_in_8bit": True}, 0.02, 1e-3),
        (
            {
                "load_in_4bit": True,
                "bnb_4bit_quant_type": "nf4",
                "bnb_4bit_compute_dtype": "float32",
                "bnb_4bit_use_double_quant": True,
            },
            0.08,
            # Its kernel for a CPU with bfloat16 computes in that, whatever is stated: a difference of 1e-6 between batches
            # becomes a step of 2^-8 where it crosses a boundary of rounding (0.012 of 121 with one of nine vocabularies).
            0.1,
        ),
    ],
    ids=["8 bits", "4 bits"],
)
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_models_quantised_by_bitsandbytes(
    kind: str, config: dict[str, Any], within: float, rounding: float, packages: Path, tmp_path: Path
) -> None:
    size: dict[str, Any] = {"n_embd": 64} if kind == "gpt2" else {"hidden_size": 64, "intermediate_size": 128}
    plain = tiny.save_model(kind, tmp_path / "plain", 1, **size)
    asked = [str(packages), str(plain), str(tmp_path / "quantised"), json.dumps(config), json.dumps(TEXTS)]
    done = subprocess.run(
        [sys.executable, "-c", DIRECT + WORK, *asked],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )
    assert not done.returncode, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("found "))
    found = json.loads(line.removeprefix("found "))
    assert found["quantised"][: len(TEXTS)] == pytest.approx(found["direct"], abs=rounding)
    assert found["quantised"] == pytest.approx(found["plain"], rel=within)
    assert found["quantised"] != found["plain"]
    assert found["quantised"] == pytest.approx(found["alone"], abs=rounding)
    said = found["conventions"]["quantised weights"]
    assert said == found["facts"]["quantised"]
    assert said.startswith(
        "bitsandbytes, 8 bits" if "load_in_8bit" in config else "bitsandbytes, 4 bits (nf4)"
    )
    assert "bitsandbytes" in found["facts"]
    assert found["facts"]["kind"] == "causal"
    assert found["facts"]["parameters"] == found["parameters"]
    assert "only plain ones are exported" in found["refused"]

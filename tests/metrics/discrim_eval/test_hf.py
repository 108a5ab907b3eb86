"""Decisions of a causal model of transformers: the logit by one forward pass a word, in the plainest way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore_metrics.discrim_eval import asking  # noqa: E402

from ...builders import tiny  # noqa: E402
from .deciding import cases_of, decisions_test  # noqa: E402


@pytest.mark.slow
def test_the_logit_is_that_of_forward_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(asking, "LEAST_MASS", 0.0)  # a random model hardly ever says yes or no
    folder = tiny.save_model("gpt2", tmp_path / "gpt2", 1, context=256, size=0.05)
    found = Engine(cache=None).measure("discrim-eval", f"hf:{folder}", decisions_test(cases_of(2)))[0]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()

    def logprob(prompt: str, word: str) -> float:
        bos = tokenizer.bos_token or ""  # texts are scored given it, where the tokenizer has one
        texts = (bos + prompt, bos + prompt + word)
        start, whole = (tokenizer(text, return_tensors="pt").input_ids[0] for text in texts)
        # A word without a space may join the last token of the prompt.
        first = next((i for i, (a, b) in enumerate(zip(start, whole, strict=False)) if a != b), len(start))
        with torch.no_grad():
            told = network(whole[None]).logits[0].log_softmax(dim=-1)
        return sum(float(told[place - 1, whole[place]]) for place in range(first, len(whole)))

    frame = found.items_frame().iloc[:3]
    for text, value in zip(frame["text"], frame["value"], strict=True):
        prompt = f'{text}\n\nPlease answer with "yes" or "no".\nAnswer:'
        yes, no = (
            np.logaddexp.reduce([max(logprob(prompt, f" {word}"), logprob(prompt, word)) for word in words])
            for words in (("yes", "Yes"), ("no", "No"))
        )
        assert value == pytest.approx(yes - no, abs=1e-4)
    assert str(found.conventions["prompt put"]).startswith("as it is")

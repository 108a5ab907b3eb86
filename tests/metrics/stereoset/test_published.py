"""The published scores of StereoSet, written anew here in plain transformers, on tiny random models.

Nadeem et al. 2021, code/eval_discriminative_models.py and eval_generative_models.py: for each sub-token of the word the
context with the sub-tokens before it and one mask in the place of the blank, and the mean of their probabilities; of
a causal model 2 to the power of the mean log2 p of the tokens, the first given the token that begins a text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore_metrics.stereoset.items import LABELS, StereoSetTest  # noqa: E402

from .made import document, read, write  # noqa: E402

PREFIX = "published_"


@pytest.fixture(scope="module")
def test(tmp_path_factory: pytest.TempPathFactory) -> StereoSetTest:
    return read(write(tmp_path_factory.mktemp("stereoset"), document({"florist": 2, "aunt": 1})))


def masked_score(tokenizer: Any, model: Any, context: str, word: str) -> float:
    pieces = tokenizer.encode(word, add_special_tokens=False)
    assert len(pieces) > 1
    found = []
    for i, piece in enumerate(pieces):
        begun = tokenizer.decode(pieces[:i], clean_up_tokenization_spaces=False) if i else ""
        ids = tokenizer(context.replace("BLANK", f"{begun}{tokenizer.mask_token}"), return_tensors="pt")
        place = ids["input_ids"][0].tolist().index(tokenizer.mask_token_id)
        with torch.no_grad():
            found.append(float(model(**ids).logits[0, place].softmax(-1)[piece]))
    return float(np.mean(found))


def causal_score(tokenizer: Any, model: Any, sentence: str) -> tuple[float, float]:
    """As published, where only the first token is given the start token; and the mean ln p of all given it."""
    ids = tokenizer.encode(sentence)
    with torch.no_grad():
        (first,) = model(torch.tensor([[tokenizer.bos_token_id]])).logits[0].log_softmax(-1)
        rest = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        begun = model(torch.tensor([[tokenizer.bos_token_id, *ids]])).logits[0].log_softmax(-1)
    logs = [float(first[ids[0]]), *(float(rest[i, one]) for i, one in enumerate(ids[1:]))]
    sound = [float(begun[i, one]) for i, one in enumerate(ids)]
    return float(2 ** (np.mean(logs) / np.log(2))), float(np.mean(sound))


def test_a_masked_model(saved_model: Callable[[str], Path], engine: Engine, test: StereoSetTest) -> None:
    folder = saved_model("bert-uncased")
    frame = engine.measure("stereoset", f"hf:{folder}", test)[0].items_frame()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    for i, one in enumerate(test.samples.rows):
        for label, word in zip(LABELS, one.words, strict=True):
            expected = masked_score(tokenizer, model, one.context, word)
            assert frame.loc[i, f"{PREFIX}{label}"] == pytest.approx(expected, rel=1e-4)


def test_a_causal_model(saved_model: Callable[[str], Path], engine: Engine, test: StereoSetTest) -> None:
    folder = saved_model("gpt2")
    frame = engine.measure("stereoset", f"hf:{folder}", test)[0].items_frame()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    for i, one in enumerate(test.samples.rows):
        for label, sentence in zip(LABELS, one.sentences, strict=True):
            published, sound = causal_score(tokenizer, model, sentence)
            assert published != pytest.approx(np.exp(sound), rel=1e-3)
            assert frame.loc[i, f"{PREFIX}{label}"] == pytest.approx(published, rel=1e-4)
            assert frame.loc[i, f"mean_log_{label}"] == pytest.approx(sound, rel=1e-4)
        apart = frame.loc[i, "mean_log_stereotype"] - frame.loc[i, "mean_log_anti-stereotype"]
        assert frame.loc[i, "value"] == 50 + 50 * np.sign(apart)

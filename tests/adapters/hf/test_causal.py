"""Every log-likelihood against the obvious one: the next token after each prefix, one forward pass a token."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from safetensors.torch import load_file, save_file  # noqa: E402

from biascore import Engine  # noqa: E402
from biascore.api.queries import Masked, Text  # noqa: E402
from biascore.errors import AnswerError, CapabilityError, QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402

KINDS = tiny.CAUSAL
TEXTS = [
    "The engineer finished her work before he left the office.",
    "La dottoressa è andata in città con l'ingegnere",
    "  A NURSE\tand\na  programmer  ",
    "Queen 😀 and 👩🏽‍🔬 waved!",
    "Cafe\u0301 naïve ﬁne İstanbul",
    "nurse",
    "È queen",
    "queen " * 8,
    "The nurse said that he left",
    "The nurse said that she left",
]
ONE_TOKEN = {"gpt2": "t", "gpt2-no-bos": "t", "llama": "a", "llama-adds-bos": "a"}


@pytest.fixture(scope="module")
def causal_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A saved causal language model of each kind, with random weights."""
    root = tmp_path_factory.mktemp("causal")
    return {kind: tiny.save_model(kind, root / kind, seed) for seed, kind in enumerate(KINDS)}


@pytest.fixture(scope="module")
def obvious(causal_folders: dict[str, Path]) -> Callable[[str, str], float]:
    """``obvious(kind, text)``: sum in nats of log p(token | all before), beginning-of-text token included."""

    @lru_cache
    def opened(kind: str) -> tuple[Any, Any]:
        folder = causal_folders[kind]
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        return tokenizer, model

    @lru_cache
    def log_likelihood(kind: str, text: str) -> float:
        tokenizer, model = opened(kind)
        own = tokenizer(text, add_special_tokens=False)["input_ids"]
        # with no beginning-of-text token the first token of the text stands in its place, unscored
        read = own[:1] if kind == "gpt2-no-bos" else [tokenizer.bos_token_id]
        total = 0.0
        for token in own[1:] if kind == "gpt2-no-bos" else own:
            with torch.no_grad():
                logits = model(input_ids=torch.tensor([read])).logits[0, -1]
            total += float(torch.log_softmax(logits.double(), dim=-1)[token])
            read = [*read, token]
        return total

    return log_likelihood


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sequences", [1, pytest.param(3, marks=pytest.mark.slow), 64])
def test_log_likelihoods_equal_the_obvious_ones(
    kind: str, sequences: int, causal_folders: dict[str, Path], shared: Any, obvious: Any
) -> None:
    order = np.random.default_rng(sequences).permutation(len(TEXTS))
    texts = [TEXTS[i] for i in order if TEXTS[i] != "nurse" or kind != "gpt2-no-bos"]
    texts += texts[::3]
    backend = shared(causal_folders[kind], batch_tokens=1 if sequences == 1 else sequences * tiny.CONTEXT)
    got = backend.score(tuple(texts), "log_likelihood")
    assert got.dtype == np.float64
    assert got.shape == (len(texts),)
    np.testing.assert_allclose(got, [obvious(kind, text) for text in texts], rtol=2e-6, atol=1e-5)
    np.testing.assert_array_equal(backend.score(tuple(texts), "log_likelihood"), got)
    assert backend.score((), "log_likelihood").shape == (0,)


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_is_per_scored_token(
    kind: str, causal_folders: dict[str, Path], shared: Any, obvious: Any
) -> None:
    backend = shared(causal_folders[kind])
    tokenizer = transformers.AutoTokenizer.from_pretrained(causal_folders[kind])
    (got,) = backend.score(("The nurse said that she is here.",), "mean_log_likelihood")
    tokens = tokenizer("The nurse said that she is here.", add_special_tokens=False)["input_ids"]
    scored = len(tokens) - (kind == "gpt2-no-bos")
    assert got == pytest.approx(obvious(kind, "The nurse said that she is here.") / scored, abs=1e-5)
    assert backend.score(("The nurse said that she is here.",), "token_count").tolist() == [scored]
    assert backend.cost("score", ("The nurse.",), {"quantity": "token_count"}).passes == 0


def test_the_tokenizers_do_with_the_beginning_of_a_text_what_these_tests_need(
    causal_folders: dict[str, Path],
) -> None:
    for kind, has, adds in [
        ("gpt2", True, False),
        ("gpt2-no-bos", False, False),
        ("llama", True, False),
        ("llama-adds-bos", True, True),
    ]:
        tokenizer = transformers.AutoTokenizer.from_pretrained(causal_folders[kind])
        assert (tokenizer.bos_token_id is not None) == has
        ids = tokenizer("The nurse")["input_ids"]
        assert (ids[0] == tokenizer.bos_token_id and has) == adds
        assert len(tokenizer(ONE_TOKEN[kind], add_special_tokens=False)["input_ids"]) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_at_the_beginning_is_stated(
    kind: str, causal_folders: dict[str, Path], shared: Any
) -> None:
    stated = str(shared(causal_folders[kind]).identity.facts["bos"])
    if kind == "gpt2-no-bos":
        assert "first token" in stated
        assert "not scored" in stated
    else:
        assert "every token" in stated
        assert {"gpt2": "<|endoftext|>"}.get(kind, "<s>") in stated


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_of_one_token(kind: str, causal_folders: dict[str, Path], shared: Any, obvious: Any) -> None:
    backend, text = shared(causal_folders[kind]), ONE_TOKEN[kind]
    if kind == "gpt2-no-bos":
        with pytest.raises(QuestionError, match=f"'{text}'"):
            backend.score(("The nurse", text), "log_likelihood")
    else:
        (got,) = backend.score((text,), "log_likelihood")
        assert got == pytest.approx(obvious(kind, text), abs=1e-5)
        assert got < 0


def test_the_sum_with_the_first_token_is_the_chain_rule(causal_folders: dict[str, Path], shared: Any) -> None:
    """exp of the sum over all one-token texts is one: the first token is scored, and given <|endoftext|> once."""
    backend = shared(causal_folders["gpt2"])
    tokenizer = backend._reader.tokenizer
    words = [chr(i) for i in range(33, 127)]
    one_token = [word for word in words if len(tokenizer(word)["input_ids"]) == 1]
    assert len(one_token) == 94
    scores = backend.score(tuple(one_token), "log_likelihood")
    assert 0 < np.exp(scores).sum() < 1
    pairs = backend.score(tuple(f"{word}{word}" for word in one_token), "log_likelihood")
    assert (pairs < scores).all()


@pytest.mark.parametrize("kind", KINDS)
def test_texts_that_the_model_cannot_take_are_refused(
    kind: str, causal_folders: dict[str, Path], shared: Any, obvious: Any
) -> None:
    backend = shared(causal_folders[kind])
    for blank in ("", " "):
        with pytest.raises(QuestionError, match=f"'{blank}'"):
            backend.score(("The nurse", blank), "log_likelihood")
    tokenizer = backend._reader.tokenizer
    text = ", ".join(["x"] * 100)
    room = tiny.CONTEXT - (kind != "gpt2-no-bos")  # for the token in front
    while len(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]) > room:
        longer, text = text, text[:-1]
    (got,) = backend.score((text,), "log_likelihood")
    assert got == pytest.approx(obvious(kind, text), rel=2e-6)
    with pytest.raises(
        QuestionError, match=rf"'x, x, .* is {tiny.CONTEXT + 1} tokens .* takes {tiny.CONTEXT}"
    ):
        backend.score(("The nurse", longer), "log_likelihood")


@pytest.mark.parametrize("kind", KINDS)
def test_other_quantities_are_refused(kind: str, causal_folders: dict[str, Path], shared: Any) -> None:
    with pytest.raises(QuestionError, match=r"'anger'.*'log_likelihood'"):
        shared(causal_folders[kind]).score(("The nurse",), "anger")


def test_a_damaged_model_is_found_out_at_the_text(
    causal_folders: dict[str, Path], opened: Any, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(causal_folders["gpt2"], tmp_path / "gpt2"))
    weights = load_file(folder / "model.safetensors")
    (name,) = [key for key in weights if key.endswith("wpe.weight")]
    weights[name][15] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    backend = opened(folder)
    texts = ("The nurse", "unbelievable mathematics " * 2, "È queen")
    assert np.isfinite(backend.score(texts[:1], "log_likelihood")).all()
    with pytest.raises(AnswerError, match="unbelievable mathematics"):
        backend.score(texts, "log_likelihood")


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_through_the_engine(kind: str, causal_folders: dict[str, Path], obvious: Any) -> None:
    texts = [text for text in TEXTS if text != "nurse"]
    with Engine(cache=None).model(f"hf:{causal_folders[kind]}") as model:
        assert {"embed", "score"} <= model.capabilities
        got = model.score(texts, "log_likelihood")
        np.testing.assert_allclose(got, [obvious(kind, text) for text in texts], rtol=2e-6)
        with pytest.raises(
            CapabilityError, match="cannot mask_logprob; it can choose, embed, generate, score"
        ):
            model.mask_logprob([Masked("nurse", None)])


@pytest.mark.parametrize("kind", KINDS)
def test_embeddings_are_those_of_the_trunk(kind: str, causal_folders: dict[str, Path], shared: Any) -> None:
    folder = causal_folders[kind]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    trunk = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    got = shared(folder).embed(tuple(Text(text) for text in TEXTS), "sentence")
    for vector, text in zip(got, TEXTS, strict=True):
        with torch.no_grad():
            states = trunk(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        np.testing.assert_allclose(vector, states[-1].numpy(), rtol=1e-5, atol=1e-5)

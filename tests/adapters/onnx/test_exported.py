"""Every answer of an exported model against torch: one text at a time, no padding, in plain transformers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from biascore import Engine
from biascore.api.queries import Choice, Continuation, Masked, Text
from biascore.errors import QuestionError

from ...builders import tiny
from .conftest import MODELS, TEXTS, Exported, Original

pytestmark = pytest.mark.slow  # every test opens a model that was exported by torch

MASKED = ("bert", "roberta", "xlm-roberta", "distilbert", "albert", "electra")
CAUSAL = ("gpt2", "llama")
QUICK = ("bert", "roberta", "gpt2", "encoder", "emotions", "decoder-head")


def assert_close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


Plain = Callable[[Path, Any], tuple[Any, Any]]


def words(text: str) -> list[tuple[int, int]]:
    starts = [0, *(i + 1 for i, c in enumerate(text) if c == " ")]
    return [(start, start + len(text[start:].split(" ")[0])) for start in starts]


def ids_of(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text)["input_ids"])


def quick(names: Iterable[str]) -> list[Any]:
    """The names; those of models like another one are slow, for each export takes seconds."""
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", quick(MODELS))
def test_embeddings_are_torchs(
    name: str, engine: Engine, original: Original, exported: Exported, plain: Plain
) -> None:
    tokenizer, model = plain(original(name), transformers.AutoModel)
    causal = name in (*CAUSAL, "decoder-head")
    with engine.model(f"onnx:{exported(name)}") as onnx_model:
        sentences = onnx_model.embed([Text(text) for text in TEXTS])
        asked = [Text(text, span) for text in TEXTS for span in words(text)]
        tokens = onnx_model.embed(asked, "token")
    compared = 0
    for text, vector in zip(TEXTS, sentences, strict=True):
        with torch.no_grad():
            states = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()
        assert_close(vector, states[-1 if causal else 0])
    boundary = tokenizer.convert_tokens_to_ids("▁")
    for question, vector in zip(asked, tokens, strict=True):
        inputs = tokenizer(question.text, return_tensors="pt", return_offsets_mapping=True)
        offsets = inputs.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            states = model(**inputs).last_hidden_state[0].numpy()
        assert question.span is not None
        meant = set(range(*question.span))
        rows = [
            states[i]
            for i, (start, end) in enumerate(offsets)
            if meant & set(range(start, end))
            and (inputs["input_ids"][0, i] != boundary or boundary == tokenizer.unk_token_id)
        ]
        if np.isnan(vector).any():  # every sub-token is the unknown one
            continue
        assert_close(vector, np.mean(rows, axis=0))
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("name", quick(MASKED))
def test_masked_log_probabilities_are_torchs(
    name: str, engine: Engine, original: Original, exported: Exported, plain: Plain
) -> None:
    tokenizer, model = plain(original(name), transformers.AutoModelForMaskedLM)
    with engine.model(f"onnx:{exported(name)}") as onnx_model:
        one = onnx_model.mask_logprob([Masked(text, None, one_at_a_time=True) for text in TEXTS])
        together = onnx_model.mask_logprob([Masked(text, None) for text in TEXTS])
    for text, separate, at_once in zip(TEXTS, one, together, strict=True):
        encoded = tokenizer(text, return_special_tokens_mask=True)
        ids, special = encoded["input_ids"], encoded["special_tokens_mask"]
        own = [i for i, added in enumerate(special) if not added]

        def log_p(hidden: list[int], at: int, ids: list[int] = ids) -> float:
            masked = [tokenizer.mask_token_id if i in hidden else token for i, token in enumerate(ids)]
            with torch.no_grad():
                logits = model(torch.tensor([masked])).logits[0, at]
            return float(logits.double().log_softmax(-1)[ids[at]])

        assert_close(separate.logprobs, [log_p([i], i) for i in own])
        assert_close(at_once.logprobs, [log_p(own, i) for i in own])


@pytest.mark.parametrize("name", quick(CAUSAL))
def test_log_likelihoods_are_torchs(
    name: str, engine: Engine, original: Original, exported: Exported, plain: Plain
) -> None:
    tokenizer, model = plain(original(name), transformers.AutoModelForCausalLM)
    texts = [text for text in TEXTS if len(ids_of(tokenizer, text)) > 1]
    with engine.model(f"onnx:{exported(name)}") as onnx_model:
        scores = onnx_model.score(texts, "log_likelihood")
        with pytest.raises(QuestionError, match="no output 'anger'"):
            onnx_model.score(texts, "anger")
        assert "every token of a text is scored" in str(onnx_model.identity.facts["bos"])
    for text, score in zip(texts, scores, strict=True):
        ids = ids_of(tokenizer, text)
        if tokenizer.bos_token_id is not None and ids[0] != tokenizer.bos_token_id:
            ids = [tokenizer.bos_token_id, *ids]
        with torch.no_grad():
            logits = model(torch.tensor([ids])).logits[0].double()
        total = sum(float(logits[i - 1].log_softmax(-1)[ids[i]]) for i in range(1, len(ids)))
        assert score == pytest.approx(total, abs=1e-5 * len(ids))


@pytest.mark.parametrize("name", quick(CAUSAL))
def test_texts_after_a_prompt_options_and_windows_are_those_of_hf(
    name: str, engine: Engine, original: Original, exported: Exported
) -> None:
    prompts = ("The nurse said that", "The engineer finished her work before")
    asked = [Continuation(prompt, text) for prompt in prompts for text in (" he left", " she is late.", ".")]
    long = " ".join([*TEXTS] * 2)
    question = Choice(prompts[0], ("the nurse", "nobody"), instruction="Answer:\n")
    options = {"long_texts": "windows", "stride": 20}
    with (
        engine.model(f"hf:{original(name)}", **options) as one,
        engine.model(f"onnx:{exported(name)}", **options) as other,
    ):
        assert one.score([long], "token_count")[0] > tiny.CONTEXT
        for quantity in ("log_likelihood", "token_count"):
            some = [*asked, long, Continuation(long, " she")]
            np.testing.assert_allclose(
                other.score(some, quantity), one.score(some, quantity), rtol=0, atol=1e-4
            )
        assert one.prompting == other.prompting
        assert one.identity.conventions == other.identity.conventions
        for way in ("likelihood", "letters"):
            (chosen,), (too,) = one.choose([question], way), other.choose([question], way)
            np.testing.assert_allclose(too.logprobs, chosen.logprobs, rtol=0, atol=1e-4)
            assert (too.chosen, too.tokens) == (chosen.chosen, chosen.tokens)


@pytest.mark.parametrize(("name", "labels"), [("emotions", 3), ("decoder-head", 2)])
def test_head_outputs_are_torchs(
    name: str, labels: int, engine: Engine, original: Original, exported: Exported, plain: Plain
) -> None:
    tokenizer, model = plain(original(name), transformers.AutoModelForSequenceClassification)
    with engine.model(f"onnx:{exported(name)}") as onnx_model:
        quantities = onnx_model.identity.quantities
        assert len(quantities) == labels
        found = np.stack([onnx_model.score(TEXTS, quantity) for quantity in quantities], axis=1)
        with pytest.raises(QuestionError, match="no output 'log_likelihood'"):
            onnx_model.score(TEXTS, "log_likelihood")
    for text, row in zip(TEXTS, found, strict=True):
        with torch.no_grad():
            logits = model(**tokenizer(text, return_tensors="pt")).logits[0].double()
        expected = logits.softmax(-1) if name == "emotions" else logits.sigmoid()
        assert_close(row, expected.numpy())


@pytest.mark.parametrize(
    ("name", "capabilities"),
    [
        ("encoder", {"embed"}),
        ("bert", {"embed", "mask_logprob"}),
        ("gpt2", {"choose", "embed", "generate", "score"}),
        ("emotions", {"embed", "score"}),
    ],
)
def test_a_model_answers_what_its_outputs_allow(
    name: str, capabilities: set[str], engine: Engine, exported: Exported
) -> None:
    with engine.model(f"onnx:{exported(name)}") as model:
        assert model.capabilities == capabilities
        assert model.identity.quantities == {
            "gpt2": ("log_likelihood", "mean_log_likelihood", "token_count", "log_likelihood_start_once"),
            "emotions": ("anger", "joy", "fear"),
        }.get(name, ())


def test_order_and_batches_do_not_matter(engine: Engine, exported: Exported) -> None:
    queries = [Masked(text, None, one_at_a_time=True) for text in TEXTS]
    with (
        engine.model(f"onnx:{exported('bert')}") as model,
        engine.model(f"onnx:{exported('bert')}", batch_tokens=1, threads=1) as single,
    ):
        for one, other in zip(
            model.mask_logprob(queries), single.mask_logprob(queries[::-1])[::-1], strict=True
        ):
            assert one.tokens == other.tokens
            assert_close(one.logprobs, other.logprobs)


def test_logits_that_do_not_fit_into_memory_at_once_are_computed_in_parts(
    engine: Engine, exported: Exported, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = [Masked(text, None, one_at_a_time=True) for text in TEXTS]
    with engine.model(f"onnx:{exported('bert')}") as model:
        whole = model.mask_logprob(queries)
        monkeypatch.setattr("biascore_adapters.onnx.runtime.MAX_LOGITS", 300)
        runs: list[int] = []
        graph: Any = model._backend._runtime._graph
        run = graph.run

        def counted(*arguments: Any) -> Any:
            runs.append(len(arguments[-1]))
            return run(*arguments)

        monkeypatch.setattr(graph, "run", counted)
        parts = model.mask_logprob(queries)
    assert max(runs) <= 2
    for one, other in zip(whole, parts, strict=True):
        assert_close(one.logprobs, other.logprobs)


def test_limits_are_the_originals(engine: Engine, original: Original, exported: Exported) -> None:
    for name in ("bert", "roberta", "gpt2", "emotions"):
        with engine.model(f"hf:{original(name)}") as one, engine.model(f"onnx:{exported(name)}") as other:
            assert one.identity.facts["max_tokens"] == other.identity.facts["max_tokens"]
            with pytest.raises(QuestionError, match="never truncated"):
                other.embed([Text("queen " * 80)])


def test_costs_are_the_originals(engine: Engine, original: Original, exported: Exported) -> None:
    asked: dict[str, tuple[str, list[Any], dict[str, str]]] = {
        "bert": ("mask_logprob", [Masked(text, None) for text in TEXTS], {}),
        "encoder": ("embed", [Text(text) for text in TEXTS], {"level": "sentence"}),
        "gpt2": ("score", list(TEXTS), {"quantity": "log_likelihood"}),
        "emotions": ("score", list(TEXTS), {"quantity": "joy"}),
    }
    for name, question in asked.items():
        with engine.model(f"hf:{original(name)}") as one, engine.model(f"onnx:{exported(name)}") as other:
            assert one._backend.cost(*question) == other._backend.cost(*question)
            assert other._backend.cost(*question).passes == len(TEXTS)

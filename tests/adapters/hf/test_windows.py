"""Texts longer than a model takes, in windows, against a plain loop over transformers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore.api.queries import Choice, Continuation  # noqa: E402
from biascore.errors import OptionsError, QuestionError  # noqa: E402
from biascore_adapters.transformer.options import LongTextOptions  # noqa: E402
from biascore_adapters.transformer.windows import Windows  # noqa: E402

from ...builders import tiny  # noqa: E402

KINDS = tiny.CAUSAL
CONTEXT = 32
LONG = "The engineer finished her work before he left the office, and nobody noticed the nurse at all. " * 2
SHORT = "The nurse said that she left"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """``folder(kind)``: a causal language model that takes 32 tokens."""
    root = tmp_path_factory.mktemp("windows")
    return lru_cache(lambda kind: tiny.save_model(kind, root / kind, 1, context=CONTEXT))


@pytest.fixture
def model(folder: Callable[[str], Path], engine: Engine) -> Callable[..., Any]:
    """``model(kind, **options)``: it, with windows, opened without a cache."""
    return lambda kind="gpt2", **options: engine.model(
        f"hf:{folder(kind)}", **{"long_texts": "windows", **options}
    )


@pytest.fixture(scope="module")
def obvious(folder: Callable[[str], Path]) -> Callable[..., list[float]]:
    """``obvious(kind, text, stride)``: log p of each token, by the loop of the guide to perplexity of transformers."""

    @lru_cache
    def plain(kind: str) -> tuple[Any, Any]:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder(kind))
        return tokenizer, transformers.AutoModelForCausalLM.from_pretrained(
            folder(kind), dtype=torch.float32
        ).eval()

    def scores(kind: str, text: str, stride: int) -> list[float]:
        tokenizer, network = plain(kind)
        ids = tokenizer(text)["input_ids"]
        if tokenizer.bos_token_id is not None and ids[0] != tokenizer.bos_token_id:
            ids = [tokenizer.bos_token_id, *ids]
        found: list[float] = []
        before = 0
        for begin in range(0, len(ids), stride):
            end = min(begin + CONTEXT, len(ids))
            target = torch.tensor([ids[begin:end]])
            target[:, : -(end - before)] = -100
            with torch.no_grad():
                logits = network(torch.tensor([ids[begin:end]])).logits
            losses = torch.nn.functional.cross_entropy(logits[0, :-1], target[0, 1:], reduction="none")
            found += [-float(loss) for loss, id_ in zip(losses, target[0, 1:], strict=True) if id_ != -100]
            before = end
            if end == len(ids):
                break
        return found

    return scores


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "stride", [1, *(pytest.param(one, marks=pytest.mark.slow) for one in (7, 16)), CONTEXT - 1]
)
def test_windows_are_those_of_the_guide(
    kind: str, stride: int, model: Callable[..., Any], obvious: Callable[..., list[float]]
) -> None:
    opened = model(kind, stride=stride)
    expected = [obvious(kind, text, stride) for text in (LONG, SHORT)]
    assert len(expected[0]) > 2 * CONTEXT
    found = opened.score([LONG, SHORT], "log_likelihood")
    np.testing.assert_allclose(found, [sum(own) for own in expected], rtol=2e-6)
    assert opened.score([LONG, SHORT], "token_count").tolist() == [len(own) for own in expected]
    means = opened.score([LONG, SHORT], "mean_log_likelihood")
    np.testing.assert_allclose(means, [np.mean(own) for own in expected], rtol=2e-6)


@pytest.mark.parametrize("kind", ["gpt2", "llama-adds-bos"])
@pytest.mark.parametrize("words", [4, 12, 25])
def test_a_text_after_a_prompt_is_the_end_of_the_whole(
    kind: str, words: int, model: Callable[..., Any], obvious: Callable[..., list[float]]
) -> None:
    opened = model(kind)
    split = LONG.split(" ")
    prompt, text = " ".join(split[:words]), " " + " ".join(split[words:])
    whole, beginning, rest = opened.score([LONG, prompt, Continuation(prompt, text)], "log_likelihood")
    assert whole == pytest.approx(beginning + rest, rel=2e-6)
    count = int(opened.score([Continuation(prompt, text)], "token_count")[0])
    assert rest == pytest.approx(sum(obvious(kind, LONG, CONTEXT // 2)[-count:]), rel=2e-6)


def test_options_after_a_prompt_that_is_too_long_by_itself(
    model: Callable[..., Any], obvious: Callable[..., list[float]]
) -> None:
    opened, options = model(max_answer_tokens=2), ("the nurse", "an engineer")
    question = Choice(LONG.strip(), options)
    (answer,) = opened.choose([question], "likelihood")
    for option, logprob, tokens in zip(options, answer.logprobs, answer.tokens, strict=True):
        expected = obvious("gpt2", f"{LONG.strip()} {option}", CONTEXT // 2)[-tokens:]
        assert logprob == pytest.approx(sum(expected), rel=2e-6)
    with pytest.raises(QuestionError, match=r"model takes 32. Shorten it: the letter .* never in windows"):
        opened.choose([question], "letters")
    with pytest.raises(QuestionError, match=r"model takes 32. Shorten or split the text"):
        opened.choose([question], "text")


def test_without_windows_a_text_that_is_too_long_is_an_error_that_names_them(
    model: Callable[..., Any],
) -> None:
    opened = model(long_texts="error")
    for asked in (LONG, Continuation(LONG, "he")):
        with pytest.raises(QuestionError, match=r"model takes 32. Shorten or split .*long_texts=windows"):
            opened.score([asked], "log_likelihood")
    with pytest.raises(QuestionError, match="long_texts=windows"):
        opened.choose([Choice(LONG, ("he", "she"))], "likelihood")


def test_windows_are_recorded_and_texts_that_fit_are_scored_as_without(model: Callable[..., Any]) -> None:
    opened, without = model(stride=8), model(long_texts=None)
    told = "scored in windows of 32 tokens, stride 8"
    assert opened.identity.facts["long texts"] == opened.identity.conventions["long texts"] == told
    assert model().identity.facts["long texts"].endswith("stride 16")
    assert "long texts" not in {**without.identity.facts, **without.identity.conventions}
    assert opened.score([SHORT], "log_likelihood") == without.score([SHORT], "log_likelihood")


def test_a_plan_counts_the_windows(model: Callable[..., Any], obvious: Callable[..., list[float]]) -> None:
    opened, scored = model(stride=16), len(obvious("gpt2", LONG, 16))
    cost = opened.cost_of("score", [LONG, SHORT], {"quantity": "log_likelihood"})
    windows = 1 + -(-(scored + 1 - CONTEXT) // 16)
    assert cost.passes == cost.naive_passes == windows + 1


def test_windows_that_mean_nothing(
    model: Callable[..., Any], folder: Callable[[str], Path], tmp_path: Path
) -> None:
    with pytest.raises(
        OptionsError, match=r"are 32 apart do not overlap.*Set stride to 31 or less; 16 is usual"
    ):
        model(stride=32)
    with pytest.raises(OptionsError, match="Set long_texts=windows, or leave stride out"):
        model(long_texts="error", stride=3)
    with pytest.raises(OptionsError, match="not read as a sentence-transformers folder"):
        model(long_texts="cut")
    with pytest.raises(OptionsError, match=r"states no longest text.*Leave it out"):
        Windows.chosen(LongTextOptions(long_texts="windows"), None, "bloom")
    masked = tiny.save_model("bert-uncased", tmp_path / "bert", 1)
    for options in ({"long_texts": "windows"}, {"stride": 3}):
        with pytest.raises(OptionsError, match=r"gives no log-likelihood of a text.*Leave them out"):
            Engine(cache=None).model(f"hf:{masked}", **options)

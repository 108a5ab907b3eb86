"""Texts after a prompt against the obvious way: one forward pass of the whole, scored from the first token that differs."""

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
from biascore.errors import CapabilityError, ModelLoadError, OptionsError, QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402

PROMPT = "The nurse walked home and said that the engineer was"
SHORT = "The nurse"
TEXTS = (" late.", " tired and he left", " she")
CHAT = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system prompt') }}{% endif %}" + CHAT
THINKS = CHAT.replace(
    "<|assistant|>\n",
    "<|assistant|>\n{% if enable_thinking is defined and not enable_thinking %}<think></think>{% else %}<think>{% endif %}",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """``folder(kind, template)``: a causal language model of the kind, whose tokenizer has the chat template."""
    root = tmp_path_factory.mktemp("continued")

    @lru_cache
    def saved(kind: str, template: str = "") -> Path:
        made = tiny.save_model(kind, root / f"{kind}-{hash(template)}", 1, context=256)
        if template:
            tokenizer = transformers.AutoTokenizer.from_pretrained(made)
            tokenizer.chat_template = template
            tokenizer.save_pretrained(made)
        return made

    return saved


@pytest.fixture
def model(folder: Callable[..., Path], engine: Engine) -> Any:
    """``model(kind, template, **options)``: it, opened without a cache."""
    return lambda kind, template="", **options: engine.model(f"hf:{folder(kind, template)}", **options)


@pytest.fixture(scope="module")
def obvious(folder: Callable[..., Path]) -> Callable[..., tuple[float, int]]:
    """``obvious(kind, prompt, text)``: sum of log p from the first token that differs, and how many; ``put``: as it is."""

    @lru_cache
    def plain(made: Path) -> tuple[Any, Any]:
        network = transformers.AutoModelForCausalLM.from_pretrained(made, dtype=torch.float32).eval()
        return transformers.AutoTokenizer.from_pretrained(made), network

    def score(
        kind: str, prompt: str, text: str, template: str = "", *, put: bool = False
    ) -> tuple[float, int]:
        (tokenizer, network), special = plain(folder(kind, template)), not put
        whole, before = (
            tokenizer(one, add_special_tokens=special)["input_ids"] for one in (prompt + text, prompt)
        )
        start = next((i for i, (a, b) in enumerate(zip(whole, before, strict=False)) if a != b), len(before))
        first = tokenizer.bos_token_id
        if not put and first is not None and whole[0] != first:
            whole, start = [first, *whole], start + 1
        with torch.no_grad():
            logprobs = network(torch.tensor([whole])).logits[0].log_softmax(-1)
        return float(sum(logprobs[i - 1, whole[i]] for i in range(start, len(whole)))), len(whole) - start

    return score


@pytest.mark.parametrize("kind", tiny.CAUSAL)
@pytest.mark.parametrize("prompt", [PROMPT, SHORT])
def test_together_and_alone_they_are_what_they_obviously_are(
    kind: str, prompt: str, model: Any, obvious: Callable[..., tuple[float, int]]
) -> None:
    opened = model(kind)
    asked = [Continuation(prompt, text) for text in TEXTS]
    expected, counts = zip(*(obvious(kind, prompt, text) for text in TEXTS), strict=True)
    together = opened.score(asked, "log_likelihood")
    np.testing.assert_allclose(together, expected, rtol=0, atol=1e-4)
    alone = [float(opened.view().score([one], "log_likelihood")[0]) for one in asked]
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-5 * np.abs(together).max())
    assert opened.score(asked, "token_count").tolist() == list(counts)
    means = opened.score(asked, "mean_log_likelihood")
    np.testing.assert_allclose(means * counts, together, rtol=1e-6)


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_prompts_of_several_lengths_and_plain_texts_in_one_call(
    kind: str, model: Any, obvious: Callable[..., tuple[float, int]]
) -> None:
    opened = model(kind)
    assert opened._backend._scored._after_prompts is not None
    pairs = [(prompt, text) for prompt in (PROMPT, SHORT, f"{PROMPT} not {PROMPT}") for text in TEXTS]
    asked = [*(Continuation(*pair) for pair in pairs), PROMPT]
    found = opened.score(asked, "log_likelihood")
    np.testing.assert_allclose(found[:-1], [obvious(kind, *pair)[0] for pair in pairs], rtol=0, atol=1e-4)
    assert found[-1] == pytest.approx(opened.score([PROMPT], "log_likelihood")[0], abs=1e-4)


def test_a_prompt_whose_last_token_grows_is_scored_from_that_token(
    model: Any, obvious: Callable[..., tuple[float, int]]
) -> None:
    opened = model("gpt2")
    tokenizer, text = opened._backend._reader.tokenizer, "The engineer said that she"
    whole = tokenizer(text)["input_ids"]
    before = {i: tokenizer(text[:i])["input_ids"] for i in range(2, len(text))}
    merged = [i for i, ids in before.items() if whole[: len(ids)] != ids]
    assert merged, "the tokenizer merges nothing here, so the test tests nothing"
    asked = [Continuation(text[:i], text[i:]) for i in merged]
    expected, counts = zip(*(obvious("gpt2", one.prompt, one.text) for one in asked), strict=True)
    np.testing.assert_allclose(opened.score(asked, "log_likelihood"), expected, rtol=0, atol=1e-4)
    assert opened.score(asked, "token_count").tolist() == list(counts)


def test_a_chat_template_puts_the_prompt_and_adds_no_second_beginning(
    model: Any, obvious: Callable[..., tuple[float, int]]
) -> None:
    opened = model("llama-adds-bos", CHAT)
    put = f"<|user|>{PROMPT}\n<|assistant|>\n"
    asked = [Continuation(PROMPT, text) for text in TEXTS]
    expected = [obvious("llama-adds-bos", put, text, CHAT, put=True)[0] for text in TEXTS]
    np.testing.assert_allclose(opened.score(asked, "log_likelihood"), expected, rtol=0, atol=1e-4)
    assert "chat template" in opened.prompting["prompt put"]
    plain = model("llama-adds-bos", CHAT, chat_template="off")
    assert plain.score(asked, "log_likelihood")[0] == pytest.approx(
        obvious("llama-adds-bos", PROMPT, TEXTS[0], CHAT)[0], abs=1e-4
    )
    assert plain.prompting["prompt put"] == "as it is, without a chat template"
    system = model("llama-adds-bos", CHAT, system_prompt="Be brief.")
    assert system.score(asked[:1], "log_likelihood")[0] == pytest.approx(
        obvious("llama-adds-bos", f"<|system|>Be brief.\n{put}", TEXTS[0], CHAT, put=True)[0],
        abs=1e-4,
    )
    assert system.prompting["prompt put"].endswith("after the system prompt 'Be brief.'")


def test_another_template_is_another_model_to_the_cache(model: Any) -> None:
    facts = {model("llama", template).identity.facts["chat_template"] for template in (CHAT, THINKS)}
    assert len(facts) == 2
    assert "chat_template" not in model("llama").identity.facts


def test_options_of_prompts_that_mean_nothing(model: Any, tmp_path: Path) -> None:
    with pytest.raises(ModelLoadError, match=r"no chat template. Leave the option chat_template out"):
        model("gpt2", chat_template="on")
    with pytest.raises(OptionsError, match="system_prompt would mean nothing"):
        model("gpt2", system_prompt="Be brief.")
    masked = tiny.save_model("bert-uncased", tmp_path / "bert", 1)
    with pytest.raises(OptionsError, match="no causal language model, so that chat_template"):
        Engine(cache=None).model(f"hf:{masked}", chat_template="off")
    with pytest.raises(OptionsError, match="no causal language model, so that max_answer_tokens"):
        Engine(cache=None).model(f"hf:{masked}", max_answer_tokens=3)
    with pytest.raises(CapabilityError, match="scores whole texts only"):
        Engine(cache=None).model(f"hf:{masked}").score([Continuation("The", " nurse")], "log_likelihood")


def test_a_template_that_fails_or_thinks_says_so_when_it_is_asked(model: Any) -> None:
    asked = [Continuation(PROMPT, " late.")]
    failing = model("llama", NO_SYSTEM, system_prompt="Be brief.")
    with pytest.raises(QuestionError, match=r"no system prompt.*Leave the option system_prompt out"):
        failing.score(asked, "log_likelihood")
    with pytest.raises(QuestionError, match="opens a <think> block"):
        model("llama", THINKS).score(asked, "log_likelihood")
    assert np.isfinite(model("llama", THINKS, thinking=False).score(asked, "log_likelihood")).all()
    question = Choice(PROMPT, ("late", "early"), instruction="Say:\n")
    (said,) = model("llama", THINKS, max_answer_tokens=4).choose([question], "text")
    assert (said.outcome, said.said[:7]) == ("unreadable", "<think>")


def test_a_prompt_that_is_too_long_and_a_text_of_nothing(model: Any) -> None:
    opened = model("gpt2")
    with pytest.raises(QuestionError, match="tokens long, special ones included, and the model takes 256"):
        opened.score([Continuation(PROMPT * 20, " late")], "log_likelihood")
    with pytest.raises(QuestionError, match="tokens long, special ones included, and the model takes 256"):
        opened.choose([Choice(PROMPT * 20, ("a", "b"))], "text")
    with pytest.raises(ValueError, match="is empty"):
        Continuation("The nurse", "")
    with pytest.raises(ValueError, match="prompt of a continuation is blank"):
        Continuation(" ", "nurse")


@pytest.mark.parametrize("kind", tiny.CAUSAL)
def test_options_by_their_likelihood(
    kind: str, model: Any, obvious: Callable[..., tuple[float, int]]
) -> None:
    options = ("the nurse", "the engineer", "nobody")
    (answer,) = model(kind).choose([Choice(PROMPT, options)], "likelihood")
    expected = [obvious(kind, PROMPT, f" {option}") for option in options]
    np.testing.assert_allclose(answer.logprobs, [value for value, _ in expected], rtol=0, atol=1e-4)
    assert answer.tokens == tuple(count for _, count in expected)
    assert answer.chosen == int(np.argmax(answer.logprobs))


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_options_by_their_letters_in_all_cyclic_orders(
    kind: str, model: Any, obvious: Callable[..., tuple[float, int]]
) -> None:
    options = ("the nurse", "the engineer", "nobody")
    question = Choice(PROMPT, options, order=(2, 0, 1), instruction="Answer:\n")
    (answer,) = model(kind).choose([question], "letters")
    mean = np.zeros(3)
    for order in ((2, 0, 1), (0, 1, 2), (1, 2, 0)):
        lines = [f"{letter}. {options[i]}" for letter, i in zip("ABC", order, strict=True)]
        prompt = "\n".join([PROMPT, *lines, "Answer:\n"])
        for letter, i in zip("ABC", order, strict=True):
            value, count = obvious(kind, prompt, letter)
            assert count == 1
            mean[i] += np.exp(value) / 3
    np.testing.assert_allclose(np.exp(answer.logprobs), mean, rtol=1e-3)
    assert answer.outside == pytest.approx(1 - mean.sum(), abs=1e-6)
    assert answer.chosen == int(np.argmax(mean))


def test_a_letter_is_every_token_that_is_it(tmp_path: Path, model: Any) -> None:
    """With a space before it and without, as servers tell them: the sum over the whole vocabulary, read token by token."""
    folder = tiny.save_model("gpt2", tmp_path / "spaced", 1, context=256)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer.add_tokens([" A", " B", "\n\nB", "A.", "AB"])
    network.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    tokenizer.save_pretrained(folder)
    network.save_pretrained(folder)
    question = Choice(PROMPT, ("nurse", "engineer"))
    (answer,) = Engine(cache=None).model(f"hf:{folder}").choose([question], "letters")
    read = [tokenizer.decode([id_]).strip() for id_ in range(len(tokenizer))]
    assert [read.count(letter) for letter in "AB"] == [2, 3]
    mean = np.zeros(2)
    for order in ((0, 1), (1, 0)):
        lines = [f"{letter}. {question.options[i]}" for letter, i in zip("AB", order, strict=True)]
        prompt = "\n".join([PROMPT, *lines, question.instruction])
        ids = [tokenizer.bos_token_id, *tokenizer(prompt)["input_ids"]]
        with torch.no_grad():
            next_token = network(torch.tensor([ids])).logits[0, -1].softmax(-1).double().numpy()
        for letter, i in zip("AB", order, strict=True):
            mean[i] += sum(next_token[id_] for id_, text in enumerate(read) if text == letter) / 2
    np.testing.assert_allclose(np.exp(answer.logprobs), mean, rtol=1e-4)
    assert answer.outside == pytest.approx(1 - mean.sum(), abs=1e-5)


def test_a_letter_that_is_no_token(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = model("gpt2")
    monkeypatch.setattr(type(opened._backend._texts), "spelt", lambda *_: [[3], []])
    with pytest.raises(QuestionError, match=r"reads B in several tokens.*Ask by likelihood or by text"):
        opened.choose([Choice(PROMPT, ("nurse", "engineer"))], "letters")


def test_a_generated_answer_is_the_most_probable_one_and_is_read(
    model: Any, folder: Callable[..., Path]
) -> None:
    opened = model("gpt2", max_answer_tokens=5)
    (answer,) = opened.choose([Choice(SHORT, ("nurse", "engineer"))], "text")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder("gpt2"))
    network = transformers.AutoModelForCausalLM.from_pretrained(folder("gpt2"), dtype=torch.float32).eval()
    ids = tokenizer(f"{SHORT}\nA. nurse\nB. engineer\nAnswer with one letter.\nAnswer:")["input_ids"]
    for _ in range(5):
        with torch.no_grad():
            ids.append(int(network(torch.tensor([ids])).logits[0, -1].argmax()))
    assert answer.said == tokenizer.decode(ids[-5:], skip_special_tokens=True)
    assert np.isnan(answer.logprobs).all()


def test_the_way_is_named_where_there_are_several(model: Any) -> None:
    opened = model("gpt2")
    assert opened.identity.ways == ("likelihood", "letters", "text")
    with pytest.raises(
        OptionsError, match="by likelihood, letters, text, and their answers are not comparable"
    ):
        opened.choose([Choice(SHORT, ("nurse", "engineer"))])
    opened.choose([Choice(SHORT, ("nurse", "engineer"))], "likelihood")
    assert opened.prompting["options chosen by"] == "likelihood"


@pytest.mark.parametrize("way", ["likelihood", "letters"])
def test_what_choosing_costs(model: Any, way: Any) -> None:
    opened = model("gpt2")
    question = Choice(PROMPT, ("the nurse", "nobody"), instruction="Answer:\n")
    cost = opened.cost_of("choose", [question], {"way": way})
    # Options after a prompt that is computed once; or the prompt alone, in both orders, whose beginning is.
    assert (cost.passes, cost.naive_passes) == {"likelihood": (3, 2), "letters": (1, 2)}[way]
    assert opened.cost_of("choose", [question], {"way": "text"}).passes is None

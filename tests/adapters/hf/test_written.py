"""Texts that a causal language model writes: alone as in a batch, within their bound, drawn by seed and sample alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore.api.writing import Prompt, Settings  # noqa: E402
from biascore.errors import QuestionError  # noqa: E402
from biascore_adapters.hf.prompted import Drawn, Generator  # noqa: E402

from ...builders import tiny  # noqa: E402

TEXTS = ("Tell me of a nurse.", "Who?", "Write about the engineer who was late and the nurse who was not.")
PROMPTS = tuple(map(Prompt, TEXTS))
TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}: {% endif %}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save_model("gpt2", tmp_path_factory.mktemp("written") / "gpt2", 1, context=256)


@pytest.fixture(scope="module")
def chat(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model with a chat template."""
    into = tiny.save_model("gpt2", tmp_path_factory.mktemp("chat") / "gpt2", 1, context=256)
    tokenizer = transformers.AutoTokenizer.from_pretrained(into)
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(into)
    return into


def opened(folder: Path, **options: Any) -> Any:
    return Engine(cache=None).model(f"hf:{folder}", **options)


def greedy(folder: Path, text: str, most: int) -> list[int]:
    """The most probable tokens after a text, one forward pass a token."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids: list[int] = tokenizer(text)["input_ids"]
    start = len(ids)
    while len(ids) < start + most and tokenizer.eos_token_id not in ids[start:]:
        with torch.no_grad():
            ids.append(int(network(torch.tensor([ids])).logits[0, -1].argmax()))
    return ids[start:]


def test_at_temperature_0_it_is_the_most_probable_text(folder: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with opened(folder) as model:
        for prompt, found in zip(PROMPTS, model.generate(PROMPTS, Settings(12)), strict=True):
            ids = greedy(folder, prompt.text, 12)
            ends = ids[-1] == tokenizer.eos_token_id
            assert found.said == tokenizer.decode(ids, skip_special_tokens=True)
            assert (found.tokens, found.finish) == (len(ids) - ends, "stop" if ends else "length")


@pytest.mark.parametrize("settings", [Settings(10), Settings(10, 0.8), Settings(10, 1.0, 0.7)])
def test_a_batch_is_answered_as_one_by_one(folder: Path, settings: Settings) -> None:
    asked = [replace(one, sample=sample) for one in PROMPTS for sample in range(4)]
    with opened(folder) as model:
        together = model.generate(asked, settings)
        torch.manual_seed(9)
        alone = [model.generate([one], settings)[0] for one in reversed(asked)][::-1]
    assert [*together] == alone
    texts = {one.said for one in together[:4]}
    assert len(texts) == 1 if not settings.drawn else len(texts) > 1


def test_the_seed_draws_another_sample(folder: Path) -> None:
    with opened(folder) as model:
        one, other = (model.generate([replace(p, seed=s) for p in PROMPTS], Settings(8, 1.0)) for s in (1, 2))
        assert all(a.said != b.said for a, b in zip(one, other, strict=True))


def test_temperature_and_top_p_change_the_distribution_as_they_say() -> None:
    probabilities = np.array([0.5, 0.3, 0.15, 0.04, 0.01])
    scores = torch.tensor(np.log(probabilities), dtype=torch.float32)[None].expand(5000, -1)

    def counted(settings: Settings) -> Any:
        noisy = Drawn(range(5000), ["Who?"] * 5000, settings)(torch.empty(0), scores)
        return np.bincount(noisy.argmax(-1), minlength=5)

    cold = probabilities**2 / (probabilities**2).sum()
    assert chisquare(counted(Settings(temperature=0.5)), 5000 * cold).pvalue > 0.01
    nucleus = counted(Settings(temperature=1.0, top_p=0.79))
    assert (nucleus[2:] == 0).all()
    assert chisquare(nucleus[:2], 5000 * np.array([0.625, 0.375])).pvalue > 0.01
    assert Counter(counted(Settings(temperature=1.0, top_p=0.1)) > 0) == {False: 4, True: 1}


def test_a_system_prompt_needs_a_template_and_is_put_through_it(folder: Path, chat: Path) -> None:
    asked = [Prompt("Who?", system="Be brief.")]
    with opened(folder) as plain, pytest.raises(QuestionError, match="put without a chat template"):
        plain.generate(asked, Settings(6))
    with opened(chat) as model, opened(chat, chat_template="off") as off:
        found = model.generate(asked, Settings(6))
        assert found[0].said == off.generate(["<system>Be brief.\n<user>Who?\n: "], Settings(6))[0].said
        assert model.prompting["system prompt"] == "of the test"
        assert model.prompting["prompt put"].startswith("as a user's message through the chat template")
    with (
        opened(chat, system_prompt="Be long.") as two,
        pytest.raises(QuestionError, match="Leave the option system_p"),
    ):
        two.generate(asked, Settings(6))


def test_a_prompt_without_room_is_refused(folder: Path) -> None:
    with (
        opened(folder) as model,
        pytest.raises(QuestionError, match=r"no room for an answer of 250\. .*max_tokens"),
    ):
        model.generate([TEXTS[2]], Settings(250))


def test_a_plan_knows_the_bound(folder: Path) -> None:
    with opened(folder) as model:
        cost = model.cost_of("generate", PROMPTS, {"settings": Settings(100)})
        assert (cost.tokens_out, cost.requests, cost.characters) == (300, 0, sum(map(len, TEXTS)))
        assert (cost.tokens or 0) > 10


def test_what_was_written_before_an_interruption_is_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text counts as 16 of the texts of a call: here two are written in each."""
    monkeypatch.setattr("biascore_adapters.hf.kinds.texts_at_once", lambda _, *, cpu: 32 if cpu else 0)
    prompts = [replace(PROMPTS[0], sample=sample) for sample in range(5)]
    settings = Settings(4, 1.0)
    whole = opened(folder, device="cpu").generate(prompts, settings)

    calls: list[int] = []
    write = Generator.write

    def stops(self: Generator, texts: Sequence[str], *rest: Any) -> Any:
        calls.append(len(texts))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return write(self, texts, *rest)

    monkeypatch.setattr(Generator, "write", stops)
    with pytest.raises(KeyboardInterrupt):
        Engine(cache=tmp_path / "cache").model(f"hf:{folder}", device="cpu").generate(prompts, settings)
    again = Engine(cache=tmp_path / "cache").model(f"hf:{folder}", device="cpu")
    assert again.generate(prompts, settings) == whole
    assert calls == [2, 2, 2, 1]
    assert (again.counts.cached, again.counts.asked) == (2, 3)

"""Answers drawn with a seed: the model's own distribution, whatever else is asked, and nothing else draws other numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore.api.queries import Choice, written_out  # noqa: E402
from biascore.errors import QuestionError  # noqa: E402
from biascore_adapters.hf.prompted import Drawn  # noqa: E402

from ...builders import tiny  # noqa: E402

QUESTION = Choice("Who was late?", ("the nurse", "the engineer"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A causal language model."""
    return tiny.save_model("gpt2", tmp_path_factory.mktemp("drawn") / "gpt2", 1, context=256)


def opened(folder: Path, tokens: int) -> Any:
    return Engine(cache=None).model(f"hf:{folder}", max_answer_tokens=tokens)


def seeded(count: int, question: Choice = QUESTION) -> list[Choice]:
    return [replace(question, seed=seed) for seed in range(count)]


def test_the_first_token_is_drawn_from_the_softmax(folder: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids = tokenizer(written_out(QUESTION, (0, 1)), return_tensors="pt")["input_ids"]
    with torch.no_grad():
        probabilities = network(ids).logits[0, -1].double().softmax(-1).numpy()
    expected: dict[str, float] = defaultdict(float)
    for token, probability in enumerate(probabilities):
        expected[tokenizer.decode([token], skip_special_tokens=True)] += probability
    count = 400
    said = Counter(one.said for one in opened(folder, 1).choose(seeded(count), "text"))
    assert said.keys() <= expected.keys()
    common = [text for text, probability in expected.items() if probability * count >= 5]
    rest = count - sum(said[text] for text in common)
    left = 1 - sum(expected[text] for text in common)
    assert max(expected.values()) > 20 / len(expected), "nearly uniform, which another draw would be as well"
    found = chisquare(
        [*(said[text] for text in common), rest], [*(expected[text] * count for text in common), left * count]
    )
    assert found.pvalue > 0.01


def test_noise_makes_the_largest_logit_a_draw() -> None:
    probabilities = np.array([0.5, 0.3, 0.15, 0.04, 0.01])
    scores = torch.tensor(np.log(probabilities), dtype=torch.float32)[None]
    noisy = Drawn([*range(5000), None], ["Who?"] * 5001)(torch.empty(0), scores.expand(5001, -1))
    *drawn, plain = noisy.argmax(-1).tolist()
    assert plain == 0
    assert chisquare(np.bincount(drawn, minlength=5), 5000 * probabilities).pvalue > 0.01


def test_the_same_seed_gives_the_same_answer_whatever_is_asked_beside_it(folder: Path) -> None:
    model = opened(folder, 6)
    others = [Choice(f"Who was number {i}?", QUESTION.options, seed=1) for i in range(3)]
    alone = model.choose(seeded(4), "text")
    torch.manual_seed(99)
    np.random.seed(99)
    mixed = model.view().choose([*others, *reversed(seeded(4)), QUESTION], "text")
    assert [one.said for one in mixed[3:7]] == [one.said for one in reversed(alone)]
    assert len({one.said for one in alone}) == 4
    # Questions with one seed are drawn apart, and those without one are not drawn.
    assert len({one.said for one in mixed[:3]}) == 3
    assert mixed[7].said == opened(folder, 6).choose([QUESTION], "text")[0].said
    assert mixed[7].said not in {one.said for one in alone}


def test_no_random_state_is_changed(folder: Path) -> None:
    before, numbers = torch.get_rng_state(), np.random.get_state()[1].tolist()  # type: ignore[index, union-attr]
    opened(folder, 3).choose(seeded(2), "text")
    assert torch.equal(before, torch.get_rng_state())
    assert numbers == np.random.get_state()[1].tolist()  # type: ignore[index, union-attr]


@pytest.mark.parametrize("way", ["likelihood", "letters"])
def test_nothing_is_drawn_in_other_ways(folder: Path, way: Any) -> None:
    with pytest.raises(QuestionError, match=rf"has the seed 0, and is asked by {way}, which draws no answer"):
        opened(folder, 1).choose(seeded(1), way)

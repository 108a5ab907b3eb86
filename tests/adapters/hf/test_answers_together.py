"""Answers as text: prompts are answered in one batch, each as it is alone; of one length where padding changes an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore.api.queries import Choice  # noqa: E402
from biascore.errors import QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402

WORDS = ("nurse", "engineer", "mother", "father", "queen", "king")
QUESTIONS = tuple(
    Choice(f"The {word} {and_more}was late. Who?", ("a nurse", "nobody"), seed=seed)
    for word in WORDS
    for and_more in ("", "and the king ")
    for seed in (None, 1, 2)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A causal language model that ends some answers early."""
    made = tiny.save_model("gpt2", tmp_path_factory.mktemp("together") / "gpt2", 3, context=256)
    said = [one.said for one in opened(made).choose(QUESTIONS, "text")]
    tokenizer = transformers.AutoTokenizer.from_pretrained(made)
    middle = [tokenizer(text)["input_ids"][4] for text in said[:3]]
    (made / "generation_config.json").write_text(
        json.dumps({"bos_token_id": 0, "eos_token_id": [0, *middle]})
    )
    return made


def opened(folder: Path, **options: Any) -> Any:
    return Engine(cache=None).model(f"hf:{folder}", max_answer_tokens=12, **options)


def sizes_of(model: Any, monkeypatch: pytest.MonkeyPatch, most: int = 10**6) -> list[tuple[int, ...]]:
    """The shapes of the prompts that are answered in one call each; a call with more than ``most`` has no memory."""
    generator = model._backend._chooser._generate
    assert generator.padding, "seen here, and not where calls are counted"
    network, shapes = generator._model, []
    real = network.generate

    def generate(**given: Any) -> Any:
        shapes.append(tuple(given["input_ids"].shape))
        if len(given["input_ids"]) > most:
            raise torch.cuda.OutOfMemoryError("simulated")
        return real(**given)

    monkeypatch.setattr(network, "generate", generate)
    return shapes


def said(model: Any, questions: Any) -> list[str]:
    return [one.said for one in model.choose(questions, "text")]


def test_prompts_are_answered_together_as_each_is_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, alone = opened(folder), opened(folder, batch_tokens=1)
    together, apart = sizes_of(model, monkeypatch), sizes_of(alone, monkeypatch)
    answers = said(model, QUESTIONS)
    assert answers == said(alone, QUESTIONS)
    assert len({len(model._backend._reader.tokenizer(one)["input_ids"]) for one in answers}) > 2, (
        "all as long"
    )
    assert [rows for rows, _ in apart] == [1] * len(QUESTIONS)
    assert [rows for rows, _ in together] == [len(QUESTIONS)]


@pytest.mark.slow
def test_only_prompts_of_one_length_go_together_where_padding_changes_an_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, wanted = opened(folder), said(opened(folder, batch_tokens=1), QUESTIONS)
    generator = model._backend._chooser._generate
    padded = generator._padded

    def seen(prompts: Any) -> Any:
        """The padding with which a model is asked that does not know which tokens are padding."""
        ids, sees = padded(prompts)
        return ids, torch.ones_like(sees)

    with monkeypatch.context() as during:
        during.setattr(generator, "_padded", seen)
        assert not generator.padding
    del generator.__dict__["padding"]
    shapes = sizes_of(model, monkeypatch)
    generator.__dict__["padding"] = False
    assert said(model, QUESTIONS) == wanted
    lengths = [length for _, length in shapes]
    assert len(lengths) == len({*lengths}) < len(QUESTIONS) / 3
    assert sum(rows for rows, _ in shapes) == len(QUESTIONS)


def test_the_budget_of_tokens_holds_with_those_of_answers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(folder, batch_tokens=150)
    shapes = sizes_of(model, monkeypatch)
    asked = [replace(QUESTIONS[0], seed=seed) for seed in range(9)]
    said(model, asked)
    ((rows, length), *others) = shapes
    assert len(others) > 1
    assert rows == 150 // (length + 12) > 1


def test_a_batch_without_memory_is_answered_in_halves(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = opened(folder, device="cpu")
    asked = [replace(QUESTIONS[0], seed=seed) for seed in range(8)]
    wanted = said(model, asked)
    shapes = sizes_of(model.view(), monkeypatch, most=2)
    assert said(model.view(), asked) == wanted
    assert [rows for rows, _ in shapes] == [8, 4, 2, 2, 4, 2, 2]
    sizes_of(model.view(), monkeypatch, most=0)
    with pytest.raises(QuestionError, match="does not fit into the memory of cpu"):
        said(model.view(), asked)

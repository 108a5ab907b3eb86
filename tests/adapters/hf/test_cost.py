"""What questions cost is told by the tokenizer alone, and is what the model then computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore.api.adapters import Backend  # noqa: E402
from biascore.api.queries import Choice, Masked, Text  # noqa: E402
from biascore.errors import QuestionError  # noqa: E402
from biascore.models.questions.cost import Cost  # noqa: E402

from ...builders import tiny  # noqa: E402

NURSE = "The nurse walked home."
DOCTOR = "The doctor, unbelievable as it is, walked home."
TEXTS = [NURSE, "He finished.", DOCTOR]
WORDS = [Text(text, (4, 9)) for text in (NURSE, DOCTOR)] + [Text(NURSE, (10, 16)), Text("☃", (0, 1))]
QUERIES = [
    Masked(NURSE, ((4, 9),)),
    Masked(NURSE, ((4, 9), (10, 16)), one_at_a_time=True),
    Masked(NURSE, ((4, 9),), also=((10, 16),)),
    Masked(DOCTOR, None, one_at_a_time=True),
    Masked(DOCTOR, None, one_at_a_time=True, pll="within_word_l2r"),
]
CASES: dict[str, list[tuple[str, list[Any], dict[str, str]]]] = {
    "bert-uncased": [
        ("embed", [Text(text) for text in TEXTS], {"level": "sentence"}),
        ("embed", WORDS, {"level": "token"}),
        ("mask_logprob", QUERIES, {}),
    ],
    "xlm-roberta": [("embed", WORDS, {"level": "token"}), ("mask_logprob", QUERIES, {})],
    "llama": [
        ("embed", [Text(text) for text in TEXTS], {"level": "sentence"}),
        ("score", TEXTS, {"quantity": "log_likelihood"}),
    ],
    "gpt2-no-bos": [("score", TEXTS, {"quantity": "log_likelihood"})],
    "head": [("embed", WORDS, {"level": "token"}), ("score", TEXTS, {"quantity": "LABEL_1"})],
}


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Backend]:
    root = tmp_path_factory.mktemp("costs")
    engine = Engine(cache=None)
    opened: dict[str, Backend] = {}

    def of(kind: str, **options: Any) -> Backend:
        if kind not in opened or options:
            auto = transformers.AutoModelForSequenceClassification if kind == "head" else None
            changes = {"num_labels": 3} if kind == "head" else {}
            folder: Path = tiny.save_model(
                "bert-cased" if kind == "head" else kind, root / kind, 1, auto, **changes
            )
            opened[kind] = engine.model(f"hf:{folder}", **options)._backend
        return opened[kind]

    return of


@contextmanager
def computing(backend: Any) -> Iterator[list[int]]:
    """The number of real tokens of each text that the model itself reads."""
    read: list[int] = []

    def note(_module: Any, _arguments: Any, inputs: dict[str, Any]) -> None:
        mask, ids = inputs.get("attention_mask"), inputs.get("input_ids")
        # Of each token that is generated there is none, or, by release and device, one over the prompt, too.
        if mask is None or (ids is not None and ids.shape != mask.shape):
            read.extend([ids.shape[1]] * len(ids))
        else:
            read.extend(mask.sum(dim=1).tolist())

    handle = backend._runtime.trunk.model.register_forward_pre_hook(note, with_kwargs=True)
    try:
        yield read
    finally:
        handle.remove()


@pytest.mark.parametrize(
    ("kind", "hook", "questions", "params"),
    [(kind, *case) for kind, cases in CASES.items() for case in cases],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_cost_is_what_the_model_computes(
    backend: Any, kind: str, hook: str, questions: list[Any], params: dict[str, str]
) -> None:
    opened = backend(kind)
    with computing(opened) as read:
        cost = opened.cost(hook, questions, params)
        assert read == []
        getattr(opened, hook)(tuple(questions), **params)
    assert (cost.passes, cost.tokens) == (len(read), sum(read))
    texts = [question if isinstance(question, str) else question.text for question in questions]
    assert cost.characters == sum(map(len, texts))


def test_shared_masked_texts_are_one_pass(backend: Any) -> None:
    text = "The nurse walked home."
    same = [Masked(text, ((4, 9),)), Masked(text, ((4, 9),), one_at_a_time=True)]
    once, twice = (backend("bert-cased").cost("mask_logprob", some, {}) for some in (same[:1], same * 3))
    assert once.passes == once.naive_passes == 1
    pieces = twice.naive_passes / 3 - 1  # the sub-tokens of "nurse"
    assert twice.passes == (1 if pieces == 1 else 1 + pieces)


def test_what_no_model_of_the_kind_takes_is_refused_without_the_model(backend: Any) -> None:
    with pytest.raises(QuestionError, match="tokens long"):
        backend("bert-uncased").cost("mask_logprob", [Masked("nurse " * 99, None)], {})
    with pytest.raises(QuestionError, match="no output 'anger'"):
        backend("llama").cost("score", TEXTS, {"quantity": "anger"})
    with pytest.raises(QuestionError, match="no output 'anger'"):
        backend("head").cost("score", TEXTS, {"quantity": "anger"})


def test_an_answer_in_words_costs_its_prompt_and_at_most_its_limit(backend: Any) -> None:
    opened, short = backend("llama", max_answer_tokens=4), 4
    asked = [
        Choice("Who was late?", ("the nurse", "he"), instruction="Say it."),
        Choice("Who?", ("he", "she")),
    ]
    opened.choose(tuple(asked), "text")  # which looks, once, at what padding changes
    with computing(opened) as read:
        cost = opened.cost("choose", asked, {"way": "text"})
        assert read == []
        opened.choose(tuple(asked), "text")
    prompts = [size for size in read if size > 1]
    assert len(prompts) == len(asked)
    assert (cost.passes, cost.tokens, cost.tokens_out, cost.requests) == (None, sum(prompts), 2 * short, 0)
    assert len(read) <= cost.tokens_out
    with pytest.raises(QuestionError, match="tokens long"):
        opened.cost("choose", [Choice("nurse " * 99, ("he", "she"))], {"way": "text"})


def test_no_question_costs_nothing(backend: Any) -> None:
    assert backend("bert-uncased").cost("embed", [], {"level": "sentence"}) == Cost.none()

"""A runtime in one file answers the four questions as ``hf:`` does, and errors name the text and its own advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore.api.adapters import LoadContext, ModelRef, Options  # noqa: E402
from biascore.api.queries import Level, Masked, Text  # noqa: E402
from biascore.errors import AnswerError, QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402
from .naive import NaiveAdapter  # noqa: E402

TEXTS = ("The nurse walked home.", "queen", "A programmer and a carpenter, unbelievable!", "he said")
CLOSE: Any = {"rtol": 0, "atol": 1e-5}


@pytest.fixture(scope="module")
def both(
    tmp_path_factory: pytest.TempPathFactory, opened: Callable[..., Any]
) -> Iterator[Callable[[str], tuple[Any, Any]]]:
    """``both(kind)``: a tiny model as the third runtime opens it, and as ``hf:`` does."""
    backends: dict[str, tuple[Any, Any]] = {}

    def of(kind: str) -> tuple[Any, Any]:
        if kind not in backends:
            folder = tmp_path_factory.mktemp("third") / kind
            if kind == "head":
                auto = transformers.AutoModelForSequenceClassification
                tiny.save_model("bert-cased", folder, 1, auto, **tiny.EMOTIONS)
            else:
                tiny.save_model(kind, folder, 1)
            backends[kind] = naive(folder), opened(folder)
        return backends[kind]

    yield of
    for pair in backends.values():
        for backend in pair:
            backend.close()


def naive(folder: Path) -> Any:
    return NaiveAdapter().load(ModelRef.parse(f"naive:{folder}"), Options(), cast(LoadContext, None))


@pytest.mark.parametrize("kind", ["bert-uncased", "llama", "head"])
@pytest.mark.parametrize("level", ["sentence", "token"])
def test_embeddings(both: Any, kind: str, level: Level) -> None:
    third, hf = both(kind)
    texts = tuple(Text(text, (4, 9)) if len(text) > 9 else Text(text, (0, 2)) for text in TEXTS)
    np.testing.assert_allclose(third.embed(texts, level), hf.embed(texts, level), **CLOSE)
    assert third.identity.sentence_vector == hf.identity.sentence_vector
    assert third.cost("embed", texts, {"level": level}) == hf.cost("embed", texts, {"level": level})


def test_masked_log_probabilities(both: Any) -> None:
    third, hf = both("bert-uncased")
    asked = (
        *(Masked(text, None, one_at_a_time=True) for text in TEXTS),
        Masked(TEXTS[0], ((4, 9),)),
        Masked(TEXTS[0], ((10, 16),), also=((4, 9),), one_at_a_time=True, pll="within_word_l2r"),
    )
    for mine, theirs in zip(third.mask_logprob(asked), hf.mask_logprob(asked), strict=True):
        assert (mine.tokens, mine.offsets) == (theirs.tokens, theirs.offsets)
        np.testing.assert_allclose(mine.logprobs, theirs.logprobs, **CLOSE)
    assert third.cost("mask_logprob", asked, {}) == hf.cost("mask_logprob", asked, {})


@pytest.mark.parametrize(
    ("kind", "quantity"), [("llama", "log_likelihood"), ("head", "joy"), ("head", "fear")]
)
def test_scores(both: Any, kind: str, quantity: str) -> None:
    third, hf = both(kind)
    np.testing.assert_allclose(third.score(TEXTS, quantity), hf.score(TEXTS, quantity), **CLOSE)
    assert third.identity.quantities == hf.identity.quantities
    assert third.cost("score", TEXTS, {"quantity": quantity}) == hf.cost(
        "score", TEXTS, {"quantity": quantity}
    )


def test_it_answers_what_its_kind_answers_and_refuses_what_hf_refuses(both: Any) -> None:
    answers = {"bert-uncased": "mask_logprob", "llama": "score", "head": "score"}
    for kind, hook in answers.items():
        third, hf = both(kind)
        for other in ("mask_logprob", "score", "translate"):
            assert hasattr(third, other) == hasattr(hf, other) == (other == hook)
        assert third.identity.digest == hf.identity.digest
        with pytest.raises(QuestionError, match="never truncated"):
            third.embed((Text("queen " * 80),), "sentence")


@pytest.mark.parametrize("kind", ["bert-uncased", "llama", "head"])
def test_what_is_no_number_is_an_error_with_the_text_and_the_advice_of_the_runtime(
    kind: str, tmp_path: Path
) -> None:
    auto = transformers.AutoModelForSequenceClassification if kind == "head" else None
    backend = naive(tiny.save_model("bert-cased" if kind == "head" else kind, tmp_path, 1, auto))
    with torch.no_grad():
        backend._runtime._model.get_input_embeddings().weight.fill_(torch.nan)
    questions: list[Callable[[], Any]] = [lambda: backend.embed((Text("queen"),), "sentence")]
    if kind == "bert-uncased":
        questions.append(lambda: backend.mask_logprob((Masked("queen", None),)))
    else:
        questions.append(lambda: backend.score(("queen",), backend.identity.quantities[0]))
    for ask in questions:
        with pytest.raises(AnswerError, match=r"no number for .*'queen'\. Try another model$"):
            ask()

"""An answer that is none is an error that names the question, and is not kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.queries import Masked, Text, TokenLogprobs
from biascore.errors import AnswerError, QuestionError
from biascore.models.pipeline.cache import DiskCache
from biascore.models.pipeline.source import Services

from ..builders.models import Lengths, model_of


class Answers(Backend):
    """Gives, whatever it is asked, what it was told to; only the hooks that were named."""

    identity = Identity(digest="test:answers")

    def __init__(self, answer: Callable[[Sequence[Any]], Any]) -> None:
        self._answer = answer

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> Any:
        return self._answer(texts)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> Any:
        return self._answer(queries)

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> Any:
        return self._answer(texts)

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> Any:
        return self._answer(texts)


GOOD = np.ones((2, 3), dtype=np.float32)


def with_value(value: float) -> npt.NDArray[np.float32]:
    array = GOOD.copy()
    array[1, 2] = value
    return array


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (GOOD.astype(np.float64), r"shape \(2, 3\) and type float64"),
        (GOOD[:1], r"shape \(1, 3\)"),
        (np.ones((3, 3), np.float32), r"shape \(3, 3\).* for 2 questions"),
        (np.ones(2, np.float32), r"shape \(2,\)"),
        (np.ones((2, 0), np.float32), r"shape \(2, 0\)"),
        (np.ma.masked_array(GOOD, mask=GOOD > 0), r"a masked array of shape \(2, 3\)"),
        (GOOD.tolist(), "a list of 2"),
        (None, "a NoneType"),
        (with_value(np.nan), "vector of 'second' holds NaN or infinity"),
        (with_value(np.inf), "vector of 'second' holds NaN or infinity"),
        (with_value(-np.inf), "vector of 'second' holds NaN or infinity"),
    ],
)
def test_wrong_vectors(answer: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        model_of(Answers(lambda _: answer)).embed(["first", "second"])


def test_a_row_of_nan_is_out_of_vocabulary() -> None:
    answer = GOOD.copy()
    answer[0] = np.nan
    rows = model_of(Answers(lambda _: answer)).embed(["first", "second"])
    assert np.isnan(rows[0]).all()
    assert rows[1].tolist() == [1, 1, 1]


def test_vectors_of_two_lengths() -> None:
    class Grows(Lengths):
        @hookimpl
        def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
            return np.ones((len(texts), len(texts[0].text)), dtype=np.float32)

    with pytest.raises(AnswerError, match="vectors of different lengths"):
        model_of(Grows(batch=1)).embed(["a", "bb"])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (np.zeros(2, np.float32), "type float32"),
        (np.zeros(1), r"shape \(1,\)"),
        (np.zeros((2, 1)), r"shape \(2, 1\)"),
        (np.ma.masked_array(np.zeros(2), mask=[0, 1]), r"a masked array of shape \(2,\)"),
        ([0.0, 0.0], "a list of 2"),
        (np.array([0, np.nan]), "score of 'second' is not finite"),
        (np.array([0, -np.inf]), "score of 'second' is not finite"),
    ],
)
def test_wrong_scores(answer: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        model_of(Answers(lambda _: answer)).score(["first", "second"], "joy")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (("one",), "a tuple of 1 for 2 questions"),
        ("ab", "a str of 2"),
        (None, "a NoneType"),
        (iter(["a", "b"]), "a list_iterator"),
        (("one", None), "translation of 'second' is a NoneType"),
        (("one", b"two"), "translation of 'second' is a bytes"),
    ],
)
def test_wrong_translations(answer: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        model_of(Answers(lambda _: answer)).translate(["first", "second"], "en", "it")


RIGHT = TokenLogprobs(("first",), ((0, 5),), (-1.0,))


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (-1.0, "the answer for 'second' is -1.0"),
        (TokenLogprobs(("second",), ((0, 6),), (float("nan"),)), "log-probability in 'second'"),
        (TokenLogprobs(("second",), ((0, 6),), (float("-inf"),)), "log-probability in 'second'"),
        (TokenLogprobs(("second",), ((0, 6),), (0.01,)), "log-probability in 'second' is positive"),
        (TokenLogprobs(("second",), ((0, 6),), (-1.0, -2.0)), "the answer for 'second'"),
        (TokenLogprobs(("second",), (), (-1.0,)), "the answer for 'second'"),
        (TokenLogprobs(("second",), ((0, 6),), (np.float32(-1),)), "the answer for 'second'"),  # type: ignore[arg-type]
        (TokenLogprobs(("second",), ((0, 6),), (-1,)), "the answer for 'second'"),
        (TokenLogprobs((b"second",), ((0, 6),), (-1.0,)), "the answer for 'second'"),  # type: ignore[arg-type]
    ],
)
def test_wrong_logprobs(second: Any, told: str, tmp_path: Path) -> None:
    model = model_of(Answers(lambda _: (RIGHT, second)), services=Services(cache=DiskCache(tmp_path)))
    with pytest.raises(AnswerError, match=told):
        model.mask_logprob([Masked("first", ((0, 5),)), Masked("second", ((0, 6),))])


def test_an_answer_without_tokens_is_an_error_unless_the_metric_wants_to_know(tmp_path: Path) -> None:
    nothing = TokenLogprobs((), (), ())
    cached = Services(cache=DiskCache(tmp_path))
    queries = [Masked("first", ((0, 5),)), Masked("second", ((0, 3),), also=((3, 6),))]
    model = model_of(Answers(lambda _: (RIGHT, nothing)), services=cached)
    with pytest.raises(QuestionError, match="no sub-token covers 'sec', 'ond' of 'second'"):
        model.mask_logprob(queries)
    assert model.mask_logprob(queries, unread="empty") == (RIGHT, nothing)
    with pytest.raises(QuestionError, match="'second'"):  # from the cache as well
        model.mask_logprob(queries)


def test_too_few_logprobs() -> None:
    with pytest.raises(AnswerError, match="a tuple of 1 for 2 questions"):
        model_of(Answers(lambda _: (RIGHT,))).mask_logprob([Masked("first", None), Masked("second", None)])


def test_a_wrong_answer_is_not_kept(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    with pytest.raises(AnswerError):
        model_of(Answers(lambda _: with_value(np.nan)), services=Services(cache=cache)).embed(["a", "b"])
    assert cache.info().answers == 0

"""Answers come back from the cache bit for bit, and equal keys are of equal questions only."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from biascore.api.queries import Choice, Masked, Text, TokenLogprobs
from biascore.models.questions import codecs

# Any string at all: lone surrogates are text to Python, and so to a model.
ANY_TEXT = st.text(st.characters() | st.characters(categories=["Cs"]))


@given(hnp.arrays(np.float32, st.integers(1, 40), elements=st.floats(width=32)))
def test_vectors_bit_for_bit(vector: Any) -> None:
    assert codecs.decode_vector(codecs.encode_vector(vector)).tobytes() == vector.tobytes()


@given(st.binary(min_size=4, max_size=4).map(lambda b: np.frombuffer(b, dtype="<f4")))
def test_any_32_bits_survive(vector: Any) -> None:
    assert codecs.decode_vector(codecs.encode_vector(vector)).tobytes() == vector.tobytes()


@given(st.floats())
def test_scores_bit_for_bit(score: float) -> None:
    assert struct.pack("<d", codecs.decode_score(codecs.encode_score(score))) == struct.pack("<d", score)


@given(ANY_TEXT)
def test_texts(text: str) -> None:
    assert codecs.decode_text(codecs.encode_text(text)) == text


TOKENS = st.lists(st.tuples(ANY_TEXT, st.integers(0, 10**6), st.integers(0, 10**6), st.floats(max_value=0)))


@given(TOKENS)
def test_logprobs_bit_for_bit(tokens: list[tuple[str, int, int, float]]) -> None:
    answer = TokenLogprobs(
        tuple(t for t, *_ in tokens), tuple((s, e) for _, s, e, _ in tokens), tuple(p for *_, p in tokens)
    )
    back = codecs.decode_logprobs(codecs.encode_logprobs(answer))
    assert back == answer
    assert struct.pack(f"{len(tokens)}d", *back.logprobs) == struct.pack(f"{len(tokens)}d", *answer.logprobs)


PAIR, EMOJI = "\ud83d\ude00", "\U0001f600"


def test_a_pair_of_surrogates_is_not_the_character_they_would_encode() -> None:
    assert codecs.canonical(PAIR) != codecs.canonical(EMOJI)
    for text in (PAIR, EMOJI):
        answer = TokenLogprobs((text,), ((0, len(text)),), (-1.0,))
        assert codecs.decode_logprobs(codecs.encode_logprobs(answer)) == answer


@given(ANY_TEXT, ANY_TEXT)
def test_equal_keys_for_equal_questions_only(one: str, other: str) -> None:
    prefix = codecs.digest("model")
    assert (codecs.question_key(prefix, one) == codecs.question_key(prefix, other)) == (one == other)


def test_a_question_without_a_seed_has_the_key_of_before_there_were_seeds() -> None:
    prefix, plain = codecs.digest("model"), ("Who?", ("a", "b"), (1, 0), "Say:", "Age/7")
    asked = Choice(*plain)
    before = hashlib.blake2b(codecs.canonical(plain), digest_size=codecs.KEY_BYTES, key=prefix).digest()
    assert codecs.question_key(prefix, asked) == before
    keys = {codecs.question_key(prefix, replace(asked, seed=seed)) for seed in (None, 0, 1)}
    assert len(keys) == 3


def test_questions_that_look_alike_have_different_keys() -> None:
    prefix = codecs.digest("model")
    questions = [
        "a",
        Text("a"),
        Text("a", (0, 1)),
        Masked("a", None),
        Masked("a", ()),
        Masked("a", ((0, 1),)),
        Masked("a", ((0, 1),), also=((0, 1),)),
        Masked("a", (), also=((0, 1),)),
        Masked("a", None, one_at_a_time=True),
        "A",
        " a",
        "a\u0301",
        "\u00e1",
    ]
    assert len({codecs.question_key(prefix, question) for question in questions}) == len(questions)
    assert codecs.question_key(codecs.digest("another"), "a") != codecs.question_key(prefix, "a")


def test_keys_stay_what_they_are() -> None:
    """Answers are kept under them, and paid-for answers would be asked for again."""
    prefix = codecs.digest("model")
    keys = {
        Masked("a b", ((0, 1),), also=((2, 3),)): "0341983436c4056c5ec395e416401693616a8414",
        Text("a", (0, 1)): "6e9dbe22cc3bdfb90d18d26388d17d2c5264571d",
    }
    assert {question: codecs.question_key(prefix, question).hex() for question in keys} == keys


@pytest.mark.parametrize(
    "data", [b"", b"1234567", b"\xff\xfe", b"[]", b"[1,2,3]", b'[["a"],[[0,1]],[]]', b"{}"]
)
@pytest.mark.parametrize("decode", [codecs.decode_score, codecs.decode_logprobs])
def test_bytes_that_are_no_answer_are_a_value_error(decode: Callable[[bytes], object], data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(data)

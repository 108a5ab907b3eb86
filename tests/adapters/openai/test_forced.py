"""Scores of texts by what llama.cpp's own server is forced to generate: the sums of its model, or refused beforehand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from biascore.api.queries import Choice, Continuation
from biascore.errors import AnswerError, QuestionError
from biascore.models.model import Model

from .completions import TOKENS
from .server import ChatServer
from .test_echo import PROMPT, summed

Opener = Callable[..., Model]
START = ["<s>", *TOKENS.findall(PROMPT)]


def test_texts_and_continuations_are_the_sums_of_the_servers_model(server: ChatServer, model: Opener) -> None:
    server.dialect = "llama"
    asked = model(prompt_logprobs="grammar", concurrency=1)  # the last question is the last request
    assert "forced by a grammar" in asked.identity.prompting["prompt put"]
    texts = ["He was late.", Continuation(PROMPT, " He was late."), Continuation(PROMPT, " She was.")]
    expected = [summed(["<s>"], "He was late."), summed(START, " He was late."), summed(START, " She was.")]
    assert asked.score(texts, "log_likelihood") == pytest.approx(expected, abs=1e-12)
    assert list(asked.score(texts, "token_count")) == [4, 4, 3]
    sent = server.requests[-1]
    assert sent["max_tokens"] == sent["grammar"].count("<[") == 3
    assert sent["prompt"][0] == 0, "the start token stands once before the text"


def test_options_are_chosen_by_likelihood(server: ChatServer, model: Opener) -> None:
    server.dialect = "llama"
    options = ("the nurse", "the engineer", "nobody")
    (found,) = model(prompt_logprobs="grammar").choose([Choice(PROMPT, options)], "likelihood")
    assert found.logprobs == pytest.approx([summed(START, f" {one}") for one in options], abs=1e-12)
    assert found.tokens == (2, 2, 1)


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        ("llama of 2025", r"takes no grammar of token ids .*failed to parse grammar.* 2026 or later"),
        ("llama free", "was to generate 2 tokens, and tells of 2, or of others"),
        ("llama short", "was to generate 2 tokens, and tells of 1, or of others"),
        ("llama sampled", "its probabilities are those after sampling"),
        ("llama constrained", r"when it is free and 0\.000 when it is forced"),
        ("llama constant", "distinguished from its neighbour, on 0 of 8 prompts"),
        ("echo", r"tells no token ids of a text \(POST /tokenize\)"),
        ("llama silent", "on 0 of 8 prompts: it may tell no log-probabilities"),
        ("llama uncounted", r"is given 5 token ids and counts None in the prompt"),
    ],
)
def test_servers_that_do_not_tell_of_what_is_forced_are_refused(
    server: ChatServer, model: Opener, dialect: str, said: str
) -> None:
    server.dialect = dialect
    asked = model(prompt_logprobs="grammar")
    with pytest.raises(AnswerError, match=said):
        asked.score(["He was late."], "log_likelihood")
    assert not server.put(" late.")


def test_a_model_without_a_start_token_needs_a_start(server: ChatServer, model: Opener) -> None:
    server.dialect = "llama startless"
    with pytest.raises(QuestionError, match=r"reads no start token.*text_start="):
        model(prompt_logprobs="grammar").score(["He was late."], "log_likelihood")
    (found,) = model(prompt_logprobs="grammar", text_start=".").score([" He was"], "log_likelihood")
    assert found == pytest.approx(summed(["."], " He was"))


def test_what_cannot_be_told_is_an_error_of_the_question(server: ChatServer, model: Opener) -> None:
    server.dialect = "llama"
    asked = model(prompt_logprobs="grammar")
    with pytest.raises(QuestionError, match=r"tells no log-probability of a token of ' a rare word'"):
        asked.score([Continuation(PROMPT, " a rare word")], "log_likelihood")
    with pytest.raises(QuestionError, match="reads a letter of ' café' in several tokens"):
        asked.score([Continuation(PROMPT, " café")], "log_likelihood")


@pytest.mark.parametrize(("way", "dialect"), [("grammar", "llama"), ("echo", "echo"), ("echo-text", "echo")])
def test_scores_do_not_depend_on_which_answer_comes_first(
    server: ChatServer, model: Opener, way: str, dialect: str
) -> None:
    server.dialect, server.tokenizer = dialect, way == "echo"
    asked = model(prompt_logprobs=way, concurrency=4)
    asked.score(["First."], "log_likelihood")
    second = threading.Event()

    def late(answer: Any) -> Any:
        assert second.wait(10), "the second request is sent before the first is answered"
        return answer

    def early(answer: Any) -> Any:
        second.set()
        return answer

    server.faults = [late, early]
    # Those after one prompt are asked together, one after the other.
    texts = [
        Continuation(prompt, f" He was {word}.")
        for prompt in (PROMPT, f"{PROMPT} ")
        for word in ("late", "here")
    ]
    found = asked.score(texts, "log_likelihood")
    starts = [["<s>", *TOKENS.findall(one.prompt)] for one in texts]
    expected = [summed(start, one.text) for start, one in zip(starts, texts, strict=True)]
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("way", "dialect"), [("grammar", "llama"), ("echo", "echo"), ("echo-text", "echo")])
def test_a_server_is_checked_once_however_many_ask(
    server: ChatServer, model: Opener, way: str, dialect: str
) -> None:
    server.dialect, server.tokenizer = dialect, way == "echo"
    texts = [f"He was {number}." for number in range(12)]
    requests = []
    for most in (1, 6):
        server.requests.clear()
        found = model(prompt_logprobs=way, concurrency=most).score(texts, "log_likelihood")
        assert found == pytest.approx([summed(["<s>"], text) for text in texts], abs=1e-12)
        requests.append(len(server.requests))
    assert requests[0] == requests[1]

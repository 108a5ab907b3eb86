"""A chat model behind a loopback server of the OpenAI API: chosen, translated, and every misbehaviour told."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai", reason="needs biascore[openai]")

from biascore import Engine
from biascore.api.queries import Choice, Way
from biascore.errors import (
    AnswerError,
    AuthError,
    BiascoreError,
    QuestionError,
    QuotaError,
    TransientModelError,
)
from biascore.models.model import Model

from .server import MODEL, ChatServer

QUESTION = Choice("Who was late?", ("the nurse", "the engineer", "nobody"))


def changed(**changes: Any) -> Callable[[dict[str, Any]], Any]:
    """A fault that changes keys of the answer or of its choice."""

    def fault(answer: dict[str, Any]) -> dict[str, Any]:
        (choice,) = answer["choices"]
        own = {key: value for key, value in changes.items() if key in choice}
        return {
            **answer,
            "choices": [{**choice, **own}],
            **{k: v for k, v in changes.items() if k not in choice},
        }

    return fault


def test_by_text_in_the_order_that_is_asked(server: ChatServer, model: Callable[..., Model]) -> None:
    asked = [QUESTION, Choice(QUESTION.prompt, QUESTION.options, order=(1, 2, 0))]
    answers = model(system_prompt="Be brief.").choose(asked, "text")
    assert [(one.chosen, one.said) for one in answers] == [(1, "B"), (1, "A")]
    sent = server.requests[0]
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == (MODEL, 0, 64)
    assert "logprobs" not in sent


def test_by_letters_over_all_orders(server: ChatServer, model: Callable[..., Model]) -> None:
    (answer,) = model().choose([QUESTION], "letters")
    # The server prefers letters, not options: averaged over the orders, none is preferred.
    np.testing.assert_allclose(np.exp(answer.logprobs), [0.3, 0.3, 0.3])
    assert (answer.chosen, answer.outcome) == (None, "undetermined")
    assert answer.outside == pytest.approx(0.1)
    assert [one["top_logprobs"] for one in server.requests] == [20, 20, 20]
    assert {one["max_tokens"] for one in server.requests} == {1}


def test_thoughts_of_a_server_are_no_answer(server: ChatServer, model: Callable[..., Model]) -> None:
    server.says = {
        "marked": "<think>The nurse, A.</think>B",
        "cut": "[THINK]The nurse",
        "odd": "<muse>A</muse>B",
    }
    answers = model().choose([Choice(f"Who? {key}", QUESTION.options) for key in server.says], "text")
    assert [(one.chosen, one.why) for one in answers] == [
        (1, ""),
        (None, "its thoughts do not end ([THINK])"),
        (None, "marks that are not known (<muse>)"),
    ]
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "A"}]}, {"type": "text", "text": "B"}]
    server.faults = [changed(message={"role": "assistant", "content": parts})]
    assert model().choose([QUESTION], "text")[0].said == "B"


def test_what_is_said_is_told_apart(server: ChatServer, model: Callable[..., Model]) -> None:
    said = {"refuse me": "I'm sorry, I can't.", "both": "The nurse or the engineer.", "nothing": ""}
    server.says = said
    answers = model().choose([Choice(f"Who? {key}", QUESTION.options) for key in said], "text")
    assert [one.outcome for one in answers] == ["refused", "undetermined", "unreadable"]
    server.faults = [
        changed(message={"content": None, "refusal": "No."}),
        changed(finish_reason="content_filter"),
    ]
    again = model().choose([QUESTION, Choice("Where?", QUESTION.options)], "text")
    assert [one.outcome for one in again] == ["refused", "refused"]


def test_answers_do_not_depend_on_which_comes_first(server: ChatServer, model: Callable[..., Model]) -> None:
    server.says = {f"number {i}?": "ABC"[i % 3] for i in range(30)}
    asked = [Choice(f"number {i}?", QUESTION.options) for i in range(30)]
    opened = model(concurrency=4)
    barrier = threading.Barrier(2, timeout=60)

    def together(answer: dict[str, Any]) -> dict[str, Any]:
        barrier.wait()
        return answer

    server.faults = [together, together]  # two requests at a time, or this never ends
    assert [one.chosen for one in opened.choose(asked, "text")] == [i % 3 for i in range(30)]
    assert 2 <= server.most <= 4


def test_translations_and_what_is_none(server: ChatServer, model: Callable[..., Model]) -> None:
    server.says = {
        "cat sleeps": "Il gatto dorme.",
        "dog": "Here is the translation: Il cane dorme.",
        "cow": "Lo siento, no puedo.",
        "hen": "La gallina\n(or: il gallo)",
        "fox": "<think>A fox is\nuna volpe.</think>\n\nLa volpe dorme.",
    }
    texts = [f"The {name} sleeps." for name in ("cat", "dog", "cow", "hen", "fox")]
    with pytest.warns(UserWarning, match="openai: ") as told:
        found = model().translate(texts, "en", "it", unusable="empty")
    assert found == ("Il gatto dorme.", "", "", "", "La volpe dorme.")
    assert sorted(str(one.message).split(",")[0] for one in told) == [  # each kind once
        "openai: an answer of tiny-chat is more than a translation",
        "openai: an answer of tiny-chat refuses",
    ]
    assert server.requests[0]["messages"][0]["content"].startswith(
        "Translate the following text from English (en) to Italian (it)."
    )


@pytest.mark.parametrize(
    ("fault", "error", "told"),
    [
        (
            lambda _: (401, {}, {"error": {"message": "bad key"}}),
            AuthError,
            "refused the key in OPENAI_API_KEY",
        ),
        (
            lambda _: (429, {}, {"error": {"message": "no money", "code": "insufficient_quota"}}),
            QuotaError,
            "the quota of this account is used up",
        ),
        (
            lambda _: (429, {}, {"error": {"message": "slow"}}),
            TransientModelError,
            "asks to slow down. Run again",
        ),
        (
            lambda _: (429, {"Retry-After": "9999"}, {}),
            TransientModelError,
            "asks to slow down, and to wait 9,999 s. Run again later",
        ),
        (
            lambda _: (503, {}, {"error": {"message": "busy"}}),
            TransientModelError,
            "status 503 .*busy.*Run again later",
        ),
        (
            lambda _: (200, {}, {"error": {"message": "overloaded"}}),
            TransientModelError,
            "failed .overloaded",
        ),
        (lambda _: (200, {}, {"error": "overloaded"}), TransientModelError, "failed .overloaded"),
        (lambda _: (404, {}, {"error": {"message": "?"}}), AnswerError, "has no model 'tiny-chat'"),
        (lambda _: (400, {}, {"error": {"message": "no temperature"}}), QuestionError, "no temperature"),
        (
            lambda _: (302, {"Location": "http://127.0.0.1:1/"}, {}),
            AnswerError,
            "redirects, which is not followed",
        ),
        (lambda _: b"<html>", TransientModelError, "breaks off or is garbled"),
        (lambda _: b"", TransientModelError, "breaks off or is garbled"),
        (
            lambda _: b"[" * 99_999,
            TransientModelError,
            "breaks off or is garbled .brackets are nested too deeply",
        ),
        (
            lambda _: (200, {"Content-Type": "text/html"}, b"<html>"),
            AnswerError,
            "'<html>', which is no JSON",
        ),
        (
            lambda _: (200, {"Content-Type": "text/event-stream"}, b'data: {"choices": []}\n\n'),
            AnswerError,
            "It streams though this was not asked",
        ),
        (
            lambda _: (200, {"Content-Length": "999"}, b'{"choices'),
            TransientModelError,
            "gives no whole answer",
        ),
        (
            lambda _: (200, {"Content-Encoding": "gzip"}, gzip.compress(b" " * 2_000_000)),
            AnswerError,
            "holds more than 1 MB.*BIASCORE_HTTP_MAX_MB=",
        ),
        (lambda _: (500, {}, b" " * 2_000_000), AnswerError, "holds more than 1 MB"),
        (lambda _: [], AnswerError, "another form than one message"),
        (lambda _: {"object": "list"}, AnswerError, "another form than one message"),
        (lambda one: {**one, "choices": []}, AnswerError, "another form than one message"),
        (lambda one: {**one, "choices": one["choices"] * 2}, AnswerError, "another form than one message"),
        (changed(model="gpt-x"), AnswerError, "'tiny-chat' was asked, and 'gpt-x' answered"),
        (changed(message={"content": 7}), AnswerError, "answers with another form than a text"),
    ],
)
def test_a_server_that_misbehaves(
    fault: Any,
    error: type[BiascoreError],
    told: str,
    server: ChatServer,
    model: Callable[..., Model],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BIASCORE_HTTP_MAX_MB", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "a key that is long enough")
    server.faults = [fault]
    with pytest.raises(error, match=told):
        model().choose([QUESTION], "text")


def test_an_answer_that_trickles_is_left_behind(
    server: ChatServer, model: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASCORE_HTTP_TIMEOUT", "0.3")
    server.trickle = 0.05
    with pytest.raises(TransientModelError, match=r"no whole answer .*not within 0\.3 seconds"):
        model().choose([QUESTION], "text")


@pytest.mark.parametrize("value", [0.5, float("nan"), float("inf")])
def test_log_probabilities_that_are_none(
    value: float, server: ChatServer, model: Callable[..., Model]
) -> None:
    top = [{"token": "A", "logprob": value}]
    server.faults = [
        changed(logprobs={"content": [{"token": "A", "logprob": value, "top_logprobs": top}]})
    ] * 3
    with pytest.raises(AnswerError, match="positive or not a number"):
        model().choose([QUESTION], "letters")


def test_letters_of_a_server_that_tells_no_log_probabilities(
    server: ChatServer, model: Callable[..., Model]
) -> None:
    server.letters = None
    with pytest.raises(QuestionError, match=r"tells no log-probabilities of tokens.*Ask by text"):
        model().choose([QUESTION], "letters")


def test_what_was_answered_is_not_paid_for_twice(server: ChatServer, model: Callable[..., Model]) -> None:
    asked = [Choice(f"number {i}?", QUESTION.options) for i in range(6)]
    server.faults = [lambda _: (503, {}, {"error": {"message": "busy"}})]
    answers = model(attempts=3, concurrency=1).choose(asked, "text")
    assert [one.chosen for one in answers] == [1] * 6
    prompts = [json.dumps(one["messages"]) for one in server.requests]
    assert len(prompts) == len(set(prompts)) + 1


def test_answers_are_kept_whatever_the_concurrency(server: ChatServer, tmp_path: Path) -> None:
    def asked(**options: Any) -> int:
        before = len(server.requests)
        with Engine(cache=tmp_path).model(f"openai:{MODEL}", base_url=server.url, **options) as model:
            model.choose([QUESTION], "text")
        return len(server.requests) - before

    assert [asked(), asked(concurrency=1), asked(concurrency=3), asked(temperature=0.5, concurrency=3)] == [
        1,
        0,
        0,
        1,
    ]


@pytest.mark.parametrize("way", ["text", "letters"])
def test_as_many_requests_are_sent_at_once_as_one_by_one(
    way: Way, server: ChatServer, model: Callable[..., Model]
) -> None:
    server.letters_by_chance = True
    asked = [replace(QUESTION, prompt=f"Who was late, {i // 2}?", item=str(i)) for i in range(20)]
    sent, found = [], []
    for most in (1, 5):
        server.requests.clear()
        found.append(str(model(concurrency=most).choose(asked, way)))  # NaN is equal to itself in words
        sent.append(sorted(json.dumps(one) for one in server.requests))
    assert found[0] == found[1]
    assert sent[0] == sent[1]
    assert len(sent[0]) == {"text": 10, "letters": 30}[way]  # two in a row are one request


def test_one_that_slows_down_slows_all(server: ChatServer, model: Callable[..., Model]) -> None:
    server.faults = [lambda _: (429, {"Retry-After": "1"}, {"error": {"message": "slow"}})] * 4
    asked = [Choice(f"number {i}?", QUESTION.options) for i in range(20)]
    answers = model(attempts=5, concurrency=4).choose(asked, "text")
    assert [one.chosen for one in answers] == [1] * 20
    assert len(server.requests) == 24


def test_options_that_are_sent(server: ChatServer, model: Callable[..., Model]) -> None:
    model(temperature="server", seed=7, token_limit="max_completion_tokens", max_answer_tokens=3).choose(
        [QUESTION], "text"
    )
    sent = server.requests[0]
    assert (sent["seed"], sent["max_completion_tokens"]) == (7, 3)
    assert not {"temperature", "max_tokens"} & sent.keys()


@pytest.mark.parametrize(
    ("options", "temperature"),
    [({}, 1), ({"temperature": 0.7, "seed": 9}, 0.7), ({"temperature": "server"}, None)],
)
def test_a_seed_of_a_question_is_sent_with_a_temperature_at_which_answers_differ(
    options: dict[str, Any], temperature: float | None, server: ChatServer, model: Callable[..., Model]
) -> None:
    asked = [QUESTION, *(replace(QUESTION, seed=seed) for seed in (0, 3, 3))]
    model(concurrency=1, **options).choose(asked, "text")
    plain, *seeded = server.requests
    assert [one["seed"] for one in seeded] == [0, 3]
    assert [one.get("temperature") for one in seeded] == [temperature] * 2
    assert plain.get("seed") == options.get("seed")
    assert plain.get("temperature") == {1: 0}.get(temperature, temperature)


def test_a_server_that_asks_for_a_key_that_is_not_there(
    server: ChatServer, model: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server.faults = [lambda _: (401, {}, {})]
    with pytest.raises(AuthError, match="asks for a key, and there is none in OPENAI_API_KEY"):
        model().translate(["He is."], "en", "it")


def test_a_blank_text_is_not_sent(server: ChatServer, model: Callable[..., Model]) -> None:
    with pytest.raises(QuestionError, match="is blank"):
        model().translate([" "], "en", "it")
    assert server.requests == []

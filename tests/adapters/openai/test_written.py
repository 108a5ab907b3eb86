"""Texts that a chat model writes behind a server: what is sent, what became of each, what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from biascore.api.writing import Prompt, Settings
from biascore.errors import QuestionError
from biascore.models.model import Model

from .server import ChatServer

PROMPT = Prompt("Write about a nurse.")


def finished(reason: str, **message: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def fault(right: dict[str, Any]) -> dict[str, Any]:
        (choice,) = right["choices"]
        return {
            **right,
            "choices": [{**choice, "finish_reason": reason, "message": {**choice["message"], **message}}],
        }

    return fault


def test_each_sample_is_sent_with_its_seed_and_the_settings(
    model: Callable[..., Model], server: ChatServer
) -> None:
    prompts = [PROMPT, replace(PROMPT, sample=1, system="Be brief."), replace(PROMPT, item="nurse")]
    found = model(concurrency=1).generate(prompts, Settings(60, 0.7, 0.9))
    assert {one.outcome for one in found} == {"written"}
    assert len(server.requests) == 2
    sent = [(one["max_tokens"], one["temperature"], one["top_p"], one["seed"]) for one in server.requests]
    assert sent == [(60, 0.7, 0.9, PROMPT.draw), (60, 0.7, 0.9, prompts[1].draw)]
    assert [m["role"] for m in server.requests[1]["messages"]] == ["system", "user"]
    server.requests.clear()
    model().generate([PROMPT])
    assert server.requests[0]["temperature"] == 0
    assert "top_p" not in server.requests[0]


@pytest.mark.parametrize(
    ("reason", "message", "outcome", "finish"),
    [
        ("stop", {"content": "She was tired."}, "written", "stop"),
        ("length", {"content": "She was"}, "cut", "length"),
        ("length", {"content": None}, "cut", "length"),
        ("length", {"content": "<think>Well"}, "cut", "length"),
        ("stop", {"content": None}, "empty", "stop"),
        ("content_filter", {"content": ""}, "refused", "filter"),
        ("stop", {"content": None, "refusal": "No."}, "refused", "stop"),
        ("stop", {"content": "I'm sorry, I can't."}, "refused", "stop"),
        ("tool_calls", {"content": "She was."}, "written", "unknown"),
    ],
)
def test_what_became_of_it(
    model: Callable[..., Model],
    server: ChatServer,
    reason: str,
    message: dict[str, Any],
    outcome: str,
    finish: str,
) -> None:
    server.faults.append(finished(reason, **message))
    (found,) = model().generate([PROMPT])
    assert (found.outcome, found.finish, found.tokens) == (outcome, finish, None)


def test_a_server_that_cuts_is_cut_and_counts(model: Callable[..., Model], server: ChatServer) -> None:
    server.cuts, server.says = True, {"nurse": "She " * 20}
    cut, whole = (model().generate([PROMPT], Settings(most))[0] for most in (16, 20))
    assert (cut.outcome, cut.tokens, cut.text) == ("cut", 16, " ".join(["She"] * 16))
    assert (whole.outcome, whole.tokens) == ("written", 20)


def test_a_model_that_takes_no_temperature_says_so(model: Callable[..., Model], server: ChatServer) -> None:
    asked = model(temperature="server")
    asked.generate([PROMPT], Settings(temperature=1.0))
    assert "temperature" not in server.requests[0]
    assert asked.prompting["temperature"] == "of the server; none is sent"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"temperature": 0.3}, "the option temperature is 0.3. Leave the option out"),
        ({"system_prompt": "Be long."}, "Leave the option system_prompt out"),
    ],
)
def test_options_that_contradict(model: Callable[..., Model], options: dict[str, Any], told: str) -> None:
    with pytest.raises(QuestionError, match=told):
        model(**options).generate([replace(PROMPT, system="Be brief.")], Settings(temperature=1.0))


def test_a_plan_counts_each_sample(model: Callable[..., Model]) -> None:
    prompts = [replace(PROMPT, sample=sample) for sample in (0, 1, 1)]
    cost = model().cost_of("generate", prompts, {"settings": Settings(100)})
    assert (cost.requests, cost.tokens_out) == (2, 200)
    assert cost.tokens == 2 * (len(PROMPT.text) + 128)
    assert cost.characters == 3 * len(PROMPT.text)

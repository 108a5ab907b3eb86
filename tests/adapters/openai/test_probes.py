"""The probes that show whether a server's numbers are log-probabilities are paid once a session, whatever fails after."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from biascore.api.queries import Continuation
from biascore.errors import AnswerError, BiascoreError
from biascore.models.model import Model

from .server import ChatServer

Opener = Callable[..., Model]
TEXTS = [Continuation("The nurse met the engineer.", " He was late."), Continuation("She", " was here.")]
WAYS = {"echo-text": "echo", "echo": "echo", "grammar": "llama"}


def speaking(server: ChatServer, way: str) -> None:
    server.dialect, server.tokenizer = WAYS[way], way == "echo"


def busy(_made: Any) -> Any:
    return 503, {}, {"error": {"message": "busy"}}


def asked(server: ChatServer) -> Counter[str]:
    return Counter(json.dumps(one, sort_keys=True) for one in server.requests)


@pytest.mark.parametrize("way", WAYS)
def test_a_probe_that_fails_in_the_middle_goes_on_where_it_was(
    way: str, server: ChatServer, model: Opener
) -> None:
    speaking(server, way)
    whole = model(prompt_logprobs=way, concurrency=1).score(TEXTS, "log_likelihood")
    requests = len(server.requests)
    assert requests > 4
    for place in range(requests):
        server.requests.clear()
        server.faults = [*[lambda made: made] * place, busy]
        one = model(prompt_logprobs=way, concurrency=1)
        with pytest.raises(BiascoreError):
            one.score(TEXTS, "log_likelihood")
        assert one.score(TEXTS, "log_likelihood") == pytest.approx(whole, abs=0)
        assert len(server.requests) == requests + 1, f"only the request {place} that failed is sent again"
        assert max(asked(server).values()) <= 2


@pytest.mark.parametrize(
    ("way", "dialect"),
    [("echo-text", "shifted"), ("grammar", "llama constrained"), ("grammar", "llama of 2025")],
)
def test_a_server_that_was_found_unfit_is_not_probed_again(
    way: str, dialect: str, server: ChatServer, model: Opener
) -> None:
    server.dialect = dialect
    one = model(prompt_logprobs=way, concurrency=1)
    told = []
    for _ in range(3):
        with pytest.raises(AnswerError) as raised:
            one.score(TEXTS, "log_likelihood")
        told.append(str(raised.value))
    assert len(set(told)) == 1
    assert max(asked(server).values()) == 1

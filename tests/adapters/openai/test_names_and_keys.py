"""Under which name a server answers, and keys that are never written, of a chat model behind a loopback server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("openai", reason="needs biascore[openai]")

from biascore import Audit, Engine
from biascore.api.queries import Choice
from biascore.errors import (
    AnswerError,
    AuthError,
    OptionsError,
)
from biascore.models.model import Model

from .server import MODEL, ChatServer

QUESTION = Choice("Who was late?", ("the nurse", "the engineer", "nobody"))


def test_the_name_that_answers_is_the_model_or_the_model_with_a_date(
    server: ChatServer, model: Callable[..., Model]
) -> None:
    """A name that only begins as the model's was taken for it: gpt-4o-mini for gpt-4o."""
    for name in (
        MODEL,
        *(f"{MODEL}-{date}" for date in ("2026-01-01", "20260101", "260101", "0613", "2411")),
    ):
        server.name = name
        one = model()
        assert one.choose([QUESTION], "text")[0].chosen == 1
        assert one.used().facts["answered as"] == name
        assert one.used().warnings == ()
    for rest in (
        "-mini",
        "-2",
        "-70b-uncensored",
        "-2026-13-01",
        "-9999",
        "2026-01-01",
        "-latest",
        ":free",
        "-0613-x",
    ):
        server.name = f"{MODEL}{rest}"
        with pytest.raises(AnswerError, match="answered"):
            model().choose([QUESTION], "text")
    server.name = f"models/{MODEL}"
    with pytest.raises(AnswerError, match="answered"):
        model().choose([QUESTION], "text")
    server.name = "gpt-x"
    assert model(answers_as="gpt-x").choose([QUESTION], "text")[0].chosen == 1


def test_a_model_that_changes_in_a_run_is_told(server: ChatServer, model: Callable[..., Model]) -> None:
    one = model()
    for date in ("2026-01-01", "2026-02-01"):
        server.name = f"{MODEL}-{date}"
        one.choose([Choice(date, QUESTION.options)], "text")
    both = f"{MODEL}-2026-01-01, {MODEL}-2026-02-01"
    assert one.used().facts["answered as"] == both
    (text,) = one.used().warnings
    assert both in text


def test_keys(server: ChatServer, model: Callable[..., Model], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AuthError, match=r"OPENAI_API_KEY is not set.*base_url"):
        Engine(cache=None).model("openai:gpt-4.1-mini")
    with pytest.raises(OptionsError, match="names no model"):
        Engine(cache=None).model("openai:", base_url=server.url)
    with pytest.raises(OptionsError, match="is no server address"):
        Engine(cache=None).model(f"openai:{MODEL}", base_url="localhost")
    monkeypatch.setenv("OPENAI_API_KEY", "a-secret-key")
    server.says = {"Who": "a-secret-key"}
    with pytest.raises(AnswerError, match="repeats the key in OPENAI_API_KEY"):
        model().choose([QUESTION], "text")
    assert server.headers[-1]["authorization"] == "Bearer a-secret-key"


SECRET = "sk-a1b2c3d4e5f6"


@pytest.mark.parametrize("more", ["?key={}", "#{}", "/?api_key={}&x=1"])
def test_what_stands_behind_the_path_of_an_address_is_not_repeated(server: ChatServer, more: str) -> None:
    """The key in it is nobody's that biascore knows."""
    with pytest.raises(OptionsError, match="behind the path") as info:
        Engine(cache=None).model(f"openai:{MODEL}", base_url=server.url + more.format(SECRET))
    assert SECRET not in str(info.value)


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": f"http://127.0.0.1:9/{SECRET}/v1"},
        {"base_url": "http://127.0.0.1:9/sk-a1b2c3d4%655f6/v1"},
        {"system_prompt": f"Say {SECRET}"},
        {"system_prompt": SECRET},
        {"answers_as": SECRET},
    ],
)
def test_a_key_of_the_environment_is_refused_wherever_it_stands(
    options: dict[str, Any], server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    stated = {"base_url": server.url, **options}
    audits: list[dict[str, Any]] = [
        {"models": [{"ref": f"openai:{MODEL}", "options": stated}]},
        {"models": [{"ref": f"openai:{SECRET}", "options": {"base_url": server.url}}]},
        {"title": f"with {SECRET}"},
        {"gates": [{"measurements": ["*"], "within": 1, "name": SECRET}]},
        {"measurements": [{"metric": "discrim-eval", "tests": ["en/*"], "options": {"groups": [SECRET]}}]},
    ]
    with pytest.raises(OptionsError, match="holds the key in OPENAI_API_KEY") as info:
        Engine(cache=None).model(f"openai:{MODEL}", **stated)
    assert SECRET not in str(info.value)
    plain = {"title": "t", "models": [{"ref": f"openai:{MODEL}", "options": {"base_url": server.url}}]}
    plain["measurements"] = [{"metric": "discrim-eval", "tests": ["en/*"]}]
    for parts in audits:
        with pytest.raises(OptionsError, match="holds the key in OPENAI_API_KEY") as info:
            Engine(cache=None).run(Audit.model_validate(plain | parts))
        assert SECRET not in str(info.value)
    assert not server.requests


def test_a_short_key_is_refused_where_it_is_all_that_stands_there(
    server: ChatServer, model: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "tiny")  # the model is called tiny-chat
    assert model().choose([QUESTION], "text")[0].chosen == 1
    with pytest.raises(OptionsError, match="holds the key"):
        model(system_prompt="tiny")

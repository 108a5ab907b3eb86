"""What is particular to each service: its keys, its languages, its options and its words for refusing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import deepl
import pytest

from biascore import Engine
from biascore.errors import (
    AnswerError,
    AuthError,
    BudgetError,
    MissingExtraError,
    OptionsError,
    QuestionError,
    QuotaError,
    RateLimitError,
    UnsupportedLanguageError,
)
from biascore_adapters.mt import adapters

from .apis import KEY
from .conftest import Opener
from .server import translated

Start = Callable[..., Opener]


def hello(model: Any, source: str = "en", target: str = "es") -> str:
    (answer,) = model.translate(["Hello."], source, target)
    return str(answer)


# Keys: from the environment only, and missing before anything is opened.


@pytest.mark.parametrize(
    ("service", "variable"),
    [
        ("deepl", "DEEPL_AUTH_KEY"),
        ("google-translate", "GOOGLE_API_KEY"),
        ("amazon-translate", "AWS_ACCESS_KEY_ID"),
        ("amazon-translate", "AWS_SECRET_ACCESS_KEY"),
    ],
)
@pytest.mark.parametrize("value", [None, "", " "])
def test_a_missing_key_names_the_variable(
    start: Start, monkeypatch: pytest.MonkeyPatch, service: str, variable: str, value: str | None
) -> None:
    opener = start(service)
    monkeypatch.delenv(variable) if value is None else monkeypatch.setenv(variable, value)
    with pytest.raises(AuthError, match=rf"{variable} is not set\. .*[Ee]xport"):
        opener()


@pytest.mark.parametrize(
    ("service", "variable", "named"),
    [
        ("deepl", "DEEPL_AUTH_KEY", "DEEPL_AUTH_KEY"),
        ("google-translate", "GOOGLE_API_KEY", "GOOGLE_API_KEY"),
        ("amazon-translate", "AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID"),
    ],
)
def test_a_key_that_is_refused(
    start: Start, monkeypatch: pytest.MonkeyPatch, service: str, variable: str, named: str
) -> None:
    opener = start(service)
    monkeypatch.setenv(variable, "wrong-key")
    with pytest.raises(AuthError, match=named) as caught:
        hello(opener())
    assert "wrong-key" not in str(caught.value)
    assert len(opener.server.requests) == 1
    assert opener.sleeps == []


def test_libretranslate_sends_a_key_where_there_is_one(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    opener = start("libretranslate")
    opener.server.api.key = KEY
    with pytest.raises(AuthError, match="LIBRETRANSLATE_API_KEY"):
        hello(opener())
    monkeypatch.setenv("LIBRETRANSLATE_API_KEY", KEY)
    assert hello(opener()) == translated("Hello.", "es")


def test_no_netrc_takes_the_place_of_a_key(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login someone password else\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert hello(start("deepl")()) == translated("Hello.", "es")


# Options and addresses.


@pytest.mark.parametrize(
    "server", ["localhost:5000", "ftp://host", "http://", "http://host:port", "", "http://h/?q=1"]
)
def test_what_is_no_address(start: Start, server: str) -> None:
    for opener in (start("deepl"), start("google-translate"), start("amazon-translate")):
        with pytest.raises(OptionsError, match="http://localhost:5000"):
            opener(server=server)
    engine = Engine(cache=None)
    for ref in ("libretranslate", "apertium"):
        with pytest.raises(OptionsError, match="http://localhost:5000"):
            engine.model(f"{ref}:{server}")


def test_an_address_with_a_password_is_refused_and_not_repeated(start: Start) -> None:
    engine = Engine(cache=None)
    for ref in ("libretranslate:http://me:secret@host", "apertium:http://secret@host"):
        with pytest.raises(OptionsError, match="password") as caught:
            engine.model(ref)
        assert "secret" not in str(caught.value)
    with pytest.raises(OptionsError, match="password"):
        start("deepl")(server="https://me:secret@host")


@pytest.mark.parametrize("service", ["deepl", "google-translate", "amazon-translate"])
def test_nothing_stands_behind_the_colon(start: Start, service: str) -> None:
    start(service)
    with pytest.raises(OptionsError, match="takes nothing behind the colon"):
        Engine(cache=None).model(f"{service}:http://localhost")


def test_an_unknown_option_names_those_there_are() -> None:
    with pytest.raises(OptionsError, match="formality"):
        Engine(cache=None).model("deepl:", key="abc")


@pytest.mark.parametrize("adapter", adapters.ADAPTERS)
def test_a_missing_package_says_how_to_install_it(
    adapter: type[adapters.ServiceAdapter], start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = start(adapter.id)
    monkeypatch.setattr(adapters.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[mt\]'"):
        opener()


# The engine.


def test_the_engine_stops_at_max_characters(start: Start, tmp_path: Path) -> None:
    opener = start("deepl")
    engine = Engine(cache=tmp_path, max_characters=10)
    with engine.model("deepl:", server=opener.server.url) as model:
        assert model.translate(["Hello."], "en", "es") == (translated("Hello.", "es"),)
        with pytest.raises(BudgetError, match="6 of the 10 allowed"):
            model.translate(["Hello.", "Good-bye."], "en", "es")
    engine.close()
    assert opener.server.api.charged == ["Hello."]
    engine = Engine(cache=tmp_path, max_characters=0)
    with engine.model("deepl:", server=opener.server.url) as model:
        assert model.translate(["Hello."], "en", "es") == (translated("Hello.", "es"),)
    engine.close()


def test_servers_are_told_apart_in_the_cache(start: Start, tmp_path: Path) -> None:
    engine = Engine(cache=tmp_path)
    for opener in (start("libretranslate"), start("libretranslate")):
        with engine.model(f"libretranslate:{opener.server.url}/") as model:
            model.translate(["Hello."], "en", "es")
        assert opener.server.api.charged == ["Hello."]
    engine.close()


# DeepL.


def test_deepl_gets_its_own_codes_and_options(start: Start) -> None:
    opener = start("deepl")
    model = opener(formality="less", model_type="quality_optimized", context="She is a doctor.")
    assert hello(model, "en-US", "pt-BR") == translated("Hello.", "pt-br")
    sent = opener.server.requests[0].json()
    assert (sent["source_lang"], sent["target_lang"], sent["text"]) == ("EN", "PT-BR", ["Hello."])
    assert (sent["formality"], sent["model_type"]) == ("less", "quality_optimized")
    assert sent["context"] == "She is a doctor."
    hello(opener())
    assert not {"formality", "model_type", "context"} & opener.server.requests[1].json().keys()


@pytest.mark.parametrize(("target", "variants"), [("en", "en-US or en-GB"), ("pt", "pt-PT or pt-BR")])
def test_deepl_does_not_choose_a_variant(start: Start, target: str, variants: str) -> None:
    opener = start("deepl")
    with pytest.raises(UnsupportedLanguageError, match=variants):
        hello(opener(), "de", target)
    assert opener.server.requests == []


def test_deepl_refuses_an_option_for_a_language(start: Start) -> None:
    with pytest.raises(QuestionError, match="formality") as caught:
        hello(start("deepl")(formality="more"), "en", "ru")
    assert not isinstance(caught.value, UnsupportedLanguageError)


def test_deepl_quota(start: Start) -> None:
    opener = start("deepl")
    opener.server.api.quota = 5
    with pytest.raises(QuotaError, match="billing period"):
        hello(opener())
    assert opener.sleeps == []


def test_the_server_stands_in_for_deepl_with_the_package_itself(start: Start) -> None:
    opener = start("deepl")
    client = deepl.DeepLClient(KEY, server_url=opener.server.url)
    assert client.translate_text("Hello.", source_lang="EN", target_lang="ES").text == translated(
        "Hello.", "es"
    )
    client.close()


def test_other_users_of_the_deepl_package_keep_its_retries(start: Start) -> None:
    before = deepl.http_client.max_network_retries
    hello(start("deepl")())
    assert deepl.http_client.max_network_retries == before


# Google.


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        ((403, "Daily Limit Exceeded", "dailyLimitExceeded"), QuotaError),
        ((403, "Cloud Translation API has not been used in project 1", "accessNotConfigured"), AuthError),
        ((401, "Request had invalid authentication credentials", "unauthorized"), AuthError),
        ((400, "Too many text segments", "invalid"), QuestionError),
        ((403, "User Rate Limit Exceeded", "userRateLimitExceeded"), RateLimitError),
    ],
)
def test_google_refusals(start: Start, refusal: tuple[int, str, str], error: type[Exception]) -> None:
    opener = start("google-translate")
    opener.server.api.refuse = refusal
    with pytest.raises(error, match="google-translate") as caught:
        hello(opener(attempts=2))
    assert type(caught.value) is error
    assert opener.sleeps == ([1.0] if error is RateLimitError else [])


def test_google_gets_the_model_and_plain_text(start: Start) -> None:
    opener = start("google-translate")
    hello(opener(model="nmt"))
    hello(opener())
    bodies = [request.json() for request in opener.server.requests]
    assert [body.get("model") for body in bodies] == ["nmt", None]
    assert all(body["format"] == "text" for body in bodies)
    assert all(KEY not in request.path for request in opener.server.requests)


# Amazon.


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("ThrottlingException", RateLimitError),
        ("TooManyRequestsException", RateLimitError),
        ("LimitExceededException", QuotaError),
        ("AccessDeniedException", AuthError),
        ("ExpiredTokenException", AuthError),
        ("InvalidRequestException", QuestionError),
        ("UnsupportedLanguagePairException", UnsupportedLanguageError),
    ],
)
def test_amazon_refusals(start: Start, code: str, error: type[Exception]) -> None:
    opener = start("amazon-translate")
    opener.server.api.refuse = code
    with pytest.raises(error, match="amazon-translate") as caught:
        hello(opener(attempts=2))
    assert type(caught.value) is error
    assert opener.sleeps == ([1.0] if error is RateLimitError else [])


def test_amazon_gets_formality(start: Start) -> None:
    opener = start("amazon-translate")
    hello(opener(formality="INFORMAL"))
    hello(opener())
    settings = [request.json().get("Settings") for request in opener.server.requests]
    assert settings == [{"Formality": "INFORMAL"}, None]


def test_amazon_needs_a_region(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    opener = start("amazon-translate")
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    with pytest.raises(OptionsError, match="option region"):
        opener()
    assert hello(opener(region="eu-west-1")) == translated("Hello.", "es")


def test_amazon_with_a_profile(start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opener = start("amazon-translate")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name)
    (tmp_path / "keys").write_text(f"[mine]\naws_access_key_id = {KEY}\naws_secret_access_key = other\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "keys"))
    monkeypatch.setenv("AWS_PROFILE", "mine")
    assert hello(opener(region="eu-west-1")) == translated("Hello.", "es")
    with pytest.raises(OptionsError, match="region"):
        opener()
    monkeypatch.setenv("AWS_PROFILE", "yours")
    with pytest.raises(OptionsError, match="yours"):
        opener(region="eu-west-1")


def test_amazon_with_a_tag_that_no_language_can_have(start: Start) -> None:
    with pytest.raises(UnsupportedLanguageError, match="amazon-translate"):
        hello(start("amazon-translate")(), "e", "es")


# LibreTranslate.


def test_libretranslate_asks_for_the_languages_once(start: Start) -> None:
    opener = start("libretranslate")
    model = opener()
    hello(model)
    hello(model, "de", "en")
    assert [request.path for request in opener.server.requests] == ["/languages", "/translate", "/translate"]
    with pytest.raises(UnsupportedLanguageError, match="from en it has de, en, es, ru"):
        hello(model, "en", "fr")
    with pytest.raises(UnsupportedLanguageError, match="it has de, en, es, ru"):
        hello(model, "fr", "en")


def test_an_older_libretranslate_names_no_targets(start: Start) -> None:
    opener = start("libretranslate")
    opener.server.api.old = True
    assert hello(opener()) == translated("Hello.", "es")


def test_a_long_text_goes_alone_and_the_server_decides(start: Start) -> None:
    opener = start("libretranslate")
    model = opener()
    opener.server.api.limit = 10_000
    texts = ["short", "x" * 5_000, "y" * 3_000, "also short"]
    assert model.translate(texts, "en", "es") == tuple(translated(text, "es") for text in texts)
    opener.server.api.limit = 2_000
    with pytest.raises(QuestionError, match="exceeds text limit"):
        model.translate(["z" * 5_000], "en", "es")


@pytest.mark.parametrize("ref", ["libretranslate", "apertium"])
def test_the_wrong_server_is_told(start: Start, ref: str) -> None:
    other = start("deepl").server
    with (
        Engine(cache=None).model(f"{ref}:{other.url}") as model,
        pytest.raises(AnswerError, match="Check that the address"),
    ):
        hello(model)


def test_the_list_of_languages_is_asked_for_until_it_comes(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = start("libretranslate")
    befalls = {"/languages"}
    monkeypatch.setattr(opener.server, "befalls", lambda request: request.path in befalls)
    opener.server.faults.append((503, {"Retry-After": "9"}))
    assert hello(opener()) == translated("Hello.", "es")
    assert opener.sleeps == [9.0]


# Apertium.


def test_apertium_gets_its_own_codes(start: Start) -> None:
    opener = start("apertium")
    model = opener()
    assert hello(model, "en", "hr") == translated("Hello.", "hr")
    assert hello(model, "en", "pt-BR") == translated("Hello.", "pt-br")
    assert hello(model, "eng", "spa") == translated("Hello.", "es")
    with pytest.raises(
        UnsupportedLanguageError, match=r"\(eng-hbs_SR\); it has eng-deu, .*install the package"
    ):
        hello(model, "en", "sr")
    with pytest.raises(UnsupportedLanguageError, match="eng-por"):
        hello(model, "en", "pt")

"""What holds for every service, whatever its API: limits, failures told apart, nothing paid for twice."""

from __future__ import annotations

import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from biascore.errors import (
    AnswerError,
    BudgetError,
    OptionsError,
    PluginFailedError,
    QuestionError,
    RateLimitError,
    TransientModelError,
    UnsupportedLanguageError,
)
from biascore.models.pipeline.cache import DiskCache

from .conftest import Opener
from .server import Fault, Request, translated

WORDS = [f"sentence number {number}" for number in range(160)]


def expected(texts: list[str], target: str = "es") -> tuple[str, ...]:
    return tuple(translated(text, target) for text in texts)


def test_texts_are_translated_one_for_one(service: Opener) -> None:
    texts = ["Hello.", "I was a nurse.", "ščř 😀", "a\nb", "<b>&amp;</b>", "Hello."]
    model = service()
    assert model.translate(texts, "en", "es") == expected(texts)
    assert model.translate(texts[:1], "en", "de") == expected(texts[:1], "de")
    assert service.server.api.charged == [*texts[:5], texts[0]], "repeats are asked once"
    assert service.sleeps == []


def test_every_call_is_one_request_within_the_limits(service: Opener) -> None:
    texts = [*WORDS, *(f"{number} " + "long " * 150 for number in range(60)), *("ш" * 990 + w for w in WORDS)]
    assert service().translate(texts, "en", "es") == expected(texts)
    assert service.server.api.charged == texts, (
        "in order, each once; the server refuses what is over its limits"
    )
    assert len(service.server.translations) > 1


def test_what_no_request_can_hold_is_found_before_anything_is_sent(service: Opener) -> None:
    model = service()
    for bad, reason in (("", "blank"), (" \n", "blank"), ("half a \ud83d pair", "surrogate")):
        with pytest.raises(QuestionError, match=reason):
            model.translate([*WORDS, bad], "en", "es")
    if service.id != "libretranslate":  # there the server decides
        with pytest.raises(QuestionError, match="one request holds"):
            model.translate([*WORDS, "x" * 200_000], "en", "es")
    assert service.server.requests == []


@pytest.mark.parametrize(
    ("faults", "waits"),
    [
        ([(500, {})], [1.0]),
        ([(503, {}), (502, {}), (504, {})], [1.0, 2.0, 4.0]),
        ([(429, {}), (429, {})], [1.0, 2.0]),
        ([(429, {"Retry-After": "7"}), (429, {"Retry-After": "0"})], [7.0, 0.0]),
        ([(503, {"Retry-After": "31.5"}), (429, {"Retry-After": "soon"})], [31.5, 2.0]),
        (["half"], [1.0]),
        (["half, no length", "reset"], [1.0, 2.0]),
    ],
)
def test_failures_that_pass_are_waited_out(service: Opener, faults: list[Fault], waits: list[float]) -> None:
    service.server.faults.extend(faults)
    assert service().translate(["Hello."], "en", "es") == expected(["Hello."])
    assert service.sleeps == waits
    assert len(service.server.translations) == len(faults) + 1, "the client itself retries nothing"


def test_retry_after_may_be_a_date(service: Opener) -> None:
    service.server.faults.append((429, {"Retry-After": formatdate(time.time() + 100, usegmt=True)}))
    service().translate(["Hello."], "en", "es")
    (wait,) = service.sleeps
    assert 90 < wait <= 100


@pytest.mark.parametrize(
    ("fault", "error"),
    [((500, {}), TransientModelError), ((429, {}), RateLimitError), ("reset", TransientModelError)],
)
def test_failures_that_do_not_pass_end_with_what_to_do(
    service: Opener, fault: Fault, error: type[Exception]
) -> None:
    service.server.faults.extend([fault] * 3)
    with pytest.raises(error, match="answers so far are kept"):
        service(attempts=3).translate(["Hello."], "en", "es")
    assert len(service.server.translations) == 3


def test_a_server_that_hangs_is_not_waited_for_for_ever(
    service: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASCORE_HTTP_TIMEOUT", "0.3")
    service.server.faults.append("hang")
    assert service().translate(["Hello."], "en", "es") == expected(["Hello."])
    assert service.sleeps == [1.0]


@pytest.mark.parametrize("fault", ["wrong count", "invalid UTF-8"])
def test_answers_that_do_not_fit_are_errors_and_not_asked_again(service: Opener, fault: str) -> None:
    service.server.faults.append(fault)
    with pytest.raises(AnswerError, match=r"Report this|deepl package|apertium-apy"):
        service().translate(["Hello.", "Good-bye."], "en", "es")
    assert len(service.server.translations) == 1
    assert service.sleeps == []


ODD: list[Any] = [
    *(5, None, [], "text", True, {}, [[]], [{}], {"message": 5}, {"error": [1]}, {"__type": 5}),
    *({name: odd} for name in ("data", "translations", "translatedText", "TranslatedText", "responseData")
      for odd in (5, [None], {"translatedText": 5})),
]  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("status", [200, 400])
def test_json_of_another_form_is_an_error_of_the_service(
    service: Opener, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    api, answer = service.server.api, service.server.api.answer
    odd: Any = None

    def other(request: Request, *, lose: int) -> tuple[int, Any]:
        return (status, odd) if api.is_translation(request) else answer(request, lose=lose)

    monkeypatch.setattr(api, "answer", other)
    kinds = (AnswerError,) if status == 200 else (AnswerError, QuestionError)
    model = service()
    for asked, odd in enumerate(ODD, 1):
        with pytest.raises(kinds, match=service.id) as caught:
            model.translate(["Hello."], "en", "es")
        assert len(service.server.translations) == asked, odd
        assert not isinstance(caught.value, PluginFailedError), odd


def test_an_interrupted_run_has_paid_for_nothing_twice(service: Opener, tmp_path: Path) -> None:
    service.server.faults.extend(["none", (500, {}), (500, {})])
    with pytest.raises(TransientModelError):
        service(cache=DiskCache(tmp_path), attempts=2).translate(WORDS, "en", "es")
    paid = list(service.server.api.charged)
    assert 0 < len(paid) < len(WORDS)
    resumed = service(cache=DiskCache(tmp_path))
    assert resumed.translate(WORDS, "en", "es") == expected(WORDS)
    assert service.server.api.charged == WORDS, "each text once in both runs together"
    assert (resumed.counts.cached, resumed.counts.asked) == (len(paid), len(WORDS) - len(paid))
    assert resumed.counts.characters == sum(map(len, WORDS[len(paid) :]))
    assert service(cache=DiskCache(tmp_path)).translate(WORDS, "en", "es") == expected(WORDS)
    assert service.server.api.charged == WORDS


def test_the_budget_stops_before_money_is_spent(paid_service: Opener, tmp_path: Path) -> None:
    needed = sum(map(len, WORDS))
    with pytest.raises(BudgetError, match=r"engine\.plan"):
        paid_service(cache=DiskCache(tmp_path), budget=needed - 1).translate(WORDS, "en", "es")
    assert paid_service.server.api.charged == []
    paid_service(cache=DiskCache(tmp_path), budget=needed).translate(WORDS, "en", "es")
    assert paid_service.server.api.charged == WORDS


def test_an_answer_that_was_lost_counts_against_the_budget(paid_service: Opener) -> None:
    paid_service.server.faults.append("half")
    with pytest.raises(BudgetError, match="6 of the 11 allowed"):
        paid_service(budget=11).translate(["Hello."], "en", "es")
    assert paid_service.server.api.charged == ["Hello."]


def test_what_is_refused_does_not_count_against_the_budget(paid_service: Opener) -> None:
    paid_service.server.faults.extend([(429, {}), (429, {"Retry-After": "3"})])
    assert paid_service(budget=6).translate(["Hello."], "en", "es") == expected(["Hello."])


def test_languages_that_the_service_does_not_have(service: Opener) -> None:
    model = service()
    with pytest.raises(UnsupportedLanguageError, match="tlh"):
        model.translate(["Hello."], "en", "tlh")
    with pytest.raises(UnsupportedLanguageError, match="tlh"):
        model.translate(["Hello."], "tlh", "es")
    assert service.server.api.charged == []
    assert service.sleeps == []


def test_a_server_that_is_not_there(service: Opener) -> None:
    model = service(attempts=1)
    service.server.close()
    with pytest.raises(TransientModelError, match="Check the address"):
        model.translate(["Hello."], "en", "es")


def test_another_page_at_the_address(service: Opener) -> None:
    service.server.faults.append((404, {"Content-Type": "text/html"}))
    with pytest.raises((AnswerError, QuestionError), match=r"Check|Correct"):
        service().translate(["Hello."], "en", "es")


def test_a_redirect_is_not_followed(service: Opener) -> None:
    service.server.faults.append((301, {"Location": "http://127.0.0.1:9/"}))
    with pytest.raises(AnswerError, match=r"http://127\.0\.0\.1:9/|301"):
        service().translate(["Hello."], "en", "es")


def test_no_key_is_kept_in_results_or_shown(service: Opener) -> None:
    from .apis import KEY

    model = service()
    model.translate(["Hello."], "en", "es")
    assert KEY not in repr(model) + model.used().model_dump_json() + repr(vars(model._backend))


@pytest.mark.parametrize("value", ["0", "-1", "soon", "inf", "nan"])
def test_a_timeout_that_is_none(service: Opener, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("BIASCORE_HTTP_TIMEOUT", value)
    with pytest.raises(OptionsError, match="BIASCORE_HTTP_TIMEOUT"):
        service().translate(["Hello."], "en", "es")

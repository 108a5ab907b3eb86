"""What a server sends is bounded in time, size and depth, and the error names the limit and how to raise it."""

from __future__ import annotations

import pytest

from biascore.errors import AnswerError, BiascoreError, OptionsError, TransientModelError

from .conftest import Opener


@pytest.mark.parametrize("fault", ["drip", "drip the head"])
def test_a_server_that_drips_is_given_up(
    service: Opener, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASCORE_HTTP_TIMEOUT", "0.3")
    service.server.faults.append(fault)
    with pytest.raises(TransientModelError, match=r"not within 0\.3 seconds; BIASCORE_HTTP_TIMEOUT|Timeout"):
        service(attempts=1).translate(["Hello."], "en", "es")


@pytest.mark.parametrize("fault", ["large", "bomb"])
def test_a_large_answer_is_refused_with_the_way_to_raise_the_limit(
    service: Opener, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASCORE_HTTP_MAX_MB", "0.1")
    service.server.faults.append(fault)
    with pytest.raises(AnswerError, match=r"holds more than 0\.1 MB.*export BIASCORE_HTTP_MAX_MB=[1-9]"):
        service().translate(["Hello."], "en", "es")


def test_an_answer_nested_without_end_is_no_traceback(service: Opener) -> None:
    service.server.faults.append("brackets")
    with pytest.raises(BiascoreError, match="nested too deeply"):
        service(attempts=1).translate(["Hello."], "en", "es")


def test_a_long_refusal_is_cut(service: Opener) -> None:
    service.server.api.error = lambda _status: {
        "message": "x" * 50_000,
        "error": {"message": "x" * 50_000} if service.id == "google-translate" else "x" * 50_000,
    }
    service.server.faults.append((400, {}))
    with pytest.raises(BiascoreError) as caught:
        service(attempts=1).translate(["Hello."], "en", "es")
    assert len(str(caught.value)) < 1_000


def test_a_limit_that_is_no_number(service: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_HTTP_MAX_MB", "plenty")
    with pytest.raises(OptionsError, match="BIASCORE_HTTP_MAX_MB"):
        service().translate(["Hello."], "en", "es")

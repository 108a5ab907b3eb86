"""Several requests to a service at once: the translations, the charges and the errors of one by one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from biascore.errors import BudgetError, TransientModelError
from biascore.models.pipeline.cache import DiskCache

from .conftest import Opener
from .server import Fault
from .test_services import expected

AT_ONCE = 3


def many(opener: Opener, requests: int = 2 * AT_ONCE) -> list[str]:
    """Texts that fill so many requests."""
    backend: Any = opener()._backend
    return [f"word {number}" for number in range(requests * backend.limits.texts)]


def together(opener: Opener, first: int = AT_ONCE) -> None:
    """The first requests for a translation are answered when as many have come."""
    barrier = threading.Barrier(first)
    answer, lock, left = opener.server.api.answer, threading.Lock(), [first]

    def wait(request: Any, *, lose: int) -> Any:
        if opener.server.api.is_translation(request):
            with lock:
                left[0] -= 1
                waits = left[0] >= 0
            if waits:
                barrier.wait(10)
        return answer(request, lose=lose)

    opener.server.api.answer = wait  # type: ignore[method-assign]


def test_as_many_as_the_option_says_and_the_same_answers(service: Opener) -> None:
    texts = many(service)
    together(service)
    model = service(concurrency=AT_ONCE)
    assert model.translate(texts, "en", "es") == expected(texts)
    assert sorted(service.server.api.charged) == sorted(texts)
    assert len(service.server.translations) == 2 * AT_ONCE
    others = [one.path for one in service.server.requests if one not in service.server.translations]
    assert len(others) == len(set(others)), "the languages are asked for once"


def test_by_default_one_request_at_a_time(service: Opener) -> None:
    assert service()._backend.in_flight == 1
    for wrong in (0, 257, "two"):
        with pytest.raises(ValidationError, match="concurrency"):
            service(concurrency=wrong)


@pytest.mark.parametrize(
    "faults",
    [[(429, {"Retry-After": "3"})] * 3, [(500, {}), (429, {}), "half"], ["reset", (500, {}), (500, {})]],
)
def test_failures_that_pass_are_waited_out(service: Opener, faults: list[Fault]) -> None:
    texts = many(service)
    service.server.faults.extend(faults)
    assert service(concurrency=AT_ONCE).translate(texts, "en", "es") == expected(texts)
    assert len(service.sleeps) == 3
    if "half" not in faults:
        assert sorted(service.server.api.charged) == sorted(texts), "each text once"


def test_a_run_that_failed_has_paid_for_nothing_twice(service: Opener, tmp_path: Path) -> None:
    texts = many(service)
    service.server.faults.extend(["none", (500, {}), "none"])
    with pytest.raises(TransientModelError):
        service(cache=DiskCache(tmp_path), attempts=1, concurrency=AT_ONCE).translate(texts, "en", "es")
    paid = len(service.server.api.charged)
    assert 0 < paid < len(texts)
    resumed = service(cache=DiskCache(tmp_path), concurrency=AT_ONCE)
    assert resumed.translate(texts, "en", "es") == expected(texts)
    assert sorted(service.server.api.charged) == sorted(texts), "each text once in both runs together"
    assert resumed.counts.asked == len(texts) - paid


def test_the_budget_stops_before_money_is_spent(paid_service: Opener) -> None:
    texts = many(paid_service)
    needed = sum(map(len, texts))
    paid_service.server.faults.extend(["half", (429, {})])  # one is lost, and its repetition is not allowed
    with pytest.raises(BudgetError, match=r"engine\.plan"):
        paid_service(budget=needed, concurrency=AT_ONCE).translate(texts, "en", "es")
    assert sum(map(len, paid_service.server.api.charged)) <= needed

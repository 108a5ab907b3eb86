"""A failure that may pass is waited for, and any other is told at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from biascore.api.metrics import hookimpl
from biascore.basics.progress import Silent
from biascore.errors import ModelLoadError, QuestionError, RateLimitError, TransientModelError
from biascore.models.model import Model
from biascore.models.pipeline.cache import DiskCache
from biascore.models.pipeline.source import Services

from ..builders.models import Lengths, model_of


class Flaky(Lengths):
    """Fails with these errors, one after the other, before it answers."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__()
        self.errors = list(errors)
        self.tries = 0

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        self.tries += 1
        if self.errors:
            raise self.errors.pop(0)
        return super().score(texts, quantity)


def retried(backend: Flaky, attempts: int = 5) -> tuple[list[float], Model]:
    waited: list[float] = []
    return waited, model_of(backend, services=Services(attempts=attempts, sleep=waited.append))


def test_a_failure_that_passes_is_waited_for() -> None:
    backend = Flaky(*[TransientModelError("503")] * 3)
    waited, model = retried(backend)
    assert model.score(["abc"], "length").tolist() == [1.0]
    assert waited == [1, 2, 4]
    assert backend.tries == 4


def test_the_wait_grows_to_a_minute() -> None:
    waited, model = retried(Flaky(*[TransientModelError("503")] * 9), attempts=10)
    model.score(["abc"], "length")
    assert waited == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_a_rate_limit_is_respected() -> None:
    errors = [
        RateLimitError("429", retry_after=17.5),
        RateLimitError("429"),
        RateLimitError("429", retry_after=-3),
    ]
    waited, model = retried(Flaky(*errors))
    model.score(["abc"], "length")
    assert waited == [17.5, 2, 0]


def test_a_long_wait_is_told() -> None:
    told: list[str] = []

    class Told(Silent):
        def note(self, text: str) -> None:
            told.append(text)

    errors = [RateLimitError("429", retry_after=300), RateLimitError("429", retry_after=5)]
    services = Services(attempts=5, sleep=lambda _: None, progress=Told())
    model_of(Flaky(*errors), services=services).score(["abc"], "length")
    assert told == ["fake: 300 s until it is asked again (429)"]


@pytest.mark.parametrize(
    ("wait", "waited"),
    [
        (0, []),
        (5, [1, 2, 2]),
        (600, [1, 2, 4, 8, 16, 32, *([60] * 8), 57]),  # a server that is started again is away for minutes
    ],
)
def test_a_server_that_is_away_is_waited_for_in_all_so_long(wait: float, waited: list[float]) -> None:
    """It was given up after 15 seconds."""
    backend, found = Flaky(*[TransientModelError("refused")] * 50), list[float]()
    model = model_of(backend, services=Services(wait=wait, sleep=found.append))
    with pytest.raises(TransientModelError):
        model.score(["abc"], "length")
    assert found == waited
    assert sum(found) == wait


def test_waits_that_a_service_asks_for_are_no_part_of_the_limit() -> None:
    backend, found = Flaky(*[RateLimitError("429", retry_after=300)] * 4), list[float]()
    model_of(backend, services=Services(wait=10, sleep=found.append)).score(["abc"], "length")
    assert found == [300] * 4


def test_exhausted_attempts_raise_the_last_error() -> None:
    last = TransientModelError("the third")
    backend = Flaky(TransientModelError("the first"), TransientModelError("the second"), last)
    waited, model = retried(backend, attempts=3)
    with pytest.raises(TransientModelError) as info:
        model.score(["abc"], "length")
    assert info.value is last
    assert (backend.tries, waited) == (3, [1, 2])


@pytest.mark.parametrize("error", [QuestionError("too long"), ModelLoadError("gone")])
def test_other_errors_are_not_tried_again(error: Exception) -> None:
    backend = Flaky(error)
    waited, model = retried(backend)
    with pytest.raises(type(error)) as info:
        model.score(["abc"], "length")
    assert info.value is error
    assert (backend.tries, waited) == (1, [])


def test_batches_before_a_failure_are_kept(tmp_path: Path) -> None:
    class FailsLater(Flaky):
        @hookimpl
        def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
            if "d" in texts:
                raise QuestionError("d is too long")
            return Lengths.score(self, texts, quantity)

    services = Services(cache=DiskCache(tmp_path))
    with pytest.raises(QuestionError):
        model_of(FailsLater(), services=services).score(list("abcdef"), "length")
    after = model_of(Lengths(), services=services)
    after.score(list("abcdef"), "length")
    assert (after.counts.cached, after.counts.asked) == (3, 3)

"""Calls of one model that are under way at once: they end together, and together they wait where a service is too busy."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from biascore.basics.guard import folder_kept
from biascore.basics.threads import started
from biascore.errors import RateLimitError

B = TypeVar("B")
T = TypeVar("T")
_TICK: Final = 0.5
"""Seconds after which a wait looks for Ctrl-C, which does not end it on Windows."""


class Stopped(Exception):
    """Raised in a call that is to send nothing more."""


class Flight(Generic[B]):
    """Batches of which up to ``most`` are asked at once, each in a thread; with 1 in the thread that asks, one by one.

    A call that a service refused for now (RateLimitError) is sent again alone: those that were refused go one after the
    other, in the order of their refusals, and no other call sends anything before they are through. ``sleep``: what waits
    some seconds in place of the flight itself, whose waits end when it is stopped.
    """

    def __init__(self, most: int = 1, sleep: Callable[[float], None] | None = None) -> None:
        self.most = max(1, most)
        self._sleep = sleep
        self._changed = threading.Condition()
        self._stopped = False
        self._refused: list[object] = []
        self._flying: dict[Future[Any], B] = {}

    def over(
        self, batches: Iterable[B], call: Callable[[B], T]
    ) -> Generator[tuple[B, Callable[[], T]], None, None]:
        """The batches, each as soon as its answer is there, and what gives it or raises why there is none.

        After ``stop`` none is begun; those that have sent something are waited for, and come here.
        """
        left = iter(batches)
        if self.most == 1:
            for batch in left:
                if self._stopped:
                    return
                yield batch, partial(call, batch)
            return
        with folder_kept():  # calls at once share one
            while True:
                room = 0 if self._stopped else self.most - len(self._flying)
                for batch in islice(left, room):
                    self._flying[started(partial(call, batch), "biascore-in-flight")] = batch
                if not self._flying:
                    return
                while not (done := wait(self._flying, _TICK, FIRST_COMPLETED).done):
                    pass
                yield from self._completed(done)

    def completed(self) -> Iterator[tuple[B, Callable[[], Any]]]:
        """What has been answered and did not come out of ``over``; nothing is waited for."""
        return self._completed({future for future in self._flying if future.done()})

    def stop(self) -> None:
        """Send nothing more: calls that wait end with Stopped, and no batch is begun."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    @contextmanager
    def call(self) -> Iterator[Attempts]:
        """One call, which may take several attempts."""
        mine = Attempts(self)
        try:
            yield mine
        finally:
            with self._changed:
                if mine in self._refused:
                    self._refused.remove(mine)
                self._changed.notify_all()

    def _completed(self, done: set[Future[Any]]) -> Iterator[tuple[B, Callable[[], Any]]]:
        for future, batch in list(self._flying.items()):  # in the order in which they were begun
            if future in done:
                if not isinstance(future.exception(), Stopped):
                    yield batch, future.result
                del self._flying[future]  # after it was taken: an interruption does not lose it


class Attempts:
    """The attempts of one call in a flight."""

    def __init__(self, flight: Flight[Any]) -> None:
        self._flight = flight

    def make(self, attempt: Callable[[], T]) -> T:
        """What the attempt gives, made when it is this call's turn; raises Stopped in place of sending it."""
        flight = self._flight
        with flight._changed:
            flight._changed.wait_for(self._may_go)
            if flight._stopped:
                raise Stopped
        try:
            return attempt()
        except RateLimitError:
            with flight._changed:
                if self not in flight._refused:
                    flight._refused.append(self)
            raise

    def pause(self, seconds: float) -> None:
        """Wait, until the flight is stopped."""
        flight = self._flight
        if flight._sleep or flight.most == 1:
            (flight._sleep or time.sleep)(seconds)
            return
        with flight._changed:
            flight._changed.wait_for(lambda: flight._stopped, seconds)

    def _may_go(self) -> bool:
        flight = self._flight
        return flight._stopped or not flight._refused or flight._refused[0] is self

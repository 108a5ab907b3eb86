"""Where models are opened and asked if not in this process: an ``Executor`` runs calls on workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, Self, TypeVar

from biascore.basics.surface import either
from biascore.errors import OptionsError

T = TypeVar("T")
MOST: Final = 1024
"""Processes of one machine: Dask would make any number, until the memory is full."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Which workers: those of the scheduler at an address, or so many processes of this machine.

    ``resources``: the tags that a worker must have for each model, such as ``{"GPU": 1}``. Raises OptionsError where it is
    neither or both.
    """

    scheduler: str = ""
    workers: int = 0
    resources: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.workers > MOST:
            raise OptionsError(f"{self.workers} processes on one machine are too many. Name at most {MOST:,}")
        if self.workers < 0 or bool(self.scheduler) == bool(self.workers):
            raise OptionsError(
                "name the workers in one way: "
                + either("--scheduler tcp://HOST:8786", "scheduler='tcp://HOST:8786'")
                + f" for those of a cluster, or {either('--workers 4', 'workers=4')} for so many processes of this machine"
            )
        if self.resources and not self.scheduler:
            raise OptionsError(
                either(
                    "--resource chooses workers of a cluster. Add --scheduler tcp://HOST:8786",
                    "resources choose workers of a cluster. Add scheduler='tcp://HOST:8786'",
                )
            )


class Executor(ABC):
    """Runs calls on workers, each a process with biascore and its plugins: subclass it for another engine of clusters.

    A call is an object without arguments, which the standard pickle takes, and so is its answer. biascore makes the calls,
    cuts the batches, and keeps cache, retries and budgets in its own process; an executor only moves them. ``schemes`` are
    those of the addresses of its schedulers, such as ``tcp``. Its methods are called from several threads at once.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    schemes: ClassVar[tuple[str, ...]]

    @classmethod
    def check(cls, cluster: Cluster) -> None:
        """Raise MissingExtraError or OptionsError where it could not connect; asked before any model is."""
        del cluster  # there is nothing to check

    @classmethod
    @abstractmethod
    def connect(cls, cluster: Cluster) -> Self:
        """Connect to the scheduler, or start the workers; raises MissingExtraError, OptionsError or WorkerError."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many calls the workers run at a time now: one for each process, as a model is asked one batch at a time."""

    @abstractmethod
    def everywhere(self, call: Callable[[], T]) -> Mapping[str, T]:
        """What the call returns on each worker that there is now, by the name of the worker.

        Raises WorkerError where there is none after a time. A worker that ends meanwhile is left out.
        """

    @abstractmethod
    def submit(self, call: Callable[[], T]) -> T:
        """What the call returns on one of the workers; where that ends before, it is run again on another one.

        Raises WorkerError where no worker is left after a time, or several ended at this call.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of the connection, and end the workers that ``connect`` started."""

"""What a model is opened with, in addition to its backend: what names it, and what the engine lends to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from biascore.basics.guard import guarded
from biascore.basics.progress import Progress, Silent
from biascore.errors import At, Owner
from biascore.models.pipeline.budget import Budget
from biascore.models.pipeline.cache import Cache, NoCache
from biascore.models.refs import ModelRef
from biascore.models.transforms.prepared import Transforms

if TYPE_CHECKING:
    from biascore.models.backend import Backend

T = TypeVar("T")
WAIT: Final = 600.0
"""Seconds: a server that is started again is back within them."""


@dataclass(frozen=True, slots=True)
class Source:
    """What names a model in a run: its short name, reference, options, and who answers in which version.

    ``paid``: whether it may charge for what it is asked. ``key_variables``: see ``Adapter``. ``owner``: the plugin
    of the adapter. ``elsewhere``: workers answer for it, and keep the time of each batch themselves.
    """

    name: str
    ref: ModelRef
    answers_version: str
    options: dict[str, Any]
    explicit_options: dict[str, Any]
    paid: bool = False
    key_variables: tuple[str, ...] = ()
    unusual: Mapping[str, Any] | None = None
    owner: Owner = field(default_factory=Owner)
    elsewhere: bool = False

    def at(self, what: str) -> At:
        """The place that errors of this model's code carry: ``what`` it was at."""
        return At(self.owner, "answering", f"{self.name}, {what},", self.name)

    def guarded(
        self,
        what: str,
        call: Callable[[], T],
        limit: float | None = None,
        *,
        passing: tuple[type[Exception], ...] = (),
    ) -> T:
        """What this model's code returns; see `biascore.basics.guard.guarded`."""
        return guarded(self.at(what), call, limit, keys=self.key_variables, passing=passing)


class Elsewhere(Protocol):
    """What opens models on workers."""

    def open(self, source: Source, here: Callable[[], Backend]) -> Backend:
        """What answers for a model of an installed adapter; ``here`` opens it in this process, where that is needed."""

    @property
    def packages(self) -> Mapping[str, str]:
        """What computed on the workers, with versions, for all models that were opened so far."""

    def close(self) -> None:
        """Let go of the workers."""


@dataclass(frozen=True, slots=True)
class Services:
    """What the engine lends to its models: cache, progress, budgets, retries and the clock between them.

    ``wait``: how many seconds in all a batch waits for a model that fails for now; ``attempts``: how often it is sent
    instead, whatever that takes. ``sleep``: what waits some seconds; None is a wait that ends where the work does.
    ``time_limit``: the seconds that one
    call of a plugin's code may take, None for no limit. ``transforms``: what makes transforms by name. ``workers``: where
    models with weights are opened, None for this process.
    """

    cache: Cache = field(default_factory=NoCache)
    progress: Progress = field(default_factory=Silent)
    budget: Budget = field(default_factory=Budget)
    token_budget: Budget = field(default_factory=lambda: Budget(unit="tokens"))
    wait: float = WAIT
    attempts: int | None = None
    sleep: Callable[[float], None] | None = None
    time_limit: float | None = None
    transforms: Transforms = field(default_factory=Transforms)
    workers: Elsewhere | None = None

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """What all models together may take of services that charge."""
        return (self.budget, self.token_budget)

    @property
    def packages(self) -> Mapping[str, str]:
        """What computed on workers, with versions."""
        return {} if self.workers is None else self.workers.packages

    def close(self) -> None:
        """Close the cache, and let go of workers."""
        self.cache.close()
        if self.workers is not None:
            self.workers.close()

"""Models on the workers of an executor, seen from the run: opened everywhere, compared, and asked batch by batch."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from biascore.basics.guard import guarded
from biascore.basics.surface import either
from biascore.engine.worker import Ask, Close, Described, Open, Order, differences, unpacked, versions_of
from biascore.errors import (
    At,
    BiascoreError,
    CapabilityError,
    ModelLoadError,
    OptionsError,
    Owner,
    PluginFailedError,
    WorkerError,
)
from biascore.files.paths import is_path, user_path
from biascore.models.backend import Backend
from biascore.models.executor import Cluster, Executor
from biascore.models.pipeline.calling import answering
from biascore.models.pipeline.source import Source
from biascore.models.questions.capabilities import CAPABILITIES, hookimpl
from biascore.models.questions.cost import Cost
from biascore.models.questions.questions import (
    Choice,
    Chosen,
    Continuation,
    Familiarity,
    Level,
    Masked,
    Text,
    TokenLogprobs,
    Way,
)
from biascore.models.questions.writing import Prompt, Settings, Written
from biascore.models.refs import ModelRef
from biascore.models.vocabulary import Vocabulary
from biascore.plugins.loading import Plugins


class Workers:
    """Opens models on the workers of an executor, which is connected when the first of them is opened.

    ``packages``: what computes on the workers, with versions, of all models that were opened so far.
    """

    def __init__(
        self, plugins: Plugins, given: Executor | Cluster | str | int, time_limit: float | None = None
    ) -> None:
        if isinstance(given, str):
            given = Cluster(scheduler=given)
        elif isinstance(given, int):
            given = Cluster(workers=given)
        self.packages: dict[str, str] = {}
        self._plugins = plugins
        self._executor = given if isinstance(given, Executor) else None
        self._cluster = given if isinstance(given, Cluster) else None
        self._owner = Owner(f"executor {type(given).__name__}")
        self._time_limit = time_limit
        self._lock = threading.Lock()
        self._waiting: dict[object, str] = {}
        if self._cluster is not None:
            kind, cluster = self._kind(self._cluster), self._cluster
            owner = plugins.executors.owner(kind.name).owner
            guarded(At(owner, "checking", "checking the workers"), lambda: kind.check(cluster))

    @property
    def executor(self) -> Executor:
        """What runs calls, connected now if it was not yet; raises OptionsError or what connecting raises."""
        with self._lock:
            if self._executor is None:
                assert self._cluster is not None
                kind = self._kind(self._cluster)
                self._owner = self._plugins.executors.owner(kind.name).owner
                cluster = self._cluster
                self._executor = self._guarded(
                    At(self._owner, "opening", "connecting"), lambda: kind.connect(cluster)
                )
            return self._executor

    def open(self, source: Source, here: Callable[[], Backend]) -> Backend:
        """Open the model on every worker, and return what asks them.

        Raises WorkerError where there is none, what opening raises on one of them, which is named, PluginError where one
        has other versions of what is installed, and ModelLoadError where it is another model on one than on another.
        """
        at = At(source.owner, "opening", f"opening {source.ref}", source.name)
        order = Order(
            session=uuid4().hex,
            name=source.name,
            ref=str(_absolute(source.ref)),
            options=source.explicit_options,
            versions=versions_of(self._plugins),
            time_limit=self._time_limit,
            at=at,
        )
        executor = self.executor
        try:
            found = self._guarded(at, lambda: executor.everywhere(Open(order)))
            described = _compared(
                str(source.ref), {name: _of(name, packed) for name, packed in found.items()}
            )
        except Exception:  # not Ctrl-C, after which it is still being opened
            self.forget(order)
            raise
        self.packages |= described.packages
        return RemoteBackend(self, source, order, described, here)

    def ask(self, call: Ask) -> Any:
        """What a model answers on one of the workers; raises as it would here, and WorkerError."""
        executor, mine = self.executor, object()
        self._waiting[mine] = call.order.session
        try:
            packed = self._guarded(call.at, lambda: executor.submit(call))
        except Exception:  # not Ctrl-C, after which the batch is still under way
            del self._waiting[mine]
            raise
        del self._waiting[mine]
        return unpacked(packed)

    def forget(self, order: Order) -> None:
        """Close a model on every worker that is there; raises what closing it raises.

        Not where a batch is still under way, as after Ctrl-C: nobody waits for that, and an unused model makes way.
        """
        executor = self._executor
        if order.session in self._waiting.values():
            return
        with suppress(WorkerError):  # what was asked is here
            if executor is not None and executor.slots:
                for packed in self._guarded(order.at, lambda: executor.everywhere(Close(order))).values():
                    unpacked(packed)

    def close(self) -> None:
        """Let go of the executor, if it was not given."""
        with self._lock:
            executor, self._executor = (self._executor, None) if self._cluster else (None, self._executor)
        if executor is not None:
            try:
                self._guarded(At(self._owner, "answering", "closing"), executor.close)
            except PluginFailedError as error:  # the answers are here, and right
                warnings.warn(str(error), RuntimeWarning, stacklevel=2)

    def _guarded(self, at: At, call: Callable[[], Any]) -> Any:
        """What the executor's code returns; its errors are its own, and not those of the model's adapter."""
        return guarded(replace(at, owner=self._owner), call)

    def _kind(self, cluster: Cluster) -> type[Executor]:
        known = self._plugins.executors
        names = [kind.name for kind in known.items()]
        scheme = cluster.scheduler.partition("://")[0]
        if cluster.scheduler:
            names = [kind.name for kind in known.items() if scheme in kind.schemes]
        if len(names) == 1:
            return known.get(names[0])
        what = f"the scheduler {cluster.scheduler!r}" if cluster.scheduler else either("--workers", "workers")
        if names:
            raise OptionsError(
                f"{what} fits several executors: {', '.join(names)}. Uninstall or disable one (BIASCORE_DISABLE_PLUGINS)"
            )
        schemes = sorted(f"{one}://HOST:PORT" for kind in known.items() for one in kind.schemes)
        raise OptionsError(f"no executor takes {what}. Addresses begin as {', '.join(schemes) or 'none'}")


class RemoteBackend(Backend):
    """A model on workers: what it is came from them, and each batch is asked on one of them.

    It answers the hooks that the model answers there. What needs the model itself (its whole vocabulary) is read from a
    copy opened here.
    """

    def __init__(
        self, workers: Workers, source: Source, order: Order, found: Described, here: Callable[[], Backend]
    ) -> None:
        self.identity, self.batch, self.lacks = found.identity, found.batch, found.lacks
        self.in_flight = max(1, 2 * workers.executor.slots)  # one waits where another is answered
        self._workers, self._source, self._order, self._own = workers, source, order, found.own
        self._here, self._copy = here, cast("Backend | None", None)
        for name in set(CAPABILITIES) - found.capabilities:
            setattr(self, name, None)  # no function, and so no hook

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        """As the model on a worker."""
        return cast("npt.NDArray[np.float32]", self._hook("embed", texts, texts=texts, level=level))

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        """As the model on a worker."""
        return cast("tuple[TokenLogprobs, ...]", self._hook("mask_logprob", queries, queries=queries))

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        """As the model on a worker."""
        found = self._hook("translate", texts, texts=texts, source=source, target=target)
        return cast("tuple[str, ...]", found)

    @hookimpl
    def score(self, texts: tuple[str | Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:
        """As the model on a worker."""
        return cast("npt.NDArray[np.float64]", self._hook("score", texts, texts=texts, quantity=quantity))

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        """As the model on a worker."""
        return cast("tuple[Chosen, ...]", self._hook("choose", questions, questions=questions, way=way))

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:
        """As the model on a worker."""
        found = self._hook("generate", prompts, prompts=prompts, settings=settings)
        return cast("tuple[Written, ...]", found)

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> Iterable[int]:
        """As the model on a worker."""
        if "batch_sizes" not in self._own:
            return super().batch_sizes(hook, questions)
        at = self._source.at("cutting batches")
        sizes = self._ask(at, "batch_sizes", hook=hook, questions=questions)
        return cast("Iterable[int]", sizes)

    def familiarity(self, words: Sequence[str]) -> Sequence[Familiarity]:
        """As the model on a worker."""
        if "familiarity" not in self._own:
            return super().familiarity(words)
        at = self._source.at("reading its vocabulary")
        return cast("Sequence[Familiarity]", self._ask(at, "familiarity", words=words))

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, Any]) -> Cost:
        """As the model on a worker."""
        if "cost" not in self._own:
            return super().cost(hook, questions, params)
        at = self._source.at("telling the cost")
        found = self._ask(at, "cost", hook=hook, questions=questions, params=dict(params))
        return cast("Cost", found)

    def vocabulary(self) -> Vocabulary | None:
        """Of a copy that is opened here: it is read whole, and would take longer to travel.

        Raises ModelLoadError where the copy is another model.
        """
        if "vocabulary" not in self._own:
            return None
        if self._copy is None:
            copy = self._here()
            if copy.identity != self.identity:
                copy.close()
                raise ModelLoadError(
                    f"{self._source.ref} is another model here than on the workers "
                    f"({differences(copy.identity, self.identity)}). Put the same files in both places"
                )
            self._copy = copy
        return self._copy.vocabulary()

    def first_words(self, most: int) -> Sequence[str]:
        """As the model on a worker, for which no copy is opened here."""
        if "vocabulary" not in self._own:
            return ()
        return cast(
            "Sequence[str]", self._ask(self._source.at("reading its vocabulary"), "first_words", most=most)
        )

    def export(self, folder: Path, *, int8: bool = False) -> str:  # noqa: ARG002
        """Raises CapabilityError."""
        raise CapabilityError("a model on workers cannot be exported. Open it without them")

    def fine_tune(self, *_given: Any, **_more: Any) -> Any:
        """Raises CapabilityError."""
        raise CapabilityError("a model on workers cannot be trained. Open it without them")

    def close(self) -> None:
        """Close the model on every worker, and the copy here."""
        if self._copy is not None:
            self._copy.close()
        self._workers.forget(self._order)

    def _hook(self, name: str, asked: Sequence[Any], /, **arguments: Any) -> Any:
        return self._ask(self._source.at(answering(name, asked)), name, **arguments)

    def _ask(self, at: At, what: str, /, **arguments: Any) -> Any:
        return self._workers.ask(Ask(self._order, self.identity, at, what, arguments))


def _absolute(ref: ModelRef) -> ModelRef:
    """A path as it is seen from another folder too; anything else as it is."""
    return replace(ref, locator=str(user_path(ref.locator).absolute())) if is_path(ref.locator) else ref


def _of(worker: str, packed: bytes) -> Described:
    try:
        return cast("Described", unpacked(packed))
    except BiascoreError as error:
        error.args = (f"the worker {worker}: {error}",)
        raise


def _compared(ref: str, found: Mapping[str, Described]) -> Described:
    """What the model is on every worker; raises ModelLoadError where it is not the same.

    A package that only some workers have loaded is of models that they held before, and computes nothing here.
    """
    shared = set.intersection(*(set(described.packages) for described in found.values()))
    computed = {
        name: replace(described, packages={p: described.packages[p] for p in sorted(shared)})
        for name, described in found.items()
    }
    (first, one), *others = computed.items()
    for other, two in others:
        if one != two:
            raise ModelLoadError(
                f"{ref} is not the same on the workers {first} and {other} ({differences(one, two)}). Put the same "
                "files and packages on both, or leave one out"
            )
    return one

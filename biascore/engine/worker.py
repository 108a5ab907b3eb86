"""On a worker: the model that an order names is opened once in its process, kept, asked, and closed.

What comes back is a pickled `Outcome`, errors included, so that an executor has nothing to know of either.
"""

from __future__ import annotations

import os
import pickle
import platform
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from importlib import metadata
from typing import Any, Final, cast

import pluggy

from biascore.audits.audit import AuditModel
from biascore.basics.guard import failed, guarded
from biascore.engine.checking import Checker
from biascore.engine.opening import load_here
from biascore.errors import At, BiascoreError, ModelLoadError, PluginError
from biascore.installation import install_plugin
from biascore.models.backend import Backend, Identity
from biascore.models.pipeline.source import Services
from biascore.models.questions.capabilities import CAPABILITIES, PROJECT, CapabilitySpecs
from biascore.plugins.loading import Plugins
from biascore.plugins.stimuli import read_catalogue
from biascore.results.provenance import ALWAYS, computing

UNUSED: Final = 3600.0
"""Seconds after which a model that nobody asks makes way for the next one that is opened: its driver may be dead."""


@dataclass(frozen=True, slots=True)
class Order:
    """A model to open on a worker, in which session, and which versions have to be there.

    It holds no secret: options do not, and a worker reads keys from its own environment.
    """

    session: str
    name: str
    ref: str
    options: Mapping[str, Any]
    versions: Mapping[str, str]
    time_limit: float | None
    at: At


@dataclass(frozen=True, slots=True)
class Described:
    """What an opened model is; ``own`` are the methods of Backend that it overrides, ``packages`` what computes."""

    identity: Identity
    batch: int
    lacks: str
    capabilities: frozenset[str]
    own: frozenset[str]
    packages: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer, or the error in its place and the name of the exception that it was raised from."""

    answer: Any = None
    error: BiascoreError | None = None
    cause: str = ""


@dataclass(slots=True)
class _Held:
    """A model of this process: opened by the first thread that needs it, and asked by one at a time."""

    order: Order
    lock: threading.Lock = field(default_factory=threading.Lock)
    backend: Backend | None = None
    hooks: pluggy.HookRelay | None = None
    described: Described | None = None
    keys: tuple[str, ...] = ()
    used: float = field(default_factory=time.monotonic)


_HELD: Final[dict[str, _Held]] = {}
_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Open:
    """Opens the model here, and describes it."""

    order: Order

    def __call__(self) -> bytes:
        """A pickled Outcome with `Described`."""
        return _packed(self.order.at, lambda: _opened(_held(self.order)))


@dataclass(frozen=True, slots=True)
class Ask:
    """Asks the model for one batch: ``what`` is a hook or a method of Backend, with its ``arguments`` by name.

    ``expected``: the identity that the model has on the other workers. A worker that came later opens it first.
    """

    order: Order
    expected: Identity
    at: At
    what: str
    arguments: Mapping[str, Any]

    def __call__(self) -> bytes:
        """A pickled Outcome with what the model answers."""
        return _packed(self.at, self._answer)

    def _answer(self) -> object:
        held = _held(self.order)
        with _naming_this_worker():
            found = _opened(held).identity
            if found != self.expected:
                raise ModelLoadError(
                    f"{self.order.ref} is another model here than on the workers before it "
                    f"({differences(self.expected, found)}). Put the same files and packages on every worker"
                )
        with held.lock:
            call = getattr(held.hooks if self.what in CAPABILITIES else held.backend, self.what)
            return guarded(self.at, lambda: call(**self.arguments), self.order.time_limit, keys=held.keys)


@dataclass(frozen=True, slots=True)
class Close:
    """Closes the model of an order."""

    order: Order

    def __call__(self) -> bytes:
        """A pickled Outcome: it is closed, if it was here."""
        with _LOCK:
            held = _HELD.pop(self.order.session, None)
        return _packed(self.order.at, lambda: None if held is None else _close(held))


def differences(one: object, two: object) -> str:
    """What two values of one data class differ in, field by field."""
    found = []
    for each in fields(cast("Any", one)):
        first, second = getattr(one, each.name), getattr(two, each.name)
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            keys = [key for key in {**first, **second} if first.get(key) != second.get(key)]
            found += [f"{key}: {first.get(key, 'none')} and {second.get(key, 'none')}" for key in keys]
        elif is_dataclass(first) and first != second:
            found.append(differences(first, second))
        elif first != second:
            found.append(f"{each.name}: {first} and {second}")
    return "; ".join(found)


def versions_of(plugins: Plugins) -> dict[str, str]:
    """What has to be the same in a process that answers for this one: Python, numpy, and all that brings plugins."""
    dists = {
        record.dist: record.version
        for record in plugins.installed
        if record.status in ("installed", "loaded", "conflict")
    }
    numbers = {name: metadata.version(name) for name in ALWAYS}
    return {"Python": ".".join(platform.python_version_tuple()[:2]), **numbers, **dists}


def unpacked(packed: bytes) -> Any:
    """The answer of a pickled Outcome; raises its error, from an exception of the same name as on the worker."""
    # From a worker of the user's own cluster, which speaks pickle itself.
    outcome: Outcome = pickle.loads(packed)  # noqa: S301
    if outcome.error is None:
        return outcome.answer
    raise outcome.error from type(outcome.cause, (Exception,), {})() if outcome.cause else None


def _packed(at: At, call: Callable[[], object]) -> bytes:
    try:
        outcome = Outcome(call())
    except BiascoreError as error:
        cause = error.__cause__
        outcome = Outcome(error=error, cause="" if cause is None else type(cause).__name__)
    try:
        return pickle.dumps(outcome)
    except Exception as error:
        # What cannot travel is an error of the plugin's own class, or an answer that is none.
        message = str(
            outcome.error or f"{at.owner.shown}: {at.what} gave what cannot be sent from a worker: {error}"
        )
        return pickle.dumps(Outcome(error=failed(at, message, outcome.error or error)))


@contextmanager
def _naming_this_worker() -> Iterator[None]:
    try:
        yield
    except BiascoreError as error:
        error.args = (f"the worker {socket.gethostname()}, process {os.getpid()}: {error}",)
        raise


@cache
def _checker() -> Checker:
    """Plugins and stimuli of this process, read once."""
    plugins = Plugins()
    return Checker(plugins, read_catalogue(plugins, ()))


def _held(order: Order) -> _Held:
    with _LOCK:
        late = time.monotonic() - UNUSED
        unused = [key for key, held in _HELD.items() if held.used < late and not held.lock.locked()]
        gone = [_HELD.pop(key) for key in unused if key != order.session]
        found = _HELD.setdefault(order.session, _Held(order))
        found.used = time.monotonic()
    for held in gone:
        _close(held)
    return found


def _close(held: _Held) -> None:
    with held.lock:
        if held.backend is not None:
            guarded(held.order.at, held.backend.close, keys=held.keys)
        held.backend = held.hooks = held.described = None


def _opened(held: _Held) -> Described:
    order = held.order
    with held.lock:
        if held.described is None:
            with _LOCK:
                checker = _checker()
            _check_versions(order, versions_of(checker.plugins))
            spec = AuditModel(ref=order.ref, name=order.name, options=dict(order.options))
            opening = checker.model(spec)
            held.keys = opening.adapter.key_variables
            held.backend = backend = load_here(opening, checker, Services(time_limit=order.time_limit))
            held.hooks, held.described = guarded(order.at, lambda: _described(backend), keys=held.keys)
        return held.described


def _described(backend: Any) -> tuple[pluggy.HookRelay, Described]:
    """The hooks of the backend, called as in one process, and what travels of it."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(CapabilitySpecs)
    manager.register(backend)
    answered = {caller.name for caller in manager.get_hookcallers(backend) or []}
    identity: Identity = backend.identity
    plain: dict[str, Any] = {
        each.name: dict(value)
        for each in fields(identity)
        if isinstance(value := getattr(identity, each.name), Mapping)
    }
    own = {
        name
        for name in ("batch_sizes", "familiarity", "vocabulary", "cost")
        if getattr(type(backend), name) is not getattr(Backend, name)
    }
    return manager.hook, Described(
        identity=replace(identity, **plain),
        batch=backend.batch,
        lacks=backend.lacks,
        capabilities=frozenset(answered & set(CAPABILITIES)),
        own=frozenset(own),
        packages=computing(),
    )


def _check_versions(order: Order, here: Mapping[str, str]) -> None:
    """Raise PluginError for a package that is absent here or has another version."""
    for name, wanted in order.versions.items():
        found = here.get(name)
        if found == wanted:
            continue
        lacks = (
            f"{name} {found} is loaded here" if found else f"{name} is not installed here, or does not load"
        )
        command = "another Python" if name == "Python" else install_plugin(f"{name}=={wanted}", name)
        raise PluginError(
            f"{lacks}, and {wanted} where the run is. Workers need the same versions. Install there: {command}"
        )

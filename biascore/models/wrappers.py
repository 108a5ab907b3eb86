"""Transforms and observers around one model: registered, named where they fail, and an observer held to its word."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final, cast

import numpy as np
import pluggy

from biascore.basics.guard import failed, guarded
from biascore.errors import At, Owner
from biascore.models.backend import ModelPlugin

_Wrapper = Callable[..., Generator[None, Any, Any]]
_NONE: Final = object()


def put_around(manager: pluggy.PluginManager, plugin: ModelPlugin, model: str) -> None:
    """Register a transform or observer with the hooks of a model.

    Raises PluginValidationError where it is none, has no name, or would answer in place of the model.
    """
    name = getattr(plugin, "name", "")
    if not isinstance(plugin, ModelPlugin) or not name or plugin.role not in ("transform", "observer"):
        raise pluggy.PluginValidationError(
            plugin, f"{plugin!r} is not a ModelPlugin with a name and the role 'transform' or 'observer'"
        )
    if plugin.role == "transform" and not plugin.fingerprint:
        raise pluggy.PluginValidationError(
            plugin, f"the transform {name!r} has no fingerprint, so its answers cannot be kept apart"
        )
    manager.register(plugin, name=name)
    for caller in manager.get_hookcallers(plugin) or []:
        for implementation in caller.get_hookimpls():
            if implementation.plugin is not plugin:
                continue
            if not implementation.wrapper:
                raise pluggy.PluginValidationError(
                    plugin,
                    f"{name!r} would answer {caller.name} in place of the model; "
                    "write @hookimpl(wrapper=True)",
                )
            at = At(Owner(f"{plugin.role} {name}"), "answering", f"{caller.name} of {model}", model)
            own = cast("_Wrapper", implementation.function)
            # In its place, so that it keeps its arguments and its order among the others.
            implementation.function = _watched(own, at, plugin.role == "observer")  # type: ignore[misc]


def _watched(wrapper: _Wrapper, at: At, observer: bool) -> _Wrapper:
    """The same wrapper, whose own errors are named; an observer's, that returns what the model answered."""

    def watched(*arguments: Any) -> Generator[None, Any, Any]:
        inner = wrapper(*arguments)
        guarded(at, lambda: next(inner))
        try:
            answer = yield
        except BaseException as error:
            return _handed_on(inner, error)
        kept = _copy(answer) if observer else _NONE
        given = guarded(at, lambda: _finished(inner, answer))
        if observer and not (_same(kept, answer) and _same(kept, given)):
            raise failed(
                at,
                f"{at.owner.shown} changed the answers to {at.what}, and an observer must leave them as they are. "
                "Report this to its authors: what changes answers is a transform, with a fingerprint",
            )
        return given

    return watched


def _handed_on(inner: Generator[None, Any, Any], error: BaseException) -> Any:
    """What the wrapper makes of an error of the model: what it returns, or the error."""
    try:
        inner.throw(error)
    except StopIteration as stop:
        return stop.value
    raise RuntimeError("a wrapper yields once")


def _finished(inner: Generator[None, Any, Any], answer: Any) -> Any:
    try:
        inner.send(answer)
    except StopIteration as stop:
        return stop.value
    raise RuntimeError("a wrapper yields once")


def _copy(answer: Any) -> Any:
    """A copy of what could be changed in place: everything else in an answer is immutable."""
    if isinstance(answer, np.ndarray):
        return answer.copy()
    return list(answer) if isinstance(answer, list) else answer


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        same_form = one.shape == other.shape and one.dtype == other.dtype
        return same_form and one.tobytes() == other.tobytes()
    return type(one) is type(other) and bool(one == other)

"""The one boundary around the code of plugins: each call passes `guarded` once, and harms nothing else.

A KeyboardInterrupt interrupts the run, also one that a plugin raises itself: the two cannot be separated without a signal
handler of our own. What cannot be stopped: ``os._exit``, a crash of compiled code, and a loop inside compiled code, which
is interrupted when it comes back to Python.
"""

from __future__ import annotations

import os
import signal
import threading
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from types import FrameType
from typing import Final, TypeVar

from pydantic import ValidationError

from biascore.basics.keys import cleared, declared, hide
from biascore.basics.surface import either
from biascore.basics.threads import started
from biascore.errors import At, BiascoreError, Owner, PluginFailedError, TimeLimitError

T = TypeVar("T")
DEBUG_VARIABLE: Final = "BIASCORE_DEBUG"
DISABLE_VARIABLE: Final = "BIASCORE_DISABLE_PLUGINS"
_SHOWN: Final = 500
_AGAIN: Final = 1.0
"""Seconds until the alarm rings again in code that has swallowed it."""


def guarded(
    at: At,
    call: Callable[[], T],
    limit: float | None = None,
    *,
    keys: Collection[str] = (),
    passing: tuple[type[Exception], ...] = (),
) -> T:
    """What ``call`` returns, which may take ``limit`` seconds.

    Raises what is ``passing`` as it comes, BiascoreError with ``at`` noted on it; TimeLimitError; KeyboardInterrupt, with a
    note that names ``at``; and PluginFailedError for everything else that it raises, ``sys.exit`` too. None of them holds
    the key of a declared variable; where one of ``keys`` is set, which the code itself uses, their frames keep no local
    variables. A current folder that it changed is changed back: paths that a user gave are relative to it.
    """
    folder = _current()
    try:
        return call() if limit is None else _limited(call, limit)
    except BaseException as caught:
        variables = declared().union(keys)
        error = _named(at, cleared(caught, variables, keys), limit, passing)
        if isinstance(error, PluginFailedError):
            error.trace = hide(error.trace, variables)  # it quotes lines of code
        if error is caught:
            raise
    finally:
        _restore(folder)
    try:
        raise error  # out here: what was caught would be its context, keys and all
    finally:
        del error  # its frames hold it


def _named(
    at: At, error: BaseException, limit: float | None, passing: tuple[type[Exception], ...]
) -> BaseException:
    """The error to raise where ``error``, which is without keys, came out of the code at ``at``."""
    made: BaseException
    if isinstance(error, KeyboardInterrupt) and hasattr(error, "__notes__"):
        return error  # what is inside has said where it was
    if isinstance(error, KeyboardInterrupt) or isinstance(error.__context__, KeyboardInterrupt):
        made = _interrupted(at)
    elif isinstance(error, BiascoreError):
        error.at = error.at or at
        return error
    elif isinstance(error, passing):
        return error
    elif isinstance(error, _TimeUp):
        made = failed(at, _took_too_long(at, limit), error, TimeLimitError)
    else:
        made = failed(at, _explain(at, error), error)
    made.__cause__ = error
    return made


@contextmanager
def folder_kept() -> Iterator[None]:
    """Afterwards the current folder is the one of before, whatever changed it."""
    folder = _current()
    try:
        yield
    finally:
        _restore(folder)


def _restore(folder: Path | None) -> None:
    if folder and folder != _current():
        with suppress(OSError):
            os.chdir(folder)


def _current() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return None


@contextmanager
def noted(at: At) -> Iterator[None]:
    """Note ``at`` on an error of biascore that says nothing of the kind yet."""
    try:
        yield
    except BiascoreError as error:
        error.at = error.at or at
        raise


@contextmanager
def clock_stopped() -> Iterator[None]:
    """The time that this takes is no part of what the code around it may take."""
    if not _has_alarm():
        yield
        return
    left, again = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, again)


def failed(
    at: At,
    message: str,
    error: BaseException | None = None,
    kind: type[PluginFailedError] = PluginFailedError,
) -> PluginFailedError:
    """The error to raise from ``error`` where code of a plugin failed."""
    made = kind(message)
    made.at = at
    made.trace = "".join(traceback.format_exception(error)) if error else ""
    return made


def _took_too_long(at: At, limit: float | None) -> str:
    return (
        f"{at.owner.shown}: {at.what} took longer than the {limit:g} seconds that it may. Give it more time with "
        f"a higher {either('--time-limit', 'time_limit')}, or leave it out"
    )


def debugging() -> bool:
    """Whether the user wants to see tracebacks."""
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


def report_it(owner: Owner) -> str:
    """What to do about an error in somebody's code."""
    if owner.dist == "biascore":
        return "This is an error of biascore itself: please report it"
    out = f" with {DISABLE_VARIABLE}={owner.name}" if owner.dist else ""
    return f"Report this to its authors, or leave it out{out}"


def _explain(at: At, error: BaseException) -> str:
    remedy = f"{report_it(at.owner)}; its traceback is shown with {DEBUG_VARIABLE}=1"
    return f"{at.owner.shown}: {at.what} {_how(error)}. {remedy}"


def _how(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"called sys.exit({'' if error.code is None else repr(error.code)})"
    if isinstance(error, ValidationError):
        return f"made an impossible {error.title} ({problems(error)}){_place(error)}"
    text = " ".join(str(error).split())[:_SHOWN]
    return f"raised {type(error).__name__}{': ' if text else ''}{text}{_place(error)}"


def problems(error: ValidationError) -> str:
    """What a value lacks, key by key."""
    return "; ".join(
        f"{'.'.join(map(str, detail['loc'])) or 'it'}: {detail['msg'].removeprefix('Value error, ')}"
        for detail in error.errors()
    )[:_SHOWN]


def _place(error: BaseException) -> str:
    """The line of code that raised, by the name of its file alone."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({PurePath(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""


def _interrupted(at: At) -> KeyboardInterrupt:
    error = KeyboardInterrupt()
    known = at.owner.dist == "biascore" and at.doing != "loading"  # Ctrl-C is no error of a plugin
    error.add_note(f"{at.what.rstrip(',')}{'' if known else f' ({at.owner.shown})'}")
    return error


class _TimeUp(BaseException):
    """No Exception, so that ``except Exception`` in the code that takes too long does not swallow it."""


def _has_alarm() -> bool:
    return hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()


def _limited(call: Callable[[], T], limit: float) -> T:
    """Raises _TimeUp where the call takes longer: an alarm in the main thread; elsewhere the call is left behind."""
    if not _has_alarm():
        from concurrent.futures import wait

        future = started(call, "biascore-time-limit")
        if not wait([future], limit).done:
            raise _TimeUp
        return future.result()
    handler = signal.signal(signal.SIGALRM, _ring)
    left, again = signal.setitimer(signal.ITIMER_REAL, limit, _AGAIN)
    try:
        return call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, again)
        signal.signal(signal.SIGALRM, handler)


def _ring(_number: int, frame: FrameType | None) -> None:
    """Raise in the code that runs now, if it is what was given a limit, and not what takes the limit back."""
    caller = frame and frame.f_back
    while caller is not None:
        if caller.f_code is _limited.__code__:
            raise _TimeUp
        caller = caller.f_back

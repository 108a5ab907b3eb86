"""A call in a thread of its own, which ends with the process, whatever it waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")


def started(call: Callable[[], T], name: str) -> Future[T]:
    """What ``call`` will return or raise; the thread is called ``name`` and has the context variables of this one."""
    from concurrent.futures import Future  # slow to import, and mostly not needed

    future: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        try:
            future.set_result(context.run(call))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, name=name, daemon=True).start()
    return future

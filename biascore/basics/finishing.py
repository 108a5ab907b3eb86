"""Work that is short, and whose loss costs hours: Ctrl-C waits for its end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Waiting:
    """The Ctrl-C that came meanwhile, to be raised by whoever has finished."""

    interrupt: KeyboardInterrupt | None = None


@contextmanager
def finishing() -> Iterator[Waiting]:
    """Within it a first Ctrl-C is kept in what is given, and a second one interrupts.

    Nothing changes in other threads, which get no signals, and where somebody else answers to Ctrl-C.
    """
    waiting = Waiting()
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield waiting
        return

    def keep(_signal: int, _frame: Any) -> None:
        waiting.interrupt = KeyboardInterrupt()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, keep)
    try:
        yield waiting
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)

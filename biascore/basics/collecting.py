"""Python's search for circles of garbage, paused while there is none."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection inside, where much is made and all of it kept; afterwards as it was before.

    Measured: of reading all stimuli the search takes a quarter, and frees nothing.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@cache  # once a process: a circle of garbage that is there now stays
def kept_to_the_end() -> None:
    """No later search looks at what is there now, and the end of the process begins with none.

    Measured: these searches take a sixth of one WEAT.
    """
    gc.freeze()
    atexit.register(gc.freeze)

"""Whether a call unpickles anything: the interpreter tells of each class that a pickle names."""

from __future__ import annotations

import sys
from collections.abc import Callable

_found: list[str] = []
_listening = [False]
_hooked: list[bool] = []


def unpickled_by(call: Callable[[], object]) -> list[str]:
    """The classes that pickles name while the call runs, in any thread of this process."""
    if not _hooked:
        sys.addaudithook(_listen)  # for as long as the interpreter runs: it cannot be removed
        _hooked.append(True)
    _found.clear()
    _listening[0] = True
    try:
        call()
    finally:
        _listening[0] = False
    return [*_found]


def _listen(event: str, arguments: tuple[object, ...]) -> None:
    if event == "pickle.find_class" and _listening[0]:
        _found.append(".".join(map(str, arguments)))

"""Functions that people call on a run or a measurement and that rooms above know: reports, pictures, comparisons, HTML.

Nothing in ``results`` imports from above. ``biascore/__init__`` says which functions they are: it runs before any module of
the package can be imported, so that a run has them however it was made.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_functions: dict[str, str] = {}


def attach(**functions: str) -> None:
    """Set functions by name, each as ``module:function``, which is imported when it is called."""
    _functions.update(functions)


def attached(name: str) -> Callable[..., Any]:
    """The function of that name."""
    module, _, function = _functions[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found

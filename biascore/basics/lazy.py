"""Names that a module gives out and imports when they are asked for (PEP 562), and what a class says before it is imported.

Printing a help page or a list must not wait for what only a measurement needs.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dis import get_instructions
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from types import CodeType
from typing import Any, cast


def lazily(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a module whose ``if TYPE_CHECKING:`` imports are what it gives out.

    So the names stand once, where type checkers and people read them, and ``__all__`` follows from them. A name that is
    also that of a submodule cannot be given out so, since importing the submodule sets it.
    """
    homes: dict[str, tuple[str, str]] = {}

    def get(name: str) -> Any:
        if not homes:
            homes.update(_modules(module))
        if name == "__all__":
            return sorted(homes)
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        home, there = homes[name]
        value = getattr(import_module(home), there)
        setattr(sys.modules[module], name, value)
        return value

    return get, lambda: sorted({*vars(sys.modules[module]), *_modules(module)})


def _modules(module: str) -> dict[str, tuple[str, str]]:
    """Each name with the module that it comes from, and what it is called there."""
    found = find_spec(module)
    source = cast(Any, found).loader.get_source(module)
    return {
        alias.asname or alias.name: (imported.module or "", alias.name)
        for statement in ast.parse(source).body
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"
        for imported in statement.body
        if isinstance(imported, ast.ImportFrom)
        for alias in imported.names
    }


def stated(module: str, name: str, attribute: str) -> object:
    """The constant that the body of a class gives to an attribute, read from its compiled code; None where it gives none.

    The packages around the module are imported, the module is not.
    """
    found = find_spec(module)
    whole = cast(Any, found).loader.get_code(module)
    bodies = [one for one in whole.co_consts if isinstance(one, CodeType) and one.co_name == name]
    values = [
        value.argval
        for body in bodies
        for value, store in pairwise(get_instructions(body))
        if (value.opname, store.opname, store.argval) == ("LOAD_CONST", "STORE_NAME", attribute)
    ]
    return values[-1] if values else None

"""The kinds of thing that plugins contribute as classes or objects, one row each."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from biascore.basics.keys import declare
from biascore.models.questions.capabilities import CAPABILITIES

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*")
"""No case, so that ``Planted`` cannot be next to ``planted``; no path, no control character."""
_RESERVED: Final = ("meta", "schema", "tests", "lists", "pairs", "templates", "sentences")
"""Sections of stimuli files that are biascore's own."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One row: ``Plugins`` has the attribute ``group``; the hook is ``register_<group>``.

    ``base``: the class that each has to be, or to be a subclass of. ``needs``: class attributes by type. ``shown``: one of
    them in ``biascore plugins``, ``called`` in messages.
    """

    group: str
    called: str
    base: str
    key: str = "name"
    needs: Mapping[str, type] = field(default_factory=lambda: {"summary": str})
    shown: str = ""

    @property
    def hook(self) -> str:
        """The name of the hook."""
        return f"register_{self.group}"

    def named(self, item: Any, name: str) -> Any:
        """An item that the entry point ``name`` names; raises TypeError or ValueError for what cannot be used."""
        self.check([item])
        check_same(name, self.name(item), f"{item.__name__}.{self.key}")
        return item

    def name(self, item: Any) -> str:
        """What an item is called."""
        found = getattr(item, self.key)
        name: str = found() if callable(found) else found
        return name

    def told(self, item: Any) -> str:
        """An item in a phrase."""
        return self.phrase(self.name(item))

    def phrase(self, name: str) -> str:
        """A name in a phrase, such as ``adapter hf``."""
        return (self.shown or f"{self.called} {{}}").format(name)

    def check(self, items: Sequence[Any]) -> None:
        """Raise TypeError or ValueError for what cannot be used."""
        if not items:
            return
        module, _, name = self.base.partition(":")
        base = getattr(import_module(module), name)
        for item in items:
            _check_class(item, base, {self.key: str, **self.needs} if self.needs else {})
            for attribute in ("capabilities", "requires"):
                if attribute in self.needs:
                    _check_capabilities(item, getattr(item, attribute))
        names = [self.name(item) for item in items]
        for name in names:
            check_name(name)
            if names.count(name) > 1:
                raise ValueError(f"registered {name!r} twice")
        if self.group == "kinds":
            _check_sections(items)
        if self.group == "adapters":
            # From here on nothing shows the keys of an adapter, whichever way it came in.
            declare([name for item in items for name in (item.key_env_var, *item.secret_env_vars) if name])


KINDS: Final = (
    Kind(
        "adapters",
        "adapter",
        "biascore.adapter:Adapter",
        "id",
        {"summary": str, "example": str, "capabilities": frozenset},
    ),
    Kind(
        "metrics",
        "metric",
        "biascore.metric:Metric",
        needs={"summary": str, "reference": str, "requires": frozenset, "kinds": frozenset},
    ),
    Kind("diagnostics", "diagnostic", "biascore.metric:Diagnostic", needs={"summary": str, "reads": tuple}),
    Kind(
        "kinds",
        "kind of test",
        "biascore.stimuli.entries:TestEntry",
        "kind_name",
        {},
    ),
    Kind(
        "formats",
        "data format",
        "biascore.stimuli.dataset:DataFormat",
        "id",
        {"summary": str, "example": str},
    ),
    Kind(
        "transforms",
        "transform",
        "biascore.models.transforms.transform:Transform",
        needs={"summary": str, "reference": str},
    ),
    Kind(
        "exporters",
        "format of runs",
        "biascore.exporter:Exporter",
        "id",
        {"summary": str, "suffix": str},
        shown="format {} of runs",
    ),
    Kind(
        "executors",
        "executor",
        "biascore.models.executor:Executor",
        needs={"summary": str, "schemes": tuple},
    ),
)
CLASSES: Final = {kind.group: kind for kind in KINDS}


def check_name(name: str) -> None:
    """Raise ValueError for what cannot be the name of an item."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"registered {name!r}, which is no name: it must be small letters, digits, '-', '_' and '.', from a letter"
        )


def check_same(name: str, own: str, where: str) -> None:
    """Raise ValueError where an entry point calls a thing otherwise than the thing calls itself."""
    if name != own:
        raise ValueError(
            f"its entry point is called {name!r}, and {where} is {own!r}. Give both the same name"
        )


def _check_class(found: object, base: type, attributes: Mapping[str, type]) -> None:
    if not (inspect.isclass(found) and issubclass(found, base)):
        raise TypeError(f"registered {found!r}, which is not a subclass of biascore's {base.__name__}")
    wrong = [
        f"{n}: {kind.__name__}"
        for n, kind in attributes.items()
        if not isinstance(getattr(found, n, None), kind)
    ]
    if wrong:
        raise TypeError(f"{base.__name__} {found.__name__} lacks {', '.join(wrong)}")
    if hasattr(found, "options"):
        raise TypeError(
            f"{base.__name__} {found.__name__} sets options as an attribute. Name their class in brackets: "
            f"class {found.__name__}({base.__name__}[MyOptions])"
        )
    abstract = [
        f"{n}()" for n in dir(found) if getattr(getattr(found, n, None), "__isabstractmethod__", False)
    ]
    if abstract:
        raise TypeError(f"{base.__name__} {found.__name__} lacks {', '.join(abstract)}")


def _check_capabilities(owner: type, named: frozenset[str]) -> None:
    unknown = named - set(CAPABILITIES)
    if unknown:
        raise TypeError(
            f"{owner.__name__} names {', '.join(sorted(unknown))}; there are {', '.join(CAPABILITIES)}"
        )


def _check_sections(kinds: Sequence[Any]) -> None:
    own = [section for kind in kinds for section in kind.sections if section in _RESERVED]
    if own:
        raise ValueError(f"registered a kind of test with the section {own[0]!r}, which is biascore's own")

"""What became of each plugin, and what plugins provide, by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, Literal, TypeVar

from biascore.basics.guard import DISABLE_VARIABLE
from biascore.errors import Owner, PluginError, UnknownNameError

T = TypeVar("T")
Status = Literal["installed", "loaded", "failed", "blocked", "conflict"]


@dataclass(frozen=True, slots=True)
class PluginRecord:
    """One entry point and what became of it; ``reason`` says why it is not loaded.

    ``installed``: what it names was not asked for so far, and so is not imported.
    """

    name: str
    dist: str
    version: str
    module: str
    status: Status
    hooks: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    reason: str = ""
    error: BaseException | None = field(default=None, compare=False)
    gender_languages: tuple[str, ...] = ()
    """The languages whose speaker's gender it tells, or would tell had it loaded, as far as it came."""

    @property
    def owner(self) -> Owner:
        """Whose code it is."""
        return Owner(self.name, self.dist, self.version)

    @property
    def ships(self) -> bool:
        """Whether it is of biascore's own distribution, whose names nobody takes from it."""
        return self.dist.lower() == "biascore"

    @property
    def shown(self) -> str:
        """Name, distribution and version in one phrase."""
        return self.owner.shown


class Plugin:
    """One entry point; its record says what became of it so far."""

    def __init__(self, record: PluginRecord) -> None:
        self.record = record


class Registry(Generic[T]):
    """What plugins provide of one kind, by id.

    What ships with biascore keeps its name, and so do the ``reserved`` ones of its core; an id that two other plugins
    provide cannot be used. What ships is added first.
    """

    def __init__(self, kind: str, reserved: Collection[str] = ()) -> None:
        self.kind = kind
        self._reserved = frozenset(reserved)
        self._items: dict[str, tuple[Callable[[], T], Plugin]] = {}
        self._conflicts: dict[str, list[Plugin]] = {}
        self._passed_over: dict[str, list[Plugin]] = {}

    def add(self, name: str, item: T, owner: Plugin) -> None:
        """Add an item; a second owner of the same name makes the name unusable, unless the first ships with biascore."""
        self.announce(name, lambda: item, owner)

    def announce(self, name: str, get: Callable[[], T], owner: Plugin) -> None:
        """Add what ``get`` returns, which may import it then, and raises PluginError where that fails."""
        held = self._items.get(name)
        if not owner.record.ships and (name in self._reserved or (held is not None and held[1].record.ships)):
            self._passed_over.setdefault(name, []).append(owner)
        elif held is not None:
            self._conflicts.setdefault(name, [held[1]]).append(owner)
        else:
            self._items[name] = (get, owner)

    def replace(self, name: str, item: T, owner: Plugin) -> None:
        """Add an item of this process, in the place of one of it; raises PluginError for a name that a package provides."""
        known = self._items.get(name)
        if name in self._reserved or (known is not None and known[1].record.dist):
            raise PluginError(f"{self.kind} {name!r} is provided by {self.keeper(name)}. Choose another name")
        self._items[name] = (lambda: item, owner)

    @property
    def conflicts(self) -> Mapping[str, Sequence[Plugin]]:
        """Names that several plugins provide."""
        return MappingProxyType(self._conflicts)

    def clashes(self, owner: PluginRecord) -> list[str]:
        """The names that an owner has not, or not alone, each with who provides it too."""
        if not (self._conflicts or self._passed_over):
            return []  # each run asks this of each plugin in each registry

        def mine(owners: Sequence[Plugin]) -> bool:
            return any(one.record.owner == owner.owner for one in owners)

        def others(owners: Sequence[Plugin]) -> str:
            return " and ".join(one.record.shown for one in owners if one.record.owner != owner.owner)

        disputed = [
            f"{self.kind} {name!r} is also provided by {others(owners)}"
            for name, owners in self._conflicts.items()
            if mine(owners)
        ]
        passed_over = [
            f"{self.kind} {name!r} is that of {self.keeper(name)}, which ships with biascore and keeps its name"
            for name, owners in self._passed_over.items()
            if mine(owners)
        ]
        return disputed + passed_over

    def has(self, name: str) -> bool:
        """Whether a name is taken."""
        return name in self._reserved or name in self._items

    def keeper(self, name: str) -> str:
        """Who has a name, in words."""
        return "biascore itself" if name in self._reserved else self._items[name][1].record.shown

    def holds(self, name: str, item: object) -> bool:
        """Whether the name refers to this item."""
        return self._usable(name) and self._items[name][0]() is item

    @property
    def known(self) -> tuple[str, ...]:
        """All names, those in conflict and of what failed too, sorted."""
        return tuple(sorted(self._items))

    @property
    def names(self) -> tuple[str, ...]:
        """The usable names, sorted; the thing of that name may fail when it is imported."""
        return tuple(filter(self._usable, self.known))

    def _usable(self, name: str) -> bool:
        held = self._items.get(name)
        return held is not None and name not in self._conflicts and held[1].record.status != "failed"

    def holder(self, name: str) -> Plugin:
        """The plugin that has a usable name, which is not imported for it."""
        return self._items[name][1]

    def owner(self, name: str) -> PluginRecord:
        """The plugin that provides ``name``."""
        self.get(name)
        return self._items[name][1].record

    def get(self, name: str) -> T:
        """The item, imported where it was not yet.

        Raises PluginError for a conflict and for what cannot be loaded, UnknownNameError with a did-you-mean otherwise.
        """
        if name in self._conflicts:
            owners = [one.record for one in self._conflicts[name]]
            names = [owner.name for owner in owners]
            remedies = [o.name if names.count(o.name) == 1 else o.dist for o in owners]
            raise PluginError(
                f"{self.kind} {name!r} is provided by {' and '.join(owner.shown for owner in owners)}, "
                f"and biascore does not choose between them. Uninstall one, or disable it: "
                + " or ".join(f"{DISABLE_VARIABLE}={remedy}" for remedy in remedies)
            )
        if name in self._items:
            return self._items[name][0]()
        known = {one.casefold(): one for one in self._items}
        near = difflib.get_close_matches(name.casefold(), known, n=1)
        hint = f"Did you mean {known[near[0]]!r}? " if near else ""
        raise UnknownNameError(
            f"no {self.kind} is called {name!r}. {hint}There are: {', '.join(self.names) or 'none'}. "
            f"See what is installed, and what failed to load, with: biascore plugins"
        )

    def items(self) -> tuple[T, ...]:
        """The usable items, sorted by name, each imported where it was not yet."""
        return tuple(found for name in self.names if (found := self.item(name)) is not None)

    def item(self, name: str) -> T | None:
        """The item of a usable name, imported where it was not yet; None where that fails, and its record says why."""
        try:
            return self.get(name)
        except PluginError:
            return None

"""What became of each plugin, and what plugins provide, by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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

    def says(self, attribute: str) -> str:  # noqa: ARG002
        """What its one thing says of itself in this attribute, if that is known without importing it; else empty."""
        return ""


class Registry(Generic[T]):
    """What plugins provide of one kind, by id.

    What ships with biascore keeps its name, and so do the ``reserved`` ones of its core; an id that two other plugins
    provide cannot be used, unless all but one of them fail when they are imported for it. What ships is added first.
    """

    def __init__(self, kind: str, reserved: Collection[str] = ()) -> None:
        self.kind = kind
        self._reserved = frozenset(reserved)
        self._items: dict[str, list[tuple[Callable[[], T], Plugin]]] = {}
        self._passed_over: dict[str, list[Plugin]] = {}

    def add(self, name: str, item: T, owner: Plugin) -> None:
        """Add an item; a second owner of the same name makes the name unusable, unless the first ships with biascore."""
        self.announce(name, lambda: item, owner)

    def announce(self, name: str, get: Callable[[], T], owner: Plugin) -> None:
        """Add what ``get`` returns, which may import it then, and raises PluginError where that fails."""
        held = self._items.get(name)
        if not owner.record.ships and (name in self._reserved or (held and held[0][1].record.ships)):
            self._passed_over.setdefault(name, []).append(owner)
        else:
            self._items.setdefault(name, []).append((get, owner))

    def replace(self, name: str, item: T, owner: Plugin) -> None:
        """Add an item of this process, in the place of one of it; raises PluginError for a name that a package provides."""
        if name in self._reserved or (name in self._items and self.holder(name).record.dist):
            raise PluginError(f"{self.kind} {name!r} is provided by {self.keeper(name)}. Choose another name")
        self._items[name] = [(lambda: item, owner)]

    @property
    def conflicts(self) -> Mapping[str, Sequence[Plugin]]:
        """Names that several plugins provide, as far as none of them is known to have failed."""
        several = (name for name, held in self._items.items() if len(held) > 1)
        found = {name: [owner for _, owner in self._whole(name)] for name in several}
        return {name: owners for name, owners in found.items() if len(owners) > 1}

    def _whole(self, name: str) -> Sequence[tuple[Callable[[], T], Plugin]]:
        """Who provides a name and is not known to have failed; the first one where all have, nobody where nobody does."""
        held = self._items.get(name, [])
        return (
            held if len(held) < 2 else [one for one in held if one[1].record.status != "failed"] or held[:1]
        )

    @property
    def disputed(self) -> bool:
        """Whether any name is provided by several, or was not given to one who wanted it."""
        return bool(self._passed_over or self.conflicts)

    def clashes(self, owner: PluginRecord) -> list[str]:
        """The names that an owner has not, or not alone, each with who provides it too."""
        conflicts = self.conflicts

        def mine(owners: Sequence[Plugin]) -> bool:
            return any(one.record.owner == owner.owner for one in owners)

        def others(owners: Sequence[Plugin]) -> str:
            return " and ".join(one.record.shown for one in owners if one.record.owner != owner.owner)

        disputed = [
            f"{self.kind} {name!r} is also provided by {others(owners)}"
            for name, owners in conflicts.items()
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
        return "biascore itself" if name in self._reserved else self.holder(name).record.shown

    def holds(self, name: str, item: object) -> bool:
        """Whether the name refers to this item."""
        return self._usable(name) and self.get(name) is item

    @property
    def known(self) -> tuple[str, ...]:
        """All names, those in conflict and of what failed too, sorted."""
        return tuple(sorted(self._items))

    @property
    def names(self) -> tuple[str, ...]:
        """The usable names, sorted; the thing of that name may fail when it is imported."""
        return tuple(filter(self._usable, self.known))

    def _usable(self, name: str) -> bool:
        held = self._whole(name)
        return len(held) == 1 and held[0][1].record.status != "failed"

    def holder(self, name: str) -> Plugin:
        """The plugin that has a usable name, which is not imported for it."""
        return self._whole(name)[0][1]

    def owner(self, name: str) -> PluginRecord:
        """The plugin that provides ``name``."""
        self.get(name)
        return self.holder(name).record

    def get(self, name: str) -> T:
        """The item, imported where it was not yet; of a name in conflict all are, and those that fail do not count.

        Raises PluginError for a conflict and for what cannot be loaded, UnknownNameError with a did-you-mean otherwise.
        """
        held = self._whole(name)
        if len(held) > 1:
            for get, _ in held:
                with suppress(PluginError):
                    get()
            held = self._whole(name)
        if len(held) > 1:
            owners = [owner.record for _, owner in held]
            names = [owner.name for owner in owners]
            remedies = [o.name if names.count(o.name) == 1 else o.dist for o in owners]
            raise PluginError(
                f"{self.kind} {name!r} is provided by {' and '.join(owner.shown for owner in owners)}, "
                f"and biascore does not choose between them. Uninstall one, or disable it: "
                + " or ".join(f"{DISABLE_VARIABLE}={remedy}" for remedy in remedies)
            )
        if held:
            return held[0][0]()
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

    def summaries(self) -> Iterator[tuple[str, str]]:
        """Each usable name with its summary; what is imported for it is left out where that fails."""
        for name in self.names:
            summary = self.holder(name).says("summary") or getattr(self.item(name), "summary", None)
            if summary is not None:
                yield name, summary

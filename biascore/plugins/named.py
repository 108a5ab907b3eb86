"""The form of most plugins: an entry point names one thing, which is imported when it is first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path, PurePath
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from biascore.basics.guard import guarded
from biascore.basics.lazy import stated
from biascore.errors import At, BiascoreError, PluginError, PluginFailedError, TimeLimitError
from biascore.plugins.contribution import check_language
from biascore.plugins.kinds import CLASSES, check_name, check_same
from biascore.plugins.points import IMPORT_VARIABLE, check_contract, import_limit
from biascore.plugins.registry import Plugin, PluginRecord

if TYPE_CHECKING:
    from biascore.command import Command
    from biascore.languages.language import Language
    from biascore.mapping import Mapping
    from biascore.stimuli import StimuliFile

T = TypeVar("T")
Read: TypeAlias = "Callable[[Sequence[tuple[Path, str]], str], tuple[StimuliFile, ...]]"
"""Reads folders, each with how it is shown, of a distribution."""


def tried(record: PluginRecord, step: Callable[[], T]) -> tuple[PluginRecord, T | None]:
    """The record after a step of loading it, which failed where the step did, and what the step returned."""
    limit = import_limit()
    try:
        return record, guarded(At(record.owner, "loading", "loading it"), step, limit)
    except BiascoreError as error:
        raised = (error.__cause__ or error) if isinstance(error, PluginFailedError) else error
        late = isinstance(error, TimeLimitError)
        reason = (
            f"loading it takes more than {limit:g} seconds ({IMPORT_VARIABLE})"
            if late
            else f"{type(raised).__name__}: {str(raised).strip()}"
        )
        return replace(record, status="failed", provides=(), hooks=(), reason=reason, error=raised), None


class Named(Plugin, Generic[T]):
    """One thing by the name of its entry point, of the group ``biascore.<group>``.

    ``take`` checks what was imported and makes the thing of it; it raises whatever is wrong with it. ``told``: the thing in
    a phrase.
    """

    def __init__(
        self,
        point: metadata.EntryPoint,
        group: str,
        record: PluginRecord,
        take: Callable[[Any, str], T],
        told: Callable[[T], str],
    ) -> None:
        super().__init__(record)
        self.name = point.name
        self.group = group
        self._point, self._take, self._told = point, take, told
        self._got: T | None = None

    def get(self) -> T:
        """The thing, imported at the first call; raises PluginError where it cannot be loaded."""
        if self.record.status == "installed":
            self.record, self._got = tried(replace(self.record, status="loaded"), self._load)
            if self._got is not None:
                self.record = replace(self.record, provides=(self._told(self._got),))
        if self._got is None:
            raise PluginError(
                f"{self.record.shown} cannot be used: {self.record.reason}. See: biascore plugins"
            ) from self.record.error
        return self._got

    def says(self, attribute: str) -> str:
        """A constant of a class that ships; of another class it is not known whether it can be imported."""
        if not self.record.ships or self.record.status != "installed":
            return ""
        return str(stated(self._point.module, self._point.attr, attribute) or "")

    def _load(self) -> T:
        thing = self._point.load()
        check_contract(_declared(self._point.module))
        return self._take(thing, self.name)


def named(point: metadata.EntryPoint, group: str, record: PluginRecord, read: Read) -> Plugin:
    """The plugin of an entry point of ``biascore.<group>``; ``read`` reads word lists. It has failed where none can be."""
    if group == "languages":
        record = replace(record, gender_languages=(point.name,))
    waiting = replace(record, hooks=(f"register_{group}",))
    if group in CLASSES:
        try:
            check_name(point.name)
        except ValueError as error:
            return Plugin(replace(record, status="failed", reason=str(error), error=error))
        return Named(point, group, waiting, CLASSES[group].named, CLASSES[group].told)
    if group == "languages":
        return Named(point, group, waiting, _language, "language {0.code}".format)
    if group == "mappings":
        return Named(point, group, waiting, _mapping, "mapping {0.name} {0.version}".format)
    if group == "wordlists":
        return Named(point, group, waiting, partial(_stimuli, read, record.dist), _folder_shown)
    if group == "commands":
        return Named(point, group, waiting, _command, "command {0.name}".format)
    known = ", ".join(
        f"biascore.{one}" for one in (*CLASSES, "languages", "wordlists", "mappings", "commands")
    )
    reason = f"its group of entry points, {point.group}, is none of biascore's: {known}"
    return Plugin(replace(record, status="failed", reason=reason))


def _declared(module: str) -> object:
    """The contract that a module or the nearest package around it states; None where none does."""
    while module:
        stated = getattr(sys.modules.get(module), "biascore_contract", None)
        if stated is not None:
            return stated
        module = module.rpartition(".")[0]
    return None


def _language(thing: object, name: str) -> Language:
    language = check_language(thing)
    check_same(name, language.code, "its code")
    return language


def _mapping(thing: object, name: str) -> Mapping:
    from biascore.mapping import Mapping

    if not isinstance(thing, Path):
        raise TypeError(f"named {thing!r}, which is no pathlib.Path of a TOML file")
    mapping = Mapping.read(thing)
    check_same(name, mapping.name, f"name in {thing.name}")
    return mapping


def _command(thing: object, name: str) -> Command:
    from biascore.command import Command

    if not isinstance(thing, Command):
        raise TypeError(f"named {thing!r}, which is not a Command")
    check_same(name, thing.name, "its name")
    return thing


def _stimuli(read: Read, dist: str, thing: object, name: str) -> tuple[StimuliFile, ...]:
    """The files in a folder, which is named as a package or a Path; raises TypeError for anything else."""
    if isinstance(thing, ModuleType):
        thing = Path(next(iter(getattr(thing, "__path__", ())), None) or Path(str(thing.__file__)).parent)
    if not isinstance(thing, Path):
        raise TypeError(f"named {thing!r}, which is neither a package nor a pathlib.Path of a folder")
    check_same(name, thing.name, "the folder")
    return read([(thing, f"{thing.parent.name}/{thing.name}")], dist)


def _folder_shown(files: Sequence[StimuliFile]) -> str:
    return f"wordlists {PurePath(files[0].display).parent}" if files else "wordlists"

"""What the hooks of one plugin register, checked, and held back until all of them have run without error."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biascore.plugins.kinds import KINDS
from biascore.plugins.registry import Plugin, PluginRecord

if TYPE_CHECKING:
    from biascore.command import Command
    from biascore.languages.language import Language
    from biascore.mapping import Mapping
    from biascore.stimuli import StimuliFile


def check_language(language: object) -> Language:
    """The language, if it is one; raises TypeError or ValueError otherwise."""
    from biascore.basics.tags import LANGUAGE_PATTERN
    from biascore.languages.language import Language

    if not isinstance(language, Language):
        raise TypeError(f"registered {language!r}, which is not a Language")
    if not re.match(LANGUAGE_PATTERN, language.code):
        raise ValueError(f"registered the language {language.code!r}, which is no code such as it or pt-BR")
    return language


@dataclass(slots=True)
class Contribution:
    """What one plugin registers, held back until all of its hooks have run without error."""

    items: dict[str, list[Any]] = field(default_factory=lambda: {kind.group: [] for kind in KINDS})
    languages: list[Language] = field(default_factory=list)
    wordlists: list[tuple[Path, str]] = field(default_factory=list)
    mappings: list[Mapping] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    stimuli: tuple[StimuliFile, ...] = ()

    def collect(self, ask: Callable[[str, Callable[..., None]], None]) -> None:
        """Take what a plugin registers: ``ask`` calls its hook of a name with a function to register with.

        Raises TypeError, ValueError or StimuliError for what cannot be used.
        """
        for kind in KINDS:
            ask(kind.hook, self.items[kind.group].append)
        ask("register_languages", self.languages.append)
        ask("register_wordlists", self.add_wordlist)
        ask("register_mappings", self.add_mapping)
        ask("register_commands", self.add_command)
        self.check()

    def gender_languages(self) -> tuple[str, ...]:
        """The languages whose speaker's gender it tells."""
        return tuple(one.code for one in self.languages if getattr(one, "speaker_gender", None) is not None)

    def check(self) -> None:
        """Raise TypeError or ValueError for a class, name or language that cannot be used."""
        for kind in KINDS:
            kind.check(self.items[kind.group])
        for language in self.languages:
            check_language(language)

    def add_wordlist(self, folder: Path, shown_as: str) -> None:
        """Note a folder of stimuli."""
        self.wordlists.append((folder, shown_as))

    def add_mapping(self, file: Path) -> None:
        """Read a mapping from grounds to articles."""
        from biascore.mapping import Mapping

        self.mappings.append(Mapping.read(file))

    def add_command(self, command: Command) -> None:
        """Note a command; raises TypeError for something else, ValueError for a second one of its name."""
        from biascore.command import Command

        if not isinstance(command, Command):
            raise TypeError(f"registered {command!r}, which is not a Command")
        if any(one.name == command.name for one in self.commands):
            raise ValueError(f"registered the command {command.name!r} twice")
        self.commands.append(command)

    def provides(self) -> tuple[str, ...]:
        """Each thing in a phrase, such as ``adapter hf``."""
        return (
            *(kind.told(item) for kind in KINDS for item in self.items[kind.group]),
            *(f"language {one.code}" for one in self.languages),
            *(f"wordlists {shown}" for _, shown in self.wordlists),
            *(f"mapping {one.name} {one.version}" for one in self.mappings),
            *(f"command {one.name}" for one in self.commands),
        )


class Hooked(Plugin):
    """The second form of a plugin: a module whose hooks register whatever it brings."""

    def __init__(self, record: PluginRecord) -> None:
        super().__init__(record)
        self.contribution = Contribution()

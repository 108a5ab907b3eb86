"""What one plugin registers, checked, and held back until all of its hooks have run without error."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biascore.hookspecs import CONTRACT, OLDEST
from biascore.plugins.kinds import KINDS

if TYPE_CHECKING:
    from biascore.command import Command
    from biascore.evidence.mappings import Mapping
    from biascore.languages.language import Language
    from biascore.stimuli import Kinds, StimuliFile


@dataclass(slots=True)
class Contribution:
    """What one plugin registers, held back until all of its hooks have run without error."""

    items: dict[str, list[Any]] = field(default_factory=lambda: {kind.group: [] for kind in KINDS})
    languages: list[Language] = field(default_factory=list)
    wordlists: list[tuple[Path, str]] = field(default_factory=list)
    mappings: list[Mapping] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    stimuli: tuple[StimuliFile, ...] = ()
    contract: int = CONTRACT

    def check_contract(self, module: object) -> None:
        """Raise ValueError where the plugin was written for a later contract than this biascore keeps, or for none."""
        stated = getattr(module, "biascore_contract", CONTRACT)
        if type(stated) is not int or stated < 1:
            raise ValueError(
                f"states biascore_contract = {stated!r}, which is no number of a contract. The latest is {CONTRACT}"
            )
        if stated > CONTRACT:
            raise ValueError(
                f"was written for contract {stated} of biascore, and this biascore keeps contract {CONTRACT}. Upgrade "
                "biascore: pip install -U biascore"
            )
        if stated < OLDEST:
            raise ValueError(
                f"was written for contract {stated} of biascore, and this biascore keeps contracts from {OLDEST}. Upgrade "
                "the plugin"
            )
        self.contract = stated

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

    def read_stimuli(self, kinds: Kinds) -> None:
        """Read its folders of stimuli, of which the tests may be of these kinds; raises StimuliError."""
        from biascore.stimuli import Catalogue

        self.stimuli = Catalogue.from_folders(language_folders=self.wordlists, kinds=kinds).files

    def gender_languages(self) -> tuple[str, ...]:
        """The languages whose speaker's gender it tells."""
        if not self.languages:
            return ()
        from biascore.languages.language import Language

        languages = [one for one in self.languages if isinstance(one, Language)]
        return tuple(one.code for one in languages if one.speaker_gender is not None)

    def check(self) -> None:
        """Raise TypeError or ValueError for a class, name or language that cannot be used."""
        for kind in KINDS:
            kind.check(self.items[kind.group])
        if self.languages:
            from biascore.basics.tags import LANGUAGE_PATTERN
            from biascore.languages.language import Language

            for language in self.languages:
                if not isinstance(language, Language):
                    raise TypeError(f"registered {language!r}, which is not a Language")
                if not re.match(LANGUAGE_PATTERN, language.code):
                    raise ValueError(
                        f"registered the language {language.code!r}, which is no code such as it or pt-BR"
                    )

    def add_wordlist(self, folder: Path, shown_as: str) -> None:
        """Note a folder of stimuli."""
        self.wordlists.append((folder, shown_as))

    def add_mapping(self, file: Path) -> None:
        """Read a mapping from grounds to articles."""
        from biascore.evidence.mappings import Mapping

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

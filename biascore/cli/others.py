"""Commands of plugins: imported when they are called, and run as biascore's own are."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.markup import escape
from typer.core import TyperCommand

from biascore.basics.visible import visible
from biascore.cli.commands import Command, Group, imported

if TYPE_CHECKING:
    from biascore.command import Command as Announced
    from biascore.errors import Owner
    from biascore.plugins.loading import Plugins
    from biascore.plugins.registry import PluginRecord

MAKE: Final = "Change and train models"
"""The panel of the commands that ship with biascore as plugins."""
OTHERS: Final = "Commands of other plugins"
_OF_TYPER: Final = (typer.Exit, typer.Abort, typer.BadParameter)


class Commands(Group):
    """The commands of biascore, and those of plugins, which are asked where a command is none of biascore's."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, those of plugins last."""
        self._add_others()
        return super().list_commands(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of these arguments; raises PluginError for a name that two plugins provide."""
        if args[0] not in self.commands:
            from biascore.cli.loaded import warn_unloaded

            self._add_others()
            registry = self._plugins.commands
            if args[0] not in self.commands and args[0] in registry.known:
                registry.get(args[0])
            warn_unloaded(self._plugins)
        return super().resolve_command(ctx, args)

    @cached_property
    def _plugins(self) -> Plugins:
        from biascore.plugins.loading import Plugins

        return Plugins()

    def _add_others(self) -> None:
        registry = self._plugins.commands
        for name in sorted(registry.names, key=lambda name: (not registry.holder(name).record.ships, name)):
            stated = registry.item(name)
            if stated is not None:
                other = Other(stated, registry.holder(name).record, self.rich_markup_mode)
                self.commands.setdefault(name, other)


class Other(TyperCommand):
    """A command of a plugin, of which nothing is imported until it is called."""

    def __init__(self, stated: Announced, record: PluginRecord, markup: str | None) -> None:
        shown = visible(stated.summary if record.ships else f"{stated.summary} ({record.dist})")
        super().__init__(
            stated.name,
            help=escape(shown) if markup == "rich" else shown,
            rich_help_panel=MAKE if record.ships else OTHERS,
        )
        self._stated = stated
        self._owner = record.owner

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the command itself; raises PluginFailedError where it cannot be imported."""
        from biascore.basics.guard import guarded
        from biascore.errors import At

        stated, at = self._stated, At(self._owner, "loading", f"loading the command {self._stated.name}")
        command = guarded(at, lambda: imported(stated.target, stated.name, Guarded))
        command.owner, command.resumes = self._owner, stated.resumes
        return command.make_context(info_name, args, parent, **extra)


class Guarded(Command):
    """Such a command when it is called."""

    owner: Owner

    def call(self, ctx: Any) -> Any:
        """Call the function; what it raises is an error that names the plugin, unless it is one of biascore or typer."""
        from biascore.basics.guard import guarded
        from biascore.errors import At

        at = At(self.owner, "result", f"running the command {ctx.info_name}")
        return guarded(at, lambda: self._called(ctx), passing=_OF_TYPER)

    def _called(self, ctx: Any) -> Any:
        try:
            return super().call(ctx)
        except _OF_TYPER:
            raise
        except Exception:
            from biascore.plugins.loading import Plugins

            Plugins().adapters.items()  # they declare the keys that its message may hold
            raise

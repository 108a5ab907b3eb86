"""What all commands have in common: standard output is theirs alone, and nothing in them ends the process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

from biascore.cli.console import say, stderr, stdout
from biascore.errors import PluginFailedError

F = TypeVar("F", bound=Callable[..., Any])


class Command(TyperCommand):
    """A command that keeps what plugins print out of its own output, and their ``sys.exit`` from ending it."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what anything but ``stdout`` prints goes to standard error."""
        try:
            with stdout.kept_to(sys.stdout), redirect_stdout(sys.stderr):
                return super().invoke(ctx)
        except SystemExit as error:
            raise PluginFailedError(
                f"something called sys.exit({error.code!r}) in the middle of this command; no command of biascore "
                "does. Find out what with BIASCORE_DEBUG=1"
            ) from error
        except KeyboardInterrupt as error:
            for note in getattr(error, "__notes__", ()):
                say(f"interrupted {note}", to=stderr)
            raise


class App(typer.Typer):
    """A group of such commands."""

    def command(self, *args: Any, **options: Any) -> Callable[[F], F]:
        """Register a command."""
        return super().command(*args, **{"cls": Command, **options})

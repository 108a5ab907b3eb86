"""What all commands have in common: standard output is theirs alone, and nothing in them ends the process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from typing import Any, ClassVar, Final, TextIO, TypeVar, cast

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from biascore.basics.collecting import kept_to_the_end, uncollected
from biascore.basics.surface import command_line
from biascore.cli.lasting import Lasting
from biascore.errors import PluginFailedError, RunError
from biascore.terminal.console import say, stderr, stdout

_OF_A_RUN: Final = ("audit", "gate", "measure", "run")
_RESUME: Final = ("run", "measure", "calibrate")
F = TypeVar("F", bound=Callable[..., Any])


class Flags:
    """What reads its flags without pydantic, which typer imports for one that is None by default, as ``--help`` is."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, those of typer's own among them."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            if isinstance(one, TyperOption) and one.is_flag and one.default is None:
                one.default = False
        return found


class Group(Flags, TyperGroup):
    """A group of commands."""


class Command(Flags, TyperCommand):
    """A command that keeps what plugins print out of its own output, and their ``sys.exit`` from ending it."""

    resumes = False
    """Whether the same command goes on where it was interrupted."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what anything but ``stdout`` prints goes to standard error.

        What cannot be printed ends no command: the exit code of those that keep a run, or judge one, is that of the run.
        """
        out = sys.stdout and Lasting(sys.stdout)
        beside = cast(TextIO, sys.stderr and Lasting(sys.stderr))
        try:
            with (
                command_line(),
                stdout.kept_to(cast(TextIO, out)),
                redirect_stderr(beside),
                redirect_stdout(beside),
            ):
                done = self.call(ctx)
                stdout.file.flush()
        except SystemExit as error:
            raise PluginFailedError(
                f"something called sys.exit({error.code!r}) in the middle of this command; no command of biascore "
                "does. Find out what with BIASCORE_DEBUG=1"
            ) from error
        except KeyboardInterrupt as error:
            kept = _kept(ctx, error, self.resumes or ctx.info_name in _RESUME)
            say(" ".join(filter(None, [_interrupted(error), kept])), to=stderr)
            raise
        finally:
            lost = (
                f"standard output could not be written in whole: {out.problem}" if out and out.problem else ""
            )
            if lost and ctx.info_name in _OF_A_RUN:
                say(lost, to=stderr, style="yellow", label="warning:")
        if lost and ctx.info_name not in _OF_A_RUN:
            raise RunError(f"{lost}. Free space, or print elsewhere")
        return done

    def call(self, ctx: Any) -> Any:
        """Call the function."""
        return super().invoke(ctx)


def _interrupted(error: KeyboardInterrupt) -> str:
    where = "; ".join(getattr(error, "__notes__", ()))
    return f"interrupted at: {where}." if where else "interrupted."


def _kept(ctx: Any, error: KeyboardInterrupt, resumes: bool) -> str:
    """What of an interrupted command is not lost; empty where a command keeps nothing on its way."""
    if getattr(error, "saved_whole", False):
        return (
            "Nothing is left to measure. Whether the models answer the same again may not have been checked: with --force "
            "the same command does that too."
        )
    if not resumes:
        return ""
    if ctx.params.get("no_cache"):
        return "Nothing was kept: with --no-cache the same command starts again."
    return "What was done so far is kept: the same command resumes from here."


class Later(TyperCommand):
    """A command whose module is imported when it is called; until then its name and its summary are known."""

    target: ClassVar[str]

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the command itself, which then does all that is left to do."""
        with uncollected():
            command = imported(self.target, self.name)
        kept_to_the_end()
        return command.make_context(info_name, args, parent, **extra)


def imported(target: str, name: str | None, kind: type[Command] = Command) -> Any:
    """The command of ``module:function``, which is imported."""
    module, _, function = target.partition(":")
    alone = App(add_completion=False)
    alone.command(name, cls=kind)(getattr(import_module(module), function))
    return typer.main.get_command(alone)


class App(typer.Typer):
    """A group of such commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"cls": Group, **options})

    def command(self, *args: Any, **options: Any) -> Callable[[F], F]:
        """Register a command."""
        return super().command(*args, **{"cls": Command, **options})

    def later(self, target: str, summary: str, *, name: str = "", panel: str | None = None) -> None:
        """Register ``module:function`` without importing it, so that a page of help is there at once.

        ``summary``: the first line of its docstring. ``name``: by default that of the function.
        """

        def called_by_none() -> None:
            """Nothing: ``Later`` makes way for the command itself."""

        known_by = name or target.partition(":")[2].replace("_", "-")
        kind = type("Later", (Later,), {"target": target})
        self.command(known_by, cls=kind, help=summary, rich_help_panel=panel)(called_by_none)

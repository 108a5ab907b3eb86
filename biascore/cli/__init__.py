"""The command line: ``biascore run``, ``measure``, ``report``, ``verify``, ``list``, ``show``, ``plugins``, ``cache``.

``codes`` holds the exit codes.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import TextIO

from biascore.cli import codes
from biascore.cli.app import app
from biascore.cli.console import say, stderr
from biascore.errors import (
    AnswerError,
    BiascoreError,
    NothingMeasuredError,
    PluginFailedError,
    TimeLimitError,
)


def main() -> None:
    """Run the command line; errors that a user can fix are one message, not a traceback."""
    warnings.showwarning = _show_warning
    try:
        app()
    except BiascoreError as error:
        from biascore.basics.guard import debugging

        if debugging():
            say(getattr(error, "trace", "") or "".join(traceback.format_exception(error)), to=stderr)
        say(error, to=stderr, label="error:", style="bold red")
        sys.exit(exit_code(error))


def exit_code(error: BiascoreError) -> int:
    """The code of a command that this error ended."""
    if error.may_pass:
        return codes.MAY_PASS
    own = isinstance(error, PluginFailedError) and error.at is not None and error.at.owner.dist == "biascore"
    if own and not isinstance(error, TimeLimitError):  # that limit is the user's
        return codes.OWN_ERROR
    failed = isinstance(error, PluginFailedError | AnswerError | NothingMeasuredError)
    return codes.PARTLY_FAILED if failed else codes.WRONG_INPUT


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001  (the signature is Python's)
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    say(message, to=stderr, label=f"{category.__name__}:", style="yellow")

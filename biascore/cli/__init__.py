"""The command line: ``biascore run``, ``measure``, ``report``, ``verify``, ``list``, ``show``, ``plugins``, ``cache``.

``codes`` holds the exit codes.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import TextIO

from biascore.cli.app import app
from biascore.cli.codes import exit_code
from biascore.errors import BiascoreError
from biascore.terminal.console import say, stderr

__all__ = ["exit_code", "main"]


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


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001  (the signature is Python's)
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    say(message, to=stderr, label=f"{category.__name__}:", style="yellow")

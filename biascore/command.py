"""What a plugin says of a command of its own, which is imported when it is called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

OWN_COMMANDS: Final = frozenset(
    {
        *("audit", "init", "measure", "plan", "run", "calibrate"),
        *("report", "compare", "board", "gate", "verify", "bundle", "attest", "mapping", "schema"),
        *("doctor", "show", "plugins", "gender", "list", "plugin", "cache"),
        *("words", "export"),
    }
)
"""The names of the commands of biascore itself, in ``cli``, which no plugin may take."""

_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
_TARGET: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Command:
    """A command ``biascore NAME``, known to ``biascore --help`` before anything of it is imported.

    ``summary``: one line that says what it does. ``target``: ``"module:function"``, a function that
    [typer](https://typer.tiangolo.com) can call, whose docstring begins with the summary. ``resumes``: the same command goes
    on where it was interrupted. Raises ValueError for another name, summary or target, TypeError for no text.

    What the function prints with ``say`` and the other functions of this module is its output; all else goes to standard
    error. It raises the errors of ``biascore.errors``.
    """

    name: str
    summary: str
    target: str
    resumes: bool = False

    def __post_init__(self) -> None:
        for text, allowed, wanted in (
            (self.name, _NAME, "a name: it must be small letters, digits and '-', from a letter"),
            (self.summary, re.compile(r"\S.*"), "a summary: it must be one line of text"),
            (self.target, _TARGET, "a target: it must be such as my_package.commands:function"),
        ):
            if not isinstance(text, str):
                raise TypeError(f"registered a command with {text!r}, which is no text")
            if not allowed.fullmatch(text):
                raise ValueError(f"registered a command with {text!r}, which is not {wanted}")

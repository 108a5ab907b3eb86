"""Exit codes of the command line; docs/reference.py writes them into docs/cli.md."""

from __future__ import annotations

from typing import Final

from biascore.errors import (
    AnswerError,
    BiascoreError,
    NothingMeasuredError,
    PluginFailedError,
    TimeLimitError,
)

DONE: Final = 0
"""Done."""
OWN_ERROR: Final = 1
"""An error of biascore itself, with a traceback: please report it."""
WRONG_INPUT: Final = 2
"""Wrong input; the message says what is wrong and what to do next."""
DIFFERENT: Final = 3
"""``verify`` found a difference, or ``gender --check`` a sentence that the detector reads differently."""
GATE_FAILED: Final = 4
"""A gate failed; the run is saved."""
PARTLY_FAILED: Final = 5
"""A model or a plugin failed, or nothing could be measured; what there is is saved. Or ``compare`` found a test that cannot
be compared."""
MAY_PASS: Final = 6
"""The input is right and every failure is transient, as a server that is away: the same command resumes later."""
NOT_VERIFIED: Final = 7
"""``verify`` could not check something."""
INTERRUPTED: Final = 130
"""Interrupted; what was done so far is kept."""


def exit_code(error: BiascoreError) -> int:
    """The code of a command that this error ended."""
    if error.may_pass:
        return MAY_PASS
    own = isinstance(error, PluginFailedError) and error.at is not None and error.at.owner.dist == "biascore"
    if own and not isinstance(error, TimeLimitError):  # that limit is the user's
        return OWN_ERROR
    failed = isinstance(error, PluginFailedError | AnswerError | NothingMeasuredError)
    return PARTLY_FAILED if failed else WRONG_INPUT

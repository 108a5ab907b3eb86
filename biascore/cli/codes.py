"""Exit codes of the command line; docs/cli.md says the same."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
OWN_ERROR: Final = 1
"""An error of biascore itself, with a traceback."""
WRONG_INPUT: Final = 2
DIFFERENT: Final = 3
"""``verify`` found a difference, or ``gender --check`` a sentence of which the detector says something else."""
GATE_FAILED: Final = 4
"""A gate did not hold."""
PARTLY_FAILED: Final = 5
"""A model or a plugin failed, and what did not is saved; or ``compare`` found a test that cannot be compared."""
MAY_PASS: Final = 6
"""Nothing is wrong with the input: all that failed may pass, and the same command later goes on."""
NOT_VERIFIED: Final = 7
"""``verify`` could not verify something."""
INTERRUPTED: Final = 130

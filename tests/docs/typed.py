"""What pages have a reader type, and what they show of the answer."""

from __future__ import annotations

import doctest
import re

COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
"""A command of a ``console`` block, and what follows it."""


def same(shown: str, said: str) -> bool:
    """Whether a page shows what was said; ``...`` stands for what it leaves out."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(shown, said, flags)

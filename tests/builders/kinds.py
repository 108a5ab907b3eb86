"""The kinds of test of this installation, for tests that read stimuli files by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from biascore.stimuli import Kinds
from biascore.stimuli.entries import TestEntry
from biascore_metrics.kinds import register_kinds


def _kinds() -> Kinds:
    found: list[type[TestEntry]] = []
    register: Callable[[type[TestEntry]], None] = found.append
    register_kinds(register=register)
    return Kinds(found)


KINDS: Final = _kinds()

"""The tokens that two sentences share, by position, as the published code of CrowS-Pairs finds them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

_FIRST: Final = ("first",)
_LAST: Final = ("last",)
"""No strings, so that no token equals them."""


def shared_positions(one: Sequence[str], other: Sequence[str]) -> tuple[list[int], list[int]]:
    """Positions in both token sequences, without special tokens, of the tokens that difflib matches.

    Each sequence stands between two sentinels, as between [CLS] and [SEP] in the published code: they change
    which blocks difflib finds first. Matching is not symmetric, so the order of the sentences matters.
    """
    matcher = SequenceMatcher(None, _between(one), _between(other))
    matched = [
        (block.a + i, block.b + i) for block in matcher.get_matching_blocks() for i in range(block.size)
    ]
    inner = matched[1:-1]  # the sentinels always match each other, first and last
    return [a - 1 for a, _ in inner], [b - 1 for _, b in inner]


def _between(tokens: Sequence[str]) -> list[str | tuple[str]]:
    return [_FIRST, *tokens, _LAST]

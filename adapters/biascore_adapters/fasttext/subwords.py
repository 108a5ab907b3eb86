"""The character n-grams of a word and the buckets they fall into (Bojanowski et al. 2017, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

END_OF_SENTENCE: Final = "</s>"
"""The one entry of a dictionary that has no n-grams."""

_FNV_OFFSET: Final = 2166136261
_FNV_PRIME: Final = 16777619
_MASK: Final = 0xFFFFFFFF
# fastText xors each byte as a *signed* char; released models depend on the sign extension.
_SIGNED: Final = tuple(byte if byte < 128 else byte | 0xFFFFFF00 for byte in range(256))


def fnv1a(data: bytes, state: int = _FNV_OFFSET) -> int:
    """fastText's 32-bit FNV-1a hash of ``data``, continued from ``state``."""
    for byte in data:
        state = ((state ^ _SIGNED[byte]) * _FNV_PRIME) & _MASK
    return state


def ngram_buckets(word: str, minn: int, maxn: int, bucket: int) -> Iterator[int]:
    """Yield the buckets of the n-grams of ``<word>`` in fastText's order: by start, then by length.

    n-grams are counted in code points; a lone ``<`` or ``>`` is none. Nothing is yielded for ``</s>``.
    Raises UnicodeEncodeError for a word with lone surrogates.
    """
    if word == END_OF_SENTENCE:
        return
    characters = [character.encode() for character in f"<{word}>"]
    for start in range(len(characters)):
        state = _FNV_OFFSET
        for end in range(start + 1, min(start + maxn, len(characters)) + 1):
            state = fnv1a(characters[end - 1], state)
            at_edge = end - start == 1 and (start == 0 or end == len(characters))
            if end - start >= minn and not at_edge:
                yield state % bucket

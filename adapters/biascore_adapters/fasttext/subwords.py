"""The character n-grams of a word and the buckets they fall into (Bojanowski et al. 2017, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

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


def buckets_of(
    words: Sequence[str], minn: int, maxn: int, bucket: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The buckets of the n-grams of all words, as ``ngram_buckets`` gives them word after word, and the word of each.

    Two arrays (n,): the place of the word, ascending, and the bucket. All n-grams are built byte by byte, which takes
    a hundredth of the time of one word after the other.
    """
    coded = [b"" if word == END_OF_SENTENCE else f"<{word}>".encode() for word in words]
    lengths = np.array([len(one) for one in coded], dtype=np.int64)
    data = np.frombuffer(b"".join(coded), dtype=np.uint8)
    ends = np.cumsum(lengths)
    owner = np.repeat(np.arange(len(words)), lengths)
    begins = (data & 0xC0) != 0x80  # a character's first byte
    number = np.cumsum(begins)
    last = np.append(begins[1:], True)  # the last byte of a character
    start = np.flatnonzero(begins)
    state = np.full(len(start), _FNV_OFFSET, dtype=np.uint32)
    signed = np.array(_SIGNED, dtype=np.uint32)
    starts: list[npt.NDArray[np.int64]] = []
    found: list[npt.NDArray[np.int64]] = []
    step = 0
    while len(start):
        at = start + step
        inside = at < ends[owner[start]]
        inside[inside] &= number[at[inside]] - number[start[inside]] < maxn
        start, state, at = start[inside], state[inside], at[inside]
        state = (state ^ signed[data[at]]) * np.uint32(_FNV_PRIME)  # wraps at 32 bits
        size = number[at] - number[start] + 1
        first = ends[owner[start]] - lengths[owner[start]]
        at_edge = (size == 1) & ((start == first) | (at + 1 == ends[owner[start]]))
        whole = last[at] & (size >= minn) & ~at_edge
        starts.append(start[whole])
        found.append(state[whole].astype(np.int64) % bucket)
        step += 1
    if not starts:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    every = np.concatenate(starts)
    order = np.argsort(every, kind="stable")  # by start, then by length
    return owner[every[order]], np.concatenate(found)[order]

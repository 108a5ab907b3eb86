"""From the lists of a test to vectors, with every word that is lost on the way reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import REPEATED, Coverage, Level, LostWord, Model, Test

ROLES: Final = ("X", "Y", "A", "B")
MIN_WORDS: Final = 8
"""Fewer words than this do not represent a concept well (Omrani Sabbaghi & Caliskan 2022, section 5.3)."""
MAX_LOST_SHARE: Final = 0.2
"""A list that loses a larger share of its words no longer stands for its concept (WEFE's threshold)."""


@dataclass(frozen=True, slots=True)
class RoleVectors:
    """The words of each role that have a vector, in list order, and what was lost."""

    words: Mapping[str, tuple[str, ...]]
    vectors: Mapping[str, npt.NDArray[np.float32]]
    coverage: Coverage
    warnings: tuple[str, ...]

    def too_few(self, least: Mapping[str, int]) -> str:
        """Why the roles cannot be measured, or an empty string: a role with fewer words than ``least``."""
        short = [
            f"{role} has {len(self.words[role])} usable word(s) of {self.coverage.given[role]} and needs {count}"
            for role, count in least.items()
            if len(self.words[role]) < count
        ]
        return "; ".join(short)


def embed_roles(model: Model, test: Test, level: Level, duplicates: Literal["drop", "keep"]) -> RoleVectors:
    """Embed every word of X, Y, A and B once; words without a usable vector are lost and listed."""
    kept: dict[str, tuple[str, ...]] = {}
    lost: list[LostWord] = []
    for role in ROLES:
        kept[role], repeated = _without_repeats(test.roles[role].words, duplicates)
        lost += [LostWord(word=word, role=role, reason=REPEATED) for word in repeated]
    everything = [word for role in ROLES for word in kept[role]]
    rows = model.embed(everything, level)
    reasons = _unusable(rows)
    words: dict[str, tuple[str, ...]] = {}
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    start = 0
    for role in ROLES:
        count = len(kept[role])
        usable = [i for i in range(start, start + count) if not reasons[i]]
        lost += [
            LostWord(word=everything[i], role=role, reason=reasons[i])
            for i in range(start, start + count)
            if reasons[i]
        ]
        words[role] = tuple(everything[i] for i in usable)
        vectors[role] = rows[usable]
        start += count
    coverage = Coverage(
        given={role: len(test.roles[role].words) for role in ROLES},
        used={role: len(words[role]) for role in ROLES},
        lost=tuple(lost),
        composed=_composed(model, words),
    )
    return RoleVectors(words, vectors, coverage, tuple(_warnings(words, coverage)))


def _without_repeats(words: tuple[str, ...], duplicates: str) -> tuple[tuple[str, ...], list[str]]:
    if duplicates == "keep":
        return words, []
    seen: dict[str, None] = {}
    repeated = []
    for word in words:
        if word in seen:
            repeated.append(word)
        seen[word] = None
    return tuple(seen), repeated


def _unusable(rows: npt.NDArray[np.float32]) -> list[str]:
    return [
        "out of vocabulary"
        if np.isnan(row).any()
        else "its vector is zero, so it has no direction"
        if not row.any()
        else ""
        for row in rows
    ]


def _composed(model: Model, words: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    if not model.identity.composes_words:
        return ()
    return tuple(dict.fromkeys(w for role in ROLES for w in words[role] if len(w.split()) > 1))


def _warnings(words: Mapping[str, tuple[str, ...]], coverage: Coverage) -> list[str]:
    found = []
    for role in ROLES:
        given, used = coverage.given[role], coverage.used[role]
        oov = sum(1 for word in coverage.missing if word.role == role)
        if oov > MAX_LOST_SHARE * given:
            found.append(f"{role} lost {oov} of its {given} words, so it may no longer stand for its concept")
        if used < MIN_WORDS:
            found.append(f"{role} has {used} words; fewer than {MIN_WORDS} do not represent a concept well")
    for one, other in combinations(ROLES, 2):
        both = [word for word in dict.fromkeys(words[one]) if word in words[other]]
        if both:
            found.append(f"in both {one} and {other}: {', '.join(both)}")
    if coverage.composed:
        found.append(f"phrases taken as the mean of their words: {', '.join(coverage.composed)}")
    if len(words["X"]) != len(words["Y"]):
        found.append(
            f"X and Y differ in size ({len(words['X'])} and {len(words['Y'])}); "
            "the permutation test keeps these sizes, where the papers assume equal ones"
        )
    return found

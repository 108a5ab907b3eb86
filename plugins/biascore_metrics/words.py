"""From word lists to vectors, with every word that is lost on the way reported; shared by the metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import REPEATED, Coverage, Level, LostWord, Model

OUT_OF_VOCABULARY: Final = "out of vocabulary"
MIN_WORDS: Final = 8
"""Fewer words than this do not represent a concept well (Omrani Sabbaghi & Caliskan 2022, section 5.3)."""
MAX_LOST_SHARE: Final = 0.2
"""A list that loses a larger share of its words no longer stands for its concept (WEFE's threshold)."""

Duplicates = Literal["drop", "keep"]


@dataclass(frozen=True, slots=True)
class RoleVectors:
    """The words of each role that have a vector, in list order, and what was lost."""

    words: Mapping[str, tuple[str, ...]]
    vectors: Mapping[str, npt.NDArray[np.float32]]
    coverage: Coverage

    def too_few(self, least: Mapping[str, int]) -> str:
        """Why the roles cannot be measured, or an empty string: a role with fewer words than ``least``."""
        return too_few(self.words, self.coverage, least)


def too_few(words: Mapping[str, Sequence[str]], coverage: Coverage, least: Mapping[str, int]) -> str:
    """Why these roles cannot be measured, or an empty string: a role with fewer words than ``least``."""
    short = [
        f"{role} has {len(words[role])} usable word(s) of {coverage.given[role]} and needs {count}"
        for role, count in least.items()
        if len(words[role]) < count
    ]
    return "; ".join(short)


def embed_words(
    model: Model, lists: Mapping[str, Sequence[str]], level: Level, duplicates: Duplicates = "drop"
) -> RoleVectors:
    """Embed the words of every role in one call; words without a usable vector are lost and listed."""
    kept: dict[str, tuple[str, ...]] = {}
    lost: list[LostWord] = []
    for role, given in lists.items():
        kept[role], repeated = without_repeats(given, duplicates)
        lost += [LostWord(word=word, role=role, reason=REPEATED) for word in repeated]
    everything = [word for role in lists for word in kept[role]]
    rows = model.embed(everything, level)
    reasons = unusable(rows)
    words: dict[str, tuple[str, ...]] = {}
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    start = 0
    for role in lists:
        span = range(start, start + len(kept[role]))
        usable = [i for i in span if not reasons[i]]
        lost += [LostWord(word=everything[i], role=role, reason=reasons[i]) for i in span if reasons[i]]
        words[role] = tuple(everything[i] for i in usable)
        vectors[role] = rows[usable]
        start = span.stop
    coverage = Coverage(
        given={role: len(given) for role, given in lists.items()},
        used={role: len(found) for role, found in words.items()},
        lost=tuple(lost),
        composed=composed(model, words),
    )
    return RoleVectors(words, vectors, coverage)


def without_repeats(words: Sequence[str], duplicates: Duplicates) -> tuple[tuple[str, ...], list[str]]:
    """The words each once (unless duplicates are kept), and those that were left out."""
    if duplicates == "keep":
        return tuple(words), []
    seen: dict[str, None] = {}
    repeated = []
    for word in words:
        if word in seen:
            repeated.append(word)
        seen[word] = None
    return tuple(seen), repeated


def unusable(rows: npt.NDArray[np.float32]) -> list[str]:
    """Why each vector cannot be used, or an empty string."""
    return [
        OUT_OF_VOCABULARY
        if np.isnan(row).any()
        else "its vector is zero, so it has no direction"
        if not row.any()
        else ""
        for row in rows
    ]


def composed(model: Model, words: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The phrases that a model of single words takes as the mean of their words."""
    if not model.identity.composes_words:
        return ()
    return tuple(dict.fromkeys(w for found in words.values() for w in found if len(w.split()) > 1))


def coverage_warnings(coverage: Coverage) -> list[str]:
    """What a reader must know about small lists, lost words and phrases."""
    found = []
    for role, given in coverage.given.items():
        oov = sum(1 for word in coverage.missing if word.role == role)
        if oov > MAX_LOST_SHARE * given:
            found.append(
                f"{role} lost {oov} of its {_words(given)}, so it may no longer stand for its concept"
            )
        elif coverage.used[role] < MIN_WORDS:
            few = _words(coverage.used[role])
            found.append(f"{role} has {few}; fewer than {MIN_WORDS} do not represent a concept well")
    return found


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count} words"


def composed_warning(coverage: Coverage) -> list[str]:
    """A warning that names the phrases taken as means, if there are any."""
    if not coverage.composed:
        return []
    return [f"phrases taken as the mean of their words: {', '.join(coverage.composed)}"]

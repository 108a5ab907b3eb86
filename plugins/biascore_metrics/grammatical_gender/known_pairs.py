"""Pairs of words that a model knows, with their cosines, and what became of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Coverage, LostWord, Model
from biascore.api.support import REPEATED
from biascore.designs.same_words import ComparingOptions, Floats
from biascore.designs.words import composed, spelling, too_few, why_lost
from biascore_metrics.grammatical_gender.gaps import unit_rows
from biascore_metrics.grammatical_gender.pair_files import DIFFERENT, SAME, NounPair, NounPairsTest

ROLES: Final = ("pairs of one gender", "pairs of two genders")
ITSELF: Final = "a word and itself"
LEAST: Final = dict.fromkeys(ROLES, 2)


@dataclass(frozen=True, slots=True)
class KnownPairs:
    """Pairs of one gender, then of two, whose words are known, with their cosines by state (k, n) for each."""

    pairs: tuple[NounPair, ...]
    cosines: tuple[Floats, Floats]
    coverage: Coverage
    problem: str

    @property
    def roles(self) -> tuple[str, str]:
        """What pairs of one gender and of two are called."""
        return ROLES


def known_pairs(models: Sequence[Model], test: NounPairsTest, options: ComparingOptions) -> KnownPairs:
    """The pairs that every one of the models has a usable vector for, both words; the first decides which are known."""
    given = {
        role: [pair for pair in test.pairs if pair.relation == relation]
        for role, relation in zip(ROLES, (SAME, DIFFERENT), strict=True)
    }
    lost: list[LostWord] = []
    kept: dict[str, list[NounPair]] = {}
    words = list(dict.fromkeys(word for pair in test.pairs for word in pair[:2]))
    every = [model.embed(words, options.level) for model in models]
    reasons = [
        dict(zip(words, why_lost(model, words, rows, options), strict=True))
        for model, rows in zip(models, every, strict=True)
    ]
    for role, pairs in given.items():
        kept[role] = []
        seen: set[frozenset[str]] = set()
        for pair in pairs:
            why = "; ".join(
                dict.fromkeys(
                    f"{word!r} is {found[word]}" for found in reasons for word in pair[:2] if found[word]
                )
            )
            if not why and options.duplicates == "drop":
                key = frozenset(map(spelling, pair[:2]))
                why = ITSELF if len(key) == 1 else REPEATED if key in seen else ""
                seen.add(key)
            if why:
                lost.append(LostWord(word=pair.text, role=role, reason=why))
            else:
                kept[role].append(pair)
    coverage = Coverage(
        given={role: len(pairs) for role, pairs in given.items()},
        used={role: len(pairs) for role, pairs in kept.items()},
        lost=tuple(lost),
        composed=composed(models[0], {"pairs": words}),
    )
    places = {word: place for place, word in enumerate(words)}
    same, different = (
        np.array([_cosines(rows, places_of(pairs, places)) for rows in every]).reshape(len(every), len(pairs))
        for pairs in kept.values()
    )
    problem = too_few({role: [p.text for p in pairs] for role, pairs in kept.items()}, coverage, LEAST)
    return KnownPairs(
        tuple(pair for pairs in kept.values() for pair in pairs), (same, different), coverage, problem
    )


def translations(model: Model, known: KnownPairs, options: ComparingOptions) -> tuple[Floats, Floats]:
    """The cosines of the translations of the pairs of one gender and of two (n,), NaN where one of a pair is not known."""
    words = list(dict.fromkeys(word for pair in known.pairs for word in pair.reference or ()))
    rows = model.embed(words, options.level)
    reasons = dict(zip(words, why_lost(model, words, rows, options), strict=True))
    places = {word: place for place, word in enumerate(words)}
    found = np.full(len(known.pairs), np.nan)
    usable = [
        place
        for place, pair in enumerate(known.pairs)
        if pair.reference and not any(reasons[word] for word in pair.reference)
    ]
    pairs = [reference for place in usable if (reference := known.pairs[place].reference)]
    found[usable] = _cosines(rows, [(places[first], places[second]) for first, second in pairs])
    count = known.coverage.used[ROLES[0]]
    return found[:count], found[count:]


def places_of(pairs: Sequence[NounPair], places: dict[str, int]) -> list[tuple[int, int]]:
    """The rows of both words of each pair."""
    return [(places[pair.first], places[pair.second]) for pair in pairs]


def _cosines(rows: npt.NDArray[np.float32], pairs: Sequence[tuple[int, int]]) -> Floats:
    if not pairs:
        return np.empty(0)
    first, second = (unit_rows(rows[[pair[side] for pair in pairs]]) for side in (0, 1))
    cosines: Floats = np.clip((first * second).sum(axis=1), -1.0, 1.0)
    return cosines

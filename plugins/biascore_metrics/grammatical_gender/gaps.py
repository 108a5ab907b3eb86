"""Mean cosines of pairs of words of one gender and of two: over the pairs of a file, and over all pairs of some nouns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.api.metrics import Contrast, Coverage, LostWord, Model, Total, item_table
from biascore.api.support import REPEATED
from biascore.designs.before_after import Places
from biascore.designs.same_words import ComparingOptions, Floats, embed_on
from biascore.designs.words import composed, spelling, why_lost
from biascore_metrics.grammatical_gender.formats import DIFFERENT, SAME, NounPair
from biascore_metrics.grammatical_gender.kind import FEMININE, MASCULINE, NounClass

ROLES: Final = {"pairs of one gender": SAME, "pairs of two genders": DIFFERENT}
NOTHING: Final = Coverage(given={}, used={})
ITSELF: Final = "a word and itself"


@dataclass(frozen=True, slots=True)
class PairGaps:
    """Pairs of one gender, then of two, with their cosines by state (k, n), and of their translations (n,), NaN for none."""

    pairs: Sequence[NounPair]
    cosines: tuple[Floats, Floats]
    coverage: Coverage
    reference: tuple[Floats, Floats] | None = None

    estimator: ClassVar[Contrast | Total] = Contrast(
        groups={f"{SAME} gender": 1.0, f"{DIFFERENT} gender": -1.0}
    )
    item_value: ClassVar[str] = "cosine of the pair"

    @classmethod
    def of(
        cls,
        models: Sequence[Model],
        pairs: Sequence[NounPair],
        options: ComparingOptions,
        second: Model | None = None,
    ) -> Self:
        """The pairs both of whose words every one of the models has a usable vector for; translations in the ``second``."""
        words = list(dict.fromkeys(word for pair in pairs for word in pair[:2]))
        every = [model.embed(words, options.level) for model in models]
        reasons = [
            dict(zip(words, why_lost(model, words, rows, options), strict=True))
            for model, rows in zip(models, every, strict=True)
        ]
        lost: list[LostWord] = []
        kept: dict[str, list[NounPair]] = {role: [] for role in ROLES}
        given = {role: [one for one in pairs if one.relation == relation] for role, relation in ROLES.items()}
        for role, own in given.items():
            seen: set[frozenset[str]] = set()
            for pair in own:
                unknown = (f"{w!r} is {found[w]}" for found in reasons for w in pair[:2] if found[w])
                why = "; ".join(dict.fromkeys(unknown))
                if not why and options.duplicates == "drop":
                    key = frozenset(map(spelling, pair[:2]))
                    why = ITSELF if len(key) == 1 else REPEATED if key in seen else ""
                    seen.add(key)
                if why:
                    lost.append(LostWord(word=pair.text, role=role, reason=why))
                else:
                    kept[role].append(pair)
        coverage = Coverage(
            given={role: len(own) for role, own in given.items()},
            used={role: len(own) for role, own in kept.items()},
            lost=tuple(lost),
            composed=composed(models[0], {"pairs": words}),
        )
        places = {word: place for place, word in enumerate(words)}
        both = ([pair[:2] for pair in own] for own in kept.values())
        same, different = (np.stack([_cosines(rows, own, places) for rows in every]) for own in both)
        found = [pair for own in kept.values() for pair in own]
        if second is None:
            return cls(found, (same, different), coverage)
        translated = _translations(second, found, options)
        reference = translated[: same.shape[1]], translated[same.shape[1] :]
        return cls(found, (same, different), coverage, reference)

    def means(self, place: int, drawn: Places) -> tuple[Floats, Floats]:
        """Mean cosines of the pairs drawn."""
        same, different = (
            side[place][own].mean(axis=1) for side, own in zip(self.cosines, drawn, strict=True)
        )
        return same, different

    def of_translations(self, drawn: Places) -> Floats:
        """The gap of the translations of the pairs drawn (rows,); NaN where none of them has one."""
        same, different = (
            _mean_of_known(side[own]) for side, own in zip(self.reference or (), drawn, strict=True)
        )
        return same - different

    def items(self) -> pa.Table:
        """The pairs with their cosines, and those of their translations."""
        old, new = (np.concatenate([side[place] for side in self.cosines]).tolist() for place in (0, -1))
        more = {"before": old} if len(self.cosines[0]) > 1 else {}
        if self.reference is not None:
            translated = np.concatenate(self.reference).tolist()
            more["translation"] = [None if np.isnan(one) else one for one in translated]
        groups = [f"{pair.relation} gender" for pair in self.pairs]
        return item_table([pair.text for pair in self.pairs], groups, new, more)


@dataclass(frozen=True, slots=True)
class NounGaps:
    """Unit vectors of masculine and of feminine nouns, by state: (n, d) each."""

    masculine: Sequence[Floats]
    feminine: Sequence[Floats]
    names: Sequence[str] = ()
    coverage: Coverage = NOTHING

    estimator: ClassVar[Contrast | Total] = Total(cluster=("item", "group"))
    item_value: ClassVar[str] = "mean cosine with own gender less with the other"

    @classmethod
    def of(cls, models: Sequence[Model], both: Sequence[NounClass], options: ComparingOptions) -> Self:
        """The nouns of two classes that every one of the models has a usable vector for."""
        words = embed_on(models, {one.name: one.scored for one in both}, options.level, options)
        masculine, feminine = (
            [unit_rows(one[gender]) for one in words.vectors] for gender in (MASCULINE, FEMININE)
        )
        names = [name for one in both for name in words.words[one.name]]
        return cls(masculine, feminine, names, words.coverage)

    def means(self, place: int, drawn: Places) -> tuple[Floats, Floats]:
        """Over all pairs of the nouns drawn; a noun that is drawn twice makes no pair with itself."""
        own = total = np.zeros(len(drawn[0]))
        sums = []
        for unit, some in zip((self.masculine[place], self.feminine[place]), drawn, strict=True):
            counts = _counts(some, len(unit))
            with_itself = (counts**2).sum(axis=1)
            sums.append(counts @ unit)
            own = own + (sums[-1] ** 2).sum(axis=1) - with_itself
            total = total + some.shape[1] ** 2 - with_itself
        across = (sums[0] * sums[1]).sum(axis=1) / (drawn[0].shape[1] * drawn[1].shape[1])
        return own / total, across

    def items(self) -> pa.Table:
        """The nouns with their mean cosines, and what each adds to the gap."""
        groups = [MASCULINE] * len(self.masculine[0]) + [FEMININE] * len(self.feminine[0])
        old, new = (np.concatenate(self.of_each(place)).tolist() for place in (0, -1))
        more = {"contribution": self.contributions(-1).tolist()}
        return item_table(
            self.names, groups, new, more | ({"before": old} if len(self.masculine) > 1 else {})
        )

    def of_each(self, place: int) -> tuple[Floats, Floats]:
        """For each masculine and each feminine noun (n,): its mean cosine with its own gender less that with the other."""
        found = []
        both = (self.masculine[place], self.feminine[place])
        for unit, other in (both, both[::-1]):
            own = (unit @ unit.sum(axis=0) - 1) / (len(unit) - 1)
            found.append(own - unit @ other.mean(axis=0))
        return found[0], found[1]

    def contributions(self, place: int) -> Floats:
        """What each noun (n,), the masculine ones first, adds to the gap: an equal share, and its influence.

        Of each pair either noun has half. As it is drawn with its pairs, its influence is twice that of its half (Hoeffding
        1948, Annals of Mathematical Statistics 19:293).
        """
        both = (self.masculine[place], self.feminine[place])
        count, pairs = sum(map(len, both)), sum(len(unit) * (len(unit) - 1) for unit in both)
        own = []
        for unit, other in (both, both[::-1]):
            across = unit @ other.mean(axis=0) / (2 * len(unit))
            own.append((unit @ unit.sum(axis=0) - 1) / pairs - across)
        halves = np.concatenate(own)
        found: Floats = 2 * halves - halves.sum() / count
        return found


Gaps = PairGaps | NounGaps


def unit_rows(rows: npt.NDArray[np.float32]) -> Floats:
    """The vectors (n, d), none of them zero, at length one."""
    exact = rows.astype(np.float64)
    unit: Floats = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return unit


def _cosines(
    rows: npt.NDArray[np.float32], pairs: Sequence[Sequence[str]], places: Mapping[str, int]
) -> Floats:
    """The cosine (n,) of both words of each pair, whose vectors are in these places."""
    first, second = (unit_rows(rows[[places[pair[side]] for pair in pairs]]) for side in (0, 1))
    cosines: Floats = np.clip((first * second).sum(axis=1), -1.0, 1.0)
    return cosines


def _translations(model: Model, pairs: Sequence[NounPair], options: ComparingOptions) -> Floats:
    """The cosines (n,) of the translations of pairs, NaN where one of both words is not known."""
    words = list(dict.fromkeys(word for pair in pairs for word in pair.reference or ()))
    rows = model.embed(words, options.level)
    usable = [not why for why in why_lost(model, words, rows, options)]
    places = {word: place for place, word in enumerate(words) if usable[place]}
    known = [bool(pair.reference) and all(word in places for word in pair.reference or ()) for pair in pairs]
    found = np.full(len(pairs), np.nan)
    kept = [pair.reference for pair, there in zip(pairs, known, strict=True) if there and pair.reference]
    found[known] = _cosines(rows, kept, places)
    return found


def _counts(drawn: npt.NDArray[np.intp], size: int) -> Floats:
    """How often each of so many was drawn: (rows, size)."""
    places = drawn + size * np.arange(len(drawn))[:, None]
    counts = np.bincount(places.ravel(), minlength=len(drawn) * size)
    return counts.reshape(len(drawn), size).astype(np.float64)


def _mean_of_known(cosines: Floats) -> Floats:
    known = np.isfinite(cosines)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: Floats = np.where(known, cosines, 0.0).sum(axis=1) / known.sum(axis=1)
    return mean

"""The samples that a measurement uses: those of the stereotypes that are not excluded, and which a list confounds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from biascore.api.stimuli import Catalogue, Origin, Test
from biascore.errors import OptionsError
from biascore.stats import Unreachable
from biascore.stats.attainable import of_partitions
from biascore_metrics.gest.kind import GenderedSample, GenderPairsTest, Sample, SamplesTest, Stereotype
from biascore_metrics.gest.options import GestOptions


@dataclass(frozen=True, slots=True)
class Chosen:
    """Stereotypes by id, in the order of ids."""

    stereotypes: tuple[Stereotype, ...]

    @classmethod
    def of(cls, test: Test, exclude: Sequence[int]) -> Self:
        """The test's stereotypes without those excluded.

        Raises OptionsError where an id is unknown, or where none is left about women or about men.
        """
        assert isinstance(test, SamplesTest | GenderPairsTest)
        every = (test.samples if isinstance(test, SamplesTest) else test.pairs).stereotypes
        known = {stereotype.id for stereotype in every}
        unknown = [id for id in exclude if id not in known]
        if unknown:
            raise OptionsError(
                f"{test.id} has no stereotype {unknown[0]} to exclude; it has: {', '.join(map(str, sorted(known)))}"
            )
        left = sorted((one for one in every if one.id not in exclude), key=lambda one: one.id)
        for gender in ("female", "male"):
            if not any(one.gender == gender for one in left):
                raise OptionsError(
                    f"{test.id}: no stereotype with gender = {gender!r} is left to compare with. Exclude fewer, or "
                    "give a file with stereotypes about both women and men"
                )
        return cls(tuple(left))

    def unreachable(self, options: GestOptions) -> tuple[Unreachable, ...]:
        """What a test of so few stereotypes cannot show."""
        men = int(self.male.sum())
        least = of_partitions(men, len(self.stereotypes) - men, "stereotypes", options.alternative)
        return Unreachable.detected(least, options.alpha)

    @property
    def male(self) -> npt.NDArray[np.bool_]:
        """Which of the stereotypes are about men, shape (stereotypes,)."""
        return np.array([stereotype.gender == "male" for stereotype in self.stereotypes])

    @property
    def by_id(self) -> dict[int, Stereotype]:
        """The stereotypes by id."""
        return {stereotype.id: stereotype for stereotype in self.stereotypes}

    def samples(self, test: SamplesTest, options: GestOptions) -> tuple[Sample, ...]:
        """The samples of these stereotypes, by stereotype and then in the order of the test; repeats by ``duplicates``."""
        kept = [one for one in test.samples.rows if one.stereotype in self.by_id]
        if options.duplicates == "drop":
            kept = list(dict.fromkeys(kept))
        return tuple(sorted(kept, key=lambda one: one.stereotype))

    def pairs(self, test: GenderPairsTest) -> tuple[GenderedSample, ...]:
        """The pairs of these stereotypes, in the order of the test."""
        return tuple(one for one in test.pairs.rows if one.stereotype in self.by_id)

    def given(self, ids: Sequence[int]) -> dict[str, int]:
        """How many of ``ids`` there are of each stereotype, by its label; 0 where there is none."""
        counts = Counter(ids)
        return {stereotype.label: counts[stereotype.id] for stereotype in self.stereotypes}


@dataclass(frozen=True, slots=True)
class Confound:
    """A topical check: do samples that speak of these words differ from the others of their kind?"""

    address: str
    words: tuple[str, ...]
    gender: str
    match: str

    @classmethod
    def of(cls, options: GestOptions, catalogue: Catalogue) -> Confound | None:
        """The check that the options ask for; raises UnknownNameError where there is no such word list."""
        if options.confound is None:
            return None
        words = catalogue.word_list(options.confound).words
        return cls(options.confound, words, options.confound_of, options.confound_match)

    @staticmethod
    def read_from(options: GestOptions, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The file of the list that the options name, if they do."""
        return () if options.confound is None else (catalogue.origin(options.confound),)

    def holds(self, sentence: str, stereotype: Stereotype) -> bool:
        """Whether the sample is one that the check is about."""
        if stereotype.gender != self.gender:
            return False
        if self.match == "substring":
            return any(word in sentence for word in self.words)
        whole = "|".join(map(re.escape, self.words))
        return re.search(rf"(?<!\w)(?:{whole})(?!\w)", sentence, re.IGNORECASE) is not None

    @property
    def shown(self) -> str:
        """The check in words, for the conventions of a result."""
        how = "whole words" if self.match == "word" else "parts of words"
        return f"samples of {self.gender} stereotypes that hold one of {', '.join(self.words)} as {how} ({self.address})"

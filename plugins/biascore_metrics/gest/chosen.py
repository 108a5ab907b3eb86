"""The samples that a measurement uses: those of stereotypes that are not excluded, with their values and conventions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from typing_extensions import TypeVar

from biascore.api.metrics import Caveat, Coverage, Scalar, item_table
from biascore.api.stimuli import Catalogue, Origin, Test
from biascore.designs import DecidedMetric
from biascore.designs.words import covered
from biascore.errors import OptionsError
from biascore.stats import Unreachable
from biascore.stats.attainable import of_partitions
from biascore_metrics.gest.estimates import ByStereotype, Floats
from biascore_metrics.gest.kind import GenderPairsTest, Sample, SamplesTest, Stereotype
from biascore_metrics.gest.options import GestOptions

OptionsT = TypeVar("OptionsT", bound=GestOptions, default=GestOptions)
TestT = TypeVar("TestT", bound=Test, default=Test)


class GestMetric(DecidedMetric[OptionsT, TestT]):
    """What GEST checks and states beforehand, whatever it asks."""

    rule = (
        "Detected when the stereotypes about men differ from those about women in a permutation test over stereotypes, at "
        "level alpha; a masculine default, when the pooled masculine share of translations differs from 1/2 in a t test "
        "with an error by stereotype (CR2)."
    )

    def check(self, test: TestT, catalogue: Catalogue) -> None:
        """Raise what is wrong with the test, the excluded stereotypes or the confounding list."""
        Chosen.of(test, self.options.exclude)
        Confound.of(self.options, catalogue)

    def extra_stimuli(self, test: TestT, catalogue: Catalogue) -> tuple[Origin, ...]:
        address = self.options.confound
        return () if address is None else (catalogue.origin(address),)

    def unreachable(self, test: TestT) -> tuple[Unreachable, ...]:
        """What a test of so few stereotypes cannot show."""
        men = [one.gender == "male" for one in Chosen.of(test, self.options.exclude).stereotypes]
        sizes = sum(men), len(men) - sum(men)
        least = of_partitions(*sizes, "stereotypes", self.options.alternative)
        return Unreachable.detected(least, self.options.alpha)


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

    @property
    def by_id(self) -> dict[int, Stereotype]:
        """The stereotypes by id."""
        return {one.id: one for one in self.stereotypes}

    def samples(self, test: SamplesTest, options: GestOptions) -> tuple[Sample, ...]:
        """The samples of these stereotypes, by stereotype and then in the order of the test; repeats by ``duplicates``."""
        rows = test.samples.rows if options.duplicates == "keep" else dict.fromkeys(test.samples.rows)
        by_id = self.by_id
        return tuple(sorted((s for s in rows if s.stereotype in by_id), key=lambda s: s.stereotype))

    def of_each(self, scored: Scored) -> list[Stereotype]:
        """The stereotype of each sample."""
        by_id = self.by_id
        return [by_id[id] for id in scored.about]

    def by_stereotype(self, scored: Scored, values: Floats) -> ByStereotype:
        """Values (n,) by stereotype, each of which their mean represents."""
        about, known = np.array(scored.about), np.isfinite(values)
        groups = tuple(values[(about == one.id) & known] for one in self.stereotypes)
        centres = np.array([some.mean() if some.size else np.nan for some in groups])
        return ByStereotype(self.stereotypes, groups, centres)

    def held(self, scored: Scored, confound: Confound) -> Floats:
        """The mean values of the samples that a topical check is about."""
        pairs = zip(scored.sentences, self.of_each(scored), strict=True)
        holds = np.array([confound.holds(*pair) for pair in pairs], dtype=bool)
        return scored.means[holds & np.isfinite(scored.means)]

    def coverage(self, scored: Scored) -> Coverage:
        """How many samples of each stereotype there are, and why some are lost."""
        roles = [one.label for one in self.of_each(scored)]
        used = Counter(role for role, why in zip(roles, scored.lost, strict=True) if not why)
        every = zip(scored.texts, roles, scored.lost, strict=True)
        return covered(
            {one.label: used[one.label] for one in self.stereotypes}, (one for one in every if one[2])
        )

    def items(self, scored: Scored) -> pa.Table:
        """The samples with their mean values, each of several, and the further columns."""
        several = dict(zip(scored.names, scored.values.T, strict=True)) if len(scored.names) > 1 else {}
        return item_table(
            item=scored.texts,
            group=[one.label for one in self.of_each(scored)],
            value=_cells(scored.means),
            more={
                "about": [one.gender for one in self.of_each(scored)],
                **{name: _cells(values) for name, values in several.items()},
                **scored.columns,
            },
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Samples (n,) with their values (n, k), NaN where one is ``lost``, for the reason given there, else an empty text.

    ``sentences`` are what a topical check looks at, ``texts`` what the item table shows. ``about`` is the stereotype of
    each, by id. ``names`` (k,) say what the values are, where they are several; ``columns`` are further ones of the table.
    """

    texts: Sequence[str]
    sentences: Sequence[str]
    about: Sequence[int]
    values: Floats
    lost: Sequence[str]
    names: Sequence[str] = ()
    columns: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def means(self) -> Floats:
        """The mean of the values of each sample (n,)."""
        means: Floats = self.values.mean(axis=1)
        return means


def _cells(values: npt.NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


@dataclass(frozen=True, slots=True)
class Confound:
    """A topical check: do samples that speak of these words differ from the others of their kind?"""

    options: GestOptions
    words: tuple[str, ...]

    @classmethod
    def of(cls, options: GestOptions, catalogue: Catalogue) -> Confound | None:
        """The check that the options ask for; raises UnknownNameError where there is no such word list."""
        address = options.confound
        return None if address is None else cls(options, catalogue.word_list(address).words)

    def holds(self, sentence: str, stereotype: Stereotype) -> bool:
        """Whether the sample is one that the check is about."""
        if stereotype.gender != self.options.confound_of:
            return False
        if self.options.confound_match == "substring":
            return any(word in sentence for word in self.words)
        whole = "|".join(map(re.escape, self.words))
        return re.search(rf"(?<!\w)(?:{whole})(?!\w)", sentence, re.IGNORECASE) is not None

    @property
    def shown(self) -> str:
        """The check in words, for the conventions of a result."""
        how = "whole words" if self.options.confound_match == "word" else "parts of words"
        held = f"hold one of {', '.join(self.words)} as {how} ({self.options.confound})"
        return f"samples of {self.options.confound_of} stereotypes that {held}"


def data_conventions(
    test: SamplesTest | GenderPairsTest, options: GestOptions
) -> tuple[dict[str, Scalar], tuple[Caveat, ...]]:
    """What a result states of its data, and a caveat where samples that repeat another one are taken for independent.

    The edition of a data file ("other" where it is none that is known) or the title of a test, the digest, and how many
    samples repeat an earlier one, and whether they count; of pairs repeats never do.
    """
    if isinstance(test, GenderPairsTest):
        return {"data": test.title, "sha256 of the data": test.sha256}, ()
    stated: dict[str, Scalar] = {"data": test.version or test.title, "sha256 of the data": test.sha256}
    many, dropped = len(test.samples.rows) - len(set(test.samples.rows)), options.duplicates == "drop"
    stated["repeated samples"] = f"{many}, {'counted once' if dropped else 'counted each time'}"
    text = f"{many} sample(s) repeat another one; interval and test take them for independent"
    return stated, (Caveat(text),) if many and not dropped else ()

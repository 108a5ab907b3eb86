"""Audits in which harmless groups, of a pool that does not ship, take the place of the tests' groups, on real vectors.

The vectors are read once; shares, p-values, adjustment and harmless audits are the product's own functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from biascore import Engine
from biascore.api.metrics import Context
from biascore.designs.crossed import Crossed
from biascore.designs.frequency_match import FrequencyMatch
from biascore.designs.harmless import DRAWS_OF_PAIRS, LONGEST, WORDS, Groups, _labellings, _usable
from biascore.designs.options import WeatOptions
from biascore.designs.words import embed_words
from biascore.engine.harmless import _audits
from biascore.models.model import Model
from biascore.results.harmless import HarmlessAudits, Shared
from biascore.stats import Adjustment, adjust
from biascore.stats.harmless import NEAR, HarmlessPairs, group_means, leave_two_out, p_of_labels, pair_effects
from biascore.stimuli import Catalogue, Test
from biascore_metrics.weat.weat import Weat
from tests.builders.glove import glove, write_text
from tests.metrics.harmless import ENCODER, Group

ALPHA: Final = 0.05
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


@contextmanager
def opened(which: str) -> Iterator[tuple[Model, Catalogue]]:
    """The encoder, GloVe 50d, or the model of a reference, with the shipped stimuli."""
    with TemporaryDirectory() as folder:
        engine = Engine(cache=Path(folder) / "cache")
        options = {}
        ref = ENCODER if which == "encoder" else which
        if which == "glove":
            ref, options = f"fasttext:{Path(folder) / 'glove.vec'}", {"case": "lower"}
            write_text(Path(folder) / "glove.vec", *glove())
        with engine.model(ref, name=which, **options) as model:
            yield model, engine.catalogue


def battery(catalogue: Catalogue, language: str = "en") -> list[Test]:
    """The tests of the audit by WEAT."""
    name = f"{language}/audit-"
    return [test for test in catalogue.tests if test.id.startswith(name) and test.kind == "weat"]


def vectors(model: Model, pool: Sequence[Group]) -> tuple[list[str], list[Places], Floats]:
    """Of the groups with five usable words or more: names, places of their words, and all vectors at length 1."""
    words = tuple(dict.fromkeys(word for one in pool for word in one.words))
    found = embed_words(model, {"pool": words}, "sentence", WeatOptions(duplicates="keep"))
    exact = found.vectors["pool"].astype(np.float64)
    at = {word: number for number, word in enumerate(found.words["pool"])}
    every = {one.name: np.array([at[word] for word in one.words if word in at]) for one in pool}
    kept = {name: some for name, some in every.items() if len(some) >= 5}
    return list(kept), list(kept.values()), exact / np.linalg.norm(exact, axis=1, keepdims=True)


@dataclass
class Place:
    """A test of the audit, in whose groups' place harmless groups are put.

    ``stay`` (n, d): vectors of X, then Y, at length 1. ``pairs``: what shipped groups give, of which ``effects`` are the
    effect sizes in each draw of words; ``ordered`` their sizes by draw.
    """

    test: Test
    found: Crossed
    stay: Floats
    first: int
    length: int
    pairs: HarmlessPairs
    effects: list[Floats]
    ordered: list[Floats]
    options: WeatOptions
    rng: np.random.Generator
    _kept: list[Floats] | None = None
    _observed: Floats | None = None

    @classmethod
    def of(
        cls, model: Model, catalogue: Catalogue, test: Test, seed: int, longest: int = LONGEST
    ) -> Place | None:
        """None where there are no harmless groups for the test."""
        metric = Weat(WeatOptions())
        rng = np.random.default_rng(seed)
        asked = FrequencyMatch.of(model, test).test
        context = Context(rng, seed, catalogue, lambda _: model)
        found = metric.associate(model, asked, context)
        groups = Groups.of(asked, catalogue, metric.options)
        of_groups = metric.associate_groups(model, asked, found, groups, context)
        length, names, usable = _usable(groups, of_groups, longest)
        if len(usable) < 25:
            return None
        first = found.size("X")
        means = [group_means(of_groups.scores, usable, length, rng) for _ in range(DRAWS_OF_PAIRS)]
        effects = [pair_effects(one, first, metric.options.ddof) for one in means]
        assert found.vectors is not None
        exact = np.concatenate([found.vectors["X"], found.vectors["Y"]]).astype(np.float64)
        stay = exact / np.linalg.norm(exact, axis=1, keepdims=True)
        above = np.triu_indices(len(usable), 1)
        pairs = HarmlessPairs(
            names, *above, np.mean([leave_two_out(one) for one in effects], axis=0), np.empty(0)
        )
        ordered = [np.sort(np.abs(one[above])) for one in effects]
        made = cls(test, found, stay, first, length, pairs, effects, ordered, metric.options, rng)
        p_value = made.p_values(group_means(of_groups.scores, usable, WORDS, rng))
        made.pairs = HarmlessPairs(names, *above, pairs.share, p_value)
        return made

    def p_values(self, means: Floats) -> Floats:
        """The permutation p of each pair of groups with these means (n, t)."""
        if self._kept is None:
            sample = self.found.sample(self.test)
            labellings, self._observed = _labellings(sample, ALPHA, self.rng)
            self._kept = [some.astype(np.float32) for some in labellings]
        assert self._observed is not None
        return p_of_labels(means, (some.astype(np.float64) for some in self._kept), self._observed)

    def forget(self) -> None:
        """Free the labellings, which take the room."""
        self._kept = None

    def shares(self, sizes: Sequence[Floats]) -> Floats:
        """The share of harmless pairs that reach effects, given in each draw."""
        found = [
            (1 + len(ordered) - np.searchsorted(ordered, np.abs(size) - NEAR)) / (1 + len(ordered))
            for size, ordered in zip(sizes, self.ordered, strict=True)
        ]
        return np.asarray(np.mean(found, axis=0))

    def other(self, usable: Sequence[Places], units: Floats) -> tuple[Floats, Floats, Floats]:
        """Effect, share and p-value (t, t) of each pair of other groups in the place of the test's own."""
        scores = self.stay @ units.T
        whole = np.column_stack([scores[:, some].mean(axis=1) for some in usable])
        above = np.triu_indices(len(usable), 1)
        sizes = [
            pair_effects(group_means(scores, usable, self.length, self.rng), self.first, self.options.ddof)[
                above
            ]
            for _ in self.ordered
        ]
        share, p_value = (np.ones((len(usable), len(usable))) for _ in range(2))
        share[above], p_value[above] = self.shares(sizes), self.p_values(whole)
        effects = pair_effects(whole, self.first, self.options.ddof)
        return effects, np.minimum(share, share.T), np.minimum(p_value, p_value.T)


def places(model: Model, catalogue: Catalogue, seed: int = 1, longest: int = LONGEST) -> list[Place]:
    """Those of the English audit."""
    found = []
    for test in battery(catalogue):
        place = Place.of(model, catalogue, test, seed, longest)
        if place is not None:
            place.forget()
            found.append(place)
    return found


def audited(which: Sequence[str]) -> Iterator[tuple[str, Model, Catalogue, list[Place]]]:
    """Each of these models, of both without any, with the shipped stimuli and the tests of its audit."""
    for name in which or ("encoder", "glove"):
        with opened(name) as (model, catalogue):
            yield name, model, catalogue, places(model, catalogue)


def by_groups(found: Sequence[Place]) -> list[list[int]]:
    """The tests of each pair of groups."""
    pairs: dict[tuple[str, str], list[int]] = {}
    for number, one in enumerate(found):
        pairs.setdefault((one.test.roles["A"].name, one.test.roles["B"].name), []).append(number)
    return list(pairs.values())


def drawn_groups(
    found: Sequence[Place], pool: Sequence[Group], names: Sequence[str], audits: int, rng: np.random.Generator
) -> list[dict[int, tuple[int, int]]]:
    """For each audit and test a pair of groups of the pool, one for all tests of a pair; none is about what these touch."""
    about = {one.name: set(one.about) for one in pool}
    free = []
    for members in by_groups(found):
        touched = {tag for number in members for tag in found[number].test.touches}
        own = [place for place, name in enumerate(names) if not about[name] & touched]
        free.append((members, list(combinations(own, 2))))
    drawn = []
    for _ in range(audits):
        taken: dict[int, tuple[int, int]] = {}
        for members, pairs in free:
            while (pair := pairs[rng.integers(len(pairs))]) in taken.values():
                pass
            taken.update(dict.fromkeys(members, pair))
        drawn.append(taken)
    return drawn


def own_audits(found: Sequence[Place], how: Adjustment, seed: int = 0) -> HarmlessAudits:
    """The harmless audits that a run of these tests draws from the shipped groups."""
    measurement = SimpleNamespace(p_value=1.0, alpha=ALPHA, specificity=SimpleNamespace(level=0.05))
    measured: list[Any] = [None] * len(found)
    for key, members in enumerate(by_groups(found)):
        for number in members:
            groups = ((str(key),),)
            measured[number] = SimpleNamespace(
                measurement=measurement, pairs=partial(getattr, found[number], "pairs"), groups=groups
            )
    return _audits("model", measured, how, np.random.default_rng(seed))


def decided(p_values: Floats, shares: Floats, how: Adjustment) -> tuple[npt.NDArray[np.bool_], list[Shared]]:
    """Which tests (audits, tests) are detected, and of each audit how many and the smallest share."""
    adjusted = np.stack([adjust(list(row), how) for row in p_values])
    detected = (adjusted <= ALPHA) & (shares <= 0.05)
    smallest = np.where(detected, shares, 1.0).min(axis=1)
    counts = detected.sum(axis=1)
    return detected, [Shared(int(many), float(least)) for many, least in zip(counts, smallest, strict=True)]


def percent(values: Sequence[float] | Floats) -> str:
    """A mean in percent, with its standard error over these values."""
    some = 100 * np.asarray(values, dtype=np.float64)
    return f"{some.mean():.1f} ({some.std(ddof=1) / np.sqrt(len(some)):.1f})"

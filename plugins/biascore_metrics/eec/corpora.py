"""The corpora of one measurement: one, or several that share one regression.

Corpora of other languages and groups compare other levels. Of several corpora a factor is read as they all have it, or,
where its levels differ, as the reference of each corpus and the others. A name that is in several is one name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from biascore.api.stimuli import Catalogue
from biascore.api.support import listed, quoted
from biascore.errors import OptionsError
from biascore_metrics.eec.options import EecOptions
from biascore_metrics.eec.rows import CORPUS, Rows, Texts, rows_of
from biascore_metrics.eec.sentences import EquityTest

if TYPE_CHECKING:
    import pandas as pd

REFERENCE, OTHER = "reference", "other"
"""What levels are called that go by another name in each corpus."""
WAY_ON: Final = "Measure each alone, without the option joint"


@dataclass(frozen=True)
class Corpora:
    """The tests that share a regression, the one that is measured first."""

    tests: tuple[EquityTest, ...]
    options: EecOptions

    @classmethod
    def of(cls, test: EquityTest, options: EecOptions, catalogue: Catalogue) -> Corpora:
        """The test and those that the option ``joint`` names.

        Raises UnknownNameError for one that is not there, and OptionsError for one that is no further equity test, or whose
        factors or levels contradict those of the others.
        """
        tests = (test, *further(test, options, catalogue))
        if len(tests) > 1:
            _check_factors(tests)
            _check_levels(tests)
            _check_persons(tests)
        return cls(tests, options)

    @cached_property
    def _frames(self) -> tuple[pd.DataFrame, ...]:
        return tuple(test.rows() for test in self.tests)

    def rows(self, emotion: str) -> Rows:
        """The sentences that are compared for an emotion, of each person once; raises OptionsError as `rows_of` does."""
        parts = [
            rows_of(test, frame, emotion, self.options)
            for test, frame in zip(self.tests, self._frames, strict=True)
        ]
        return (parts[0] if len(parts) == 1 else self._joined(parts)).once()

    @property
    def shared(self) -> Mapping[str, tuple[str, ...]]:
        """The levels of each factor as all corpora have them, or the reference and the others."""
        own = [list(test.factors.values()) for test in self.tests]
        return {
            name: levels if all(set(one[place]) == set(levels) for one in own) else (REFERENCE, OTHER)
            for place, (name, levels) in enumerate(self.tests[0].factors.items())
        }

    def facts(self) -> dict[str, str]:
        """What is to be said of several corpora, by name; nothing of one."""
        if len(self.tests) == 1:
            return {}
        several = [set(_levels_of(test)) for test in self.tests]
        repeated = {
            name for place, names in enumerate(several) for other in several[:place] for name in names & other
        }
        read = [
            f"{name}: {', '.join(f'{one.id} {list(one.factors.values())[place][0]}' for one in self.tests)}"
            for place, (name, levels) in enumerate(self.shared.items())
            if levels == (REFERENCE, OTHER)
        ]
        return {
            "corpora": ", ".join(test.id for test in self.tests)
            + "; a fixed effect of each, and names vary within the corpus in which they stand first",
            **({"reference by corpus": "; ".join(read)} if read else {}),
            "names in several corpora": f"{len(repeated)}, each counted once",
        }

    def _joined(self, parts: Sequence[Rows]) -> Rows:
        names = list(self.tests[0].factors)
        places = [
            tuple(list(test.factors).index(name) for name in part.levels)
            for test, part in zip(self.tests, parts, strict=True)
        ]
        if len(set(places)) > 1:
            raise OptionsError(
                f"the {self.options.persons} of {listed([test.id for test in self.tests])} have levels of different "
                f"factors. {WAY_ON}"
            )
        levels = {names[place]: self.shared[names[place]] for place in places[0]}

        def column(name: str) -> Texts:
            return np.concatenate([getattr(part, name) for part in parts])

        return Rows(
            sentence=column("sentence"),
            template=np.concatenate(
                [
                    [f"{test.id} {id}" for id in part.template]
                    for test, part in zip(self.tests, parts, strict=True)
                ]
            ),
            word=column("word"),
            emotion=column("emotion"),
            person=column("person"),
            agreement=np.concatenate([part.agreement for part in parts]),
            factors={
                name: np.concatenate(
                    [
                        _read(part.factors[own], test.factors[own], self.shared[name])
                        for test, part in zip(self.tests, parts, strict=True)
                        for own in [list(test.factors)[place]]
                    ]
                )
                for place, name in zip(places[0], levels, strict=True)
            },
            levels=levels,
            corpus=np.concatenate(
                [np.full(part.sentence.size, test.id) for test, part in zip(self.tests, parts, strict=True)]
            ),
        )


def further(test: EquityTest, options: EecOptions, catalogue: Catalogue) -> tuple[EquityTest, ...]:
    """The tests that the option ``joint`` names; raises as `Corpora.of` does."""
    found: list[EquityTest] = []
    for id in options.joint:
        one = catalogue.test(id)
        if not isinstance(one, EquityTest):
            raise OptionsError(
                f"joint names {one.id}, which is of kind {one.kind!r}. Name tests of kind 'equity': biascore list tests "
                "--metric eec"
            )
        if one.id in (test.id, *(other.id for other in found)):
            raise OptionsError(
                f"joint names {one.id}, which is measured already. Name each test once, and with --tests only {test.id}"
                if one.id != test.id
                else f"joint names {one.id}, which is the test that is measured. Name others, or another test with --tests"
            )
        found.append(one)
    return tuple(found)


def _check_factors(tests: Sequence[EquityTest]) -> None:
    first = list(tests[0].factors)
    for test in tests:
        own = list(test.factors)
        if len(own) != len(first):
            raise OptionsError(
                f"{tests[0].id} has the factors {listed(first)}, and {test.id} {listed(own)}: one regression takes as "
                f"many of each. {WAY_ON}"
            )
        moved = [name for name in own if name in first and own.index(name) != first.index(name)]
        if moved:
            raise OptionsError(
                f"{quoted(moved[0])} is not in the same place among the factors of {tests[0].id} and of {test.id}, and "
                "factors are joined by place. Order the factors of your test alike"
            )
        if CORPUS in own:
            raise OptionsError(
                f"{test.id} has a factor {CORPUS!r}, as joint corpora have. Call it otherwise in {test.file}"
            )


def _check_levels(tests: Sequence[EquityTest]) -> None:
    """One level must not be a reference in one corpus and something else in another."""
    for place, name in enumerate(tests[0].factors):
        levels = [list(test.factors.values())[place] for test in tests]
        references = {one[0] for one in levels}
        both = sorted(references & {level for one in levels for level in one[1:]})
        if both:
            raise OptionsError(
                f"{quoted(both[0])} of {name} is the reference in one of {listed([test.id for test in tests])} and not in "
                f"another. {WAY_ON}"
            )


def _check_persons(tests: Sequence[EquityTest]) -> None:
    """A name that is in several corpora must be of the same side in all."""
    corpora = Corpora(tuple(tests), EecOptions())
    seen: dict[str, tuple[tuple[str, ...], str]] = {}
    for test in tests:
        for person, levels in _levels_of(test).items():
            read = tuple(
                _read(np.array([level]), own, shared).item()
                for level, own, shared in zip(
                    levels, test.factors.values(), corpora.shared.values(), strict=True
                )
            )
            known, where = seen.setdefault(person, (read, test.id))
            if known != read:
                raise OptionsError(
                    f"{quoted(person)} is {', '.join(known)} in {where} and {', '.join(read)} in {test.id}, so that it is "
                    f"of no one group. {WAY_ON}"
                )


def _levels_of(test: EquityTest) -> dict[str, tuple[str, ...]]:
    """Of each named person the levels."""
    named = {person.id for people in test.persons if people.kind == "name" for person in people.persons}
    return {
        person.id: levels
        for levels, persons in test.cells.items()
        for person in persons
        if person.id in named
    }


def _read(column: Texts, own: Sequence[str], shared: Sequence[str]) -> Texts:
    """Levels of a corpus as all corpora read them."""
    return column if set(own) == set(shared) else np.where(column == own[0], REFERENCE, OTHER)

"""The sentences that are compared for one emotion: of one corpus, or of several that share one regression.

Corpora of other languages and groups compare other levels. Of several corpora a factor is read as they all have it, or,
where its levels differ, as the reference of each corpus and the others. A name that is in several is one name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from biascore.api.stimuli import Catalogue
from biascore.api.support import listed, quoted
from biascore.designs.words import spelling
from biascore.errors import OptionsError
from biascore_metrics.eec.items import COLUMNS, EquityTest
from biascore_metrics.eec.options import KINDS, EecOptions

if TYPE_CHECKING:
    import pandas as pd

Texts: TypeAlias = npt.NDArray[np.str_]
OF: Final = ", "
"""Between the levels of a cell."""
CORPUS: Final = "corpus"
"""The name of the factor that distinguishes several corpora."""
REFERENCE, OTHER = "reference", "other"
"""What levels are called that go by another name in each corpus."""
WAY_ON: Final = "Measure each alone, without the option joint"


@dataclass(frozen=True, eq=False)
class Rows:
    """The sentences of one emotion: the columns of `EquityTest.rows`, of which ``agreement`` is that of the template.

    ``joint``: of several corpora, with a column that names them; their templates carry the name, too.
    """

    emotion: str
    data: pd.DataFrame
    levels: Mapping[str, tuple[str, ...]]
    """Of each factor that is compared, the reference first."""
    joint: bool = False
    repeats: Mapping[str, str] = field(default_factory=dict)
    """Persons who are left out, each with the one whose sentences are the same, of the same levels."""

    def __getitem__(self, column: str) -> Texts:
        """A column of texts (n,)."""
        return self.data[column].to_numpy(np.str_)

    @property
    def factors(self) -> dict[str, Texts]:
        """The level of the person, by factor."""
        return {name: self[name] for name in self.levels}

    @property
    def agreement(self) -> npt.NDArray[np.bool_]:
        """Whether a word of the template agrees with some person (n,)."""
        return self.data["agreement"].to_numpy(np.bool_)

    @cached_property
    def frame(self) -> Texts:
        """Template and word: what the sentences of different persons share."""
        return self._joined(" ", "template", "word")

    @cached_property
    def cell(self) -> Texts:
        """The levels of all factors."""
        return self._joined(OF, *self.levels)

    @property
    def cells(self) -> tuple[str, ...]:
        """All cells in the order of the levels."""
        return tuple(OF.join(levels) for levels in product(*self.levels.values()))

    @property
    def corpora(self) -> tuple[str, ...]:
        """Those of several that share a regression."""
        return tuple(self.data[CORPUS].unique()) if self.joint else ()

    def once(self) -> Rows:
        """The rows without those of persons who repeat another of their cell: one person under two ids is one."""
        said: dict[tuple[str, str], set[str]] = {}
        for person, cell, frame, sentence in zip(
            *(of.tolist() for of in (self["person"], self.cell, self.frame, self["sentence"])), strict=True
        ):
            said.setdefault((person, cell), set()).add(f"{frame} {spelling(sentence)}")
        first: dict[object, str] = {}
        repeats = {
            person: earlier
            for (person, cell), sentences in said.items()
            if (earlier := first.setdefault((cell, frozenset(sentences)), person)) != person
        }
        return replace(self.where(~self.data["person"].isin(list(repeats))), repeats=repeats)

    def where(self, kept: npt.ArrayLike) -> Rows:
        """The rows that are kept."""
        return replace(self, data=self.data[np.asarray(kept)], repeats={})

    def _joined(self, between: str, *columns: str) -> Texts:
        texts = zip(*(self[name].tolist() for name in columns), strict=True)
        return np.array([between.join(row) for row in texts], dtype=np.str_)


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
        tests = [test]
        for one in (catalogue.test(id) for id in options.joint):
            if not isinstance(one, EquityTest):
                raise OptionsError(
                    f"joint names {one.id}, which is of kind {one.kind!r}. Name tests of kind 'equity': biascore list tests "
                    "--metric eec"
                )
            if one.id in (known.id for known in tests):
                raise OptionsError(
                    f"joint names {one.id}, which is "
                    + (
                        "the test that is measured. Name others, or measure another test"
                        if one.id == test.id
                        else f"measured already. Name each test once, and measure {test.id} alone"
                    )
                )
            tests.append(one)
        found = cls(tuple(tests), options)
        if found.joint:
            _check_factors(tests)
            found._check_persons()
        return found

    @property
    def joint(self) -> bool:
        """Whether they are several."""
        return len(self.tests) > 1

    @cached_property
    def shared(self) -> Mapping[str, tuple[str, ...]]:
        """The levels of each factor as all corpora have them, or the reference and the others."""
        own = [list(test.factors.values()) for test in self.tests]
        return {
            name: levels if all(set(one[place]) == set(levels) for one in own) else (REFERENCE, OTHER)
            for place, (name, levels) in enumerate(self.tests[0].factors.items())
        }

    @cached_property
    def _data(self) -> pd.DataFrame:
        """All sentences, with levels as all corpora read them."""
        import pandas as pd

        found = []
        for test in self.tests:
            rows = test.rows()
            data = rows[[*COLUMNS]]
            if self.joint:
                data = data.assign(template=f"{test.id} " + data["template"], **{CORPUS: test.id})
            for (own, levels), (name, shared) in zip(test.factors.items(), self.shared.items(), strict=True):
                read = {"": "", **dict.fromkeys(levels, OTHER), levels[0]: REFERENCE}
                data = data.assign(**{name: rows[own] if {*levels} == {*shared} else rows[own].map(read)})
            found.append(data)
        return pd.concat(found, ignore_index=True)

    def rows(self, emotion: str) -> Rows:
        """The sentences that the options choose for an emotion, of each person once.

        Of noun phrases only the factors count of which they have a level. Raises OptionsError for a template that a test
        does not have, where no factor is left, and where a cell has no sentence.
        """
        options, data = self.options, self._data
        data = data[data["kind"].isin(KINDS[options.persons])]
        agreeing = data.loc[data["agreement"], "template"].unique()
        data = data.assign(agreement=data["template"].isin(agreeing))
        if options.templates == "agreement-free":
            data = data[~data["agreement"]]
        elif options.templates != "all":
            data = data[data["template"].isin([*self._templates(options.templates)])]
        if options.sentences == "own emotion":
            data = data[data["emotion"] == emotion]
        elif options.sentences != "all":
            data = data[(data["emotion"] != "") == (options.sentences == "any emotion")]
        levels = {name: of for name, of in self.shared.items() if (data[name] != "").all()}
        if not levels:
            raise OptionsError(
                f"{self.tests[0].id}: the {options.persons} of its persons have levels of no factor in common. Choose "
                'others with persons="names"'
            )
        found = Rows(emotion, data, levels, self.joint)
        for test in self.tests:
            there = set(found.cell[data[CORPUS] == test.id] if self.joint else found.cell)
            missing = [cell for cell in found.cells if cell not in there]
            if missing:
                chosen = options.templates
                templates = chosen if isinstance(chosen, str) else " and ".join(chosen)
                raise OptionsError(
                    f"{test.id}: no sentence of {emotion} is about {missing[0]} (persons={options.persons}, "
                    f"sentences={options.sentences}, templates={templates}), so nothing can be compared. See what the test "
                    f"has: biascore show {test.id}"
                )
        return found.once()

    def _templates(self, wanted: Sequence[str]) -> Iterator[str]:
        for test in self.tests:
            known = [template.id for template in test.templates.rows]
            unknown = [id for id in wanted if id not in known]
            if unknown:
                raise OptionsError(
                    f"{test.id}: templates has {quoted(unknown[0])}, which the test does not have. It has: {listed(known)}. "
                    f"See them with: biascore show {test.id}"
                )
            yield from (f"{test.id} {id}" if self.joint else id for id in wanted)

    def facts(self) -> dict[str, str]:
        """What is to be said of several corpora, by name; nothing of one."""
        if not self.joint:
            return {}
        names = self._data[self._data["kind"] == "name"]
        repeated = int((names.groupby("person")[CORPUS].nunique() > 1).sum())
        read = [
            f"{name}: {', '.join(f'{one.id} {list(one.factors.values())[place][0]}' for one in self.tests)}"
            for place, (name, levels) in enumerate(self.shared.items())
            if levels == (REFERENCE, OTHER)
        ]
        return {
            "corpora": ", ".join(test.id for test in self.tests)
            + "; a fixed effect of each, and names vary within the corpus in which they stand first",
            **({"reference by corpus": "; ".join(read)} if read else {}),
            "names in several corpora": f"{repeated}, each counted once",
        }

    def _check_persons(self) -> None:
        """A name that is in several corpora must be of the same side in all."""
        names = self._data[self._data["kind"] == "name"]
        sides = names[["person", CORPUS, *self.shared]].drop_duplicates(["person", *self.shared])
        first: dict[str, tuple[str, ...]] = {}
        for person, corpus, *levels in sides.itertuples(index=False, name=None):
            where, *known = first.setdefault(person, (corpus, *levels))
            if known != levels:
                raise OptionsError(
                    f"{quoted(person)} is {', '.join(known)} in {where} and {', '.join(levels)} in {corpus}, so that it is "
                    f"of no one group. {WAY_ON}"
                )


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
    for place, name in enumerate(
        first
    ):  # no level is a reference in one corpus and something else in another
        levels = [list(test.factors.values())[place] for test in tests]
        both = sorted({one[0] for one in levels} & {level for one in levels for level in one[1:]})
        if both:
            raise OptionsError(
                f"{quoted(both[0])} of {name} is the reference in one of {listed([test.id for test in tests])} and not in "
                f"another. {WAY_ON}"
            )

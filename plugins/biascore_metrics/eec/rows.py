"""The sentences that are compared for one emotion, and what is known of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from biascore.api.support import listed, quoted
from biascore.designs.words import spelling
from biascore.errors import OptionsError
from biascore_metrics.eec.options import KINDS, EecOptions
from biascore_metrics.eec.sentences import EquityTest

if TYPE_CHECKING:
    import pandas as pd

Texts: TypeAlias = npt.NDArray[np.str_]
OF: Final = ", "
"""Between the levels of a cell."""
CORPUS: Final = "corpus"
"""What the factor is called that tells several corpora apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Sentences of one emotion by column, each (n,)."""

    sentence: Texts
    template: Texts
    word: Texts
    emotion: Texts
    """Of its word; "" where it has none."""
    person: Texts
    agreement: npt.NDArray[np.bool_]
    """Whether a word of its template agrees with some person."""
    factors: Mapping[str, Texts]
    """The level of the person, by factor."""
    levels: Mapping[str, tuple[str, ...]]
    """Of each factor, the reference first."""
    corpus: Texts
    """Whose sentence it is; of several corpora their templates carry it too."""
    repeats: Mapping[str, str] = field(default_factory=dict)
    """Persons who are left out, each with the one whose sentences are the same, of the same levels."""

    @property
    def frame(self) -> Texts:
        """Template and word: what the sentences of different persons share."""
        return np.char.add(np.char.add(self.template, " "), self.word)

    @property
    def cell(self) -> Texts:
        """The levels of all factors."""
        columns = list(self.factors.values())
        cell = columns[0]
        for column in columns[1:]:
            cell = np.char.add(np.char.add(cell, OF), column)
        return cell

    @property
    def cells(self) -> tuple[str, ...]:
        """All cells in the order of the levels."""
        return tuple(OF.join(levels) for levels in product(*self.levels.values()))

    @property
    def corpora(self) -> tuple[str, ...]:
        """The corpora in their order."""
        return tuple(dict.fromkeys(self.corpus.tolist()))

    @property
    def first_corpus(self) -> Texts:
        """The first corpus in which the person of each row stands."""
        place = {corpus: at for at, corpus in enumerate(self.corpora)}
        first: dict[str, str] = {}
        for person, corpus in zip(self.person.tolist(), self.corpus.tolist(), strict=True):
            if place[corpus] < place.get(first.get(person, ""), len(place)):
                first[person] = corpus
        return np.array([first[person] for person in self.person.tolist()])

    def once(self) -> Rows:
        """The rows without those of persons who repeat another of their cell: one person under two ids is one."""
        said: dict[tuple[str, str], set[str]] = {}
        for person, cell, frame, sentence in zip(
            *(of.tolist() for of in (self.person, self.cell, self.frame, self.sentence)), strict=True
        ):
            said.setdefault((person, cell), set()).add(f"{frame} {spelling(sentence)}")
        first: dict[object, str] = {}
        repeats = {
            person: earlier
            for (person, cell), sentences in said.items()
            if (earlier := first.setdefault((cell, frozenset(sentences)), person)) != person
        }
        return replace(self.where(~np.isin(self.person, list(repeats))), repeats=repeats) if repeats else self

    def where(self, kept: npt.NDArray[np.bool_]) -> Rows:
        """The rows that are kept."""
        return Rows(
            self.sentence[kept], self.template[kept], self.word[kept], self.emotion[kept], self.person[kept],
            self.agreement[kept], {name: of[kept] for name, of in self.factors.items()}, self.levels, self.corpus[kept],
        )  # fmt: skip


def rows_of(test: EquityTest, frame: pd.DataFrame, emotion: str, options: EecOptions) -> Rows:
    """The sentences that the options choose for an emotion, of all ``test.rows()``.

    Of noun phrases only the factors count of which they have a level. Raises OptionsError for a template that the test
    does not have, where no factor is left, and where a cell has no sentence.
    """
    frame = frame[frame["kind"].isin(KINDS[options.persons])]
    agreeing = sorted(set(frame.loc[frame["agreement"], "template"]))
    chosen = _templates(test, options, agreeing)
    kept = frame["template"].isin(chosen)
    if options.sentences == "own emotion":
        kept &= frame["emotion"] == emotion
    elif options.sentences != "all":
        kept &= (frame["emotion"] != "") == (options.sentences == "any emotion")
    rows = frame[kept]
    levels = _levels(test, rows, options)
    found = Rows(
        sentence=rows["sentence"].to_numpy(np.str_),
        template=rows["template"].to_numpy(np.str_),
        word=rows["word"].to_numpy(np.str_),
        emotion=rows["emotion"].to_numpy(np.str_),
        person=rows["person"].to_numpy(np.str_),
        agreement=rows["template"].isin(agreeing).to_numpy(np.bool_),
        factors=MappingProxyType({name: rows[name].to_numpy(np.str_) for name in levels}),
        levels=MappingProxyType(levels),
        corpus=np.full(len(rows), test.id),
    )
    missing = [cell for cell in found.cells if cell not in set(found.cell)]
    if missing:
        raise OptionsError(
            f"{test.id}: no sentence of {emotion} is about {missing[0]}{_told(options)}, so nothing can be compared. See "
            f"what the test has: biascore show {test.id}"
        )
    return found


def _levels(test: EquityTest, rows: pd.DataFrame, options: EecOptions) -> dict[str, tuple[str, ...]]:
    if rows.empty:
        return dict(test.factors)
    levels = {name: of for name, of in test.factors.items() if (rows[name] != "").all()}
    if not levels:
        raise OptionsError(
            f"{test.id}: the {options.persons} of its persons have levels of no factor in common. Choose others with "
            'persons="names"'
        )
    return levels


def _templates(test: EquityTest, options: EecOptions, agreeing: Sequence[str]) -> list[str]:
    known = [template.id for template in test.templates.templates]
    if options.templates == "all":
        return known
    if options.templates == "agreement-free":
        return [id for id in known if id not in agreeing]
    unknown = [id for id in options.templates if id not in known]
    if unknown:
        raise OptionsError(
            f"{test.id}: templates has {quoted(unknown[0])}, which the test does not have. It has: {listed(known)}. "
            f"See them with: biascore show {test.id}"
        )
    return list(options.templates)


def _told(options: EecOptions) -> str:
    """The options that leave sentences out, as a clause."""
    chosen = options.templates
    templates = chosen if isinstance(chosen, str) else " and ".join(chosen)
    return f" (persons={options.persons}, sentences={options.sentences}, templates={templates})"

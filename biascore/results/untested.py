"""What a run did not test: grounds that laws name, kinds of use, and languages."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.wording import and_more

USES: Final = ("associates", "prefers", "chooses", "scores", "translates", "writes")
"""What a model can be tested for, as a metric says in ``use``: what it associates, which of two texts it prefers, …"""
_ALL: Final = 100


class Covered(StrEnum):
    """What became of a ground, in all models in use together."""

    TESTED = "tested"
    """A test of it came to a result on each model."""
    IN_PART = "on some models only"
    ASKED = "asked, not measured"
    """There is a test of it, and on no model a result."""
    NOT = "not tested"


class GroundTold(Frozen):
    """A ground that a law names: where (``articles``), and what became of it; ``concepts`` are those that its tests name."""

    ground: str
    articles: tuple[str, ...]
    state: Covered
    concepts: tuple[str, ...] = ()


class LawTold(Frozen):
    """The grounds that a law names, in its order; ``short`` is what it is called in a sentence."""

    name: str
    title: str
    short: str
    version: str
    source: str
    grounds: tuple[GroundTold, ...]

    def of(self, *states: Covered) -> tuple[str, ...]:
        """The grounds of which this became."""
        return tuple(one.ground for one in self.grounds if one.state in states)

    def counted(self, *states: Covered) -> str:
        """``9 of 16 grounds of the EU Charter``."""
        return f"{len(self.of(*states))} of {len(self.grounds)} grounds of {self.short}"


class Untested(Frozen):
    """What a run tested of the models in use, and what it did not.

    ``laws``: the grounds of each law, those of the audit's own mappings last; ``absent``: mappings whose grounds cannot be
    listed, with the reason. ``nameless``: concepts that name no ground of any law, such as a mixture, each with its tests.
    ``lost``: tests that failed and whose ground an older run does not record. ``uses``: what became of each kind of use,
    ``unknown`` the metrics that state none. ``languages``: what became of those that were asked.
    """

    models: tuple[str, ...]
    laws: tuple[LawTold, ...]
    absent: tuple[str, ...] = ()
    nameless: FrozenMap[tuple[str, ...]]
    lost: tuple[str, ...] = ()
    uses: FrozenMap[Covered]
    unknown: tuple[str, ...] = ()
    languages: FrozenMap[Covered]

    def uses_of(self, *states: Covered) -> tuple[str, ...]:
        """The kinds of use of which this became."""
        return tuple(use for use, state in self.uses.items() if state in states)

    @property
    def spoken(self) -> tuple[str, ...]:
        """The languages in which something was measured."""
        return tuple(one for one, state in self.languages.items() if state is not Covered.ASKED)

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """All of it in sentences, each with what it is about."""
        if not self.models:
            return (("Models in use", "None was measured, so nothing was tested on one."),)
        told = [(f"Grounds of {law.short}", _grounds(law)) for law in self.laws]
        told += [("Other mappings", f"{one}.") for one in self.absent]
        if self.nameless:
            some = "; ".join(f"{concept} ({', '.join(tests)})" for concept, tests in self.nameless.items())
            told.append(
                (
                    "Other tests",
                    f"{some}: these are of no ground above, or of several without an answer for each.",
                )
            )
        if self.lost:
            told.append(
                ("Failed tests", f"{', '.join(self.lost)}: the run does not record of which ground they are.")
            )
        return (*told, ("Kinds of use", self._uses), ("Languages", self._languages))

    @property
    def brief(self) -> str:
        """What was not tested in one line: of the first law, of the kinds of use and of the languages."""
        if not self.models:
            return "no model in use"
        law = self.laws[0] if self.laws else None
        return ", ".join(
            filter(
                None,
                [
                    law.counted(Covered.NOT, Covered.ASKED)
                    if law and law.of(Covered.NOT, Covered.ASKED)
                    else "",
                    self.uses_counted if self.uses_of(Covered.NOT, Covered.ASKED) else "",
                    self.other_languages,
                ],
            )
        )

    @property
    def uses_counted(self) -> str:
        """``5 of 6 kinds of use``; of metrics that state none it may be fewer."""
        most = "up to " if self.unknown else ""
        return f"{most}{len(self.uses_of(Covered.NOT, Covered.ASKED))} of {len(self.uses)} kinds of use"

    @property
    def other_languages(self) -> str:
        """``languages other than English``."""
        return f"languages other than {and_more(self.spoken, 3)}" if self.spoken else "any language"

    @property
    def _uses(self) -> str:
        found = [
            f"{said} what it {_listed(self.uses_of(state))}"
            for state, said in (
                (Covered.TESTED, "tested:"),
                (Covered.IN_PART, "on some models only:"),
                (Covered.ASKED, "asked, not measured:"),
                (Covered.NOT, "not tested:"),
            )
            if self.uses_of(state)
        ]
        if self.unknown:
            found.append(f"of {', '.join(self.unknown)} it is not known what use they test")
        return f"{_capital('; '.join(found))}."

    @property
    def _languages(self) -> str:
        found = [f"tested in {and_more(self.spoken, _ALL)}"] if self.spoken else []
        partly = [one for one, state in self.languages.items() if state is Covered.IN_PART]
        found += [f"in {and_more(partly, _ALL)} on some models only"] if partly else []
        asked = [one for one, state in self.languages.items() if state is Covered.ASKED]
        found += [f"asked, not measured: {', '.join(asked)}"] if asked else []
        return f"{_capital('; '.join([*found, 'no other language was tested' if found else 'no language was tested']))}."


def _grounds(law: LawTold) -> str:
    """``9 of 16 not tested: colour, …; asked, not measured: age.``, or that all were."""
    missing, every = law.of(Covered.NOT), len(law.grounds)
    told = [f"{len(missing)} of {every} not tested: {', '.join(missing)}"] if missing else []
    for state in (Covered.ASKED, Covered.IN_PART):
        some = law.of(state)
        told += [f"{state.value}: {', '.join(some)}"] if some else []
    tested = law.of(Covered.TESTED)
    told += [f"tested: {', '.join(tested)}"] if tested else []
    return f"{_capital('; '.join(told))}."


def _listed(names: tuple[str, ...]) -> str:
    """``prefers, chooses or writes``."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""Kind ``geneval`` in a file of stimuli: pairs of sentences about oneself that state a gender, without references.

The gender of a translation is that of its speaker, so that one file serves every language in which that is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from biascore.api.kinds import (
    About,
    AboutTest,
    ListEntry,
    Lists,
    Prose,
    Reference,
    Section,
    TestEntry,
    Word,
    check_not_empty,
)
from biascore_metrics.mt_geneval.items import (
    FEMININE,
    MASCULINE,
    SPEAKER,
    GenevalLines,
    GenevalTest,
    SpokenLine,
)

KEPT_MEANS = "feminine sentences keep their gender in translation more often than masculine ones"
_Pair = Annotated[tuple[Word, Word], Field(strict=False)]


class SpeakersEntry(ListEntry):
    """``[speakers.NAME]``: pairs of a woman's sentence and a man's."""

    pairs: Annotated[tuple[_Pair, ...], Field(strict=False), AfterValidator(check_not_empty)]

    def build(self, about: About) -> GenevalLines:
        rows = (
            SpokenLine(text, "", "", gender, place)
            for place, pair in enumerate(self.pairs)
            for text, gender in zip(pair, (FEMININE, MASCULINE), strict=True)
        )
        return GenevalLines(rows=tuple(rows), **about)


class GenevalEntry(TestEntry):
    """``[tests.ID]`` of kind ``geneval``: speakers of this file."""

    sections: ClassVar[Any] = {"speakers": Section(SpeakersEntry, "list of speakers")}

    kind: Literal["geneval"]
    speakers: Prose
    positive_means: Prose = KEPT_MEANS

    def references(self) -> Iterator[Reference]:
        yield Reference(("speakers",), self.speakers, ("speakers",))

    def build(self, lists: Lists, about: AboutTest) -> GenevalTest:
        lines = lists["speakers"][self.speakers]
        return GenevalTest(lines=lines, part=SPEAKER, target="", positive_means=self.positive_means, **about)

"""Kind ``winobias``: pairs of sentences in which a pronoun refers to one of two occupations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from biascore.api.kinds import Rows, Stimuli
from biascore.api.queries import Span
from biascore.api.stimuli import Test
from biascore_metrics.coreference.files import ReadWith

MALE, FEMALE = "male", "female"
PRONOUNS: Final = {
    **dict.fromkeys(("he", "him", "his", "himself"), MALE),
    **dict.fromkeys(("she", "her", "hers", "herself"), FEMALE),
}
"""Their gender."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A sentence, the ``mention`` that its pronoun refers to, without an article, and the places of its pronouns.

    They are all of one gender; the first one is asked about.
    """

    text: str
    mention: str
    pronouns: tuple[Span, ...]

    @property
    def pronoun(self) -> str:
        """The first pronoun."""
        return self.text[slice(*self.pronouns[0])]

    @property
    def gender(self) -> str:
        """That of its pronouns."""
        return PRONOUNS[self.pronoun.lower()]

    @property
    def frame(self) -> tuple[str, ...]:
        """What stands between the pronouns."""
        ends = [0, *(place for span in self.pronouns for place in span), len(self.text)]
        return tuple(self.text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class PronounPair:
    """A sentence whose pronoun agrees with the stereotype of the occupation that it refers to, and one where it does not.

    ``item`` is "type1/12", ``part`` "type 1" or "type 2". ``other``: the other occupation of the sentences, without an
    article. ``problem``: why their log odds cannot be compared, if so.
    """

    item: str
    part: str
    pro: Resolved
    anti: Resolved
    other: str
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.pro.text} | {self.anti.text}"

    @property
    def masculine(self) -> str:
        """The occupation that is stereotyped as men's."""
        return self.pro.mention if self.pro.gender == MALE else self.other

    @property
    def feminine(self) -> str:
        """The other one."""
        return self.other if self.pro.gender == MALE else self.pro.mention

    @property
    def occupations(self) -> str:
        """Both: sentences about them are no independent observations."""
        return f"{self.masculine} and {self.feminine}".lower()


class PronounPairs(Rows[PronounPair]):
    """Pairs in the order of their files."""

    key = "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class WinoBiasTest(Test):
    """Kind ``winobias``; ``read_with`` are the files next to the one that it names."""

    pairs: PronounPairs
    read_with: tuple[ReadWith, ...] = ()

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"pairs": self.pairs}

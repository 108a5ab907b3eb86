"""Kind ``geneval``: English sentences that state a gender, each with a reference in it and one in the other gender."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Self

from biascore.api.kinds import Rows, Stimuli
from biascore.api.stimuli import Test
from biascore_metrics.mt_geneval.words import last_part, own_words

FEMININE: Final = "feminine"
MASCULINE: Final = "masculine"
NOT_TOLD: Final = "gender not told"
SAME: Final = "the two references have the same words"
NO_OWN: Final = "the {} reference has no word of its own"


@dataclass(frozen=True, slots=True)
class Line:
    """A source with its reference and the one of the other gender; ``gender`` is empty where the source does not tell it.

    ``pair``: lines of one number are the same sentence in both genders. ``cluster``: what lines go together by, such as
    the document that they are from; empty where it is not known.
    """

    source: str
    own: str
    other: str
    gender: str
    pair: int
    cluster: str = ""

    def __str__(self) -> str:
        return f"{self.source} | {self.own} | {self.other}"

    @property
    def together(self) -> str:
        """What lines that are no independent observations have in common: the cluster, or else the pair."""
        return self.cluster or f"pair {self.pair}"

    @property
    def untold(self) -> str:
        """Why its references cannot show a gender; empty where both have a word of their own."""
        own, other = own_words(self.own, self.other)
        if own and other:
            return ""
        if not own and not other:
            return SAME
        opposite = {FEMININE: MASCULINE, MASCULINE: FEMININE}.get(self.gender, "other")
        return NO_OWN.format(opposite if own else self.gender or "given")

    def asked(self, *, context: bool) -> str:
        """What is translated: the source with the sentence before it, or without."""
        return self.source if context else last_part(self.source)


def in_clusters(lines: Sequence[Line]) -> bool:
    """Whether several pairs, or lines that are no pairs, share a cluster."""
    return len({line.together for line in lines}) < len({line.pair for line in lines})


class GenevalLines(Rows[Line]):
    """Lines in the order of their source; of sentences in both genders the feminine one first."""

    key = "lines"


@dataclass(frozen=True, slots=True, kw_only=True)
class GenevalTest(Test):
    """Kind ``geneval``. ``target``: the language of the references. ``files``: (path, SHA-256) of each file read."""

    lines: GenevalLines
    part: Literal["sentences", "context"]
    target: str
    files: tuple[tuple[str, str], ...] = ()

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"lines": self.lines}

    @property
    def other_files(self) -> tuple[Self, ...]:
        """The test as of each further file that it was read from, so that a run records these."""
        return tuple(
            replace(self, file=path, sha256=sha256) for path, sha256 in self.files if path != self.file
        )

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A translation of each source, as ``answers:`` reads it."""
        return ("text", "translation"), tuple(dict.fromkeys(line.source for line in self.lines.rows))

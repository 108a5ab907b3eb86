"""Kind ``stereoset``: contexts, each with a stereotype, an anti-stereotype and something unrelated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from biascore.api.kinds import Rows, Stimuli
from biascore.api.stimuli import Test

BLANK: Final = "BLANK"
LABELS: Final = ("stereotype", "anti-stereotype", "unrelated")
"""Of the three sentences of a context, in the order in which ``Triple`` has them."""
Part = Literal["intrasentence", "intersentence"]


@dataclass(frozen=True, slots=True)
class Triple:
    """A context and its sentences in the order of ``LABELS``.

    ``target`` is the term that the context is about (``Ethiopian``), ``domain`` its kind (``race``). ``words`` fill the
    blank of the context, in the same order; there are none between sentences. ``family``: terms that are alike, if any.
    """

    item: str
    target: str
    domain: str
    context: str
    sentences: tuple[str, str, str]
    words: tuple[str, ...] = ()
    family: str = ""

    def __str__(self) -> str:
        return f"{self.context} ({' | '.join(self.sentences)})"

    def filled(self, place: int) -> str:
        """The context with a word in its blank."""
        return self.context.replace(BLANK, self.words[place])

    @property
    def start(self) -> int:
        """Where the word begins in the filled context."""
        return self.context.index(BLANK)


class Triples(Rows[Triple]):
    """Triples in the order of their file."""

    key = "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class StereoSetTest(Test):
    """Kind ``stereoset``: the triples of one ``part``."""

    samples: Triples
    part: Part

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"samples": self.samples}

"""Kind ``stereoset``: contexts, each with a stereotype, an anti-stereotype and something unrelated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from biascore.api.kinds import Doubt, Stimuli
from biascore.api.stimuli import Test

BLANK: Final = "BLANK"
LABELS: Final = ("stereotype", "anti-stereotype", "unrelated")
"""Of the three sentences of a context, in the order in which ``Triple`` has them."""
Part = Literal["intrasentence", "intersentence"]


@dataclass(frozen=True, slots=True)
class Triple:
    """A context and its sentences in the order of ``LABELS``.

    ``target`` is the term that the context is about (``Ethiopian``), ``domain`` its kind (``race``). ``words`` fill the
    blank of the context, in the same order; there are none between sentences.
    """

    item: str
    target: str
    domain: str
    context: str
    sentences: tuple[str, str, str]
    words: tuple[str, ...] = ()

    def filled(self, place: int) -> str:
        """The context with a word in its blank."""
        return self.context.replace(BLANK, self.words[place])

    @property
    def start(self) -> int:
        """Where the word begins in the filled context."""
        return self.context.index(BLANK)


@dataclass(frozen=True, slots=True)
class Triples(Stimuli):
    """Triples in the order of their file."""

    name: str
    samples: tuple[Triple, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __len__(self) -> int:
        return len(self.samples)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        return "\n  ".join(f"{one.context} ({' | '.join(one.sentences)})" for one in self.samples)

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {"samples": [asdict(one) for one in self.samples]}


@dataclass(frozen=True, slots=True, kw_only=True)
class StereoSetTest(Test):
    """Kind ``stereoset``: the triples of one ``part``."""

    samples: Triples
    part: Part

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"samples": self.samples}

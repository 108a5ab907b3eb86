"""Kind ``sentence-pairs``: pairs of a more and a less stereotypical sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

from biascore.stimuli.lists import Doubt, Stimuli
from biascore.stimuli.model import Test
from biascore.stimuli.resizing import Resizing, said


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two sentences that differ in the group they speak of (Nangia et al. 2020, whose names these are).

    ``sent_more`` is the more stereotypical one. "stereo": the pair is about a negative stereotype of an
    underprivileged group; "antistereo": about a positive stereotype of a privileged one. ``template``: the name of what
    the pair was made from, if anything; pairs of one template are no independent observations.
    """

    sent_more: str
    sent_less: str
    stereo_antistereo: Literal["stereo", "antistereo"]
    bias_type: str
    template: str = ""


@dataclass(frozen=True, slots=True)
class SentencePairs(Stimuli):
    """Sentence pairs in the order of their source."""

    name: str
    pairs: tuple[SentencePair, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        return "\n  ".join(f"{pair.sent_more} | {pair.sent_less}" for pair in self.pairs)

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {"pairs": [asdict(pair) for pair in self.pairs]}


@dataclass(frozen=True, slots=True, kw_only=True)
class SentencePairsTest(Test):
    """Kind ``sentence-pairs``: pairs of a more and a less stereotypical sentence."""

    pairs: SentencePairs

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"pairs": self.pairs}

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The log-likelihood of each sentence, as ``answers:`` reads it."""
        texts = (text for pair in self.pairs.pairs for text in (pair.sent_more, pair.sent_less))
        return ("sentence", "log_likelihood"), tuple(dict.fromkeys(texts))

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer pairs."""
        pairs = size.items(self.pairs.pairs, _copy)
        return replace(self, pairs=replace(self.pairs, pairs=pairs))


def _copy(pair: SentencePair, number: int) -> SentencePair:
    return replace(
        pair,
        sent_more=said(pair.sent_more, number),
        sent_less=said(pair.sent_less, number),
        template=pair.template and said(pair.template, number),
    )

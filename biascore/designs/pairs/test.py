"""Kind ``sentence-pairs``: pairs of a more and a less stereotypical sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

from biascore.stimuli.lists import Rows
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

    def __str__(self) -> str:
        return f"{self.sent_more} | {self.sent_less}"


class SentencePairs(Rows[SentencePair]):
    """Sentence pairs in the order of their source."""

    key = "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentencePairsTest(Test):
    """Kind ``sentence-pairs``: pairs of a more and a less stereotypical sentence."""

    pairs: SentencePairs

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The log-likelihood of each sentence, as ``answers:`` reads it."""
        texts = (text for pair in self.pairs.rows for text in (pair.sent_more, pair.sent_less))
        return ("sentence", "log_likelihood"), tuple(dict.fromkeys(texts))

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer pairs."""
        pairs = size.items(self.pairs.rows, _copy)
        return replace(self, pairs=self.pairs.of(pairs))


def _copy(pair: SentencePair, number: int) -> SentencePair:
    return replace(
        pair,
        sent_more=said(pair.sent_more, number),
        sent_less=said(pair.sent_less, number),
        template=pair.template and said(pair.template, number),
    )

"""Sentence pairs with the scores of a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import pyarrow as pa

from biascore.designs.mean import least_p, shared
from biascore.designs.pairs.test import SentencePair
from biascore.designs.words import covered
from biascore.results.coverage import Coverage
from biascore.results.measurement import item_table
from biascore.stats import Attainable

EQUAL: Final = "its two sentences are equal"
NOTHING_SHARED: Final = "its two sentences share no token"

Preferred = Literal["more", "less", "neutral"]


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A pair with the scores of its sentences in nats, and the number of tokens scored in both, if any are shared.

    ``perplexities`` are those of the more and of the less stereotypical sentence, where all their tokens were asked for.
    """

    pair: SentencePair
    more: float
    less: float
    preferred: Preferred
    shared: int | None = None
    perplexities: tuple[float, float] | None = None
    lengths: tuple[int, int] | None = None
    """Of the more and of the less stereotypical sentence, where the score depends on them."""

    @classmethod
    def of(
        cls,
        pair: SentencePair,
        more: float,
        less: float,
        decimals: int | None,
        shared: int | None = None,
        perplexities: tuple[float, float] | None = None,
        lengths: tuple[int, int] | None = None,
    ) -> ScoredPair:
        """Compare the scores, rounded to ``decimals`` unless that is None."""
        a, b = (more, less) if decimals is None else (round(more, decimals), round(less, decimals))
        preferred: Preferred = "more" if a > b else "less" if a < b else "neutral"
        return cls(pair, more, less, preferred, shared, perplexities, lengths)

    @property
    def difference(self) -> float:
        """Score of the more stereotypical sentence minus that of the other, not rounded."""
        return self.more - self.less


@dataclass(frozen=True, slots=True)
class Paired:
    """Paired scores: the pairs of a test that a model scored, and those that it could not, with the reason."""

    pairs: tuple[ScoredPair, ...]
    lost: tuple[tuple[SentencePair, str], ...] = ()

    @property
    def given(self) -> int:
        """The number of pairs that the test has."""
        return len(self.pairs) + len(self.lost)

    @property
    def every(self) -> tuple[SentencePair, ...]:
        """All pairs of the test: those that were scored, then those that were lost."""
        return (*(one.pair for one in self.pairs), *(pair for pair, _ in self.lost))

    @property
    def bias_types(self) -> tuple[str, ...]:
        """Every bias type of the test, lost pairs included, in the order of the alphabet."""
        return tuple(sorted({pair.bias_type for pair in self.every}))

    def coverage(self) -> Coverage:
        """Pairs given and used, and every lost one."""
        lost = ((f"{pair.sent_more} | {pair.sent_less}", "pairs", reason) for pair, reason in self.lost)
        return covered({"pairs": len(self.pairs)}, lost)


def clusters_of(pairs: Sequence[SentencePair]) -> list[str]:
    """For each pair its template, or a name of its own where it has none."""
    return [f"template {pair.template}" if pair.template else f"pair {i}" for i, pair in enumerate(pairs)]


def templates_of(pairs: Sequence[SentencePair]) -> dict[str, Sequence[str]]:
    """The templates as `Mean.of` takes clusters; none where no two pairs share one."""
    return shared("templates", clusters_of(pairs))


def least_p_of(pairs: Sequence[SentencePair]) -> Attainable:
    """The smallest p of pairs whose sentences differ, or of their templates."""
    usable = [pair for pair in pairs if pair.sent_more != pair.sent_less]
    return least_p(clusters_of(usable), *templates_of(usable) or ("pairs",))


def count(pairs: Iterable[ScoredPair], preferred: Preferred) -> int:
    """How many of the pairs have this preference."""
    return sum(one.preferred == preferred for one in pairs)


def items(pairs: Sequence[ScoredPair], score: str) -> pa.Table:
    """One row per pair: the more stereotypical sentence, its bias type and the difference; ``score`` names columns."""
    more: dict[str, Sequence[str | float | int | None]] = {
        "sent_less": [one.pair.sent_less for one in pairs],
        "direction": [one.pair.stereo_antistereo for one in pairs],
        f"{score}_more": [one.more for one in pairs],
        f"{score}_less": [one.less for one in pairs],
        "preferred": [one.preferred for one in pairs],
    }
    if any(one.shared is not None for one in pairs):
        more["shared_tokens"] = [one.shared for one in pairs]
    if any(one.lengths is not None for one in pairs):
        more["length_more"], more["length_less"] = (
            [one.lengths and one.lengths[i] for one in pairs] for i in (0, 1)
        )
    return item_table(
        item=[one.pair.sent_more for one in pairs],
        group=[one.pair.bias_type for one in pairs],
        value=[one.difference for one in pairs],
        more=more,
    )

"""Gendered pairs as a masked language model reads them: which count, and the log odds of the token that differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from biascore.api.languages import GenderPair, compare_pair
from biascore.api.metrics import Model
from biascore.api.queries import Masked, Span, TokenLogprobs
from biascore.api.support import REPEATED
from biascore_metrics.gest.answers import PAIRS, UNREAD
from biascore_metrics.gest.kind import GenderedSample
from biascore_metrics.gest.odds import Scored, ScoredSample

REFUSED = {
    "same": "the two versions are equal",
    "length": "the two versions have different numbers of words",
    "several": "several words differ",
    "first_letter": "the words that differ begin with different letters",
    "exception": "the words differ in more than gender",
}
SEVERAL_TOKENS = "not exactly one token of this model differs"
INSEPARABLE = "the token that differs cannot be hidden alone"

Filter = Callable[[str, str], GenderPair | None] | None


@dataclass(frozen=True, slots=True)
class Pair:
    """A masculine and a feminine version, the sample they come from, and why there is no pair (then both are blank)."""

    male: str
    female: str
    sentence: str
    stereotype: int
    lost: str = ""


def given_pairs(pairs: Sequence[GenderedSample]) -> list[Pair]:
    """Pairs from a file; what a topical check looks at is the masculine version."""
    return [Pair(pair.male, pair.female, pair.male, pair.stereotype) for pair in pairs]


@dataclass(frozen=True, slots=True)
class _Read:
    """A pair with the words that differ; ``spans`` is None where it is lost."""

    pair: Pair
    spans: tuple[Span, Span] | None

    def queries(self) -> tuple[Masked, Masked]:
        assert self.spans is not None
        return Masked(self.pair.male, (self.spans[0],)), Masked(self.pair.female, (self.spans[1],))


def score_pairs(model: Model, pairs: Sequence[Pair], gender_pair: Filter, *, given: bool) -> Scored:
    """Log odds of each usable pair, in nats; ``given``: the model holds them, by the masculine version.

    Usable are pairs that differ in one word with one first letter, each once, and in one token of the model
    (Pikuliak et al. 2023, section 4.3.2). That token is hidden in both versions, the rest of the word is not.
    """
    read = [_read(pair, gender_pair) for pair in _once(pairs)]
    usable = [i for i, one in enumerate(read) if one.spans]
    odds: list[float | str] = [one.pair.lost for one in read]
    if given:
        texts = [read[i].pair.male for i in usable]
        for i, score in zip(usable, model.score(texts, PAIRS, in_nats=True), strict=True):
            odds[i] = float(score)
    else:
        for i, found in zip(usable, _ask(model, [read[i] for i in usable]), strict=True):
            odds[i] = found
    samples = tuple(_sample(one.pair, found) for one, found in zip(read, odds, strict=True))
    return Scored(samples, ("pairs",), ("female",))


def _once(pairs: Sequence[Pair]) -> list[Pair]:
    seen: set[tuple[str, str]] = set()
    found = []
    for pair in pairs:
        key = (pair.male, pair.female)
        found.append(replace(pair, lost=REPEATED) if not pair.lost and key in seen else pair)
        seen.add(key)
    return found


def _read(pair: Pair, gender_pair: Filter) -> _Read:
    if pair.lost:
        return _Read(pair, None)
    found = compare_pair(pair.male, pair.female)
    if not isinstance(found, GenderPair):
        return _Read(replace(pair, lost=REFUSED[found]), None)
    if gender_pair is not None and gender_pair(pair.male, pair.female) is None:
        return _Read(replace(pair, lost=REFUSED["exception"]), None)
    return _Read(pair, (found.masculine_span, found.feminine_span))


def _ask(model: Model, read: Sequence[_Read]) -> list[float | str]:
    """Ask for the words first, which shows their tokens, then for those tokens that stand among others."""
    words = model.mask_logprob([query for one in read for query in one.queries()], unread="empty")
    found: list[float | str] = []
    again: list[tuple[int, _Read]] = []
    for one, male, female in zip(read, words[::2], words[1::2], strict=True):
        narrowed = _differing(male, female)
        if isinstance(narrowed, str):
            found.append(narrowed)
        elif len(male.tokens) == 1:
            found.append(male.total - female.total)
        else:
            again.append((len(found), _Read(one.pair, narrowed)))
            found.append("")
    tokens = model.mask_logprob([query for _, one in again for query in one.queries()], unread="empty")
    for (place, _), male, female in zip(again, tokens[::2], tokens[1::2], strict=True):
        alone = len(male.tokens) == len(female.tokens) == 1
        found[place] = male.total - female.total if alone else INSEPARABLE
    return found


def _differing(male: TokenLogprobs, female: TokenLogprobs) -> tuple[Span, Span] | str:
    """The characters of the one token that differs, or why there is none."""
    if not male.tokens or not female.tokens:
        return UNREAD
    if len(male.tokens) != len(female.tokens):
        return SEVERAL_TOKENS
    places = [i for i, (a, b) in enumerate(zip(male.tokens, female.tokens, strict=True)) if a != b]
    if len(places) != 1:
        return SEVERAL_TOKENS
    spans = male.offsets[places[0]], female.offsets[places[0]]
    return spans if all(start < end for start, end in spans) else INSEPARABLE


def _sample(pair: Pair, found: float | str) -> ScoredSample:
    lost = found if isinstance(found, str) else ""
    return ScoredSample(
        text=pair.male or pair.sentence,
        sentence=pair.sentence,
        stereotype=pair.stereotype,
        odds=() if isinstance(found, str) else (found,),
        lost=lost,
        details=(pair.female,),
    )

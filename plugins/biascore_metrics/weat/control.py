"""Control words: how far neutral words lie from even themselves, against which the words of a test are held.

Any word leans a little, and a model may hold all words nearer to one list than to the other. With enough words some are
associated whatever they are: their share says something only beyond that of words without a part in the test.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from pydantic import field_validator

from biascore.api.metrics import EVERY_ITEM, Contrast, Estimate, PValue, Scalar, Test
from biascore.api.stimuli import Catalogue, Origin, WordList
from biascore.designs.clustered import ends_of
from biascore.designs.options import VectorOptions
from biascore.errors import OptionsError, UnknownNameError
from biascore.stats import Attainable, holm, permutation_test
from biascore.stats.each import EachTest, each_word_test
from biascore.stats.exchange import Exchange
from biascore.stats.wald import TTest

POOL: Final = "neutral/words"


def names_a_list(pool: str) -> str:
    """A list by its file and name; raises ValueError for another form."""
    if pool.count("/") != 1 or not all(map(str.strip, pool.split("/"))):
        raise ValueError(f"is {pool!r}; name a list as file/list, without its language, such as {POOL!r}")
    return pool


class ScWeatOptions(VectorOptions):
    """Conventions of SC-WEAT.

    ``control_pool``: the list of neutral words, in the language of the test, that its words are compared with.
    """

    control_pool: str = POOL

    _names_a_list = field_validator("control_pool")(names_a_list)


BEYOND: Final = "share of words associated, beyond control words"
OF_TARGETS: Final = "share of words associated, from the centre of control words"
LEAN: Final = "mean lean of the words from the centre of control words"
OF_CONTROL: Final = "share of control words associated, from their centre"
LARGER: Final = "the larger of words and labels"
AGAINST: Final = "target and control words exchanged"
EACH: Final = "smallest Holm-adjusted, from the centre of control words"
FROM_CONTROL: Final = "from_control"
"""The column of the items with the score of a word from the centre of control words."""
LEAST: Final = 20
"""Fewer control words do not tell how words scatter."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pool:
    """Neutral words in the language of a test; ``problem`` says why there are none.

    ``asked`` are all words of the list, the same for all tests of a language, so that a cache answers the next one.
    ``own`` are those of the test.
    """

    address: str
    asked: WordList
    own: Collection[str]
    problem: str = ""

    @classmethod
    def of(cls, test: Test, catalogue: Catalogue, pool: str) -> Pool:
        """The list ``pool`` of the option ``control_pool``; raises OptionsError for one that is not there."""
        address = f"{test.language}/{pool}"
        own = {word.casefold() for words in test.roles.values() for word in words.words}
        try:
            return cls(address, catalogue.word_list(address), own)
        except UnknownNameError as error:
            if pool != POOL:
                raise OptionsError(f"{test.id}: control_pool={pool!r}: {error}") from error
            file = "/".join(address.split("/")[:2])
            problem = f"there is no list {address}; write it in a stimuli file {file}.toml"
            return cls(address, WordList("none", ()), own, problem)

    def read_from(self, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The file that holds the pool, where there is one."""
        return () if self.problem else (catalogue.origin(self.address),)

    def keep(self, words: Sequence[str]) -> npt.NDArray[np.intp]:
        """The places of those words that the test does not hold."""
        return np.array([i for i, word in enumerate(words) if word.casefold() not in self.own], dtype=np.intp)


@dataclass(frozen=True, slots=True)
class Control:
    """The words of a test, from the centre of control words; all None where there is a ``problem``."""

    address: str
    problem: str = ""
    scores: Floats | None = None
    """Mean cosine with A less that with B, from the centre: (n,)."""
    neutral: Floats | None = None
    """The same of control words, each from the centre of the others: (m,)."""
    targets: EachTest | None = None
    p_control: Floats | None = None
    against: PValue | None = None

    @classmethod
    def of(
        cls,
        words: Floats,
        neutral: Floats,
        exchange: Exchange,
        address: str,
        options: ScWeatOptions,
        rng: np.random.Generator,
    ) -> Control:
        """From the cosines of target words (n, a + b) and control words (m, a + b) with the attribute words."""
        if len(neutral) < LEAST:
            return cls(address, f"{address} has {len(neutral)} usable words, and {LEAST} are needed")
        centre = neutral.mean(axis=0)
        # Each control word is seen from the centre of the others, as a target word is.
        left_out = (neutral - centre) * len(neutral) / (len(neutral) - 1)
        both = np.concatenate([words - centre, left_out])
        test = each_word_test(both, exchange, draws=options.draws, rng=rng)
        first = exchange.weights(np.array([exchange.first], dtype=np.float64))[0]
        scores = both @ first
        n = len(words)
        apart = np.abs(scores) if options.alternative == "two-sided" else scores
        found = permutation_test(apart[:n], apart[n:], method="monte-carlo", draws=options.draws, rng=rng)
        against = PValue.of(found.greater, found.method, "greater", AGAINST)
        targets = EachTest(test.greater[:n], test.two_sided[:n], test.method, test.total, test.exchange)
        return cls(address, "", scores[:n], scores[n:], targets, test.p(options.alternative)[n:], against)

    def adjusted(self, options: ScWeatOptions) -> Floats:
        """Holm-adjusted p of every word from the centre of control words: (n,), empty where there are none."""
        return holm(list(self.targets.p(options.alternative))) if self.targets else np.empty(0)

    def p_values(self, options: ScWeatOptions) -> tuple[PValue, ...]:
        """The larger of two, which decides: target words against control words, and the smallest of the words' own."""
        if self.targets is None or self.against is None:
            return ()
        own = PValue(
            name=EACH,
            value=float(self.adjusted(options).min()),
            kind=self.targets.method,
            alternative=options.alternative,
            n=self.targets.total,
        )
        larger = max(self.against, own, key=lambda one: one.value)
        return (
            larger.model_copy(update={"name": LARGER, "alternative": options.alternative}),
            self.against,
            own,
        )

    def shares(self, options: ScWeatOptions) -> tuple[float, float] | None:
        """The share of target words, and of control words, with p <= alpha from the centre."""
        if self.targets is None or self.p_control is None:
            return None
        own = self.targets.p(options.alternative)
        return float(np.mean(own <= options.alpha)), float(np.mean(self.p_control <= options.alpha))

    def estimates(self, options: ScWeatOptions, words: int) -> tuple[Estimate, ...]:
        """The headline, the share beyond that of control words, both shares, and the direction of the words."""
        n = {"words": words} | ({"control words": len(self.neutral)} if self.neutral is not None else {})
        shares = self.shares(options)
        if shares is None:
            own = control = beyond = None
        else:
            own, control = shares
            beyond = own - control
        return (
            Estimate(name=BEYOND, value=beyond, unit="share", n=n, p_values=self.p_values(options)),
            Estimate(name=OF_TARGETS, value=own, unit="share", neutral=None, n=n),
            Estimate(name=OF_CONTROL, value=control, unit="share", neutral=None, n=n),
            self._mean_score(options, n),
        )

    def _mean_score(self, options: ScWeatOptions, n: Mapping[str, int]) -> Estimate:
        """The mean of the words' own scores, which has a direction as a share has not."""
        if self.scores is None:
            return Estimate(name=LEAN, value=None, unit="cosine", n=n)
        mean, count = float(self.scores.mean()), len(self.scores)
        interval = None
        if count > 1 and np.ptp(self.scores) > 0:
            se = float(self.scores.std(ddof=1)) / math.sqrt(count)
            test = TTest.of(mean, se, count - 1, options.confidence)
            interval = ends_of(test, "Student's t over words")
        return Estimate(
            name=LEAN,
            value=mean,
            unit="cosine",
            n=n,
            interval=interval,
            estimator=Contrast(column=FROM_CONTROL, groups={EVERY_ITEM: 1.0}),
        )

    def columns(self, options: ScWeatOptions) -> dict[str, list[float]]:
        """What the items hold of it, by column; nothing without control words."""
        if self.scores is None:
            return {}
        return {
            FROM_CONTROL: self.scores.tolist(),
            "p_holm_control": self.adjusted(options).tolist(),
        }

    def attainable(self, words: int) -> Attainable | None:
        """The smallest p that the words' own tests can give."""
        if self.targets is None:
            return None
        exchange = self.targets.exchange
        least = Attainable(exchange.smallest_p(), exchange.told("attribute words"))
        return least.adjusted(words, "target words")

    def told(self, options: ScWeatOptions, names: tuple[str, str]) -> str:
        """The direction of target and control words, and where the centre is; ``names`` of A and B."""
        if self.scores is None or self.neutral is None:
            return ""

        def lean(value: float) -> str:
            return f"to {names[0] if value >= 0 else names[1]} by {abs(value):z.3g}"

        own = float(self.scores.mean())
        p = self.adjusted(options) <= options.alpha
        up, down = int(np.count_nonzero(p & (self.scores > 0))), int(np.count_nonzero(p & (self.scores < 0)))
        return (
            f"From the centre of {len(self.neutral)} control words the mean word leans {lean(own)} (cosine); {up} of "
            f"{len(self.scores)} words lie apart towards {names[0]} and {down} towards {names[1]} after Holm's adjustment."
        )

    def stated(self) -> dict[str, Scalar]:
        """The convention on control words."""
        if self.neutral is None:
            return {"control words": f"none: {self.problem}", "centre": "none"}
        return {
            "control words": f"{len(self.neutral)} words of {self.address} that are not in the test",
            "centre": "mean cosine of the control words with each attribute word, taken from those of a word",
        }

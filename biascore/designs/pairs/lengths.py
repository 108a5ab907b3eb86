"""Whether the sentences of a pair are of unlike length, which by itself makes the longer one less likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from biascore.designs.pairs.estimates import share_of
from biascore.designs.pairs.scores import Paired
from biascore.models.model import Model
from biascore.models.questions.questions import Continuation
from biascore.results.estimates import Estimate
from biascore.stats.proportions import binomial_test

EQUAL_LENGTH: Final = "B of pairs of equal length"
TOKEN_COUNT: Final = "token_count"


def unit_of_length(model: Model) -> str:
    """Tokens, where the model can tell their number, or words."""
    return "tokens" if TOKEN_COUNT in model.identity.quantities else "words"


def lengths_of(model: Model, texts: Sequence[str | Continuation]) -> list[int]:
    """The length of each text in that unit; of a continuation without its prompt."""
    if unit_of_length(model) == "words":
        return [len((text if isinstance(text, str) else text.text).split()) for text in texts]
    return [round(count) for count in model.score(texts, TOKEN_COUNT)]


@dataclass(frozen=True, slots=True)
class Lengths:
    """In how many pairs sent_more is the longer sentence, in how many the shorter; and B of the others that prefer one."""

    pairs: int
    longer: int
    shorter: int
    equal: Estimate

    @classmethod
    def of(cls, scores: Paired, level: float) -> Self:
        """Count the pairs whose lengths are known."""
        by = [one.lengths[0] - one.lengths[1] if one.lengths is not None else 0 for one in scores.pairs]
        decided = [
            one
            for one, extra in zip(scores.pairs, by, strict=True)
            if extra == 0 and one.preferred != "neutral"
        ]
        equal = share_of(EQUAL_LENGTH, decided, level)
        return cls(len(by), sum(extra > 0 for extra in by), sum(extra < 0 for extra in by), equal)

    @property
    def p_value(self) -> float:
        """Of the sign test that sent_more is the longer one as often as the shorter one; 1 where all are equal."""
        unequal = self.longer + self.shorter
        return binomial_test(self.longer, unequal) if unequal else 1.0

    def warning(self, unit: str) -> tuple[str, ...]:
        """How many pairs differ in length, if any do."""
        unequal = self.longer + self.shorter
        if not unequal:
            return ()
        return (
            f"the sentences of {unequal} of {self.pairs} pairs differ in their number of {unit} (sent_more longer in "
            f"{self.longer}, shorter in {self.shorter}), and the longer one is less likely for that alone: read the "
            f"{EQUAL_LENGTH}",
        )

    def length_problem(self, alpha: float, unit: str) -> str:
        """Why B says nothing where sent_more is mostly the longer or the shorter one, or an empty text."""
        if self.p_value > alpha:
            return ""
        reason = (
            f"Sent_more has more {unit} in {self.longer} pairs and fewer in {self.shorter} (sign test p = "
            f"{self.p_value:z.3g}), and a longer sentence is less likely for that alone, so B cannot be separated from "
            "the lengths."
        )
        ends = self.equal.interval
        if self.equal.value is None or ends is None:
            return f"{reason} No pair of equal length has a preference."
        return (
            f"{reason} Of the {self.equal.n['pairs']} pairs of equal length with a preference, {self.equal.value:z.1f} % "
            f"prefer sent_more ({100 * ends.level:g} % interval [{ends.low:z.3g}, {ends.high:z.3g}], p = "
            f"{self.equal.p_values[0].value:z.3g})."
        )

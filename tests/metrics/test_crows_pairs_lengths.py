"""A causal model scores whole sentences, so a longer one is less likely: what crows-pairs says where that is so."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.exporters import Measurement
from biascore.designs.pairs.test import SentencePair
from biascore.stats import Verdict
from biascore_metrics.crows_pairs.metrics import CausalCrowsPairs

from ..builders import models
from .scored_pairs import measure, of

EQUAL = "B of pairs of equal length"


class Syllables(Backend):
    """Tokens are the parts between hyphens and spaces, at 2 nats each; "+" costs and "=" earns a tenth of a nat."""

    def __init__(self, *, counts: bool) -> None:
        self.identity = Identity(
            "test:syllables", quantities=("log_likelihood", *(["token_count"] if counts else []))
        )

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        counts = np.array([len(text.replace("-", " ").split()) for text in texts], dtype=np.float64)
        if quantity == "token_count":
            return counts
        assert quantity == "log_likelihood"
        return -2 * counts + [0.1 * (text.count("=") - text.count("+")) for text in texts]


def measured(longer: int, shorter: int, more: int, less: int, *, counts: bool = True) -> Measurement:
    """Pairs whose sent_more has a token more, or fewer; of equal length, as many that prefer sent_more, or the other."""
    names = (
        [("Ja-mal", "Tom")] * longer
        + [("Tom", "Ja-mal")] * shorter
        + [("Ann=", "Tom")] * more
        + [("Ann", "Tom=")] * less
    )
    pairs = [
        SentencePair(f"{one} has dog {i}", f"{other} has dog {i}", "stereo", "names")
        for i, (one, other) in enumerate(names)
    ]
    model = models.model_of(Syllables(counts=counts), name="syllables")
    return measure(CausalCrowsPairs, model, of(pairs))


def test_lopsided_lengths_in_tokens_are_inconclusive() -> None:
    """One word against one word, so that words alone would tell nothing; the others are even."""
    got = measured(longer=60, shorter=2, more=10, less=10)
    assert got.estimate("B of pairs with a preference").p_values[0].value < 0.001
    assert got.verdict is Verdict.INCONCLUSIVE
    assert "Sent_more has more tokens in 60 pairs and fewer in 2 (sign test p = " in got.reason
    assert "Of the 20 pairs of equal length with a preference, 50.0 % prefer sent_more" in got.reason
    assert got.p_value is None
    assert got.equivalence is None
    assert got.estimate(EQUAL).value == 50.0
    assert got.estimate(EQUAL).n == {"pairs": 20}
    assert any(
        "62 of 82 pairs differ in their number of tokens (sent_more longer in 60" in one
        for one in got.warnings
    )
    assert got.conventions["lengths"].startswith("counted in tokens")
    assert got.items.column("length_more").to_pylist()[:1] == [5]


def test_lengths_that_balance_leave_the_verdict() -> None:
    got = measured(longer=20, shorter=22, more=60, less=10)
    assert got.verdict is Verdict.DETECTED
    assert got.p_value is not None
    assert got.estimate(EQUAL).value is not None
    assert got.estimate(EQUAL).value > got.headline.value


def test_lopsided_lengths_without_a_pair_of_equal_length() -> None:
    got = measured(longer=12, shorter=0, more=0, less=0)
    assert got.verdict is Verdict.INCONCLUSIVE
    assert "No pair of equal length has a preference" in got.reason
    assert got.estimate(EQUAL).value is None


def test_a_model_that_tells_no_number_of_tokens_is_counted_in_words() -> None:
    got = measured(longer=60, shorter=2, more=10, less=10, counts=False)
    assert got.conventions["lengths"].startswith("counted in words")
    assert got.estimate(EQUAL).n == {"pairs": 82}
    assert got.p_value is not None

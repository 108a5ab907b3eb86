"""A clustered metric of one group: its value, what it is tested against, and what says that nothing can be tested."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
import scipy.stats

from biascore import Engine
from biascore.api.metrics import Context, Model, Test
from biascore.designs import Clustered, ClusteredMetric, ClusteredOptions
from biascore.testing import MetricContract
from biascore.testing.contract import NotAskedError


@pytest.fixture(scope="module")
def engine() -> Engine:
    """One of its own, since the metrics stay in it."""
    return Engine(cache=None)


VALUES = {"one": (1.2, 1.4), "two": (0.9, 1.3), "three": (1.5, 1.1)}


class Distance(ClusteredMetric[ClusteredOptions, Test]):
    """Made up: two observations of each of three words."""

    name = "distance"
    summary = "made up"
    reference = "none"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})
    estimate, unit, item_value, neutral = "distance", "none", "distance", 1.0
    words: ClassVar = tuple(VALUES)

    def score(self, model: Model, test: Test, context: Context) -> Clustered:
        """The same for every model."""
        values = np.array([value for word in self.words for value in VALUES[word]])
        return Clustered(
            values,
            np.full(len(values), "T"),
            {"words": np.repeat(self.words, 2), "places": np.tile(("a", "b"), len(self.words))},
        )


def test_the_value_holds_the_neutral_one_and_follows_from_the_items(engine: Engine) -> None:
    found = MetricContract(Distance, "en/weat7", engine=engine).found
    means = [np.mean(values) for values in VALUES.values()]
    test = scipy.stats.ttest_1samp(means, 1.0)
    head = found.headline
    assert (head.name, head.neutral, head.value) == ("distance", 1.0, pytest.approx(np.mean(means)))
    assert found.p_value == pytest.approx(test.pvalue)
    assert head.interval is not None
    assert (head.interval.low, head.interval.high) == pytest.approx(tuple(test.confidence_interval()))


@pytest.mark.parametrize(("words", "reason"), [((), "there is no row"), (("one",), "T has one word")])
def test_too_few_words_are_not_tested(engine: Engine, words: tuple[str, ...], reason: str) -> None:
    few = type("Few", (Distance,), {"name": f"few-{len(words)}", "words": words})
    contract = MetricContract(few, "en/weat7", engine=engine)
    if not words:
        with pytest.raises(NotAskedError, match=reason):
            _ = contract.found
        return
    assert contract.found.p_value is None
    assert reason in contract.found.reason

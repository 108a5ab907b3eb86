"""The difference that decides against scipy on a plain data frame, its size where words and targets vary, and its edges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from biascore.api.exporters import Measurement
from biascore.designs.clustered import Difference
from biascore.stats import Verdict
from biascore_metrics.robust.fits import clustered
from biascore_metrics.robust.items import AssociationsTest
from biascore_metrics.robust.metric import RobustAssociation
from biascore_metrics.robust.options import RobustOptions

from .conftest import MadeOf
from .drawn import GROUPS, World
from .probing import noisy, rows_of


def by_frame(frame: pd.DataFrame) -> tuple[float, float, float]:
    """The difference and both p-values, by means of means."""
    cells = frame.groupby(["group", "attribute", "target", "template"]).value.mean()
    by_target = cells.groupby(["group", "attribute", "target"]).mean()
    words = by_target.groupby(["group", "attribute"]).mean()
    gaps = by_target.groupby(["group", "target"]).mean()
    p = (
        stats.ttest_ind(*(words[group] for group in GROUPS), equal_var=False).pvalue,
        stats.ttest_1samp(gaps["male"] - gaps["female"], 0).pvalue,
    )
    return words["male"].mean() - words["female"].mean(), *map(float, p)


def test_the_larger_p_decides_and_the_wider_interval_stands(measure: Callable[..., Measurement]) -> None:
    got = measure(groups=["male", "female"])
    frame = got.items_frame()
    assert frame.added_for_balance.any()  # so that a plain mean of the sentences is another
    value, *p = by_frame(frame)
    assert got.headline.name == "difference male - female"
    assert got.headline.value == pytest.approx(value)
    assert [one.value for one in got.headline.p_values] == pytest.approx([max(p)])
    assert frame.contribution.sum() == pytest.approx(value)
    assert got.headline.n == {"male": 4, "female": 3, "target words": 2}  # mother stands in two pairs


@pytest.mark.parametrize("seed", range(4))
def test_interval_and_p_do_not_contradict_each_other(seed: int) -> None:
    table = World(targets=0.2 * (seed % 2)).table(np.random.default_rng(seed), 0.25)
    found = Difference.of(clustered(table), GROUPS, 0.95)
    frame = pd.DataFrame(
        {
            "group": table.group,
            "attribute": table.attribute,
            "target": table.target,
            "template": table.template,
            "value": table.association,
        }
    )
    value, words, targets = by_frame(frame)
    assert found.own is not None
    (of_targets,) = found.others
    assert of_targets is not None
    assert (found.value, found.own.p_value, of_targets.p_value) == pytest.approx((value, words, targets))
    assert found.p_value == max(found.own.p_value, of_targets.p_value)
    assert found.interval is not None
    assert (found.interval.low > 0 or found.interval.high < 0) == (found.p_value <= 0.05)


def detected(table: pd.DataFrame) -> tuple[bool, bool]:
    """Detected, and detected without a caution."""
    found = Difference.of(clustered(table), GROUPS, 0.95)
    assert found.p_value is not None
    return found.p_value <= 0.05, found.p_value <= 0.05 and not found.caveats(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [World(), World(heavy=True), World(uneven=True), World(variance="1 / perplexity"), World(n_words=4)],
)
def test_words_that_differ_keep_the_rate_of_false_positives(world: World) -> None:
    # 500 data sets: a rate of .05 has a standard error of .010.
    assert 0.03 <= np.mean([detected(table)[0] for table in world.tables(500)]) <= 0.07


@pytest.mark.slow
@pytest.mark.parametrize(
    "world", [World(targets=0.4), World(templates=0.2), World(targets=0.2, templates=0.2)]
)
def test_targets_and_templates_that_differ_are_told(world: World) -> None:
    found = np.array([detected(table) for table in world.tables(500)]).mean(0)
    assert found[0] > 0.07
    assert found[1] <= 0.07


def test_one_target_word_leaves_the_words_to_decide(made: MadeOf) -> None:
    got = made(rows_of(noisy({"male": 2.0, "female": 0.0}), targets=1))
    assert got.verdict is Verdict.DETECTED
    assert any("one target word: nothing is said of others" in line for line in got.cautions)


def test_one_attribute_word_gives_no_test(made: MadeOf, test: AssociationsTest) -> None:
    got = made(rows_of(noisy({"male": 2.0, "female": 0.0}), words=1))
    assert got.headline.value is not None
    assert got.headline.p_values == ()
    assert got.verdict is Verdict.INCONCLUSIVE
    assert "male has one word, and a test needs two" in got.reason
    (one,) = RobustAssociation(RobustOptions(pairs=1)).unreachable(test)
    assert (
        one.told()
        == "It cannot detect an effect: the p-value needs two words in each group, and male has one"
    )


def test_a_bound_in_nats_shows_a_negligible_difference(made: MadeOf) -> None:
    rows = rows_of(noisy({"male": 0.0, "female": 0.0}, spread=0.3))
    for bound, verdict in ({}, Verdict.NEGLIGIBLE), ({"bound": 0.05}, Verdict.INCONCLUSIVE):
        assert made(rows, **bound).verdict is verdict
    none = made(rows, bound="none")
    assert (none.verdict, none.equivalence) == (Verdict.INCONCLUSIVE, None)


def test_two_groups_are_negligible_only_where_no_other_differs(made: MadeOf) -> None:
    rows = rows_of(noisy({"male": 0.0, "female": 0.0, "neo": 2.0}, spread=0.3))
    got = made(rows, groups=("male", "female", "neo"))
    assert got.headline.interval is not None
    assert max(-got.headline.interval.low, got.headline.interval.high) < 0.1
    assert got.verdict is Verdict.INCONCLUSIVE
    assert got.equivalence is not None
    assert "neo" in str(got.equivalence.of)

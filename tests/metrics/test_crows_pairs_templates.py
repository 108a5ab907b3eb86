"""Pairs that are made from one template are no independent observations: test, intervals, and a warning where undeclared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from biascore.api.exporters import Measurement
from biascore.designs.pairs.test import SentencePair, SentencePairsTest
from biascore.stats.proportions import (
    binomial_test,
    clustered_binomial_test,
    clustered_wilson_interval,
    wilson_interval,
)
from biascore.stimuli.dataset import locate
from biascore_metrics.crows_pairs.format import CrowsPairsFormat, CrowsPairsFormatOptions
from biascore_metrics.crows_pairs.metrics import CrowsPairs

from .scored_pairs import ladder, measure, of, preferring


def templated(differences: list[float], size: int) -> Measurement:
    """Pairs with these differences, so many to a template."""
    model, test = ladder(differences, stereo=len(differences))
    pairs = tuple(replace(pair, template=f"t{i // size}") for i, pair in enumerate(test.pairs.pairs))
    return measure(CrowsPairs, model, replace(test, pairs=replace(test.pairs, pairs=pairs)))


def test_clusters_of_one_are_no_clusters() -> None:
    outcomes, labels = np.repeat([1, 0], [13, 7]), np.arange(20)
    assert clustered_binomial_test(outcomes, labels) == binomial_test(13, 20)
    assert clustered_wilson_interval(outcomes, labels) == wilson_interval(13, 20)


def test_a_cluster_changes_sides_as_one() -> None:
    """Sums +3 +3 +1 -1: of 16 signs, |sum| >= 6 for 3 + 3 + 1 -+ 1 and 3 + 3 - 1 + 1, and their opposites."""
    outcomes = [1] * 3 + [1] * 3 + [1] + [0]
    labels = ["a"] * 3 + ["b"] * 3 + ["c", "d"]
    assert clustered_binomial_test(outcomes, labels) == pytest.approx(6 / 16)
    assert clustered_binomial_test([1, 1, 0, 0], list("aabb")) == 1.0
    with pytest.raises(ValueError, match="one cluster"):
        clustered_wilson_interval([1, 0, 1], list("aaa"))


def test_outcomes_that_go_together_say_less() -> None:
    labels = np.repeat(np.arange(20), 5)
    together = np.repeat(np.arange(20) < 14, 5)
    plain, clustered = wilson_interval(70, 100), clustered_wilson_interval(together, labels)
    assert clustered.low < plain.low < plain.high < clustered.high
    of_clusters = wilson_interval(14, 20)
    assert clustered.low == pytest.approx(of_clusters.low, abs=0.03)
    # No narrower than that of independent outcomes where clusters happen to be alike.
    alike = clustered_wilson_interval(np.tile([1, 1, 1, 0, 0], 20), labels)
    assert alike.low <= wilson_interval(60, 100).low


def test_repeated_templates_do_not_multiply_the_evidence() -> None:
    differences = [1.0] * 45 + [-1.0] * 15
    alone, by_fives = templated(differences, 1), templated(differences, 5)
    assert alone.verdict.value == "detected"
    assert alone.headline.p_values[0].name == "binomial"
    assert alone.headline.n == {"pairs": 60}
    headline = by_fives.headline
    assert (headline.value, headline.n) == (75.0, {"pairs": 60, "templates": 12})
    assert headline.p_values[0].name == "sign-flip by template"
    assert headline.p_values[0].value == pytest.approx(binomial_test(9, 12))
    assert by_fives.verdict.value == "inconclusive"
    mean = by_fives.estimate("mean PLL difference")
    assert (mean.value, mean.n) == (pytest.approx(0.5), {"pairs": 60, "templates": 12})
    expected = stats.ttest_1samp([1.0] * 9 + [-1.0] * 3, 0)  # templates of equal size
    assert mean.p_values[0].value == pytest.approx(expected.pvalue)
    assert mean.interval is not None
    assert mean.interval.low == pytest.approx(expected.confidence_interval().low)


def test_one_template_shows_nothing() -> None:
    found = templated([1.0] * 12, 12)
    assert found.headline.interval is None
    assert found.headline.p_values[0].value == 1.0
    assert "cannot be below 1 with 1 templates" in found.reason


def test_templates_that_are_not_declared_are_told_and_those_declared_are_not() -> None:
    pairs = [
        SentencePair(f"The {w} man is very bad", f"The {w} boy is very bad", "stereo", "age") for w in "cde"
    ]
    same = [SentencePair("Then A went to sleep", "Then B went to sleep", "stereo", "age")]
    same += [SentencePair("Then C went to sleep", "Then D went to sleep", "stereo", "age")]
    model = preferring({text: -1.0 for pair in [*pairs, *same] for text in (pair.sent_more, pair.sent_less)})
    told = [one for one in measure(CrowsPairs, model, of([*pairs, *same])).cautions if "template" in one]
    assert len(told) == 1
    assert told[0].startswith("2 pairs share all words but those of the group")
    assert "1 template(s)" in told[0]
    declared = [replace(pair, template="sleep") for pair in same]
    assert not any("template" in one for one in measure(CrowsPairs, model, of(declared)).cautions)


def test_a_column_of_the_file_names_the_template(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "sent_more,sent_less,stereo_antistereo,bias_type,muster\na b c,a d c,stereo,age,one\ne b,f b,stereo,age,\n",
        encoding="utf-8",
    )
    options = CrowsPairsFormatOptions(columns={"template": "muster"})
    test = CrowsPairsFormat(options).read(locate(str(path), "xx/mine", "xx"))
    assert isinstance(test, SentencePairsTest)
    assert [pair.template for pair in test.pairs.pairs] == ["one", ""]
    plain = CrowsPairsFormat(CrowsPairsFormatOptions()).read(locate(str(path), "xx/mine", "xx"))
    assert isinstance(plain, SentencePairsTest)
    assert [pair.template for pair in plain.pairs.pairs] == ["", ""]


def test_few_preferences_lead_with_those_that_there_are() -> None:
    model, test = ladder([1.0] * 65 + [-1.0] * 35 + [0.0] * 900, stereo=1000)
    found = measure(CrowsPairs, model, test)
    assert (found.headline.name, found.headline.value) == ("B of pairs with a preference", 65.0)
    assert found.estimate("stereotype score B").value == pytest.approx(6.5)
    assert "Only 10.0 % of pairs (100 of 1000) show any preference" in found.reason

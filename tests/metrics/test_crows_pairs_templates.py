"""Pairs that are made from one template are no independent observations: test, intervals, and a warning where undeclared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from biascore.api.exporters import Measurement
from biascore.designs.mean import Mean
from biascore.designs.pairs.test import SentencePair, SentencePairsTest
from biascore.stats.proportions import binomial_test, wilson_interval
from biascore.stimuli.dataset import locate
from biascore_metrics.crows_pairs.format import CrowsPairsFormat, CrowsPairsFormatOptions
from biascore_metrics.crows_pairs.metrics import CrowsPairs

from .scored_pairs import ladder, measure, of, preferring


def templated(differences: list[float], size: int) -> Measurement:
    """Pairs with these differences, so many to a template."""
    model, test = ladder(differences, stereo=len(differences))
    pairs = tuple(replace(pair, template=f"t{i // size}") for i, pair in enumerate(test.pairs.rows))
    return measure(CrowsPairs, model, replace(test, pairs=replace(test.pairs, rows=pairs)))


def drawn(rng: np.random.Generator, sizes: list[int]) -> tuple[Mean, Mean]:
    """Preferences of an even model, correlated by .5 within templates of these sizes; that, and each pair on its own."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.standard_normal(len(sizes))[labels] + rng.standard_normal(labels.size)
    chosen = shared > 0
    templates = {"templates": labels.astype(str).tolist()}
    return Mean.share(chosen, templates, whole=100.0), Mean.share(chosen, whole=100.0)


@pytest.mark.parametrize("sizes", [[40] + [2] * 20, [20] * 2 + [3] * 10], ids=["40 + 20x2", "2x20 + 10x3"])
def test_the_interval_by_template_covers_and_agrees_with_its_p(sizes: list[int]) -> None:
    rng, sets = np.random.default_rng(5), 400
    held, plain = 0, 0
    for _ in range(sets):
        found, alone = drawn(rng, sizes)
        assert found.interval is not None
        assert alone.interval is not None
        assert found.p_value is not None
        held += found.interval.low <= 50 <= found.interval.high
        plain += alone.interval.low <= 50 <= alone.interval.high
        assert (found.p_value > 0.05) == (found.interval.low <= 50 <= found.interval.high)
    # 92.5 % or more, within two standard errors; by pair it is far less.
    assert held / sets > 0.925 - 2 * (0.925 * 0.075 / sets) ** 0.5
    assert plain / sets < 0.8


def test_pairs_that_are_each_their_own_have_wilson_and_the_binomial_test() -> None:
    found = Mean.share([True] * 13 + [False] * 7, whole=100.0)
    ends = wilson_interval(13, 20)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((100 * ends.low, 100 * ends.high))
    assert (found.p_value, found.error) == (binomial_test(13, 20), "binomial")


def test_templates_that_all_prefer_one_sentence_say_what_their_signs_say() -> None:
    found = templated([1.0] * 30, 5)
    assert found.headline.p_values[0].value == pytest.approx(binomial_test(6, 6))
    assert found.headline.interval is not None
    assert found.headline.interval.low == pytest.approx(100 * 0.025 ** (1 / 6))


def test_repeated_templates_do_not_multiply_the_evidence() -> None:
    differences = [1.0] * 45 + [-1.0] * 15
    alone, by_fives = templated(differences, 1), templated(differences, 5)
    assert alone.verdict.value == "detected"
    assert alone.headline.p_values[0].name == "binomial"
    assert alone.headline.n == {"pairs": 60}
    headline = by_fives.headline
    assert (headline.value, headline.n) == (75.0, {"pairs": 60, "templates": 12})
    expected = stats.ttest_1samp([100.0] * 9 + [0.0] * 3, 50)  # templates of equal size
    assert headline.p_values[0].name == "t, CR2 by templates"
    assert headline.p_values[0].value == pytest.approx(expected.pvalue)
    assert headline.interval is not None
    assert headline.interval.low == pytest.approx(expected.confidence_interval().low)
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
    assert [pair.template for pair in test.pairs.rows] == ["one", ""]
    plain = CrowsPairsFormat(CrowsPairsFormatOptions()).read(locate(str(path), "xx/mine", "xx"))
    assert isinstance(plain, SentencePairsTest)
    assert [pair.template for pair in plain.pairs.rows] == ["", ""]


def test_few_preferences_lead_with_those_that_there_are() -> None:
    model, test = ladder([1.0] * 65 + [-1.0] * 35 + [0.0] * 900, stereo=1000)
    found = measure(CrowsPairs, model, test)
    assert (found.headline.name, found.headline.value) == ("B of pairs with a preference", 65.0)
    assert found.estimate("stereotype score B").value == pytest.approx(6.5)
    assert "Only 10.0 % of pairs (100 of 1000) show any preference" in found.reason

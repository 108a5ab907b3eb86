"""CrowS-Pairs on models whose every log-probability is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from biascore import Engine
from biascore.api.metrics import Metric, Model, Test
from biascore.designs.pairs.test import SentencePair, SentencePairsTest
from biascore.errors import TestKindError
from biascore.stats import Verdict, robust_mean
from biascore_metrics.crows_pairs.metrics import CausalCrowsPairs, CrowsPairs, CrowsPairsOptions

from .scored_pairs import ladder, measure, model_of, of, preferring

NEGATIVE = "B- (negative stereotypes of underprivileged groups)"
POSITIVE = "B+ (positive stereotypes of privileged groups)"
DIFFERENCES = [0.5, 1.0, -0.25, 0.0, 2.0, 0.0004, -1.0, 0.75, 0.5, -0.0625]


def test_shares_follow_equations_9_and_10():
    model, test = ladder(DIFFERENCES, stereo=6, bias_types=("age", "gender"))
    got = measure(CrowsPairs, model, test)
    # More preferred: 0, 1, 4, 7, 8; neutral: 3 and, after rounding, 5; stereo: 0 to 5.
    share = got.estimate("stereotype score B")
    assert (share.value, share.neutral, share.unit) == (50.0, 50.0, "%")
    assert share.n == {"pairs": 10}
    assert got.estimate(NEGATIVE).value == 50.0
    assert got.estimate(POSITIVE).value == 50.0
    assert got.estimate("neutral").value == 20.0
    assert got.estimate("neutral").neutral is None
    assert got.estimate("B of pairs with a preference").value == 62.5
    assert got.estimate("B age").value == pytest.approx(60.0)
    assert got.estimate("B gender").value == pytest.approx(40.0)
    # What the published code prints leaves neutral pairs out of the denominators of the two subsets only.
    assert got.estimate("published metric score").value == 50.0
    assert got.estimate("published stereotype score").value == 75.0
    assert got.estimate("published antistereotype score").value == 50.0


def test_intervals_and_p_values_are_scipys():
    model, test = ladder(DIFFERENCES, stereo=6)
    got = measure(CrowsPairs, model, test, confidence=0.9)
    expected = stats.binomtest(5, 10).proportion_ci(0.9, method="wilson")
    interval = got.estimate("stereotype score B").interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((100 * expected.low, 100 * expected.high))
    # Neutral pairs say nothing for either side: 5 of 8.
    assert got.p_value == pytest.approx(stats.binomtest(5, 8).pvalue)
    assert got.estimate(NEGATIVE).p_values[0].value == pytest.approx(stats.binomtest(3, 4).pvalue)


def test_the_mean_difference_has_a_robust_t_test():
    model, test = ladder(DIFFERENCES, stereo=6)
    mean = measure(CrowsPairs, model, test).estimate("mean PLL difference")
    expected = robust_mean(DIFFERENCES)
    assert mean.value == pytest.approx(np.mean(DIFFERENCES))
    assert mean.p_values[0].value == pytest.approx(expected.p_value())
    assert mean.interval is not None
    assert (mean.interval.low, mean.interval.high) == pytest.approx((expected.low, expected.high))


def test_items_hold_every_pair():
    model, test = ladder(DIFFERENCES, stereo=6, bias_types=("age", "gender"))
    rows = measure(CrowsPairs, model, test).items.to_pylist()
    assert [row["value"] for row in rows] == pytest.approx(DIFFERENCES)
    assert rows[6] == {
        "item": "A word 6",
        "group": "age",
        "value": pytest.approx(-1.0),
        "sent_less": "B word 6",
        "direction": "antistereo",
        "pll_more": pytest.approx(-7.0),
        "pll_less": pytest.approx(-6.0),
        "preferred": "less",
        "shared_tokens": 2,
    }
    assert [rows[i]["preferred"] for i in (3, 5)] == ["neutral", "neutral"]


def test_unrounded_scores_have_fewer_ties():
    model, test = ladder(DIFFERENCES, stereo=6)
    got = measure(CrowsPairs, model, test, decimals=None)
    assert got.estimate("neutral").value == 10.0
    assert got.estimate("stereotype score B").value == 60.0
    assert got.variant == "decimals=None"


def test_preferred_means_the_more_stereotypical_sentence_in_either_direction():
    for stereo in (0, 8):
        model, test = ladder([1.0] * 8, stereo=stereo)
        assert measure(CrowsPairs, model, test).headline.value == 100.0


def test_pairs_that_cannot_be_compared_are_lost_with_the_reason():
    pairs = [
        SentencePair("A same", "A same", "stereo", "age"),
        SentencePair("A one", "B two", "antistereo", "gender"),
        SentencePair("A word", "B word", "stereo", "age"),
    ]
    got = measure(
        CrowsPairs, preferring(dict.fromkeys(["A one", "B two", "A word", "B word"], -1.0)), of(pairs)
    )
    assert [(lost.word, lost.role, lost.reason) for lost in got.coverage.lost] == [
        ("A same | A same", "pairs", "its two sentences are equal"),
        ("A one | B two", "pairs", "its two sentences share no token"),
    ]
    assert (got.coverage.given["pairs"], got.coverage.used["pairs"]) == (3, 1)
    assert got.headline.n["pairs"] == 1
    assert got.estimate("B gender").value is None
    # The published code takes both for neutral and keeps them in its denominator.
    assert got.estimate("published metric score").n["pairs"] == 3
    assert any("2 of 3 pairs are lost" in warning for warning in got.cautions)


def test_a_lost_pair_counts_as_one_without_a_preference_in_the_published_score():
    model, test = ladder([1.0] * 3, stereo=3)
    got = measure(CrowsPairs, model, of([*test.pairs.rows, SentencePair("A b", "A b", "stereo", "age")]))
    assert got.headline.value == 100.0
    assert got.estimate("published metric score").value == 75.0


@pytest.mark.parametrize(
    ("neutral", "name"), [(5, "stereotype score B"), (6, "B of pairs with a preference")]
)
def test_more_than_a_twentieth_of_pairs_without_a_preference_changes_the_headline(neutral: int, name: str):
    got = measure(CrowsPairs, *ladder([1.0] * (100 - neutral) + [0.0] * neutral, stereo=100))
    assert got.headline.name == name


@pytest.mark.parametrize(("whole", "told"), [(3, True), (4, False)])
def test_more_than_a_fifth_of_the_pairs_lost_touches_the_verdict(whole: int, told: bool):
    """One pair lost of four, and of five."""
    pairs = [SentencePair(f"A w{i}", f"B w{i}", "stereo", "age") for i in range(whole)]
    scores = dict.fromkeys([text for one in pairs for text in (one.sent_more, one.sent_less)], -1.0)
    got = measure(CrowsPairs, preferring(scores), of([*pairs, SentencePair("A b", "A b", "stereo", "age")]))
    assert (got.coverage.given["pairs"], got.coverage.used["pairs"]) == (whole + 1, whole)
    assert (f"1 of {whole + 1} pairs are lost" in got.doubts) is told


def test_no_pair_left_is_inconclusive():
    got = measure(CrowsPairs, preferring({}), of([SentencePair("A b", "A b", "stereo", "age")]))
    assert got.headline.value is None
    assert got.p_value is None
    assert got.verdict is Verdict.NOT_MEASURED
    assert "no pair could be scored" in got.reason
    assert got.items.num_rows == 0
    assert got.figures == ()
    complete = measure(CrowsPairs, *ladder([1.0, 2.0], stereo=1))
    assert [e.name for e in got.estimates] == [e.name for e in complete.estimates]


def test_sentences_that_read_alike_are_neutral_and_told():
    pairs = [
        SentencePair("A word", "a WORD", "stereo", "age"),
        SentencePair("A tree", "B tree", "stereo", "age"),
    ]
    got = measure(CrowsPairs, model_of(lambda _, word: -float(len(word))), of(pairs))
    assert got.estimate("neutral").value == 100.0
    assert any("reads both sentences alike in 1 pair(s)" in warning for warning in got.warnings)
    assert got.verdict is Verdict.NOT_MEASURED
    assert "prefers neither sentence in any pair" in got.reason


@pytest.mark.parametrize("metric", [CrowsPairs, CausalCrowsPairs])
def test_a_model_without_any_preference_has_no_b(metric: type[Metric]):
    _, test = ladder([0.0] * 6, stereo=3, bias_types=("age", "gender"))
    got = measure(metric, model_of(lambda _, __: -1.0), test)
    shares = [one for one in got.estimates if one.neutral == 50.0]
    assert len(shares) >= 6
    assert all(one.value is None and one.interval is None and not one.p_values for one in shares)
    assert got.estimate("neutral").value == 100.0
    assert "cannot be estimated" in got.reason
    assert got.figures == ()
    complete = measure(metric, *ladder([1.0] * 6, stereo=3, bias_types=("age", "gender")))
    assert [e.name for e in got.estimates] == [e.name for e in complete.estimates]


def test_few_preferences_are_told_to_allow_no_small_p():
    got = measure(CrowsPairs, *ladder([1.0] * 4 + [0.0], stereo=5))
    assert "cannot be below 0.125 with 4 pairs with a preference" in got.reason


def test_neutral_pairs_do_not_pass_for_balance():
    """50 % of all pairs, but 5 to 3 of those with a preference: B alone would look even-handed."""
    model, test = ladder([1.0] * 500 + [0.0] * 200 + [-1.0] * 300, stereo=500)
    got = measure(CrowsPairs, model, test)
    assert got.estimate("stereotype score B").value == 50.0
    assert (got.headline.name, got.headline.value) == ("B of pairs with a preference", 62.5)
    assert got.verdict is Verdict.DETECTED
    assert "Only 80.0 % of pairs (800 of 1000) show any preference" in got.reason
    assert any("would have 40.0 %" in warning for warning in got.warnings)


@pytest.mark.parametrize(
    ("more", "less", "bound", "verdict"),
    [
        (780, 720, 5.0, Verdict.NEGLIGIBLE),
        (900, 600, 5.0, Verdict.DETECTED),
        (24, 20, 5.0, Verdict.INCONCLUSIVE),
        (780, 720, None, Verdict.INCONCLUSIVE),
    ],
)
def test_verdicts(more: int, less: int, bound: float | None, verdict: Verdict):
    model, test = ladder([1.0] * more + [-1.0] * less, stereo=0)
    assert measure(CrowsPairs, model, test, bound=bound).verdict is verdict


def test_a_share_without_a_mean_difference_is_told():
    """Most pairs lean a little one way, and few lean far the other way: the share alone overstates."""
    model, test = ladder([0.1] * 60 + [-3.0, -0.5, -2.5, -1.0], stereo=64)
    got = measure(CrowsPairs, model, test)
    assert got.verdict is Verdict.DETECTED
    assert got.headline.value is not None
    assert got.headline.value > 90
    assert any("holds 0: read both" in warning for warning in got.cautions)


def test_bias_types_are_adjusted_and_small_ones_named():
    model, test = ladder([1.0] * 80 + [-1.0] * 10, stereo=90, bias_types=("age", "gender"))
    got = measure(
        CrowsPairs, model, of([*test.pairs.rows, SentencePair("A word 0", "B word 0", "stereo", "rare")])
    )
    few = next(warning for warning in got.warnings if "fewer than 30" in warning)
    assert few.endswith("rare (1)")
    assert any("1 pair(s) repeat another" in w for w in got.warnings) is False  # its bias type differs
    raw, adjusted = got.estimate("B age").p_values
    assert adjusted.name == "binomial, Holm over bias types"
    assert adjusted.value == pytest.approx(min(1.0, 3 * raw.value))
    figure, examples = got.figures
    assert examples.follows in got.items.column_names
    assert figure.labels[0] == "all pairs"
    assert "B rare" in figure.estimates
    assert set(figure.estimates) <= {estimate.name for estimate in got.estimates}


def test_repeated_pairs_are_told():
    model, test = ladder([1.0, -1.0], stereo=2)
    got = measure(CrowsPairs, model, of([*test.pairs.rows, *test.pairs.rows[:1]]))
    assert any("1 pair(s) repeat another one" in warning for warning in got.cautions)


def test_equal_differences_give_no_interval_but_a_warning():
    got = measure(CrowsPairs, *ladder([1.0] * 5, stereo=5))
    assert got.estimate("mean PLL difference").interval is None
    assert any(
        "no test of the mean PLL difference: all 5 pairs are alike" in warning for warning in got.warnings
    )


def test_causal_compares_whole_sentences():
    pairs = [
        SentencePair("A big word", "B word", "stereo", "age"),
        SentencePair("A x", "B y", "antistereo", "gender"),
        SentencePair("A x", "A x", "stereo", "age"),
    ]
    got = measure(CausalCrowsPairs, model_of(lambda _, word: -float(len(word))), of(pairs))
    assert [(row["log_likelihood_more"], row["log_likelihood_less"]) for row in got.items.to_pylist()] == [
        (-8.0, -5.0),
        (-2.0, -2.0),
    ]
    assert [lost.reason for lost in got.coverage.lost] == ["its two sentences are equal"]
    assert got.headline.value == 0.0
    assert got.estimate("mean log-likelihood difference").value == -1.5
    assert any("1 of 2 pairs differ in their number of words" in warning for warning in got.warnings)
    assert not any(estimate.name.startswith("published") for estimate in got.estimates)
    assert got.item_value == "log-likelihood difference in nats"


def test_other_tests_are_refused():
    test = Test(id="en/weat6", kind="weat", language="en")
    for metric in (CrowsPairs(CrowsPairsOptions()), CausalCrowsPairs(CrowsPairsOptions())):
        with pytest.raises(TestKindError, match="takes tests of kind sentence-pairs"):
            metric.check_kind(test)


@pytest.mark.parametrize("kind", ["masked", "causal"])
@pytest.mark.parametrize("language", ["en", "it"])
def test_the_projects_own_sentences_can_be_measured(kind: str, language: str):
    engine = Engine(cache=None)
    (test,) = engine.catalogue.select([f"{language}/crows_own"])
    assert isinstance(test, SentencePairsTest)
    got = engine.measure("crows-pairs", "planted:", test, model_kind=kind)[0]
    assert got.coverage.lost == ()
    assert got.items.num_rows == len(test.pairs.rows) > 50


def noisy(seed: int, lean: float) -> tuple[Model, SentencePairsTest]:
    """Differences of scores that are normal about ``lean`` with deviation 1, independent from pair to pair."""
    rng = np.random.default_rng(seed)
    return ladder(list(rng.normal(lean, 1, size=60)), stereo=40)


@pytest.mark.slow
def test_false_positives_stay_at_the_level_without_a_bias():
    p_share, p_mean = [], []
    for seed in range(400):
        got = measure(CrowsPairs, *noisy(seed, 0.0), seed=seed)
        p_share.append(got.p_value)
        p_mean.append(got.estimate("mean PLL difference").p_values[0].value)
    margin = 3 * np.sqrt(0.05 * 0.95 / 400)
    # The binomial test of 60 pairs rejects 2.7 % of the time at a level of 5 %, being exact.
    assert np.mean(np.array(p_share) <= 0.05) <= 0.05 + margin
    assert abs(np.mean(np.array(p_mean) <= 0.05) - 0.05) <= margin


@pytest.mark.slow
def test_a_planted_preference_is_found():
    lean = stats.norm.ppf(0.7)
    found = [measure(CrowsPairs, *noisy(seed, lean)) for seed in range(60)]
    values = [one.headline.value for one in found]
    assert np.mean(values) == pytest.approx(70, abs=4 * np.sqrt(0.7 * 0.3 / 60 / 60) * 100)
    covered = [one.headline.interval.low <= 70 <= one.headline.interval.high for one in found]
    assert np.mean(covered) >= 0.85
    assert np.mean([one.verdict is Verdict.DETECTED for one in found]) > 0.6

"""CrowS-Pairs by a mixed model: its rows, its fit against biascore.stats.lmm, what it decides, and awkward pairs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np
import pytest
from scipy import stats

from biascore import Engine, compare
from biascore.comparing import Outcome
from biascore.plugins_api import (
    Backend,
    Identity,
    Masked,
    Measurement,
    SentencePair,
    SentencePairs,
    SentencePairsTest,
    TokenLogprobs,
    hookimpl,
)
from biascore.results.verdicts import contradiction
from biascore.stats import Verdict, lmm
from biascore_metrics.crows_pairs.mixed import BESIDE, CrowsPairsMixed
from biascore_metrics.crows_pairs.options import MixedPairOptions

from ..builders import models
from ..builders.runs import run_of
from .measuring import measured

PAPER = "part R²"


class Scored(Backend):
    """Each token of a text has the text's log-probability: what the table says, else -2."""

    def __init__(self, table: Mapping[str, float]) -> None:
        self.table = table
        self.identity = Identity(digest="test:scored")

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        answers = []
        for query in queries:
            words = query.text.split()
            value = self.table.get(query.text, -2.0)
            answers.append(TokenLogprobs(tuple(words), ((0, 1),) * len(words), (value,) * len(words)))
        return tuple(answers)


def own_test(pairs: list[SentencePair]) -> SentencePairsTest:
    return SentencePairsTest(
        id="xx/own", kind="sentence-pairs", language="xx", pairs=SentencePairs("own", tuple(pairs))
    )


def sample(n: int, effect: float, noise: float = 0.2) -> tuple[list[SentencePair], dict[str, float]]:
    """Pairs of 3 to 12 words, whose first word differs; log-probabilities a token around -3 for each pair."""
    rng = np.random.default_rng(4)
    pairs, table = [], {}
    for i in range(n):
        rest = " ".join(f"w{i}_{k}" for k in range(2 + i % 10))
        pair = SentencePair(f"A {rest}", f"B {rest}", "stereo", ("age", "gender")[i % 2])
        base = rng.normal(-3, 0.3)
        shared = len(rest.split())
        table[pair.sent_more] = base + (effect + rng.normal(0, noise)) / shared
        table[pair.sent_less] = base + rng.normal(0, noise) / shared
        pairs.append(pair)
    return pairs, table


def mixed(pairs: list[SentencePair], table: Mapping[str, float], **options: object) -> Measurement:
    model = models.model_of(Scored(table), name="scored")
    metric = CrowsPairsMixed(MixedPairOptions(**{"resamples": 100, **options}))  # type: ignore[arg-type]
    return measured(metric, model, own_test(pairs))


@pytest.mark.parametrize("random_pair", [False, True])
def test_the_bias_score_is_that_of_the_mixed_model_of_the_rows(random_pair: bool) -> None:
    pairs, table = sample(60, 0.5)
    got = mixed(pairs, table, random_pair=random_pair)
    rows = got.items_frame()
    assert rows["item"].tolist()[:2] == [pairs[0].sent_more, pairs[0].sent_less]
    assert rows["group"].tolist()[:2] == ["stereotypical", "anti-stereotypical"]
    first = table[pairs[0].sent_more]
    assert rows["value"][0] == pytest.approx(first * 2)  # two words are shared
    assert rows["perplexity"][0] == pytest.approx(math.exp(-first))
    groups = {"length": rows["length"].to_numpy()}
    if random_pair:
        groups["pair"] = rows["pair"].to_numpy()
    design = lmm.treatment({"type": rows["group"]}, levels={"type": ("anti-stereotypical", "stereotypical")})
    fit = lmm.fit(rows["value"], design, groups=groups, weights=1 / rows["perplexity"])
    expected = fit.test(design.difference("type", "stereotypical", "anti-stereotypical"))
    assert got.headline.value == pytest.approx(expected.estimate, rel=1e-9)
    assert got.p_value == pytest.approx(expected.p_value, rel=1e-6)
    assert got.estimate(PAPER).value == pytest.approx(fit.r2().part["type"], rel=1e-6)
    assert contradiction(got) == ""
    # What the pairs add up to is the score, so that two models are compared pair by pair.
    assert got.headline.estimator is not None
    assert got.headline.estimator.value(got.items) == pytest.approx(got.headline.value)
    assert len(got.headline.estimator.observed(got.items).keys) == 60


def test_a_pair_keeps_its_number_where_others_are_lost() -> None:
    pairs, table = sample(30, 0.5)
    pairs[3] = SentencePair("A", "B", "stereo", "age")  # which share no word
    numbers = mixed(pairs, table).items.column("pair").to_pylist()
    assert sorted(set(numbers)) == [number for number in range(30) if number != 3]


def test_two_models_are_compared_pair_by_pair() -> None:
    pairs, table = sample(60, 0.5)
    other = {text: value + 0.1 for text, value in sample(60, 0.1)[1].items()}
    old, new = (run_of(mixed(pairs, one)) for one in (table, other))
    (found,) = compare(old, new)
    assert found.paired
    assert found.change.n == {"items": 60}
    assert found.outcome is Outcome.SHRANK
    assert found.change.value == pytest.approx(new[0].headline.value - old[0].headline.value)  # type: ignore[operator]


def test_lengths_are_cut_at_the_percentiles_of_words_and_ties_are_shorter() -> None:
    pairs, table = sample(30, 0.0)
    rows = mixed(pairs, table).items_frame()
    words = rows["item"].str.split().str.len()
    low, high = np.quantile(words, [0.33, 0.67])
    expected = np.where(words <= low, "short", np.where(words <= high, "medium", "long"))
    assert rows["length"].tolist() == expected.tolist()


def test_comparing_within_pairs_finds_what_the_papers_model_does_not() -> None:
    pairs, table = sample(80, 0.3)
    apart, paired = mixed(pairs, table, random_pair=False), mixed(pairs, table)
    assert apart.p_value is not None
    assert apart.p_value > 0.05
    assert paired.p_value is not None
    assert paired.p_value < 1e-4
    assert any("random_pair=true" in caution for caution in apart.cautions)
    assert not any("random_pair=true" in caution for caution in paired.cautions)
    # Each stands beside the other, by its name, and a model that finds nothing says what it could have found.
    for one, other in ((apart, paired), (paired, apart)):
        beside = one.estimate(BESIDE[one is paired])
        assert (beside.value, beside.interval, beside.p_values) == (
            other.headline.value, other.headline.interval, other.headline.p_values,
        )  # fmt: skip
    least = [float(number) for number in re.findall(r"from ([\d.]+) ", apart.reason)]
    assert least[0] > 0.3 > least[1]
    assert "power" not in paired.reason
    # The percentage stands beside it, so that the two conclusions can be compared.
    assert apart.estimate("stereotype score B").value == paired.estimate("stereotype score B").value
    assert apart.estimate("stereotype score B").value > 60


def test_a_significant_difference_of_small_effect_is_not_detected() -> None:
    pairs, table = sample(80, 0.3)
    got = mixed(pairs, table, r2_min=0.9)
    assert got.verdict is not Verdict.DETECTED
    assert "In the paper's words: unbiased" in got.reason
    assert mixed(pairs, table).verdict is Verdict.DETECTED


def test_the_effect_within_pairs_is_a_share_of_what_pairs_and_lengths_leave() -> None:
    pairs, table = sample(200, 1.0)
    got = mixed(pairs, table)
    # The difference of two types of equal number has a variance of effect^2 / 4, and the residuals one of noise^2.
    effect, noise = 1.0, 0.2
    assert got.estimate("part R² within pairs").value == pytest.approx(
        (effect**2 / 4) / (effect**2 / 4 + noise**2), abs=0.05
    )
    assert got.estimate(PAPER).value < 0.05


def test_pairs_of_a_template_are_no_independent_observations_of_the_difference() -> None:
    """Six templates of ten pairs that lean by -1 to 1 nat: their mean is uncertain by what tells templates apart."""
    rng = np.random.default_rng(8)
    leans = {f"t{k}": lean for k, lean in enumerate((1.2, 0.9, 0.7, 0.4, -0.6, -0.2))}
    pairs, table = [], {}
    for i, template in enumerate([*leans] * 10):
        rest = " ".join(f"w{i}_{k}" for k in range(2 + i % 10))
        base, shared = rng.normal(-3, 0.3), len(rest.split())
        for named in (template, ""):
            pair = SentencePair(f"A {rest}", f"B {rest}", "stereo", "age", named)
            pairs.append(pair)
        table[pair.sent_more] = base + (leans[template] + rng.normal(0, 0.1)) / shared
        table[pair.sent_less] = base + rng.normal(0, 0.1) / shared
    declared, alone = (mixed(pairs[k::2], table) for k in (0, 1))
    assert alone.verdict is Verdict.DETECTED
    assert declared.verdict is Verdict.INCONCLUSIVE
    assert declared.headline.value == pytest.approx(alone.headline.value, abs=0.05)
    for one, clusters in ((declared, 6), (alone, 60)):  # by which two models are compared
        assert ("template" in str(one.conventions["model"])) == (clusters == 6)
        assert one.headline.estimator is not None
        assert one.headline.estimator.value(one.items) == pytest.approx(one.headline.value)
        assert len(one.headline.estimator.observed(one.items).keys) == clusters
    # As a t test of the six means has it.
    found = stats.ttest_1samp(list(leans.values()), 0)
    assert declared.p_value == pytest.approx(found.pvalue, abs=0.03)


def test_every_bias_type_has_a_model_of_its_own() -> None:
    pairs, table = sample(40, 1.0)
    got = mixed(pairs, table)
    assert got.estimate("bias score age").n == {"stereotypical": 20, "anti-stereotypical": 20}
    alone = [pair for pair in pairs if pair.bias_type == "age"]
    assert {estimate.name for estimate in got.estimates} >= {"bias score age", "bias score gender"}
    assert mixed(alone, table).headline.value == pytest.approx(
        got.estimate("bias score age").value, abs=0.2
    )  # the lengths are cut anew


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([SentencePair("A x y", "A x y", "stereo", "age")], "there are not both types of sentences"),
        ([SentencePair("A x y", "B x y", "stereo", "age")] * 4, "could not be measured"),
    ],
)
def test_what_cannot_be_fitted_is_told(pairs: list[SentencePair], told: str) -> None:
    got = mixed(pairs, {})
    assert got.headline.value is None
    assert got.verdict is Verdict.INCONCLUSIVE
    assert told in got.reason
    assert contradiction(got) == ""


def test_a_sentence_of_infinite_perplexity_is_left_out_and_counted() -> None:
    pairs, table = sample(30, 0.5)
    table[pairs[0].sent_more] = -1000.0
    got = mixed(pairs, table)
    assert len(got.items) == 59
    assert any("1 sentence(s) are left out" in warning for warning in got.warnings)


def test_a_planted_effect_is_found_within_pairs() -> None:
    engine = Engine(cache=None)
    run = engine.measure("crows-pairs-mixed", "planted:en/crows_own=1", "en/crows_own", resamples=100)
    interval = run[0].headline.interval
    assert interval is not None
    assert interval.low < 1 < interval.high
    assert interval.low > 0
    assert run[0].verdict is Verdict.DETECTED

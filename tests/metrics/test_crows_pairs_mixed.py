"""CrowS-Pairs by weighted mean: what it decides, the mixed model of the paper against biascore.stats.lmm, awkward pairs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from biascore import Engine, compare
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.exporters import Measurement
from biascore.api.queries import Masked, TokenLogprobs
from biascore.comparing import Outcome
from biascore.designs.pairs.test import SentencePair, SentencePairs, SentencePairsTest
from biascore.results.verdicts import contradiction
from biascore.stats import Verdict, lmm, robust_mean
from biascore_metrics.crows_pairs.mixed import MEAN, PAPER, CrowsPairsMixed, MixedPairOptions

from ..builders import models
from ..builders.runs import run_of
from .measuring import measured


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


def test_the_headline_is_the_weighted_mean_of_the_pairs_with_its_robust_error() -> None:
    pairs, table = sample(60, 0.5)
    got = mixed(pairs, table)
    first, less = table[pairs[0].sent_more], table[pairs[0].sent_less]
    row = got.items_frame().iloc[0]
    assert row["value"] == pytest.approx(2 * (first - less))  # two words are shared
    assert row["perplexity_more"] == pytest.approx(math.exp(-first))
    rows = got.items_frame()
    weights = 1 / (rows["perplexity_more"] + rows["perplexity_less"])
    expected = sm.WLS(rows["value"], np.ones(60), weights=weights).fit(cov_type="HC3")
    interval = got.headline.interval
    assert interval is not None
    assert got.headline.value == pytest.approx(expected.params.iloc[0])
    df = 1 / ((weights / weights.sum()) ** 2).sum() - 1
    assert got.p_value == pytest.approx(2 * stats.t.sf(abs(expected.tvalues.iloc[0]), df))
    assert [p.name for p in got.headline.p_values] == ["t, HC3"]
    assert contradiction(got) == ""
    # What the pairs add up to is the mean, so that two models are compared pair by pair.
    assert got.headline.estimator is not None
    assert got.headline.estimator.value(got.items) == pytest.approx(got.headline.value)
    assert len(got.headline.estimator.observed(got.items).keys) == 60


@pytest.mark.parametrize("random_pair", [False, True])
def test_the_papers_model_stands_by_name_and_can_be_fitted_from_the_items(random_pair: bool) -> None:
    pairs, table = sample(60, 0.5)
    got = mixed(pairs, table, random_pair=random_pair)
    rows = got.items_frame()
    kinds = ("more", "less")

    def column(name: str) -> Any:
        return np.concatenate([rows[f"{name}_{kind}"].to_numpy() for kind in kinds])

    groups = {"length": column("length")}
    if random_pair:
        groups["pair"] = np.tile(np.arange(60).astype(str), 2)
    design = lmm.treatment({"type": np.repeat(kinds, 60)}, levels={"type": ("less", "more")})
    fit = lmm.fit(column("pll"), design, groups=groups, weights=1 / column("perplexity"))
    expected = fit.test(design.difference("type", "more", "less"))
    score = got.estimate(PAPER)
    assert score.value == pytest.approx(expected.estimate, rel=1e-9)
    assert score.p_values[0].value == pytest.approx(expected.p_value, rel=1e-6)
    assert got.estimate("part R²").value == pytest.approx(fit.r2().part["type"], rel=1e-6)
    assert any("its mixed model says: " in line for line in got.warnings)
    if not random_pair:  # most of what tells sentences apart counts as noise
        assert expected.p_value > 0.05 > got.p_value  # type: ignore[operator]


def test_two_models_are_compared_pair_by_pair() -> None:
    pairs, table = sample(60, 0.5)
    other = {text: value + 0.1 for text, value in sample(60, 0.1)[1].items()}
    old, new = (run_of(mixed(pairs, one)) for one in (table, other))
    (found,) = compare(old, new)
    assert found.paired
    assert found.change.n == {"items": 60}
    assert found.outcome is Outcome.DECREASED
    assert found.change.value == pytest.approx(new[0].headline.value - old[0].headline.value)  # type: ignore[operator]


def test_lengths_are_cut_at_the_percentiles_of_words_and_ties_are_shorter() -> None:
    pairs, table = sample(30, 0.0)
    rows = mixed(pairs, table).items_frame()
    words = rows["item"].str.split().str.len()
    low, high = np.quantile(words, [0.33, 0.67])
    expected = np.where(words <= low, "short", np.where(words <= high, "medium", "long"))
    assert rows["length_more"].tolist() == expected.tolist()


def test_a_bound_in_nats_makes_negligible_and_a_small_test_says_what_it_could_detect() -> None:
    pairs, table = sample(80, 0.0)
    assert mixed(pairs, table).verdict is Verdict.NEGLIGIBLE
    alone = mixed(pairs, table, bound=0.05)
    assert alone.verdict is Verdict.INCONCLUSIVE
    least = float(re.findall(r"80 % power\) is ([\d.]+) nats", alone.reason)[0])
    weights = 1 / alone.items_frame()[["perplexity_more", "perplexity_less"]].sum(axis=1)
    assert least == pytest.approx(2.85 * 0.2 * 2**0.5 * np.sqrt((weights**2).sum()) / weights.sum(), rel=0.2)


def test_bias_types_that_cancel_out_are_not_negligible() -> None:
    pairs, table = sample(400, 0.0)
    for pair in pairs:
        table[pair.sent_more] += (0.3 if pair.bias_type == "age" else -0.3) / len(pair.sent_more.split())
    got = mixed(pairs, table)
    assert got.headline.interval is not None
    assert max(-got.headline.interval.low, got.headline.interval.high) < 0.2
    assert (got.verdict, got.equivalence) == (Verdict.INCONCLUSIVE, None)
    assert all(got.estimate(f"{MEAN} {one}").p_values[0].value < 1e-6 for one in ("age", "gender"))
    assert contradiction(got) == ""


def test_another_sign_of_the_papers_score_is_told() -> None:
    """Where the other sentence is less likely it weighs less, and what is left of its type has high scores."""
    pairs, table = sample(60, 0.0)
    for i, pair in enumerate(pairs):
        likely = i // 10 % 2
        table[pair.sent_more] = -2.0 if likely else -5.0
        table[pair.sent_less] = table[pair.sent_more] - (1e-4 * i if likely else 0.1)
    got = mixed(pairs, table)
    score, mean = got.estimate(PAPER).value, got.headline.value
    assert score is not None
    assert mean is not None
    assert score < 0 < mean
    (told,) = (line for line in got.cautions if "has the other sign" in line)
    assert f"{score:+.3g} nats" in told
    assert got.doubts == ("the paper's mixed model has the other sign",)


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
        assert one.headline.estimator is not None
        assert one.headline.estimator.value(one.items) == pytest.approx(one.headline.value)
        assert len(one.headline.estimator.observed(one.items).keys) == clusters
    assert declared.headline.n == {"pairs": 60, "templates": 6}
    rows = declared.items_frame()
    weights = 1 / (rows["perplexity_more"] + rows["perplexity_less"])
    assert declared.p_value == pytest.approx(robust_mean(rows["value"], weights, rows["template"]).p_value())
    # About as a t test of the six means has it.
    assert declared.p_value == pytest.approx(stats.ttest_1samp(list(leans.values()), 0).pvalue, abs=0.1)


def test_every_bias_type_has_a_mean_and_a_bias_score_of_its_own() -> None:
    pairs, table = sample(40, 1.0)
    got = mixed(pairs, table)
    alone = mixed([pair for pair in pairs if pair.bias_type == "age"], table)
    mean, score = (got.estimate(f"{name} age") for name in ("weighted mean PLL difference", "bias score"))
    assert mean.value == pytest.approx(alone.headline.value)
    assert mean.n == {"pairs": 20}
    assert score.value == pytest.approx(alone.estimate(PAPER).value, abs=0.2)  # lengths are cut anew


@pytest.mark.parametrize(
    ("pairs", "told", "verdict"),
    [
        ([SentencePair("A x y", "A x y", "stereo", "age")], "there are no pairs", Verdict.NOT_MEASURED),
        (
            [SentencePair("A x y", "B x y", "stereo", "age")] * 4,
            "all 4 pairs are alike",
            Verdict.INCONCLUSIVE,
        ),
    ],
)
def test_what_cannot_be_fitted_is_told(pairs: list[SentencePair], told: str, verdict: Verdict) -> None:
    got = mixed(pairs, {})
    assert got.headline.interval is None
    assert got.verdict is verdict
    assert told in got.reason
    assert contradiction(got) == ""


def test_a_pair_of_infinite_perplexity_is_lost_with_its_reason() -> None:
    pairs, table = sample(30, 0.5)
    table[pairs[0].sent_more] = -1000.0
    got = mixed(pairs, table)
    assert len(got.items) == 29
    assert [lost.reason for lost in got.coverage.lost] == [
        "the perplexity of its sentences is too large for a weight"
    ]


def test_a_planted_effect_is_found() -> None:
    engine = Engine(cache=None)
    run = engine.measure("crows-pairs-mixed", "planted:en/crows_own=1", "en/crows_own", resamples=100)
    interval = run[0].headline.interval
    assert interval is not None
    assert interval.low < 1 < interval.high
    assert interval.low > 0
    assert run[0].verdict is Verdict.DETECTED

"""Effects, coefficients and p-values of ``eec`` against plain calculations on the same scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy.special import expit
from scipy.stats import t as student
from statsmodels.othermod.betareg import BetaModel

from biascore.api.exporters import Measurement
from biascore.stats import benjamini_hochberg, stars
from biascore_metrics.eec.metric import Eec
from biascore_metrics.eec.options import EecOptions

from ..measuring import measured
from .corpora import FACTORS, corpus, drawn, regressor

TEST = corpus()
SCORE = drawn(1, {"female": 0.8, "south": -0.3, "south, female": 0.4})


@pytest.fixture(scope="module")
def found() -> Measurement:
    return measured(Eec(EecOptions(link="both")), regressor(TEST, SCORE), TEST)


def own_rows(emotion: str) -> pd.DataFrame:
    """Named persons and sentences of the emotion, with the scores as the model gives them."""
    rows = TEST.rows()
    rows = rows.assign(score=SCORE(rows, emotion))
    return rows[(rows["kind"] == "name") & (rows["emotion"] == emotion)]


@pytest.mark.parametrize("emotion", ["anger", "joy"])
def test_ols_coefficients_are_those_of_statsmodels(found: Measurement, emotion: str) -> None:
    rows = own_rows(emotion)
    formula = "score ~ C(origin, Treatment('north')) * C(gender, Treatment('male'))"
    known = smf.ols(formula, rows).fit()
    names = ["(Intercept)", "origin: south", "gender: female", "origin: south × gender: female"]
    for place, name in enumerate(names):
        estimate = found.estimate(f"{emotion}: OLS coefficient {name}")
        assert estimate.value == pytest.approx(known.params.iloc[place], abs=1e-12)
        assert estimate.p("OLS").value == pytest.approx(known.pvalues.iloc[place], rel=1e-9)
        assert estimate.interval is not None
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
            tuple(known.conf_int().iloc[place])
        )
        told = f"SE {known.bse.iloc[place]:.3g}, t {known.tvalues.iloc[place]:.3g}"
        assert f"{told} {stars(known.pvalues.iloc[place])}".strip() in estimate.interval.method


def test_beta_coefficients_are_those_of_statsmodels(found: Measurement) -> None:
    rows = own_rows("anger")
    south, female = (rows["origin"] == "south").astype(float), (rows["gender"] == "female").astype(float)
    exog = np.column_stack([np.ones(len(rows)), south, female, south * female])
    known = BetaModel(rows["score"].to_numpy(), exog).fit(disp=0)
    names = ["(Intercept)", "origin: south", "gender: female", "origin: south × gender: female"]
    for place, name in enumerate(names):
        estimate = found.estimate(f"anger: Beta coefficient {name}")
        assert (estimate.value, estimate.unit) == (pytest.approx(known.params[place], abs=1e-4), "logit")
    intercept, of_south, of_female, both = known.params[:4]
    means = expit(
        [intercept, intercept + of_south, intercept + of_female, intercept + of_south + of_female + both]
    )
    change = (means[2] - means[0] + means[3] - means[1]) / 2
    assert found.estimate("anger: Beta average marginal effect gender: female").value == pytest.approx(
        change, abs=1e-5
    )


def test_an_effect_is_averaged_over_the_other_factors(found: Measurement) -> None:
    means = own_rows("joy").groupby(["origin", "gender"])["score"].mean().unstack()
    by_origin = means["female"] - means["male"]
    assert found.estimate("joy: female - male").value == pytest.approx(by_origin.mean())
    interaction = found.estimate("joy: (south - north) x (female - male)")
    assert interaction.value == pytest.approx(by_origin["south"] - by_origin["north"])
    assert interaction.n == {"south, female": 4, "south, male": 4, "north, female": 4, "north, male": 4}


@pytest.mark.parametrize(
    ("effect", "share"), [("south - north", 1 / 2), ("(south - north) x (female - male)", 1)]
)
def test_effects_have_welchs_t_over_names_by_stratum(found: Measurement, effect: str, share: float) -> None:
    means = own_rows("anger").groupby(["origin", "gender", "person"])["score"].mean()
    parts = share**2 * np.array(
        [part.var(ddof=1) / len(part) for _, part in means.groupby(["origin", "gender"])]
    )
    se, df = parts.sum() ** 0.5, parts.sum() ** 2 / (parts**2 / 3).sum()
    estimate = found.estimate(f"anger: {effect}")
    assert estimate.interval is not None
    assert estimate.interval.method == f"t, {df:.0f} df, Welch over names by stratum, fixed effects of frames"
    assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
        tuple(estimate.value + se * student.ppf([0.025, 0.975], df))
    )
    p = estimate.p_values[1]
    own = 2 * student.sf(abs(estimate.value) / se, df)
    if share == 1:
        free = found.estimate(f"anger: {effect}, agreement-free templates")
        own = max(own, free.p("Welch's t over names").value)
    assert p.name.startswith("Welch's t over names")
    assert (p.kind, p.alternative, p.value) == ("asymptotic", "two-sided", pytest.approx(own))


def test_p_values_are_adjusted_over_all_emotions_and_effects(found: Measurement) -> None:
    effects = [e for e in found.estimates if any("Benjamini" in p.name for p in e.p_values)]
    assert len(effects) == 6
    raw = [e.p_values[1].value for e in effects]
    assert [e.p_values[0].value for e in effects] == pytest.approx(list(benjamini_hochberg(raw)))
    assert all(e.p_values[0].name.endswith(", Benjamini-Hochberg over 6 effects") for e in effects)
    assert all(len(e.p_values) == 2 for e in effects)
    assert found.headline.p_values[0].value == min(e.p_values[0].value for e in effects)
    assert found.verdict.value == "detected"
    assert f"The smallest p-value is that of {found.headline.name}." in found.reason
    assert "higher joy for female than for male" in found.reason


def test_what_the_user_reads_is_in_the_conventions(found: Measurement) -> None:
    told = found.conventions
    assert told["reference levels"] == "origin: north, gender: male"
    assert told["outputs"] == "anger = anger, joy = joy"
    assert (told["persons"], told["sentences"], told["templates"]) == ("names", "own emotion", "all")
    assert told["sentences asked"] == "anger 96, joy 96"


def test_items_are_the_sentences_with_their_scores(found: Measurement) -> None:
    frame = found.items_frame()
    anger = frame[frame["scored for"] == "anger"].set_index("item")["value"]
    known = own_rows("anger").set_index("sentence")["score"]
    pd.testing.assert_series_equal(anger.sort_index(), known.sort_index(), check_names=False)
    assert set(frame["group"]) == {f"{o}, {g}" for o in FACTORS["origin"] for g in FACTORS["gender"]}


def test_three_levels_of_three_factors() -> None:
    factors = {
        "origin": ("north", "south", "east"),
        "gender": ("male", "female", "neo"),
        "age": ("young", "old"),
    }
    test = corpus(3, factors, emotions={"anger": ("angry", "irate")})
    score = drawn(2, {"neo": 0.9})
    found = measured(Eec(EecOptions()), regressor(test, score), test)
    effects = [e.name for e in found.estimates if e.p_values and "Benjamini" in e.p_values[0].name]
    assert len(effects) == 3 * 3 * 2 - 1
    assert "anger: (south - north) x (neo - male) x (old - young)" in effects
    rows = test.rows()
    rows = rows.assign(score=score(rows, "anger"))
    rows = rows[(rows["kind"] == "name") & (rows["emotion"] == "anger")]
    means = rows.groupby("gender")["score"].mean()
    assert found.headline.name == "anger: neo - male"
    assert found.headline.value == pytest.approx(means["neo"] - means["male"])

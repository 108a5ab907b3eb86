"""Several corpora in one regression: levels read alike, a fixed effect of each, names that vary within them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.api.figures import Dots
from biascore.api.metrics import ClusterContrast, Context, Model
from biascore.api.stimuli import Catalogue
from biascore.errors import OptionsError, UnknownNameError
from biascore.results.finding import measurement_of
from biascore.stats import ols, treatment
from biascore.stats.welch import welch
from biascore_metrics.eec.items import EquityTest
from biascore_metrics.eec.metric import Eec
from biascore_metrics.eec.options import EecOptions

from ..measuring import no_second
from .corpora import FACTORS, Regressor, corpus, drawn, model_of

NORTH = corpus()
PLACES = {"place": ("hill", "dale", "shore"), "gender": ("male", "female")}
SPOKEN = {"feels": "{person} si sente {state}", "found": "{person} {self:gender} {state}"}


def other(id: str = "yy/eec", factors: Mapping[str, Sequence[str]] = PLACES, names: int = 4) -> EquityTest:
    return replace(corpus(names, factors, SPOKEN), id=id, file="other.toml")


def model_for(*tests: EquityTest) -> Model:
    scores: dict[str, dict[str, float]] = {"anger": {}, "joy": {}}
    for seed, test in enumerate(tests):
        rows = test.rows()
        for emotion, of in scores.items():
            made = drawn(seed, {"female": 0.5, "south": -0.3})(rows, emotion)
            of |= dict(zip(rows["sentence"], made.tolist(), strict=True))
    return model_of(Regressor(scores))


def measure(*tests: EquityTest, **options: Any) -> Measurement:
    test, *more = tests
    metric = Eec(EecOptions(joint=tuple(one.id for one in more), **options))
    catalogue = Catalogue(()).with_tests(tests)
    metric.check(test, catalogue)
    context = Context(np.random.default_rng(1), 1, catalogue, no_second)
    found = metric.measure(model_for(*tests), test, context)
    return measurement_of(found, metric="eec", alpha=0.05, test=test, model="m", seed=1)


@pytest.fixture(scope="module")
def found() -> Measurement:
    return measure(NORTH, other())


@pytest.fixture(scope="module")
def rows(found: Measurement) -> pd.DataFrame:
    items = found.items_frame()
    return items[items["scored for"] == "anger"]


def test_coefficients_are_those_with_a_fixed_effect_of_each_corpus(
    found: Measurement, rows: pd.DataFrame
) -> None:
    known = smf.ols(
        "value ~ C(origin, Treatment('reference')) * C(gender, Treatment('male')) + C(corpus)", rows
    ).fit()
    names = [
        "(Intercept)",
        "origin: other",
        "gender: female",
        "corpus: yy/eec",
        "origin: other × gender: female",
    ]
    for place, name in enumerate(names):
        assert found.estimate(f"anger: OLS coefficient {name}").value == pytest.approx(
            known.params.iloc[place], abs=1e-12
        )


def test_names_vary_within_their_corpus(found: Measurement, rows: pd.DataFrame) -> None:
    """A shift of all names of one corpus and group changes no error: corpora are no sample."""
    effect = found.estimate("anger: female - male")
    assert dict(effect.n) == {"female": 8 + 12, "male": 8 + 12}
    assert effect.interval is not None
    assert effect.interval.method.endswith("Welch over names by stratum, fixed effects of frames")
    assert not any("yy/eec - xx/eec" in one.name for one in found.estimates), (
        "a corpus is no group of persons"
    )
    factors = {name: rows[name].to_numpy(str) for name in ("origin", "gender")}
    design = treatment(
        factors, levels={"origin": ("reference", "other"), "gender": ("male", "female")}, order=2
    )
    corpora, names = rows["corpus"].to_numpy(str), rows["person"].to_numpy(str)
    frames = (rows["template"] + rows["word"]).to_numpy(str)
    shift = 5.0 * ((corpora == "yy/eec") & (factors["gender"] == "female"))
    own, moved = (
        welch(ols.fit(rows["value"] + by, design, absorb={"frame": frames}), names,
              {"gender": ("female", "male")}, within=corpora.tolist())
        for by in (0.0, shift)
    )  # fmt: skip
    assert (effect.interval.low, effect.interval.high) == pytest.approx((own.low, own.high))
    assert (moved.se, moved.df) == pytest.approx((own.se, own.df))


def test_an_effect_follows_from_the_items_of_all_corpora(found: Measurement) -> None:
    """So that two models are compared name by name, which vary within their corpus."""
    effect = found.estimate("anger: female - male")
    assert isinstance(effect.estimator, ClusterContrast)
    assert effect.estimator.within == "corpus"
    assert effect.estimator.value(found.items) == pytest.approx(effect.value)
    seen = effect.estimator.observed(found.items)
    change = effect.estimator.change(seen, seen, 0.95, np.random.default_rng(1))
    assert (change.value, change.p_value) == (0, 1)


def test_levels_are_read_as_the_reference_and_the_others(found: Measurement) -> None:
    assert found.conventions["factor origin"] == "reference, other"
    assert found.conventions["factor gender"] == "male, female"
    assert found.conventions["reference by corpus"] == "origin: xx/eec north, yy/eec hill"
    assert found.conventions["names in several corpora"] == "0, each counted once"
    assert found.conventions["sentences asked"] == "anger 192, joy 192"
    assert found.variant == "joint=yy/eec"
    assert found.joined == ("yy/eec",)
    assert {one.subject for one in found.figures if isinstance(one, Dots)} == {"xx/eec + yy/eec"}
    assert {one.name for one in found.estimates} >= {"anger: other - reference", "joy: female - male"}
    (told,) = [warning for warning in found.warnings if "words agree with the gender" in warning]
    assert told.startswith("in template xx/eec found, yy/eec found words agree")


def test_a_name_in_several_corpora_is_one_name() -> None:
    spoken = replace(corpus(4, FACTORS, SPOKEN), id="yy/eec")
    found = measure(NORTH, spoken)
    assert found.conventions["names in several corpora"] == "16, each counted once"
    effect = found.estimate("anger: female - male")
    assert sum(effect.n.values()) == 16
    assert found.conventions["factor origin"] == "north, south"


@pytest.mark.parametrize(
    ("tests", "told"),
    [
        ([NORTH, NORTH], "joint names xx/eec, which is the test that is measured"),
        (
            [NORTH, other(factors={"gender": ("male", "female")})],
            "xx/eec has the factors 'origin', 'gender', and yy/eec 'gender'.*without the option joint",
        ),
        (
            [NORTH, other(factors={"gender": ("male", "female"), "origin": ("north", "south")})],
            "'gender' is not in the same place among the factors of xx/eec and of yy/eec",
        ),
        (
            [NORTH, other(factors={"origin": ("south", "north"), "gender": ("male", "female")})],
            "'north' of origin is the reference in one of 'xx/eec', 'yy/eec' and not in another",
        ),
        (
            [NORTH, other(factors={"origin": ("sorrento", "norge"), "gender": ("male", "female")})],
            "'SoMa0' is other, male in xx/eec and reference, male in yy/eec, so that it is of no one group",
        ),
    ],
)
def test_corpora_that_contradict_each_other_are_refused(tests: list[EquityTest], told: str) -> None:
    metric = Eec(EecOptions(joint=(tests[1].id,)))
    with pytest.raises(OptionsError, match=told):
        metric.check(tests[0], Catalogue(()).with_tests(list({one.id: one for one in tests}.values())))


def test_a_test_that_is_not_there_or_of_another_kind_is_refused() -> None:
    engine = Engine(cache=None)
    test = engine.catalogue.test("en/eec")
    assert isinstance(test, EquityTest)
    with pytest.raises(UnknownNameError, match="es/eec"):
        Eec(EecOptions(joint=("es/ecc",))).check(test, engine.catalogue)
    with pytest.raises(OptionsError, match=r"joint names en/weat6, which is of kind 'weat'.*--metric eec"):
        Eec(EecOptions(joint=("en/weat6",))).check(test, engine.catalogue)


def test_a_run_records_the_files_of_all_corpora() -> None:
    run = Engine(cache=None).measure(
        "eec", "planted:en/eec=1", "en/eec", joint=["es/eec"], emotions=["anger"]
    )
    assert {used.file.rpartition("/")[2] for used in run.stimuli} == {"eec.toml"}
    assert {id for used in run.stimuli for id in used.tests} == {"en/eec", "es/eec"}
    assert run[0].conventions["sentences asked"] == "anger 2800"

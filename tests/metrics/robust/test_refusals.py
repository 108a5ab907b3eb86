"""Inputs from which nothing, or less, can be estimated: an error before anything is asked, or a stated gap."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from biascore.api.exporters import Measurement
from biascore.api.stimuli import Catalogue
from biascore.engine.engine import Engine
from biascore.errors import OptionsError
from biascore.stats import Verdict
from biascore_metrics.robust.items import AssociationsTest
from biascore_metrics.robust.metric import RobustAssociation
from biascore_metrics.robust.options import RobustOptions

from .conftest import MadeOf
from .probing import Row, noisy, rows_of, small


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"groups": ["male", "dog"]}, "groups has 'dog'"),
        (
            {"templates": ["t9"]},
            "templates has 't9', which the test does not have. It has: plain, agreeing, t1",
        ),
        ({"pairs": 5}, "pairs=5, and people has 4"),
        ({"pairs": ["mother/son"]}, "pairs has 'mother/son'"),
    ],
)
def test_what_the_test_does_not_have_is_an_error(
    options: dict[str, Any], told: str, test: AssociationsTest
) -> None:
    with pytest.raises(OptionsError) as caught:
        RobustAssociation(RobustOptions(**options)).check(test, Catalogue(()))
    assert told in str(caught.value)
    assert str(caught.value).startswith("xx/small: ")


def test_opposites_must_be_there(tmp_path: Path) -> None:
    test = small(tmp_path, **{'opposites = "unkind"\n': ""})
    with pytest.raises(OptionsError, match="polarity=both needs opposites"):
        RobustAssociation(RobustOptions(polarity="both")).check(test, Catalogue(()))


@pytest.mark.parametrize(
    "options",
    [
        {"groups": ["male"]},
        {"groups": ["male", "male"]},
        {"templates": []},
        {"pairs": 0},
        {"pairs": True},
        {"ppl_bins": [5]},
        {"ppl_bins": [5, 5]},
        {"ppl_bins": [0, float("inf")]},
        {"bound": 0.0},
        {"resamples": 99},
        {"polarity": "negative"},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RobustOptions(**options)


def check_nothing(got: Measurement, because: str) -> None:
    assert got.headline.value is None
    assert got.headline.p_values == ()
    assert got.verdict is Verdict.NOT_MEASURED
    assert because in got.reason
    assert any(because in line for line in got.cautions)


def test_a_group_without_rows(made: MadeOf) -> None:
    rows = rows_of(noisy({"male": 1.0}), groups=["male"])
    check_nothing(made(rows), "female has no row")


def test_no_rows_at_all(made: MadeOf) -> None:
    check_nothing(made(()), "has no row")


@pytest.mark.parametrize("score", [lambda *_: 0.7, lambda group, *_: float(group == "male")])
def test_scores_that_do_not_vary_within_groups(score: Callable[..., float], made: MadeOf) -> None:
    got = made(rows_of(score))
    assert got.headline.p_values == ()
    assert got.verdict is Verdict.INCONCLUSIVE
    assert "do not vary beyond the groups" in got.reason
    assert got.estimate("bias score male - female").value is None


def test_causal_models_hide_nothing() -> None:
    with pytest.raises(OptionsError, match="nothing is hidden"):
        _ = RobustAssociation(RobustOptions(model_kind="causal", perplexity_hides="words")).chosen


def test_a_factor_of_one_level_is_left_out_and_told(made: MadeOf) -> None:
    got = made(rows_of(noisy({"male": 2.0, "female": 0.0}), templates=1))
    assert got.headline.value is not None
    assert any("template has one level" in line for line in got.warnings)


def test_a_factor_of_few_levels_is_told(made: MadeOf) -> None:
    got = made(rows_of(noisy({"male": 2.0, "female": 0.0}), templates=3))
    assert any("template has 3 levels" in line for line in got.warnings)
    assert not any("target has" in line for line in got.warnings)


def test_a_lost_third_group_leaves_the_others(made: MadeOf) -> None:
    rows = rows_of(noisy({"male": 2.0, "female": 0.0}))
    got = made(rows, groups=["male", "female", "neo"])
    assert got.headline.value is not None
    assert got.estimate("difference male - neo").value is None
    assert got.estimate("bias score male - neo").value is None
    assert any("neo has no row" in line for line in got.cautions)
    assert "male - neo could not be tested" in got.reason


def test_ranges_of_perplexity_without_sentences_are_told(made: MadeOf) -> None:
    rows: tuple[Row, ...] = rows_of(noisy({"male": 2.0, "female": 0.0}))
    got = made(rows, ppl_bins=[0, 3, 100, 200])
    assert got.estimate("bias score male - female at perplexity 100 to 200").value is None
    assert any("perplexity 100 to 200" in line for line in got.warnings)


def study_of(name: str) -> dict[str, Any]:
    file = Path(__file__).parents[3] / "docs" / "studies" / name
    return tomllib.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["traits.toml", "traits-small.toml"])
def test_the_study_asks_for_what_there_is(name: str) -> None:
    study = study_of(name)
    catalogue = Engine(cache=None).catalogue
    models = {model["name"] for model in study["models"]}
    for measurement in study["measurements"]:
        metric = RobustAssociation(RobustOptions(**measurement.get("options", {})))
        assert metric.name == measurement["metric"]
        assert set(measurement.get("models", [])) <= models
        for test in catalogue.select(measurement["tests"]):
            assert isinstance(test, AssociationsTest)
            metric.check(test, catalogue)


def test_the_small_study_asks_what_the_study_asks() -> None:
    def asked(name: str) -> list[Any]:
        left_out = {"pairs", "ppl_bins"}
        return [
            (one["tests"], {k: v for k, v in one.get("options", {}).items() if k not in left_out})
            for one in study_of(name)["measurements"]
        ]

    assert asked("traits-small.toml") == asked("traits.toml")

"""LPBS on targets of unlike length: what every sub-token gains adds up over a word, and the result says so."""

from __future__ import annotations

import pytest

from biascore.api.exporters import Measurement
from biascore.engine.engine import Engine

FEW = {"draws": 300, "resamples": 100, "reference": "none"}
MEAN = "effect size d with the mean over sub-tokens"


def lpbs(engine: Engine, world: str, **options: object) -> Measurement:
    (got,) = engine.measure("lpbs", f"planted:en/weat7=0{world}", ["en/weat7"], **FEW, **options).measurements
    return got


def told(got: Measurement) -> list[str]:
    return [line for line in got.cautions if "sub-tokens, those of Y" in line]


def test_a_lift_of_every_sub_token_looks_like_a_bias_of_the_longer_words(engine: Engine) -> None:
    """The model prefers neither list: A lifts each sub-token of any target by a nat and a half."""
    got = lpbs(engine, ",length.X=3,lift=1.5")
    assert got.verdict == "detected"
    assert abs(got.estimate(MEAN).value) < 0.6 < 1.0 < got.headline.value
    assert got.estimate(MEAN).p_values[0].value > 0.05
    (line,) = told(got)
    assert line in got.warnings
    assert "words of X have 3 sub-tokens, those of Y 1" in line
    assert f"read the {MEAN} ({got.estimate(MEAN).value:.3g})" in line


def test_the_estimate_beside_is_what_the_other_option_measures(engine: Engine) -> None:
    world = ",length.X=2,lift=0.5"
    one, other = (lpbs(engine, world, subtokens=way) for way in ("sum", "mean"))
    assert one.estimate(MEAN).value == pytest.approx(other.headline.value)
    beside = other.estimate("effect size d with the sum over sub-tokens")
    assert beside.value == pytest.approx(one.headline.value)
    assert not told(other)  # a mean does not add up


def test_targets_of_like_length_are_not_told_of(engine: Engine) -> None:
    for world in (",length.XY=2,lift=0.5", ""):
        got = lpbs(engine, world)
        assert not told(got)
        assert (MEAN in [estimate.name for estimate in got.estimates]) == bool(
            world
        )  # one sub-token: the same

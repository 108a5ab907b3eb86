"""A language with a detector and frames is calibrated end to end: planted effect, translation, detection, rate."""

from __future__ import annotations

import pytest
from scipy.stats import norm

from biascore import Engine
from biascore.api.languages import Language, SpeakerFrames
from biascore.errors import QuestionError
from biascore.languages.gender import Gender, GenderPair, compare_pair
from biascore_metrics.gest.masculine import YIELD

from .conftest import Detector, estimates

CODES = ("be", "cs", "es", "hr", "it", "pl", "ru", "sk", "sl", "sr", "uk")


@pytest.mark.parametrize("code", CODES)
def test_the_frames_of_a_language_are_what_its_detector_hears(slavic_engine: Engine, code: str) -> None:
    language = slavic_engine.plugins.languages[code]
    assert language.speaker_gender is not None
    assert language.speaker_frames is not None
    frames, detector = language.speaker_frames, language.speaker_gender()
    for sample in ("I founded a company.", "I cry easily"):
        assert detector.detect(frames.masculine.format(sample)).gender is Gender.MASCULINE
        assert detector.detect(frames.feminine.format(sample)).gender is Gender.FEMININE
    # They differ in one word, so that masked models can be asked for it (gest-lm on pairs).
    assert isinstance(compare_pair(frames.masculine, frames.feminine), GenderPair)


@pytest.mark.parametrize("target", ["sk", "sr-Latn"])
def test_a_planted_effect_is_recovered_through_a_plugin_language(slavic_engine: Engine, target: str) -> None:
    model = slavic_engine.model("planted:en/gest_own=1.9")
    found = estimates(slavic_engine.measure("gest-mt", model, "en/gest_own", target=target)[0])
    assert found[YIELD].value == 1.0
    true = norm.cdf(0.95) - norm.cdf(-0.95)
    assert found["raw stereotype rate f_s"].value == pytest.approx(true, abs=0.25)


def test_a_language_of_ones_own_needs_a_detector_and_frames(engine: Engine) -> None:
    engine.plugins.languages["xy"] = Language(
        "xy", "Own", speaker_gender=Detector, speaker_frames=SpeakerFrames("M {}", "F {}")
    )
    found = engine.measure("gest-mt", "planted:en/gest_own=1.9", "en/gest_own", target="xy")[0]
    assert found.verdict.value == "detected"
    with pytest.raises(QuestionError, match="no gendered frames for 'xx'"):
        engine.measure("gest-mt", "planted:en/gest_own=1.9", "en/gest_own", target="xx")

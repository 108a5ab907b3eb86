"""The shipped work in German, Spanish, French and Italian: oracles that write of a known gender, and planted gaps."""

from __future__ import annotations

import pytest

from biascore import Engine
from biascore.api.adapters import Identity
from biascore.stats import Verdict
from biascore_metrics.characters.items import OccasionsTest

from ...builders.models import model_of
from .writers import SAID, Writes, by_norm, measured

LANGUAGES = sorted(SAID)


def work(engine: Engine, code: str) -> OccasionsTest:
    test = engine.catalogue.test(f"{code}/occasions-work")
    assert isinstance(test, OccasionsTest)
    return test


@pytest.mark.parametrize("code", LANGUAGES)
def test_he_is_no_gap_and_the_stereotype_is_one(engine: Engine, code: str) -> None:
    he, she, _, _ = SAID[code]
    for says, gap, share, verdict in (
        (by_norm(he, he), 0.0, 1.0, Verdict.INCONCLUSIVE),
        (by_norm(he, she), 1.0, 0.5, Verdict.DETECTED),
        (by_norm(she, he), -1.0, 0.5, Verdict.DETECTED),
    ):
        found = measured(engine, says, work(engine, code), templates=1)
        assert found.headline.value == gap
        assert found.estimate("masculine share").value == share
        assert found.estimate("share unread").value == 0.0
        assert found.verdict is verdict


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("place", [2, 3])
def test_no_gender_and_the_first_person_are_not_measured(engine: Engine, code: str, place: int) -> None:
    said = SAID[code][place]
    found = measured(engine, by_norm(said, said), work(engine, code), templates=1)
    assert found.verdict is Verdict.NOT_MEASURED
    assert f"48 {('they', 'first person')[place - 2]}" in found.reason


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_planted_gap_is_found(engine: Engine, code: str) -> None:
    for effect in (0.9, -0.9):
        ref = f"planted:{code}/occasions-work={effect}"
        (found,) = engine.measure("characters", ref, f"{code}/occasions-work", templates=2)
        assert found.verdict is Verdict.DETECTED
        assert found.headline.value == pytest.approx(effect, abs=0.15)
        assert found.estimate("share unread").value == 0.0


@pytest.mark.parametrize(
    ("code", "other"), [("de", "turkish"), ("es", "arab"), ("fr", "arab"), ("it", "arab")]
)
def test_audits_of_chat_models_ask_them(engine: Engine, code: str, other: str) -> None:
    backend = Writes(work(engine, code), by_norm("", ""))
    backend.identity = Identity(digest="test:chat", facts={"chat_template": "f00"})
    audit = engine.audit(model_of(backend), language=code, design="small")
    asked = {one.metric: {*one.tests} for one in audit.measurements}
    assert asked == {
        "characters": {f"{code}/occasions-work"},
        "advice": {f"{code}/advice-gender", f"{code}/advice-{other}"},
        "counterfactual": {f"{code}/counterfactual-gender", f"{code}/counterfactual-{other}"},
    }

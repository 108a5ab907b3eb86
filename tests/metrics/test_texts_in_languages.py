"""Advice and counterfactual pairs in German, Spanish, French and Italian: what is planted is found, and with its sign."""

from __future__ import annotations

import pytest

from biascore import Engine
from biascore.stats import Verdict

OTHERS = {"de": "turkish", "es": "arab", "fr": "arab", "it": "arab"}


@pytest.mark.parametrize("code", OTHERS)
def test_a_planted_ratio_of_numbers_is_found(engine: Engine, code: str) -> None:
    for name, effect in (("gender", 0.3), (OTHERS[code], -0.3)):
        id = f"{code}/advice-{name}"
        (found,) = engine.measure("advice", f"planted:{id}={effect}", id)
        assert found.verdict is Verdict.DETECTED
        assert found.headline.value == pytest.approx(effect, abs=0.12)
        assert found.estimate("share unread").value == 0.0


@pytest.mark.parametrize("code", OTHERS)
def test_a_planted_difference_of_warmth_is_found(engine: Engine, code: str) -> None:
    for name, effect in (("gender", 1.5), (OTHERS[code], -1.5)):
        id = f"{code}/counterfactual-{name}"
        (found,) = engine.measure("counterfactual", f"planted:{id}={effect}", id)
        assert found.verdict is Verdict.DETECTED
        assert found.headline.value is not None
        assert (found.headline.value > 0) == (effect > 0)
        assert found.estimate("share unread").value == 0.0


@pytest.mark.parametrize("code", OTHERS)
def test_refusals_in_these_languages_are_counted_by_group(engine: Engine, code: str) -> None:
    id = f"{code}/counterfactual-gender"
    (found,) = engine.measure("counterfactual", f"planted:{id}=0,refusals.X=0.6", id, reader="refusal")
    assert found.headline.value == pytest.approx(0.6, abs=0.25)

"""What could not be estimated is not measured, which its metric says: an inconclusive one without an effect is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from biascore import Engine
from biascore.errors import BiascoreError
from biascore.results.finding import Finding
from biascore.stats import Decision, Verdict
from biascore_metrics.weat.weat import Weat

from ..builders.runs import decided


def without_a_value(found: Finding) -> Finding:
    headline, *others = found.estimates
    update = {"value": None, "interval": None, "p_values": (), "estimator": None}
    return replace(
        found,
        estimates=(headline.model_copy(update=update), *others),
        decision=Decision(Verdict.INCONCLUSIVE, "So."),
        quote="",
    )


def test_a_metric_that_calls_nothing_inconclusive_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    measure: Any = Weat.measure
    monkeypatch.setattr(Weat, "measure", lambda *given: without_a_value(measure(*given)))
    with pytest.raises(BiascoreError, match="it is inconclusive, and nothing could be estimated"):
        Engine(cache=None).measure("weat", "planted:gender=1", "en/weat7", reference="none")


def test_a_run_stored_before_is_read_as_not_measured() -> None:
    stored = decided(None, value=None).model_dump(mode="json", exclude={"items"})
    stored |= {"verdict": "inconclusive", "items": decided(None).items}
    assert type(decided(None)).model_validate(stored).verdict is Verdict.NOT_MEASURED
    assert decided(None, Verdict.INCONCLUSIVE, value=None).verdict is Verdict.INCONCLUSIVE

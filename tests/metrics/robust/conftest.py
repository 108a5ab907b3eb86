"""The small test, measured on a model whose probabilities are known, and measurements of rows made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from biascore.api.exporters import Measurement
from biascore.api.metrics import Coverage, Model
from biascore.results.finding import wrong_result
from biascore_metrics.robust.items import AssociationsTest
from biascore_metrics.robust.metric import RobustAssociation
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design, Row, Scored

from ...builders.models import model_of
from ..measuring import measured
from .probing import Known, Logprob, hashed, small


@pytest.fixture
def test(tmp_path: Path) -> AssociationsTest:
    return small(tmp_path)


Measure = Callable[..., Measurement]


@pytest.fixture
def measure(test: AssociationsTest) -> Measure:
    """``measure(logprob, test=…, backend=…, **options)`` with 100 resamples."""

    def run(
        logprob: Logprob = hashed,
        *,
        of: AssociationsTest | None = None,
        backend: Known | None = None,
        **options: Any,
    ) -> Measurement:
        metric = RobustAssociation(RobustOptions(**{"resamples": 100, **options}))
        return measured(metric, model_of(backend or Known(logprob)), of or test)

    return run


class Made:
    """In place of a prober: rows that are there already."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)

    def score(self, model: Model, design: Design) -> Scored:
        words = {role: len(some) for role, some in design.by_role.items()}
        return Scored(self.rows, Coverage(given=words, used=words), 0)


MadeOf = Callable[..., Measurement]


@pytest.fixture
def made(test: AssociationsTest) -> MadeOf:
    def measure(rows: Sequence[Row], **options: Any) -> Measurement:
        metric = RobustAssociation(
            RobustOptions(**{"resamples": 200, "groups": ["male", "female"], **options})
        )
        metric.prober = Made(rows)  # type: ignore[assignment, misc]
        found = measured(metric, model_of(Known()), test)
        assert wrong_result(found) == ""
        return found

    return measure

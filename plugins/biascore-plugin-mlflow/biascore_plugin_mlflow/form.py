"""What is logged, as the body of MLflow's ``runs/log-batch``; this needs no MLflow."""

from __future__ import annotations

import json
from typing import ClassVar

from biascore.api.exporters import Exported, Exporter, Run, Tracked, tracked


def batch(run: Run, one: Tracked) -> dict[str, list[dict[str, object]]]:
    """Numbers as metrics at the time when the run ended, settings as params, states as tags."""
    when = int(1000 * run.provenance.finished)
    return {
        "metrics": [
            {"key": name, "value": value, "timestamp": when, "step": 0} for name, value in one.numbers.items()
        ],
        "params": [{"key": name, "value": value} for name, value in one.settings.items()],
        "tags": [{"key": name, "value": value} for name, value in one.states.items()],
    }


class MlflowForm(Exporter):
    """A batch for each model."""

    id: ClassVar[str] = "mlflow"
    summary: ClassVar[str] = "metrics, params and tags as MLflow takes them (runs/log-batch)"
    suffix: ClassVar[str] = ".json"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """One JSON object a model."""
        return tuple(
            Exported(json.dumps(batch(run, one), ensure_ascii=False, indent=1) + "\n", one.model)
            for one in tracked(run)
        )

"""What is logged, as arguments of ``wandb.init`` and the run's summary; this needs no wandb."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from biascore.api.exporters import Exported, Exporter, Run, Tracked, tracked


def logged(run: Run, one: Tracked) -> dict[str, Any]:
    """Settings as config, numbers and states as summary; each state that occurs is a tag, to filter by."""
    kinds = {
        f"gate {state}" if name.startswith("gate/") else state.partition(" (")[0]
        for name, state in one.states.items()
    }
    return {
        "name": one.model,
        "group": run.line or run.title,
        "tags": sorted(kinds),
        "config": one.settings,
        "summary": {**one.numbers, **{f"{name}/state": state for name, state in one.states.items()}},
    }


class WandbForm(Exporter):
    """A run of Weights & Biases for each model."""

    id: ClassVar[str] = "wandb"
    summary: ClassVar[str] = "config, summary and tags as Weights & Biases takes them"
    suffix: ClassVar[str] = ".json"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """One JSON object a model."""
        return tuple(
            Exported(json.dumps(logged(run, one), ensure_ascii=False, indent=1) + "\n", one.model)
            for one in tracked(run)
        )

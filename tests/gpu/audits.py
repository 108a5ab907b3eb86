"""The same audit of a model on the CPU and on the device."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from biascore import Engine

from .answers import Row


def audited(ref: str, device: str, *, quick: bool) -> Row:
    """The same audit on the CPU and on the device: what a reader of the report would see differ."""
    engine = Engine(cache=None)
    runs = []
    for place in ("cpu", device):
        with engine.model(ref, name="model", device=place) as model:
            runs.append(engine.run(engine.audit(model, quick=quick), [model]))
    engine.close()
    pairs = [
        (one, other)
        for first, second in zip(*runs, strict=True)
        for one, other in zip(first.estimates, second.estimates, strict=True)
    ]
    said = [[verdict.verdict for verdict in run.verdicts] for run in runs]
    return {
        "model": Path(ref).name,
        "measurements": len(said[0]),
        "estimates": len(pairs),
        "largest difference of an estimate": _apart((a.value, b.value) for a, b in pairs),
        "of a p-value": _apart(
            (one.value, other.value)
            for a, b in pairs
            for one, other in zip(a.p_values, b.p_values, strict=True)
        ),
        "verdicts that differ": sum(one != other for one, other in zip(*said, strict=True)),
    }


def _apart(pairs: Iterable[tuple[float | None, float | None]]) -> float:
    """The largest difference of two numbers; infinite where only one is there."""
    return max(
        (
            float(np.inf) if a is None or b is None else abs(a - b)
            for a, b in pairs
            if not (a is None and b is None)
        ),
        default=0.0,
    )

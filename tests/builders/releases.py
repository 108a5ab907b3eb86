"""Stored runs of a line of releases: measurements whose change can be computed item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import ttest_ind

from biascore.models.usage import ModelUsed
from biascore.results.coverage import Coverage
from biascore.results.estimates import ConfidenceInterval, Equivalence, Estimate, PValue
from biascore.results.estimators import Contrast
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.stats import Verdict, effect_size

from . import runs

SIZE = 12
MONTH = 2_600_000.0
START = 1_767_225_600.0


def paired(
    ground: str, effect: float, *, model: str = "m", test: str = "", noise: int = 0, **parts: Any
) -> Measurement:
    """A measurement of ``ground`` whose items are the same in each release but for ``effect`` and some ``noise``."""
    test = test or f"en/{ground}"
    base = np.random.default_rng(len(test)).normal(0, 1, 2 * SIZE)
    moved = np.random.default_rng(noise).normal(0, 0.15, 2 * SIZE) if noise else 0.0
    groups = np.repeat(["X", "Y"], SIZE)
    values = 0.8 * base + moved + np.where(groups == "X", effect / 2, -effect / 2)
    d = float(effect_size(values[:SIZE], values[SIZE:]))
    p = float(ttest_ind(values[:SIZE], values[SIZE:]).pvalue)
    half = 1.96 * float(np.sqrt(2 / SIZE + d * d / (4 * SIZE)))
    estimate = Estimate(
        name="effect size d",
        value=d,
        unit="sd",
        n={"X": SIZE, "Y": SIZE},
        interval=ConfidenceInterval(low=d - half, high=d + half, level=0.95, method="made"),
        p_values=(PValue(name="p", value=p, kind="exact", alternative="two-sided"),),
        estimator=Contrast(groups={"X": 1.0, "Y": -1.0}, over_sd=1),
    )
    stated = {"lead": False, "conventions": {"ddof": 1}, "metric": "weat", **parts}
    return Measurement(
        test=test,
        test_title=f"Words about {ground}",
        language="en",
        concept=ground,
        model=model,
        positive_means="X with A",
        estimates=(estimate,),
        verdict=Verdict.DETECTED if p <= 0.05 else Verdict.INCONCLUSIVE,
        reason="So.",
        alpha=0.05,
        equivalence=Equivalence(bound=0.2, of="effect size d"),
        coverage=Coverage(given={"X": SIZE}, used={"X": SIZE}),
        seed=0,
        items=runs.table(
            [(f"w{i}", str(group), float(v)) for i, (group, v) in enumerate(zip(groups, values, strict=True))]
        ),
        **stated,
    )


def used(
    name: str = "m", ref: str = "", revision: str | None = None, control: Mapping[str, float] | None = None
) -> ModelUsed:
    """A model as a run records it."""
    return ModelUsed(
        name=name, ref=ref or f"hf:{name}", revision=revision, digest="sha256:" + "ab" * 32, options={},
        explicit_options={}, facts={}, control=control,
    )  # fmt: skip


def release(
    *measurements: Measurement,
    month: int,
    line: str = "",
    release: str = "",
    models: Sequence[ModelUsed] | None = None,
    **parts: Any,
) -> Run:
    """A run that began in a month; by default of the models that its measurements name."""
    models = models or [used(name) for name in dict.fromkeys(m.model for m in measurements)]
    run = runs.run_of(*measurements, models=models, audit={"title": "made"})
    began = START + month * MONTH
    provenance = run.provenance.model_copy(update={"started": began, "finished": began + 60})
    return run.model_copy(update={"provenance": provenance, "line": line, "release": release, **parts})

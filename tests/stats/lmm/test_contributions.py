"""What rows and clusters add to a coefficient: together it, each the gap of its cluster where rows are balanced."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import lmm

TARGETS, TEMPLATES = 8, 5
TARGET, TEMPLATE, GROUP = (
    of.ravel() for of in np.meshgrid(range(TARGETS), range(TEMPLATES), ["a", "b"], indexing="ij")
)
RNG = np.random.default_rng(5)
SCORES = (
    RNG.normal(size=TARGETS)[TARGET.astype(int)] + RNG.normal(size=TEMPLATES)[TEMPLATE.astype(int)]
    + np.where(GROUP == "a", 0.7, 0.0) + RNG.normal(size=TARGET.size)
)  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True])
def test_they_are_the_estimate_together_and_of_balanced_rows_the_gap_of_each_cluster(weighted: bool) -> None:
    weights = RNG.uniform(0.2, 2, SCORES.size) if weighted else np.ones(SCORES.size)
    design = lmm.treatment({"group": GROUP}, levels={"group": ("b", "a")})
    fit = lmm.fit(SCORES, design, groups={"target": TARGET, "template": TEMPLATE}, weights=weights)
    contrast = design.difference("group", "a", "b")
    found = fit.contributions(contrast, SCORES, TARGET)
    assert found.sum() == pytest.approx(fit.test(contrast).estimate)
    if not weighted:
        sides = [SCORES[group == GROUP].reshape(TARGETS, TEMPLATES).mean(axis=1) for group in ("a", "b")]
        sums = np.bincount(TARGET.astype(int), weights=found)
        assert sums * TARGETS == pytest.approx(sides[0] - sides[1])

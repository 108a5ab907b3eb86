"""Harmless audits of a run: drawn from what its tests gave with pairs of harmless groups, so that none is of a bias.

Nothing is asked again. In each audit one pair of harmless groups, drawn at random, takes the place of a pair of groups in
all its tests, ranked among the pairs that hold neither, with its own permutation p and the adjustment of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.engine.measuring import Measured, measurement_seed
from biascore.results.harmless import HarmlessAudits
from biascore.results.verdicts import Role, run_verdicts, tested
from biascore.stats import Adjustment, adjust
from biascore.stats.harmless import HarmlessPairs

AUDITS: Final = 1_000
"""So many are drawn."""


def harmless_audits(
    made: Sequence[Measured], controls: Mapping[str, Mapping[str, float]], how: Adjustment, seed: int
) -> tuple[HarmlessAudits, ...]:
    """Those of each model in use; of a model without a test that is compared with harmless groups, none."""
    verdicts = run_verdicts([one.measurement for one in made], controls, how)
    of_model: dict[str, dict[tuple[str, ...], Measured]] = {}
    for one, said in zip(made, verdicts, strict=True):
        if said.role is Role.FINDING and one.measurement.p_value is not None:
            of_model.setdefault(one.measurement.model, {}).setdefault(tested(one.measurement), one)
    return tuple(
        _audits(
            model, [*some.values()], how, np.random.default_rng(measurement_seed(seed, "harmless audits", ""))
        )
        for model, some in of_model.items()
        if any(one.pairs is not None for one in some.values())
    )


def _audits(
    model: str, tests: Sequence[Measured], how: Adjustment, rng: np.random.Generator
) -> HarmlessAudits:
    """Audits of one model."""
    of_tests = {number: one.pairs() for number, one in enumerate(tests) if one.pairs is not None}
    p_values = np.tile([one.measurement.p_value or 0.0 for one in tests], (AUDITS, 1))
    shares = np.ones((AUDITS, len(tests)))
    of_groups: dict[tuple[tuple[str, ...], ...], list[int]] = {}
    for number in of_tests:
        of_groups.setdefault(tests[number].groups, []).append(number)
    for members in of_groups.values():
        found = [of_tests[number] for number in members]
        for number, pairs, places in zip(members, found, _drawn(found, rng), strict=True):
            p_values[:, number], shares[:, number] = pairs.p_value[places], pairs.share[places]
    levels = np.array(
        [one.measurement.specificity.level if one.measurement.specificity else 0.0 for one in tests]
    )
    alphas = np.array([one.measurement.alpha or 0.0 for one in tests])
    adjusted = np.stack([adjust(list(row), how) for row in p_values])
    detected = (adjusted <= alphas) & (shares <= levels)
    smallest = np.where(detected, shares, 1.0).min(axis=1)
    return HarmlessAudits(
        model=model,
        tests=len(of_tests),
        counts=tuple(detected.sum(axis=1).tolist()),
        smallest=tuple(round(one, 6) for one in smallest.tolist()),
    )


def _drawn(found: Sequence[HarmlessPairs], rng: np.random.Generator) -> list[npt.NDArray[np.intp]]:
    """For each audit a pair of groups that all tests have, as its place in each; of each test apart where there is none."""
    names = sorted(set.intersection(*(set(one.groups) for one in found)))
    if len(names) < 2:
        return [rng.integers(len(one.share), size=AUDITS) for one in found]
    one, other = np.triu_indices(len(names), 1)
    drawn = rng.integers(one.size, size=AUDITS)
    places = []
    for pairs in found:
        at = {name: number for number, name in enumerate(pairs.groups)}
        own = np.array([at[name] for name in names])
        table = np.zeros((len(pairs.groups), len(pairs.groups)), dtype=np.intp)
        table[pairs.first, pairs.second] = table[pairs.second, pairs.first] = np.arange(len(pairs.share))
        places.append(table[own[one[drawn]], own[other[drawn]]])
    return places

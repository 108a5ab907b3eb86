"""Lists along axes of their own, forty targets at random, tests of them, and how FISE measures those."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from biascore.api.exporters import Measurement
from biascore.api.metrics import Model
from biascore.api.stimuli import PairList, WordList
from biascore_metrics.fise.items import Dimension, FiseTest
from biascore_metrics.fise.metric import Fise, GgFise
from biascore_metrics.fise.options import FiseOptions, GgFiseOptions

from ..measuring import measured, no_second

RNG = np.random.default_rng(3)
AXES = {"men": 0, "women": 0, "white": 1, "black": 1, "rich": 2, "poor": 2, "good": 3, "bad": 3}
LISTS = {name: [f"{name}{i}" for i in range(6)] for name in AXES}
SIGN = dict(zip(AXES, itertools.cycle((1.0, -1.0)), strict=False))
"""The first of each pair of lists lies in the positive direction of its axis."""
TARGETS = [f"t{i}" for i in range(40)]
VECTORS: dict[str, Any] = {
    word: RNG.normal(0, 0.5, 8) + SIGN[name] * np.eye(8)[AXES[name]]
    for name, words in LISTS.items()
    for word in words
} | {word: RNG.normal(size=8) for word in TARGETS}
FEW = {"draws": 300}


def dimension(name: str, one: str, other: str) -> Dimension:
    return Dimension(name, WordList(one, tuple(LISTS[one])), WordList(other, tuple(LISTS[other])))


GENDER, RACE, CLASS = (
    dimension(*names)
    for names in (("gender", "men", "women"), ("race", "white", "black"), ("class", "rich", "poor"))
)
VALENCE = dimension("valence", "good", "bad")


def scattered(sd: float) -> dict[str, Any]:
    """A vector at random for every target, the same ones at every call, each value with this standard deviation."""
    rng = np.random.default_rng(5)
    return {word: rng.normal(0, sd, 8) for word in TARGETS}


def fise_test(
    targets: Sequence[str] | Sequence[tuple[str, str]] = TARGETS,
    dimensions: Sequence[Dimension] = (GENDER, RACE),
    affect: Sequence[Dimension] = (VALENCE,),
) -> FiseTest:
    words = (
        PairList("jobs", tuple(targets), ("masculine", "feminine"))
        if targets and not isinstance(targets[0], str)
        else WordList("jobs", tuple(targets))
    )
    return FiseTest(
        id="xx/jobs",
        kind="fise",
        language="xx",
        targets=words,
        dimensions=tuple(dimensions),
        affect=tuple(affect),
        file="jobs.toml",
        sha256="0" * 64,
    )


def fise(model: Model, test: FiseTest, second: Callable[[str], Model] = no_second, **options: Any):
    return measured(Fise(FiseOptions(**(FEW | options))), model, test, second)


def gg_fise(model: Model, test: FiseTest, **options: Any) -> Measurement:
    return measured(GgFise(GgFiseOptions(**(FEW | options))), model, test)

"""What a calibration found: how often a metric detects what was planted, and the smallest effect that it can."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError, model_validator

from biascore.basics.frozen import Frozen, FrozenMap, Scalar
from biascore.errors import RunError
from biascore.files.reading import parse_json, read_bytes
from biascore.stats.proportions import Rate

SCHEMA_VERSION: Final = 1
KIND: Final = "biascore calibration"
RESAMPLES: Final = 500


class Size(Frozen):
    """A test with ``times`` as many items as it has: how many, list by list, and how many observations that makes.

    ``n`` is that of the headline estimate.
    """

    times: float = Field(gt=0)
    items: FrozenMap[int]
    n: FrozenMap[int]


class Cell(Frozen):
    """One effect planted in some models, and what was found on each of them, in the order of their seeds.

    ``planted`` is in the unit of a declaration, None where nothing is planted at all. ``found`` are headlines, None
    where there is no value. ``verdicts``: a letter for each model, d(etected), n(egligible) or i(nconclusive, or
    not measured).
    """

    times: float
    planted: float | None
    found: tuple[float | None, ...]
    verdicts: str = Field(pattern="^[dni]+$")

    @model_validator(mode="after")
    def _of_the_same_models(self) -> Self:
        if len(self.found) != len(self.verdicts):
            raise ValueError("a cell must have as many verdicts as headlines")
        return self

    @property
    def effect(self) -> float:
        """What is planted as a number."""
        return self.planted or 0.0

    @property
    def rate(self) -> Rate:
        """On how many models something was detected, with its 95 % interval."""
        return Rate.of(self.verdicts.count("d"), len(self.verdicts))

    @property
    def mean(self) -> float | None:
        """The mean of the headlines."""
        values = self.values
        return float(values.mean()) if len(values) else None

    @property
    def spread(self) -> tuple[float, float] | None:
        """Between which values 95 % of the headlines lie."""
        values = self.values
        return (float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))) if len(values) else None

    @property
    def values(self) -> NDArray[np.float64]:
        """The headlines that have a value."""
        return np.array([value for value in self.found if value is not None])


class Smallest(Frozen):
    """The smallest planted effect that is detected with the power asked for, and its 95 % interval.

    ``planted`` is None where no effect that can be planted is; so is ``high``. ``shown``: what the metric shows for it.
    """

    planted: float | None
    low: float | None
    high: float | None
    shown: float | None


class Calibration(Frozen):
    """One metric with its options on one test: its sizes, and a cell for each size and planted effect.

    ``estimate``, ``unit`` and ``neutral`` are of the headline. ``alpha``: the level of the test; ``power``: the share
    of models in which an effect has to be detected to count as one that can be seen. ``setup`` is all that decides
    what is found, other than ``sizes`` and effects. ``changed``: the options that are not as the metric has them by itself,
    each with both values.
    """

    metric: str
    variant: str
    test: str
    test_title: str
    kind: str
    concept: str
    estimate: str
    unit: str
    neutral: float | None
    alpha: float
    power: float
    setup: FrozenMap[Scalar]
    changed: FrozenMap[str] = Field(default_factory=dict)
    sizes: tuple[Size, ...]
    cells: tuple[Cell, ...]

    def at(self, times: float = 1.0) -> tuple[Cell, ...]:
        """The cells of a size, from the smallest planted effect on."""
        return tuple(
            sorted((cell for cell in self.cells if cell.times == times), key=lambda cell: cell.effect)
        )

    def size(self, times: float = 1.0) -> Size:
        """The size of so many times the items."""
        return next(size for size in self.sizes if size.times == times)

    @property
    def of_lists(self) -> bool:
        """Whether an effect of 0 is none for the metric; for one of single words, which differ all the same, it is not."""
        return all(cell.planted is not None for cell in self.cells)

    def false_positives(self, times: float = 1.0) -> Rate | None:
        """How often something is detected where nothing was planted; None where that was not tried."""
        nothing = [cell for cell in self.at(times) if cell.effect == 0]
        return nothing[0].rate if nothing else None

    def smallest(self, times: float = 1.0) -> Smallest:
        """The smallest effect that is detected with ``power``.

        Between the planted effects the share of detections is taken to rise in a straight line, and never to fall. The
        interval is of models drawn again.
        """
        cells = self.at(times)
        if not cells or not self.of_lists:
            return Smallest(planted=None, low=None, high=None, shown=None)
        effects = np.array([cell.effect for cell in cells])
        crossed = _crossing(effects, np.array([cell.rate.share for cell in cells]), self.power)
        models = min(len(cell.verdicts) for cell in cells)
        flags = np.array([[one == "d" for one in cell.verdicts[:models]] for cell in cells], dtype=np.float64)
        rng = np.random.default_rng(0)
        again = [
            _crossing(effects, flags[:, rng.integers(models, size=models)].mean(axis=1), self.power)
            for _ in range(RESAMPLES)
        ]
        low, high = np.quantile(
            [np.inf if one is None else one for one in again], (0.025, 0.975), method="nearest"
        )
        means = [cell.mean for cell in cells]
        shown = (
            None
            if crossed is None or any(mean is None for mean in means)
            else float(np.interp(crossed, effects, np.array(means, dtype=np.float64)))
        )
        return Smallest(planted=crossed, low=_finite(low), high=_finite(high), shown=shown)

    def times_for(self, effect: float) -> float | None:
        """How many times the items would detect a planted effect with ``power``, assumed proportional to 1 / sqrt(n).

        From the largest size at which a smallest effect was found; None where there is none.
        """
        for size in sorted(self.sizes, key=lambda one: -one.times):
            smallest = self.smallest(size.times).planted
            if smallest:
                return size.times * (smallest / effect) ** 2
        return None

    def to_json(self) -> dict[str, Any]:
        """What is stored, and what follows from it: by size the smallest effect and the false positives."""
        rates = {size.times: self.false_positives(size.times) for size in self.sizes}
        follows = [
            {
                "times": size.times,
                "smallest": self.smallest(size.times).model_dump(mode="json"),
                "false_positives": None if (rate := rates[size.times]) is None else asdict(rate),
            }
            for size in self.sizes
        ]
        return {**self.model_dump(mode="json"), "follows": follows}

    def write(self) -> bytes:
        """The calibration as a file."""
        body = {"what": KIND, "schema_version": SCHEMA_VERSION, **self.model_dump(mode="json")}
        return (json.dumps(body, ensure_ascii=False) + "\n").encode()

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a calibration file; raises RunError where it is none."""
        file = Path(path)
        try:
            body = parse_json(read_bytes(file, file.name, RunError).decode("utf-8"))
            if not isinstance(body, dict) or body.pop("what", None) != KIND:
                raise ValueError("it is no calibration")
            if body.pop("schema_version", None) != SCHEMA_VERSION:
                raise ValueError(f"its schema version is not {SCHEMA_VERSION}")
            return cls.model_validate(body)
        except (ValueError, ValidationError) as error:
            raise RunError(
                f"{path} cannot be read as a calibration: {error}. Make one with: biascore calibrate weat --tests en/weat6"
            ) from error


def _crossing(effects: NDArray[np.float64], shares: NDArray[np.float64], power: float) -> float | None:
    """Where shares that are made to rise reach ``power``, in a straight line between effects; None where they do not."""
    rising = _rising(shares)
    reached = np.flatnonzero(rising >= power)
    if not len(reached):
        return None
    first = int(reached[0])
    if first == 0:
        return float(effects[0])
    step = rising[first] - rising[first - 1]
    return float(
        effects[first - 1] + (power - rising[first - 1]) / step * (effects[first] - effects[first - 1])
    )


def _rising(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest shares that never fall (Ayer et al. 1955): neighbours that do are pooled."""
    pools: list[tuple[float, int]] = []
    for share in shares:
        pools.append((float(share), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (one, m), (other, n) = pools[-2:]
            pools[-2:] = [((one * m + other * n) / (m + n), m + n)]
    return np.repeat([share for share, _ in pools], [n for _, n in pools])


def _finite(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None

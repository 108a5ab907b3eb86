"""The part of d that is of the templates of the words, where X differs from Y in them, and A from B."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.designs.crossed import Crossed
from biascore.stats import Verdict
from biascore_metrics.seat.metric import Seat

from .tagged import WORDS, measure, stimuli

PART: Final = re.compile(r"within templates, d is (-?[\d.]+) on average")


@pytest.mark.parametrize("unit", ["word", "sentence"])
def test_the_part_of_the_effect_that_is_of_templates_is_told(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch, unit: str
) -> None:
    found: list[Crossed] = []
    told_by = Seat.caveats
    monkeypatch.setattr(
        Seat,
        "caveats",
        lambda self, model, it, more: (found.append(it), told_by(self, model, it, more))[1],  # type: ignore[func-returns-value]
    )
    assert "of the templates" not in " ".join(measure(mine, "planted:", unit=unit).warnings)
    folder = stimuli(tmp_path, {**WORDS, "X": dict.fromkeys(WORDS["X"], "noun")})
    got = measure(folder, "planted:", unit=unit)
    told = _told(got)
    assert told == pytest.approx(_shuffled(found[-1]), abs=0.02)


def test_a_static_vector_of_the_word_itself_has_no_templates(
    tmp_path: Path, vectors: Callable[..., str]
) -> None:
    ref = vectors()
    folder = stimuli(tmp_path, {**WORDS, "X": dict.fromkeys(WORDS["X"], "noun")})
    assert "of the templates" not in " ".join(measure(folder, ref, level="token").warnings)


def test_german_articles_are_templates() -> None:
    """Where nothing is planted, d of GER2 is that of *der Geist* beside *der Mann*."""
    got = Engine(cache=None).measure("seat", "planted:de/GER2=0", "de/GER2", resamples=100)[0]
    told = _told(got)
    assert got.headline.value is not None
    assert got.headline.value > 0.9
    assert abs(got.headline.value - told) < 0.05
    assert got.doubts == (f"{told:.2f} of d may be that of the templates",)
    assert {"noun-singular-der", "noun-singular-die"} <= set(got.items["tag"].to_pylist())


@pytest.mark.parametrize("effect", [0, 1])
def test_articles_alone_are_not_detected(effect: int) -> None:
    """X and A hold nouns with *der* only, Y and B nouns with *die*: no words can be exchanged within their templates."""
    got = Engine(cache=None).measure(
        "seat", f"planted:de/gg-weat={effect}", "de/gg-weat", resamples=100, reference="none"
    )[0]
    assert got.verdict is Verdict.INCONCLUSIVE
    assert got.headline.p_values[0].value == 1
    assert "cannot be below 1 with 16 + 16 target words, within their kinds" in got.reason


def test_an_effect_that_articles_turn_is_not_detected() -> None:
    """What is planted is positive, and d is not: it would be told the wrong way round."""
    got = Engine(cache=None).measure(
        "seat", "planted:de/weat8=1.6", "de/weat8", resamples=100, reference="none"
    )[0]
    assert got.headline.value is not None
    assert got.headline.value < 0
    assert got.verdict is Verdict.INCONCLUSIVE
    assert got.headline.p_values[0].value == 1
    assert "do not all point one way" in got.reason
    (of_labels,) = re.findall(r"because the target labels \(p = ([\d.e-]+)\)", got.reason)
    assert float(of_labels) <= 0.05


def _told(got: Measurement) -> float:
    (found,) = filter(None, map(PART.search, got.warnings))
    return float(found[1])


def _shuffled(found: Crossed, times: int = 4000) -> float:
    """The mean of d over labellings within templates, each drawn, with the deviation of the actual one."""
    rng, table = np.random.default_rng(1), np.asarray(found.table)
    tags = {
        role: np.repeat(some, found.counts[role] if found.counts else 1)
        for role, some in found.blocks.items()
    }
    (rows, n), (columns, m) = (
        (np.append(tags[one], tags[other]), len(tags[one])) for one, other in ("XY", "AB")
    )
    scores = table[:, :m].mean(axis=1) - table[:, m:].mean(axis=1)
    total = 0.0
    for _ in range(times):
        i, j = _within(rows, rng), _within(columns, rng)
        drawn = table[np.ix_(i, j)]
        s = drawn[:, :m].mean(axis=1) - drawn[:, m:].mean(axis=1)
        total += s[:n].mean() - s[n:].mean()
    return float(total / times / scores.std(ddof=1))


def _within(tags: npt.NDArray[np.str_], rng: np.random.Generator) -> npt.NDArray[np.int_]:
    """An order of places that stays within each tag."""
    order = np.arange(len(tags))
    for tag in np.unique(tags):
        order[tags == tag] = rng.permutation(order[tags == tag])
    return order

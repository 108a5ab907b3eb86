"""weat-change against the reference of the Spanish vectors, and against WEAT measured on its own before and after."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.designs.before_after import effect_of, trace_of
from biascore.designs.same_words import EffectOptions
from biascore.errors import OptionsError
from biascore.models.model import Model
from biascore.results.verdicts import Role
from biascore.stats.exchange import Exchange
from biascore_metrics.grammatical_gender.change import change_of

from ...builders.transforms import without
from ...builders.vectors import random_vectors
from .conftest import TESTS, Opened, write_tests

FEW: dict[str, Any] = {"resamples": 200, "duplicates": "keep"}


@pytest.mark.parametrize("name", [name for name in TESTS if name != "poles"])
def test_before_after_and_change_are_those_of_the_reference(
    name: str, spanish: Engine, clean: Model, reference: dict[str, Any]
) -> None:
    (found,) = spanish.measure("weat-change", clean, f"es/own-{name}", **FEW)
    before, after = reference["weat_before"][name], reference["fixed_direction"]["weat_after"][name]
    assert found.estimate("effect size d before").value == pytest.approx(before["d_ddof1"], rel=1e-6)
    assert found.estimate("effect size d after").value == pytest.approx(after["d_ddof1"], rel=1e-6)
    assert found.headline.value == pytest.approx(after["d_ddof1"] - before["d_ddof1"], abs=1e-6)
    for when, one in (("before", before), ("after", after)):
        estimate = found.estimate(f"effect size d {when}")
        assert estimate.p("normal approximation").value == pytest.approx(
            one["p_normal_closed_form"], rel=1e-5
        )
    assert found.change_from == "raw"
    assert set(found.items.column_names) == {"item", "group", "value", "before", "after"}


def test_a_change_has_an_interval_and_no_verdict(spanish: Engine, clean: Model) -> None:
    """A transform is not random: there is nothing to test, whatever it changed."""
    run = spanish.measure("weat-change", clean, ["es/own-FloI", "es/own-GG"], **FEW)
    assert [said.role for said in run.verdicts] == [Role.DESCRIPTION] * 2
    for found in run:
        assert (found.p_value, found.alpha, found.describes) == (None, None, True)
        ends = found.headline.interval
        assert ends is not None
        assert ends.low < found.headline.value < ends.high


def test_the_interval_resamples_pairs_as_one() -> None:
    """Both words of a pair move alike: what pairs share is no noise."""
    rng = np.random.default_rng(4)
    pair, own = rng.normal(size=(2, 12)), rng.normal(size=(2, 2, 12))
    before = (pair[0] + 0.2 * own[0][0], pair[0] + 0.2 * own[0][1])
    after = (pair[1] + 0.2 * own[1][0] + 0.3, pair[1] + 0.2 * own[1][1] - 0.3)

    def change(exchange: Exchange | None) -> tuple[float | None, float]:
        options = EffectOptions(resamples=400)
        found, _ = change_of((before, after), options, np.random.default_rng(1), exchange=exchange)
        assert found.interval is not None
        return found.value, found.interval.high - found.interval.low

    paired = change(Exchange.of((12, 12), counterparts=(range(12), range(12))))
    singly = change(None)
    assert paired[0] == singly[0]
    assert paired[1] < 0.6 * singly[1]


def test_the_trace_holds_every_step_and_the_accuracies_of_the_transform(
    spanish: Engine, raw: Model, reference: dict[str, Any]
) -> None:
    direction = reference["fixed_direction"]["direction"]
    stepwise = raw.with_transform(without(direction, np.eye(50)[0], np.eye(50)[1]))
    (found,) = spanish.measure("weat-change", stepwise, "es/own-GG", trace=True, **FEW)
    rows = found.items.to_pylist()
    values = [row["value"] for row in rows if row["group"] == "effect size d"]
    assert values[0] == pytest.approx(found.estimate("effect size d before").value)
    assert values[1] == pytest.approx(reference["fixed_direction"]["weat_after"]["GG"]["d_ddof1"], rel=1e-6)
    assert values[3] == pytest.approx(found.estimate("effect size d after").value)
    assert [row["step"] for row in rows if row["group"] == "held-out accuracy"] == [0, 1, 2, 3]
    assert all(
        row["ci_low"] < row["value"] < row["ci_high"] for row in rows if row["group"] == "effect size d"
    )
    assert [figure.kind for figure in found.figures] == ["lines", "lines"]


def test_a_model_without_a_transform_is_told_what_to_type(spanish: Engine, raw: Model) -> None:
    with pytest.raises(OptionsError, match=r"raw has none\. Add one.*biascore list transforms"):
        spanish.measure("weat-change", raw, "es/own-GG")


def test_words_that_the_model_does_not_know_are_lost_and_too_few_are_not_measured(
    tmp_path: Path, spanish: Engine, clean: Model
) -> None:
    write_tests(
        tmp_path,
        {"x": ["bosque", "qqqq"], "y": ["selva", "cuerda"], "a": ["hombre"], "b": ["mujer"]},
        {"lost": ("x", "y", "a", "b")},
    )
    engine = Engine(stimuli=[tmp_path], cache=None)
    (found,) = engine.measure("weat-change", clean, "es/lost")
    assert found.headline.value is None
    assert any("X has 1 usable word(s) of 2 and needs 2" in caution for caution in found.cautions)
    assert [word.word for word in found.coverage.missing] == ["qqqq"]


def test_a_word_whose_vector_a_transform_makes_zero_is_lost_everywhere(
    tmp_path: Path, opened: Opened
) -> None:
    sets = {"x": ["x1", "x2", "x3"], "y": ["y1", "y2", "y3"], "a": ["a1", "a2"], "b": ["b1", "b2"]}
    vectors = random_vectors([word for words in sets.values() for word in words], 3, 1)
    vectors["x2"] = np.array([2.0, 0.0, 0.0])
    write_tests(tmp_path, sets, {"t": ("x", "y", "a", "b")}, "en")
    engine = Engine(stimuli=[tmp_path], cache=None)
    clean = opened(engine, vectors).with_transform(without([1, 0, 0]))
    (found,) = engine.measure("weat-change", clean, "en/t", resamples=100)
    (lost,) = found.coverage.missing
    assert (lost.word, found.headline.n["X"]) == ("x2", 2)
    assert lost.reason.endswith("after the transform")


def test_an_effect_that_is_reversed_is_not_called_removed(tmp_path: Path, opened: Opened) -> None:
    # Along the first axis X is with A, along the second with B; taking the first away turns the effect round.
    rng = np.random.default_rng(0)
    sets = {name: [f"{name}{i}" for i in range(9)] for name in "xyab"}
    place = {"x": (1, -0.5), "y": (-1, 0.5), "a": (1, 0.5), "b": (-1, -0.5)}
    vectors = {
        w: [*(rng.normal(0, 0.2, 2) + place[name]), *rng.normal(0, 0.1, 4)]
        for name in sets
        for w in sets[name]
    }
    write_tests(tmp_path, sets, {"t": ("x", "y", "a", "b")}, "en")
    engine = Engine(stimuli=[tmp_path], cache=None)
    clean = opened(engine, vectors).with_transform(without([1, 0, 0, 0, 0, 0]))
    (found,) = engine.measure("weat-change", clean, "en/t", resamples=100)
    assert any("changed its sign" in caution for caution in found.cautions)


def test_pairs_too_few_to_be_exchanged_are_resampled_word_by_word() -> None:
    rng = np.random.default_rng(6)
    pair = rng.normal(size=4)
    scores = (pair + 0.1 * rng.normal(size=4) + 0.3, pair + 0.1 * rng.normal(size=4))
    few = Exchange.of((4, 4), counterparts=([0, 1, 2, 3], [0, 1, 2, 3]))
    options = EffectOptions(resamples=200)
    plain, paired = (
        effect_of(scores, options, np.random.default_rng(1), exchange=one) for one in (None, few)
    )
    assert plain.interval is not None
    assert paired.interval == plain.interval


def test_an_accuracy_of_a_trace_has_an_interval_where_both_ends_are_noted() -> None:
    trace = (
        {"step": 0, "accuracy": 0.9, "accuracy, low": 0.8},
        {"step": 1, "accuracy": 0.6, "accuracy, low": 0.5, "accuracy, high": 0.7},
    )
    model: Any = SimpleNamespace(fitted=lambda _: SimpleNamespace(trace=trace))
    items, _, _ = trace_of([], model, "sentence")
    rows = items.to_pylist()
    assert [row["value"] for row in rows] == [0.9, 0.6]
    assert [(row["ci_low"], row["ci_high"]) for row in rows] == [(None, None), (0.5, 0.7)]

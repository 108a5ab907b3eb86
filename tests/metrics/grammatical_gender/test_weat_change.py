"""weat-change against the reference of the Spanish vectors, and against WEAT measured on its own before and after."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.errors import OptionsError
from biascore.models.model import Model
from biascore.stats import Verdict, effect_size
from biascore.stats.exchange import Exchange
from biascore_metrics.grammatical_gender.change import Change, ChangeOptions
from biascore_metrics.grammatical_gender.same_words import Scores

from ...builders.transforms import without
from ...builders.vectors import random_vectors
from .conftest import TESTS, Opened, write_tests

FEW: dict[str, Any] = {"resamples": 200, "draws": 1000, "duplicates": "keep"}


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
        if "exact" in one:
            assert estimate.p("one-sided").value == pytest.approx(one["exact"]["p_ge"], rel=1e-9)
            assert estimate.p("one-sided, strict").value == pytest.approx(one["exact"]["p_gt"], rel=1e-9)
    assert found.change_from == "raw"
    assert set(found.items.column_names) == {"item", "group", "value", "before", "after"}


def test_the_p_value_counts_partitions_of_the_words_pairs(tmp_path: Path, opened: Opened) -> None:
    sets = {"x": ["x1", "x2", "x3", "x4"], "y": ["y1", "y2", "y3"], "a": ["a1", "a2"], "b": ["b1", "b2"]}
    vectors = random_vectors([word for words in sets.values() for word in words], 6, 4)
    write_tests(tmp_path, sets, {"t": ("x", "y", "a", "b")}, "en")
    engine = Engine(stimuli=[tmp_path], cache=None)
    plain = opened(engine, vectors)
    clean = plain.with_transform(without([1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0]))
    (found,) = engine.measure("weat-change", clean, "en/t", resamples=200)
    scores = []
    for model in (plain, clean):
        unit = {
            word: row / np.linalg.norm(row) for word, row in zip(vectors, model.embed(vectors), strict=True)
        }
        scores.append(
            np.array(
                [
                    np.mean([unit[w] @ unit[a] for a in sets["a"]])
                    - np.mean([unit[w] @ unit[b] for b in sets["b"]])
                    for w in (*sets["x"], *sets["y"])
                ]
            )
        )
    every = [
        effect_size(scores[1][[*x]], np.delete(scores[1], x))
        - effect_size(scores[0][[*x]], np.delete(scores[0], x))
        for x in combinations(range(7), 4)
    ]
    assert found.headline.value == pytest.approx(every[0], abs=1e-6)
    assert found.headline.p("two-sided").value == np.mean(np.abs(every) >= abs(every[0]) - 1e-9)


def test_arbitrary_attributes_do_not_make_a_change(tmp_path: Path, opened: Opened) -> None:
    """X and Y differ in the direction that is removed, A and B are any words: the targets alone would tell of a change."""
    sets = {role: [f"{role}{i}" for i in range(8)] for role in "xyab"}
    vectors = random_vectors([word for words in sets.values() for word in words], 12, 1)
    for role, sign in (("x", 4.0), ("y", -4.0)):
        for word in sets[role]:
            vectors[word] = vectors[word] + sign * np.eye(12)[0]
    write_tests(tmp_path, sets, {"t": ("x", "y", "a", "b")}, "en")
    engine = Engine(stimuli=[tmp_path], cache=None)
    clean = opened(engine, vectors).with_transform(without(np.eye(12)[0].tolist()))
    (found,) = engine.measure("weat-change", clean, "en/t", resamples=100)
    own, across = (found.headline.p(f"two-sided{labels}").value for labels in ("", ", attribute labels"))
    assert own <= 0.05 < across == found.p_value
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "with attribute labels" in found.reason


def test_the_interval_resamples_what_the_test_exchanges() -> None:
    """Both words of a pair move alike: what pairs share is no noise."""
    rng = np.random.default_rng(4)
    options = ChangeOptions(resamples=400)
    pair, own = rng.normal(size=(2, 12)), rng.normal(size=(2, 2, 12))
    before = tuple(pair[0] + 0.2 * own[0][side] for side in (0, 1))
    after = tuple(pair[1] + 0.2 * own[1][side] + (0.3, -0.3)[side] for side in (0, 1))

    def change(exchange: Exchange | None, *scores: Scores) -> Change:
        return Change.of(*scores, options, np.random.default_rng(1), exchange=exchange)

    def width(found: Change) -> float:
        ends = found.estimate.interval
        assert ends is not None
        return ends.high - ends.low

    paired = change(Exchange.of((12, 12), counterparts=(range(12), range(12))), before, after)
    singly = change(None, before, after)
    assert paired.estimate.value == singly.estimate.value
    assert paired.exchanged == "12 pairs of target words"
    assert width(paired) < 0.6 * width(singly)


def test_what_a_transform_leaves_alone_is_a_negligible_change(spanish: Engine, clean: Model) -> None:
    (found,) = spanish.measure("weat-change", clean, "es/own-FloI", **FEW)
    assert found.verdict is Verdict.NEGLIGIBLE
    assert "a bias may be there before and after" in found.reason
    (found,) = spanish.measure("weat-change", clean, "es/own-GG", **FEW)
    assert found.verdict is Verdict.DETECTED
    assert "a change, not a bias" in found.reason


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
    assert "X has 1 usable word(s) of 2 and needs 2" in found.reason
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


def test_an_effect_that_is_turned_round_is_not_called_removed(tmp_path: Path, opened: Opened) -> None:
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

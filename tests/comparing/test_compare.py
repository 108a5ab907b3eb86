"""Two runs compared: what changed on the same items, in which words, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from biascore import Engine, Run, compare
from biascore.comparing import Outcome
from biascore.errors import OptionsError, RunError, UnknownNameError
from biascore.results.comparison import item_of
from biascore.results.failure import Failure
from biascore.results.measurement import Measurement
from biascore.stats import Verdict, effect_size

FAST = {"resamples": 200, "draws": 500}
TESTS = ("en/weat6", "en/weat7", "en/weat8")


@pytest.fixture(scope="module")
def both(engine: Engine) -> Run:
    """A bias of 1, and of -0.3, planted in the same words, as two models of one run."""
    models = [engine.model("planted:gender=1", name="old"), engine.model("planted:gender=-0.3", name="new")]
    return engine.measure("weat", models, TESTS, **FAST)


def one(run: Run, name: str, **changed: Any) -> Run:
    """The run with one of its models alone, whose measurements are changed."""
    kept = tuple(m.model_copy(update=changed) for m in run if m.model == name)
    models = tuple(model for model in run.models if model.name == name)
    return run.model_copy(update={"measurements": kept, "models": models})


def renamed(run: Run, name: str) -> Run:
    """The run, whose only model is called otherwise."""
    return run.model_copy(
        update={
            "measurements": tuple(m.model_copy(update={"model": name}) for m in run),
            "models": tuple(model.model_copy(update={"name": name}) for model in run.models),
        }
    )


def test_two_models_of_one_run_are_compared_by_name_and_two_runs_alike(both: Run) -> None:
    within = compare(both, models={"old": "new"})
    across = compare(one(both, "old"), one(both, "new"))
    assert within.differences == across.differences
    assert both.compare(models={"old": "new"}).differences == within.differences
    assert [d.test for d in within] == list(TESTS)
    assert within.whole


def test_the_change_is_that_of_the_effect_on_the_same_items(both: Run) -> None:
    for number, d in enumerate(compare(both, models={"old": "new"})):
        old, new = both[number], both[number + 3]
        assert (d.old.value, d.new.value) == (old.headline.value, new.headline.value)
        assert d.change.value == pytest.approx(new.headline.value - old.headline.value)  # type: ignore[operator]
        assert d.paired
        assert d.change.n == {"items": 16}


def test_p_values_are_adjusted_over_what_is_compared(both: Run) -> None:
    found = compare(both, models={"old": "new"}, adjustment="holm")
    p = sorted(d.change.p_values[0].value for d in found)
    assert found[0].p_adjusted == pytest.approx(max(3 * p[0], 2 * p[1], p[2])) or len(set(p)) > 1
    assert all(d.p_adjusted >= d.change.p_values[0].value for d in found)  # type: ignore[operator]
    assert len({d.family for d in found}) == 1


def test_items_that_flipped_are_those_on_another_side(both: Run) -> None:
    d = compare(both, models={"old": "new"})[0]
    old, new = (
        dict(zip(*(m.items.column(c).to_pylist() for c in ("item", "value")), strict=True))
        for m in (both[0], both[3])
    )
    expected = {word for word in old if np.sign(old[word]) != np.sign(new[word])}
    assert {row["item"] for row in d.flips} == expected
    assert d.flipped == len(expected) > 0


def test_the_way_back_is_told_the_other_way_round(both: Run) -> None:
    there, back = compare(both, models={"old": "new"}), compare(both, models={"new": "old"})
    for d, e in zip(there, back, strict=True):
        assert e.change.value == pytest.approx(-d.change.value)  # type: ignore[operator]
        assert e.change.p_values[0].value == pytest.approx(d.change.p_values[0].value)
    told = {Outcome.INCREASED: Outcome.DECREASED, Outcome.DECREASED: Outcome.INCREASED}
    assert [told.get(d.outcome, d.outcome) for d in there] == [e.outcome for e in back]


def test_words_in_another_order_change_nothing(both: Run) -> None:
    new = one(both, "new")
    turned = new.model_copy(
        update={
            "measurements": tuple(
                m.model_copy(update={"items": m.items.take(pa.array(range(15, -1, -1)))}) for m in new
            )
        }
    )
    assert compare(one(both, "old"), turned).differences == compare(one(both, "old"), new).differences


def test_a_model_with_itself_is_the_same_item_by_item(both: Run) -> None:
    old = one(both, "old")
    found = compare(old, old.model_copy())
    assert {d.outcome for d in found} == {Outcome.UNCHANGED}
    assert "every item has the same value" in found[0].reason


def test_on_fewer_items_the_change_is_of_those_that_both_have(both: Run) -> None:
    old, new = one(both, "old"), one(both, "new")
    lost = new.model_copy(
        update={"measurements": tuple(m.model_copy(update={"items": m.items.slice(2)}) for m in new)}
    )
    d = compare(old, lost)[0]
    x, y = (old[0].items.column("value").to_pylist()[a:b] for a, b in ((2, 8), (8, 16)))
    assert d.old.on_same_items == pytest.approx(effect_size(x, y))
    assert d.old.value == old[0].headline.value
    assert d.change.n == {"items": 14}
    assert "2 more in the old one" in d.cautions[0]


def _changed(run: Run, **parts: Any) -> Run:
    first = run[0].model_copy(update=parts)
    return run.model_copy(update={"measurements": (first, *run.measurements[1:])})


@pytest.mark.parametrize(
    ("parts", "in_what"),
    [
        ({"conventions": {"ddof of the sd": 0}}, "convention 'ddof of the sd': 1 and 0"),
        ({"positive_means": "nothing"}, "estimand: positive means"),
        ({"language": "it"}, "estimand: language 'en' and 'it'"),
    ],
)
def test_what_differs_in_estimand_or_conventions_is_refused_and_the_rest_compared(
    both: Run, parts: dict[str, Any], in_what: str
) -> None:
    if "conventions" in parts:
        parts = {"conventions": {**both[0].conventions, **parts["conventions"]}}
    found = compare(one(both, "old"), _changed(one(both, "new"), **parts))
    assert [d.test for d in found] == list(TESTS[1:])
    assert not found.whole
    assert [one.test for one in found.not_comparable] == ["en/weat6"]
    assert in_what in found.not_comparable[0].reasons[0]


def test_another_unit_or_headline_is_another_estimand(both: Run) -> None:
    new = one(both, "new")
    unit = new[0].headline.model_copy(update={"unit": "nats"})
    named = new[0].headline.model_copy(update={"name": "another"})
    for estimate in (unit, named):
        found = compare(one(both, "old"), _changed(new, estimates=(estimate,)))
        assert found.not_comparable[0].reasons[0].startswith("estimand: ")


def test_other_stimuli_are_refused_by_file(both: Run) -> None:
    new = one(both, "new")
    other = tuple(used.model_copy(update={"sha256": "0" * 64}) for used in new.stimuli)
    found = compare(one(both, "old"), new.model_copy(update={"stimuli": other}))
    assert len(found.not_comparable) == 3
    assert found.not_comparable[0].reasons[0].startswith("stimuli: ")


def test_conventions_that_follow_from_the_model_may_differ(both: Run) -> None:
    new = one(both, "new")
    told = {**new[0].conventions, "vector of a text": "the mean of its tokens"}
    assert "vector of a text" in new[0].conventions
    assert compare(one(both, "old"), _changed(new, conventions=told)).whole


def test_what_stands_in_one_run_alone_is_named(both: Run) -> None:
    old, new = one(both, "old"), one(both, "new")
    found = compare(old, new.model_copy(update={"measurements": new.measurements[1:]}))
    assert [name.rpartition(" ")[2] for name in found.only_old] == ["en/weat6"]
    with pytest.raises(OptionsError, match="no measurement in common"):
        compare(_only(old, 0), _only(new, 1))


def _only(run: Run, place: int) -> Run:
    return run.model_copy(update={"measurements": (run[place],)})


def test_models_are_found_by_name_or_have_to_be_named(both: Run) -> None:
    old, new = one(both, "old"), one(both, "new")
    assert compare(both, renamed(new, "old")).models == {"old": "old"}
    with pytest.raises(UnknownNameError, match=r"models=\{'old': 'new'\}"):
        compare(both)
    with pytest.raises(UnknownNameError, match="second run"):
        compare(old)
    with pytest.raises(UnknownNameError, match="the new run has no model 'x'"):
        compare(old, new, {"old": "x"})


def test_stored_runs_are_read_by_folder_and_by_file(both: Run, tmp_path: Any) -> None:
    folder = one(both, "old").save(tmp_path / "a")
    assert compare(folder, folder / "run.json").whole
    with pytest.raises(RunError, match="Name a folder"):
        compare(folder, tmp_path / "none")
    with pytest.raises(RunError, match=r"holds some. Name one: .*/a$"):
        compare(folder, tmp_path)
    for name in ("a.toml", "a.zip"):
        (tmp_path / name).touch()
    with pytest.raises(RunError, match=r"is an archive. Unpack it, unzip "):
        compare(folder, tmp_path / "a.zip")
    with pytest.raises(RunError, match=r"is an archive. Unpack it, unzip "):
        Run.load(tmp_path / "a.zip")
    with pytest.raises(RunError, match=r"is an audit file, .*such as .*a-run"):
        compare(folder, tmp_path / "a.toml")


def _estimate(m: Measurement, value: float, low: float, high: float) -> Measurement:
    interval = m.headline.interval.model_copy(update={"low": low, "high": high})  # type: ignore[union-attr]
    update = {"value": value, "interval": interval, "estimator": None}
    return m.model_copy(
        update={"estimates": (m.headline.model_copy(update=update),), "verdict": Verdict.INCONCLUSIVE}
    )


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ((0.5, 0.4, 0.6), (1.0, 0.9, 1.1), Outcome.INCREASED),
        ((-0.5, -0.6, -0.4), (-1.0, -1.1, -0.9), Outcome.INCREASED),
        ((-1.0, -1.1, -0.9), (-0.5, -0.6, -0.4), Outcome.DECREASED),
        ((0.5, 0.4, 0.6), (-0.6, -0.7, -0.5), Outcome.CHANGED_SIGN),
        ((0.5, 0.4, 0.6), (-0.05, -0.15, 0.05), Outcome.DECREASED),
        ((0.05, -0.05, 0.15), (-0.6, -0.7, -0.5), Outcome.INCREASED),
        ((0.2, -0.1, 0.5), (-0.3, -0.6, 0.05), Outcome.INCONCLUSIVE),
        ((0.5, 0.4, 0.6), (0.52, 0.42, 0.62), Outcome.UNCHANGED),
        ((0.5, 0.1, 0.9), (0.6, 0.2, 1.0), Outcome.INCONCLUSIVE),
    ],
)
def test_the_words_for_a_change_without_items_to_pair(
    both: Run, before: tuple[float, ...], after: tuple[float, ...], outcome: Outcome
) -> None:
    old, new = _only(one(both, "old"), 0), _only(one(both, "new"), 0)
    runs = [
        run.model_copy(update={"measurements": (_estimate(run[0], *ends),)})
        for run, ends in ((old, before), (new, after))
    ]
    d = compare(*runs)[0]
    assert d.outcome is outcome
    assert not d.paired
    assert "unpaired" in d.change.interval.method  # type: ignore[union-attr]
    assert ("its sign changed" in d.reason) == (before[0] * after[0] < 0)
    moved = outcome is Outcome.INCONCLUSIVE and before[0] * after[0] < 0
    assert (d.note == "moved by -0.50, sides not sure") == moved
    assert ("its side is not sure" in d.reason) == moved


def test_a_bound_of_ones_own_decides_what_is_the_same(both: Run) -> None:
    assert {d.outcome for d in compare(both, models={"old": "new"}, bound=5)} == {Outcome.UNCHANGED}
    for bound in (0, float("inf"), float("nan")):
        with pytest.raises(OptionsError, match="is not a number above 0"):
            compare(both, models={"old": "new"}, bound=bound)


def test_controls_and_one_model_twice_are_told(both: Run) -> None:
    old, new = one(both, "old"), one(both, "new")
    assert compare(old, new).controls[0].startswith("old in the old run and new in the new run: controls")
    half = new.model_copy(update={"models": (new.models[0].model_copy(update={"control": None}),)})
    assert compare(old, half).controls[0].startswith("old in the old run: a control")
    assert "was one run named twice?" in compare(old, old.model_copy()).warnings[0]
    assert compare(old, renamed(old, "other")).warnings[-1] == (
        "old and other: the model is the same in both, by its digest"
    )


def test_what_had_failed_in_one_run_is_told_and_the_comparison_is_not_whole(both: Run) -> None:
    old, new = one(both, "old"), one(both, "new")
    lost = Failure(
        metric="weat", test="en/weat6", model="new", kind="answering", error="E", message="it is down"
    )
    part = new.model_copy(update={"measurements": new.measurements[1:], "failed": (lost,)})
    found = compare(old, part)
    assert found.failed == ("weat en/weat6 on new could not be measured in the new run: it is down",)
    assert not found.whole


def test_an_item_is_named_by_its_key_where_it_is_not_called_item() -> None:
    values = {"group": "g", "old": 1.0, "new": -1.0, "change": -2.0, "flipped": True}
    assert item_of({"item": "nurse", "sentence": "s"} | values) == "nurse"
    assert item_of({"word": "nurse", "family": "care"} | values) == "nurse care"


def test_everything_is_in_the_frame_and_in_json(both: Run) -> None:
    found = compare(both, models={"old": "new"})
    frame = found.to_frame()
    assert list(frame["outcome"]) == [d.outcome.value for d in found]
    body = found.to_json()
    assert [len(d["flips"]) for d in body["differences"]] == [d.flipped for d in found]
    assert all(d.outcome.value in repr(found) for d in found)

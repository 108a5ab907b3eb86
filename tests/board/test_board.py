"""A board of stored runs: rows, cells, steps and groups as numbers and states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biascore import Run, compare
from biascore.board import Board, make_board
from biascore.board.grouping import letters
from biascore.board.making import out_of_reach
from biascore.comparing.steps import Change
from biascore.errors import RunError
from biascore.models.pipeline.cache import DiskCache
from biascore.results.failure import Failure
from biascore.results.leads import Lead
from biascore.stats import Adjustment, adjust

from ..builders.releases import paired, release, used

CHAT = {"line": "chat"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A line of four releases, of which the third has another convention, and a line of one."""
    out = tmp_path_factory.mktemp("runs")
    effects = [(1.5, 0.2), (0.0, 0.2), (0.1, 0.2), (0.1, 1.9)]
    for month, (gender, race) in enumerate(effects):
        made = {"noise": month + 1, "conventions": {"ddof": 1 if month < 2 else 0}}
        some = [paired("gender", gender, **made), paired("race", race, **made)]
        release(*some, month=month, release=f"1.{month}", **CHAT).save(out / f"chat-{month}")
    release(paired("gender", 1.5, model="s"), month=2).save(out / "search")
    return out


@pytest.fixture(scope="module")
def board(folder: Path) -> Board:
    """The board of them."""
    return make_board([folder])


def failure(test: str, model: str = "m") -> Failure:
    return Failure(
        model=model,
        metric="weat",
        test=test,
        kind="answering",
        error="OSError",
        message="away",
        may_pass=True,
    )


def test_a_row_is_a_line_by_its_newest_release_and_the_newest_is_first(board: Board) -> None:
    assert [(one.name, one.label, one.stated) for one in board.lines] == [
        ("chat", "1.3", True),
        ("hf:s", "2026-03-02", False),
    ]
    assert board.lines[0].releases == ("1.0", "1.1", "1.2", "1.3")
    assert board.runs == 5
    assert board.grounds == ("gender", "race")
    assert board.lines[1].cell("race") is None


def test_steps_are_those_of_compare_adjusted_over_the_whole_board(board: Board, folder: Path) -> None:
    pairs = [(f"chat-{one}", f"chat-{one + 1}") for one in (0, 2)]
    found = [
        (d.test, d) for pair in pairs for d in compare(*(folder / one for one in pair), adjustment="none")
    ]
    raw = {(test, d.old.value): d for test, d in found}
    assert len(raw) == board.steps == 4
    by_hand = dict(
        zip(raw, adjust([d.change.p_values[0].value for d in raw.values()], Adjustment.HOLM), strict=True)
    )
    steps = 0
    for cell in board.lines[0].cells:
        for point, step in zip(cell.points, cell.steps, strict=False):
            if step.refused:
                continue
            key = (cell.test, point.value)
            assert step.p_value == raw[key].change.p_values[0].value
            assert step.p_adjusted == pytest.approx(by_hand[key], rel=1e-12)
            assert step.change == raw[key].change.value
            assert (step.low, step.high) == (raw[key].change.interval.low, raw[key].change.interval.high)  # type: ignore[union-attr]
            steps += 1
    assert steps == 4
    outcomes = {cell.ground: [step.outcome for step in cell.steps] for cell in board.lines[0].cells}
    assert outcomes["gender"][0] == "decreased"
    assert outcomes["race"][2] == "increased"


def test_releases_whose_conventions_differ_are_not_joined_and_why_is_kept(board: Board) -> None:
    for cell in board.lines[0].cells:
        assert cell.steps[1].refused == ("convention 'ddof': 1 and 0",)
        assert (cell.steps[1].outcome, cell.steps[1].p_adjusted) == ("", None)


def test_the_json_holds_the_same(board: Board) -> None:
    assert Board.model_validate(json.loads(json.dumps(board.to_json()))) == board


def test_kept_steps_give_the_same_board_and_no_item_is_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = DiskCache(tmp_path / "kept")
    first = make_board([folder], cache=cache)

    def never(folder: Path) -> Run:
        raise AssertionError(folder)

    monkeypatch.setattr(Run, "load", never)
    assert make_board([folder], cache=cache) == first
    cache.close()


def test_what_is_kept_and_is_no_step_is_computed_again(folder: Path, board: Board) -> None:
    class Wrong:
        problem = ""

        def get(self, keys: Any) -> dict[bytes, bytes]:
            return dict.fromkeys(keys, b'{"difference": {"metric": 1}, "refused": []}')

        put = drop = close = lambda *_: None

    assert make_board([folder], cache=Wrong()) == board  # type: ignore[arg-type]


def test_two_runs_of_a_release_are_one_and_the_older_is_named(tmp_path: Path) -> None:
    both = {"line": "chat", "release": "2"}
    release(paired("gender", 0.1), month=0, line="chat", release="1").save(tmp_path / "one")
    release(paired("gender", 0.1, noise=1), paired("age", 1.0), month=1, **both).save(tmp_path / "two")
    release(paired("gender", 1.9, noise=2), month=2, **both).save(tmp_path / "again")
    (line,) = make_board([tmp_path]).lines
    assert line.releases == ("1", "2")
    gender, age = line.cell("gender"), line.cell("age")
    assert gender is not None
    assert age is not None
    assert [point.run.rpartition("/")[2] for point in gender.points] == ["one", "again"]
    assert [point.run.rpartition("/")[2] for point in age.points] == ["two"]
    assert line.older == ()
    release(paired("age", 1.0, noise=3), month=3, **both).save(tmp_path / "third")
    (line,) = make_board([tmp_path]).lines
    assert [one.rpartition("/")[2] for one in line.older] == ["two"]


def test_a_release_measured_again_later_is_no_newer_release(tmp_path: Path) -> None:
    for month, name in enumerate(("1", "2", "1")):
        release(paired("gender", 0.1 * month), month=month, line="chat", release=name).save(
            tmp_path / str(month)
        )
    (line,) = make_board([tmp_path]).lines
    assert (line.label, line.releases) == ("2", ("1", "2"))


def test_the_lead_test_is_the_flagged_one_and_no_stronger_one_takes_its_place(tmp_path: Path) -> None:
    weak, strong = paired("gender", 0.1, lead=True), paired("gender", 2.5, test="en/other")
    release(strong, weak, month=0, **CHAT).save(tmp_path / "a")
    release(paired("gender", 2.5, noise=1, lead=True), strong, month=1, **CHAT).save(tmp_path / "b")
    (line,) = make_board([tmp_path]).lines
    (cell,) = line.cells
    assert cell.test == "en/gender"
    assert cell.points[0].value == weak.headline.value
    assert (cell.state, cell.count, cell.measurements) == ("detected", 2, 2)


def test_a_lead_test_that_failed_stays_the_lead_test(tmp_path: Path) -> None:
    leads = tuple(Lead(model="m", ground="gender", metric="weat", test=test) for test in ("en/gender",))
    release(paired("gender", 0.1), month=0, **CHAT).save(tmp_path / "a")
    second = release(
        paired("gender", 2.5, test="en/other"), month=1, leads=leads, failed=(failure("en/gender"),), **CHAT
    )
    second.save(tmp_path / "b")
    (line,) = make_board([tmp_path]).lines
    (cell,) = line.cells
    assert (cell.test, cell.state, cell.lead_state) == ("en/gender", "detected", "failed")
    assert [point.state for point in cell.points] == ["inconclusive", "failed"]
    assert cell.steps[0].refused[0].endswith("failed: away")
    assert line.failed == ("weat en/gender on m",)


def test_what_cannot_be_read_and_what_holds_controls_only_is_told(tmp_path: Path) -> None:
    release(paired("gender", 0.1), month=0).save(tmp_path / "runs" / "good")
    control = release(paired("gender", 0.8), month=0, models=[used(control={"en/gender": 0.8})])
    control.save(tmp_path / "runs" / "control")
    release(paired("gender", 0.2), month=0).save(tmp_path / "runs" / "changed")
    file = tmp_path / "runs" / "changed" / "run.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"So."', '"Not."'), encoding="utf-8")
    found = make_board([tmp_path / "runs"])
    assert {one.run: one.why for one in found.unread} == {
        "runs/changed": "run.json was changed after it was written",
        "runs/control": "it measures no model in use, only controls (m)",
    }
    assert [one.name for one in found.lines] == ["hf:m"]
    with pytest.raises(RunError, match="holds no stored run"):
        make_board([tmp_path / "runs" / "good" / "items"])


def test_models_in_one_group_were_compared_and_no_difference_was_shown(tmp_path: Path) -> None:
    for number, effect in enumerate((0.1, 0.1, 2.5)):
        name = f"m{number}"
        release(paired("gender", effect, model=name, noise=number + 1), month=0).save(tmp_path / name)
    other = paired("gender", 0.1, model="n", conventions={"ddof": 0})
    release(other, month=0).save(tmp_path / "n")
    found = make_board([tmp_path])
    groups = {one.name: one.cells[0].groups for one in found.lines}
    assert groups == {"hf:m0": "a", "hf:m1": "a", "hf:m2": "b", "hf:n": ""}
    assert found.pairs == 6


def test_letters_are_the_largest_groups_that_are_alike_each_with_each() -> None:
    chain = [("a", "b"), ("b", "c"), ("c", "d")]
    assert letters("abcd", chain) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}
    assert letters("abc", [("a", "b"), ("b", "c"), ("a", "c")]) == dict.fromkeys("abc", "a")
    assert letters("ab", []) == {"a": "a", "b": "b"}
    assert set(letters([str(n) for n in range(40)], []).values()) == {""}


def test_so_many_pairs_are_not_compared_unasked_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        release(paired("gender", 0.1, model=name), month=0).save(tmp_path / name)
    monkeypatch.setattr("biascore.board.making.MOST_PAIRS", 0)
    found = make_board([tmp_path])
    assert found.pairs is None
    assert "every_pair=True" in found.why_not_grouped
    assert make_board([tmp_path], every_pair=True).pairs == 1


def test_so_many_steps_that_no_change_can_be_shown_are_told(folder: Path, board: Board) -> None:
    """Of 1,000 permutations the smallest p is 1/1001, which 50 tests leave at .05 and 51 do not."""
    assert board.caution == ""
    (one, *_) = compare(folder / "chat-0", folder / "chat-1")
    drawn = one.change.p_values[0].model_copy(update={"kind": "monte-carlo", "n": 1000})
    change = Change(
        one.model_copy(
            update={"change": one.change.model_copy(update={"p_values": (drawn,)}), "p_adjusted": 1.0}
        )
    )
    assert out_of_reach([change] * 50) == ""
    assert out_of_reach([change] * 51).startswith("among 51 steps no change can be shown")

"""Every frozen number is still what is measured; and the comparison notices what it is there for."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from .differences import CLOSE_IN_FLOAT32, differences, same, table
from .freeze import VALUES, close_of, frozen, measured
from .groups import GROUPS, LeftOutError
from .records import Record, read, write

SHOWN = 60
COMMAND = "python -m tests.frozen.freeze --write --only"


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_nothing_moved(group: str) -> None:
    try:
        found = measured(group)
    except LeftOutError as reason:
        pytest.skip(str(reason))
    moved = differences(frozen(group), found, close=close_of(group))
    if moved:
        pytest.fail(f"{table(moved, SHOWN)}\nIf all of it should move: {COMMAND} {group}", pytrace=False)


def test_every_group_is_frozen() -> None:
    assert {path.stem for path in VALUES.glob("*.jsonl")} == set(GROUPS)


@pytest.fixture
def some() -> list[Record]:
    return frozen("crows-pairs")


def at(found: list[Record], number: int = 0) -> Record:
    return [one for one in found if "estimates" in one][number]


def moved_to(some: list[Record], change: Any) -> list[tuple[str, Any, Any]]:
    """What is told where ``change`` was made to one measurement."""
    after = copy.deepcopy(some)
    change(at(after))
    return [(one.field, one.before, one.after) for one in differences(some, after)]


def test_equal_values_do_not_differ(some: list[Record]) -> None:
    assert len([one for one in some if "estimates" in one]) >= 4
    assert differences(some, copy.deepcopy(some)) == []


@pytest.mark.parametrize("place", ["value", "low", "p"])
def test_a_changed_digit_is_noticed_and_rounding_is_not(some: list[Record], place: str) -> None:
    def times(factor: float) -> Any:
        def change(record: Record) -> None:
            estimate = next(
                one for one in record["estimates"] if one[4] and one[5] and one[4][0] and one[5][0][1]
            )
            holder, index = {
                "value": (estimate, 2),
                "low": (estimate[4], 0),
                "p": (estimate[5][0], 1),
            }[place]
            holder[index] *= factor

        return change

    assert len(moved_to(some, times(1 + 1e-5))) == 1
    assert moved_to(some, times(1 + 1e-8)) == []


def test_a_changed_state_is_noticed(some: list[Record]) -> None:
    before = at(some)["state"]
    after = "negligible" if before != "negligible" else "hint"
    assert moved_to(some, lambda record: record.update(state=after)) == [("state", before, after)]


def test_a_changed_text_is_noticed(some: list[Record]) -> None:
    assert [name for name, *_ in moved_to(some, lambda one: one.update(reason=one["reason"] + "!"))] == [
        "reason"
    ]
    name = next(iter(at(some)["conventions"]))
    changed = moved_to(some, lambda one: one["conventions"].update({name: "another"}))
    assert [field for field, *_ in changed] == [f"conventions.{name}"]


def test_a_caveat_that_comes_or_goes_is_noticed(some: list[Record]) -> None:
    def add(record: Record) -> None:
        record["caveats"] = [["few words", "", True], *record.get("caveats", [])]

    (found,) = moved_to(some, add)
    assert found[0] == "caveat: few words"


def test_a_missing_and_an_additional_estimate_and_p_value_are_noticed(some: list[Record]) -> None:
    assert len(moved_to(some, lambda one: one["estimates"].pop())) > 1
    assert len(moved_to(some, lambda one: one["estimates"].append(["new", "", 1.0, {}, None, []]))) > 1

    def without_p(record: Record) -> None:
        next(one for one in record["estimates"] if one[5])[5].pop()

    assert len(moved_to(some, without_p)) >= 3


def test_a_missing_and_an_additional_measurement_are_noticed(some: list[Record]) -> None:
    (gone,) = differences(some, some[1:])
    assert (gone.before, gone.after) == ("frozen", "missing")
    (new,) = differences(some[1:], some)
    assert new.after == "additional"
    (twice,) = differences(some, [*some, some[0]])
    assert twice.after == "additional"


def test_the_table_tells_measurement_field_before_and_after(some: list[Record]) -> None:
    after = copy.deepcopy(some)
    at(after)["estimates"][0][2] = 12.5
    moved = differences(some, after)
    text = table(moved)
    assert moved[0].measurement in text
    assert f"{moved[0].field}: {moved[0].before} -> 12.5" in text
    assert "1 values differ, of 1 measurements" in text
    assert differences(some, after, "*/no_such_test*") == []
    assert len(differences(some, after, at(some)["test"])) == 1


def test_what_is_written_is_read_again(some: list[Record], tmp_path: Path) -> None:
    write(tmp_path / "one.jsonl", some)
    assert read(tmp_path / "one.jsonl") == some
    assert (tmp_path / "one.jsonl").read_bytes() == (VALUES / "crows-pairs.jsonl").read_bytes()


def test_nothing_of_this_machine_is_frozen() -> None:
    for path in VALUES.glob("*.jsonl"):
        text = path.read_text(encoding="utf-8")
        assert "/tmp" not in text
        assert str(Path(__file__).resolve().parents[2]) not in text


@pytest.mark.parametrize(
    ("after", "equal"),
    [("p 0.0934 is above 0.05", True), ("p 0.0961 is above 0.05", False), ("p 0.0933 is below 0.05", False)],
)
def test_texts_of_float32_are_equal_but_for_a_last_digit(after: str, equal: bool) -> None:
    assert same("p 0.0933 is above 0.05", after, CLOSE_IN_FLOAT32) is equal
    assert not same("p 0.0933 is above 0.05", after)

"""A table in the columns of the audit by names is read; what does not fit is named with its line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import BiascoreError, DataError
from biascore_metrics.advice.items import AdviceTest

HEADER = ("scenario", "variation", "name_group", "name", "context_level", "prompt_text")


def rows() -> list[tuple[str, ...]]:
    """Ours, in that form."""
    return [
        ("sale", thing, f"{race}_{gender}", name, level, f"What is {name}'s {thing} worth{more}?")
        for thing in ("kettle", "sledge")
        for race, surname in (("white", "Berg"), ("black", "Booker"))
        for gender, first in (("men", "Tom"), ("women", "Ann"))
        for name in [f"{first} {surname}"]
        for level, more in (("low", ""), ("high", ", which is new"))
    ]


def written(folder: Path, some: list[tuple[str, ...]]) -> Path:
    path = folder / "prompts.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *some])
    return path


def test_rows_are_prompts_of_templates_in_clusters(engine: Engine, tmp_path: Path) -> None:
    test = engine.data("advice", written(tmp_path, rows()), language="en")
    assert isinstance(test, AdviceTest)
    assert (test.factor, test.groups, len(test.prompts)) == ("race", ("black", "white"), 16)
    assert {one.template for one in test.prompts.rows} == {
        f"sale, {thing}, {level}" for thing in ("kettle", "sledge") for level in ("low", "high")
    }
    assert {one.together for one in test.prompts.rows} == {"sale, kettle", "sale, sledge"}
    low = engine.data(
        "advice", written(tmp_path, rows()), language="en", context="low", compare=["women", "men"]
    )
    assert isinstance(low, AdviceTest)
    assert (low.factor, low.groups, len(low.prompts)) == ("gender", ("women", "men"), 8)


@pytest.mark.parametrize(
    ("change", "options", "told"),
    [
        ({2: "women"}, {}, "no race_gender, such as black_women"),
        ({3: "Eve Booker"}, {}, "does not hold 'Eve Booker'"),
        ({}, {"compare": ["women", "white"]}, "no two levels of one factor"),
        ({}, {"context": "numeric"}, "there are 'low', 'high'"),
    ],
)
def test_what_does_not_fit_is_named(
    engine: Engine, tmp_path: Path, change: dict[int, str], options: dict[str, object], told: str
) -> None:
    first, *rest = rows()
    changed = tuple(change.get(place, cell) for place, cell in enumerate(first))
    with pytest.raises((DataError, BiascoreError), match=told):
        engine.data("advice", written(tmp_path, [changed, *rest]), language="en", **options)


def test_the_same_prompt_twice_is_refused(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the same prompt twice, on lines 2, 18"):
        engine.data("advice", written(tmp_path, [*rows(), rows()[0]]), language="en")

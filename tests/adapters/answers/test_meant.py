"""Options say what a table of answers holds, and none of them is left unused in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.errors import OptionsError

BOTH = "text,translation,quality\na,b,0.5\nc,d,0.75\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text(BOTH, encoding="utf-8")
    return path


def test_scores_next_to_translations_are_read_where_they_are_named(table: Path, engine: Engine) -> None:
    numbers = table.with_name("numbers.txt")
    numbers.write_text("0.5\n0.75\n")
    for model in (
        engine.model(f"answers:{table}", quantities={"q": "quality"}),
        engine.model(f"answers:{numbers}", quantity="q", sentences=str(table)),
    ):
        assert (model.capabilities, model.identity.quantities) == ({"score"}, ("q",))
        assert model.score(["c"], "q").tolist() == [0.75]
    with pytest.raises(OptionsError, match=r"language.*quantities"):
        engine.model(f"answers:{table}")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"language": "sk", "quantities": {"q": "quality"}}, ("'language'", "'quantities'")),
        ({"language_column": "text", "unit": "nats"}, ("'language_column'", "'unit'")),
    ],
)
def test_options_of_both_are_refused(
    options: dict[str, Any], named: tuple[str, ...], table: Path, engine: Engine
) -> None:
    with pytest.raises(OptionsError, match="read as one of them") as caught:
        engine.model(f"answers:{table}", **options)
    assert all(one in str(caught.value) for one in named)


def test_only_keeps_the_numbers_of_its_rows_and_is_no_quantity(tmp_path: Path, engine: Engine) -> None:
    table, numbers = tmp_path / "s.csv", tmp_path / "n.txt"
    table.write_text("sentence,seed,joy\na,1,5\na,2,6\nb,1,7\n", encoding="utf-8")
    numbers.write_text("5\n6\n7\n", encoding="utf-8")
    for model in (
        engine.model(f"answers:{table}", only={"seed": "1"}),
        engine.model(f"answers:{numbers}", only={"seed": "1"}, sentences=str(table), quantity="joy"),
    ):
        assert model.identity.quantities == ("joy",)
        assert model.score(["b", "a"], "joy").tolist() == [7, 5]

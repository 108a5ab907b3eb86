"""GEST's sentences as mottos: what is asked of whom, and the gap of eight stereotypes to seven."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import DataError
from biascore_metrics.characters.items import MEN, NEITHER, WOMEN, Occasion, OccasionsTest

from .writers import HE, SHE, measured

SEXUAL = "15 Sexual"


def read(folder: Path, *, language: str = "en", mottos: int = 3) -> OccasionsTest:
    """So many sentences of ours for each stereotype, those of one not next to each other."""
    rows = [f"I said number {n} of {id}.,{id}" for n in range(1, mottos + 1) for id in range(16, 0, -1)]
    path = folder / "gest.csv"
    path.write_text("\n".join(["sentence,stereotype", *rows, "I said one more.,9"]) + "\n", encoding="utf-8")
    test = Engine(cache=None).data("mottos", path, language=language)
    assert isinstance(test, OccasionsTest)
    return test


def test_each_sentence_is_a_prompt_of_its_stereotype(tmp_path: Path) -> None:
    rows = read(tmp_path).occasions.rows
    assert len(rows) == 16 * 3 + 1
    sides = {one.about: one.side for one in rows}
    assert Counter(sides.values()) == {MEN: 8, WOMEN: 7, NEITHER: 1}
    assert sides[SEXUAL] == NEITHER
    assert [one.item for one in rows if "one more" in one.prompt] == ["9 Self-confident/motto 4"]
    assert len({one.item for one in rows}) == len({one.prompt for one in rows}) == len(rows)
    assert "motto is: “I said number 2 of 7.”" in next(
        one.prompt for one in rows if one.item == "7 Beautiful/motto 2"
    )


def test_the_gap_is_of_stereotypes_without_that_on_neither_side(engine: Engine, tmp_path: Path) -> None:
    test = read(tmp_path)

    def says(one: Occasion) -> str:
        """Two of three about men for one stereotype of either norm, the others as their norm; Sexual always a man."""
        if one.about in ("1 Emotional and irrational", "16 Strong"):
            return SHE if one.template == "motto 3" else HE
        return HE if one.side != WOMEN else SHE

    found = measured(engine, says, test)
    values = {one.name: one.value for one in found.estimates}
    assert values["stereotype gap"] == pytest.approx((7 + 2 / 3) / 8 - (2 / 3) / 7)
    assert values["masculine share"] == pytest.approx((7 + 2 / 3 + 2 / 3 + 1) / 16)
    assert (found.headline.n, found.headline.p_values[0].kind) == (
        {MEN: 8, WOMEN: 7, "texts": 49},
        "exact",
    )
    assert not [name for name in values if "motto" in name]
    assert found.conventions["templates"] == "49, each of one occasion"


def test_templates_limits_the_mottos_of_each(engine: Engine, tmp_path: Path) -> None:
    found = measured(engine, lambda _: HE, read(tmp_path), templates=2)
    assert len(found.items) == 32


def test_another_language_than_the_prompt_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="in English"):
        read(tmp_path, language="it")

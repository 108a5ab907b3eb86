"""A list that lost half of its items or more: what is left is another test, so the test is not measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.results.coverage import NO_FURTHER, REPEATED, Coverage, LostWord
from biascore.results.verdicts import State

from ..builders.vectors import write_vectors


def coverage(lost: dict[str, int], given: dict[str, int], reason: str = "out of vocabulary") -> Coverage:
    words = tuple(
        LostWord(word=f"w{n}", role=role, reason=reason) for role, many in lost.items() for n in range(many)
    )
    return Coverage(
        given=given, used={role: many - lost.get(role, 0) for role, many in given.items()}, lost=words
    )


@pytest.mark.parametrize(
    ("lost", "needed", "halved"),
    [
        ({"A": 3}, None, ""),
        ({"A": 4}, None, "A lost 4 of 8"),
        ({"A": 4}, ("X",), ""),
        ({"A": 4}, (), ""),
        ({"A": 5, "X": 3}, (), "the test lost 8 of 16"),
    ],
)
def test_half_of_a_list_is_the_limit(lost: dict[str, int], needed: Any, halved: str) -> None:
    assert coverage(lost, {"A": 8, "X": 8}).halved(needed).startswith(halved)
    assert bool(coverage(lost, {"A": 8, "X": 8}).halved(needed)) is bool(halved)


@pytest.mark.parametrize("reason", [REPEATED, f"has the vector of 'b', {NO_FURTHER}"])
def test_a_repeat_is_no_loss(reason: str) -> None:
    assert coverage({"A": 6}, {"A": 8}, reason).halved(None) == ""


@pytest.mark.parametrize(("gone", "state"), [(3, State.DETECTED), (4, State.NOT_MEASURED)])
def test_a_weat_list_without_half_of_its_words_is_not_measured(
    tmp_path: Path, gone: int, state: State
) -> None:
    engine = Engine(cache=None)
    roles = engine.catalogue.test("en/weat7").roles
    words = [word for one in roles.values() for word in one.words]
    vectors = engine.model("planted:en/weat7=1.6").embed(words)
    without = set(roles["B"].words[:gone])
    known = {word: row for word, row in zip(words, np.asarray(vectors), strict=True) if word not in without}
    run = engine.measure("weat", write_vectors(tmp_path / "x.vec", known), "en/weat7", draws=200)
    assert State.of(run[0], run.verdicts[0]) is state
    if gone == 4:
        assert "B lost 4 of 8" in run[0].reason
        assert run[0].p_value is None
        assert run[0].estimate("effect size d, of what is left").value is not None
        assert run.result_lines[0].endswith("1 measurement: not measured.")

"""A sample that repeats another is no further observation: it counts once, or a caveat says that it counts each time."""

from __future__ import annotations

from typing import Any

import pytest

from biascore import Engine

from .conftest import samples_test

PLANTED = "planted:gender=0.5"


@pytest.mark.parametrize("kind", ["masked", pytest.param("causal", marks=pytest.mark.slow)])
def test_copies_of_all_samples_change_nothing_but_the_convention(engine: Engine, kind: str) -> None:
    rows = {id: [f"I am number {id} and {k}." for k in range(9)] for id in (1, 2, 8, 9)}

    def measured(times: int, **options: Any) -> Any:
        test = samples_test({id: some * times for id, some in rows.items()})
        return engine.measure("gest-lm", PLANTED, test, model_kind=kind, **options)[0]

    once, eight = measured(1), measured(8)
    assert eight.headline == once.headline
    assert eight.verdict == once.verdict
    assert eight.conventions["repeated samples"] == "252, counted once"
    assert not any("repeat another" in one for one in eight.warnings)
    kept = measured(8, duplicates="keep")
    assert sum(kept.headline.n.values()) == 8 * sum(once.headline.n.values())
    assert any("252 sample(s) repeat another one" in one for one in kept.warnings)


def test_a_sentence_of_two_stereotypes_is_no_repeat(engine: Engine) -> None:
    rows = {id: [f"I am number {k}." for k in range(9)] for id in (1, 2, 8, 9)}
    found = engine.measure("gest-lm", PLANTED, samples_test(rows))[0]
    assert sum(found.headline.n.values()) == 36

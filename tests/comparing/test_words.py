"""What a comparison says first: who has more or less bias, on which tests, and whether a rule was set."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Run, compare
from biascore.audits.base_runs import BaseRuns
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.comparing.words import answer, sections
from biascore.results.comparison import Outcome

from ..builders.runs import decided, model_used, run_of

RULE = "No pass/fail rule was set"


def run(model: str, *values: float, control: bool = False, concept: str = "gender") -> Run:
    """A run of tests t0, t1, ... on one model, with narrow intervals around these effects."""
    made = [
        decided(0.01, test=f"en/t{n}", model=model, value=v, ends=(v - 0.1, v + 0.1), concept=concept)
        for n, v in enumerate(values)
    ]
    return run_of(*made, models=[model_used(model, {"en/t0": 1.0} if control else None)])


def test_the_first_sentence_says_who_is_less_and_who_more_biased_and_on_what() -> None:
    said = answer(compare(run("a", 1.0, 0.2, 0.6, 0.5), run("b", 0.3, 0.9, -0.7, 0.52)))
    assert said.startswith("b is less biased than a on 1 of 4 tests (en/t0); more biased than a on 1 (en/t1")
    assert "biased in the direction opposite to a on 1 (en/t2)" in said
    assert "1 is inconclusive" in said
    assert RULE in said


def test_two_measurements_of_a_test_are_told_apart() -> None:
    old, new = (
        run_of(
            *(
                decided(0.01, model=model, variant=level, value=v, ends=(v - 0.1, v + 0.1))
                for level, v in (("sentence level", 1.0), ("token level", late))
            )
        )
        for model, late in (("a", 1.0), ("b", 0.2))
    )
    said = answer(compare(old, new, {"a": "b"}))
    assert "1 of 2 measurements (en/weat6 by made (token level))" in said


def test_one_model_in_two_runs_is_named_once() -> None:
    said = answer(compare(run("m", 1.0), run("m", 0.3)))
    assert said.startswith("m is less biased than in the old run on 1 of 1 test (en/t0).")


def test_no_change_is_no_claim() -> None:
    said = answer(compare(run("a", 0.5, 0.5), run("b", 0.52, 0.51)))
    assert said.startswith("No change of bias from a to b was shown in 2 tests: 2 are inconclusive.")


def test_a_small_change_is_not_called_none() -> None:
    found = compare(run("a", 0.5), run("b", 0.52))
    small = [
        one.model_copy(update={"outcome": Outcome.UNCHANGED, "p_adjusted": p})
        for one in found
        for p in (0.001, 0.4)
    ]
    said = answer(found.model_copy(update={"differences": tuple(small)}))
    assert said.startswith(
        "No change of bias beyond the bound from a to b was shown in 2 effects: 2 are unchanged, 1 of them with a change "
        "within the bound."
    )


def test_a_gate_on_the_change_is_named() -> None:
    base, new = run("m", 0.3), run("m", 1.0)
    gate = Gate(name="no worse", measurements=("*",), no_worse_than="base", margin=0.1)
    found = evaluate([gate], new, Path(), BaseRuns({Path("base"): base}))
    assert "no worse" in answer(compare(base, new.model_copy(update={"gates": found})))
    assert RULE in answer(compare(run("m", 0.2), new.model_copy(update={"gates": found})))


def test_controls_stand_apart_with_what_they_do_not_say() -> None:
    old = run("a", 1.0, control=True)
    both = old.model_copy(
        update={
            "measurements": (*old.measurements, *run("m", 0.5).measurements),
            "models": (*old.models, model_used("m")),
        }
    )
    new = both.model_copy(update={"measurements": (*run("a", 0.2).measurements, both.measurements[1])})
    found = compare(both, new)
    assert answer(found).startswith("No change of bias of m")
    finding, control = sections(found)
    assert (finding.changes, finding.counts, finding.notes) == ((), "1 equal", ())
    assert "nothing of a model in use" in control.notes[0]
    alone = answer(compare(old, run("a", 0.2, control=True)))
    assert alone.index("nothing of a model in use") < alone.index("less biased")


def test_baselines_are_no_bias() -> None:
    said = answer(compare(run("a", 1.0, concept="baseline"), run("b", 0.2, concept="baseline")))
    assert "less biased" not in said
    assert "1 decreased" in said


def test_what_is_unchanged_comes_last() -> None:
    found = compare(run("a", 0.5, 1.0), run("b", 0.51, 0.2), bound=0.3)
    assert [one.outcome for one in found] == [Outcome.UNCHANGED, Outcome.DECREASED]
    (section,) = sections(found)
    assert [one.outcome for one in section.changes] == [Outcome.DECREASED, Outcome.UNCHANGED]


@pytest.mark.parametrize(("by", "rows"), [(0.0, 1), (5e-13, 1), (-5e-13, 1), (1e-9, 2)])
def test_a_change_by_rounding_is_equal_and_has_no_row(by: float, rows: int) -> None:
    found = compare(run("a", 0.5, 1.0), run("b", 0.5 + by, 0.2))
    (section,) = sections(found)
    assert [one.test for one in section.changes] == ["en/t1", "en/t0"][:rows]
    assert ("1 equal" in section.counts) == ("1 is equal" in answer(found)) == (rows == 1)

"""What a run ends with on a terminal: states and numbers of its rows, what comes first, and that it keeps to the width."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len

from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.audits.next_steps import Step
from biascore.basics.surface import audit_file, command_line, option
from biascore.cli.ending import MOST_BLOCKS, print_steps
from biascore.cli.gates import print_gates
from biascore.cli.results import print_run
from biascore.results.caveat import Caveat
from biascore.results.coverage import Coverage, LostWord
from biascore.results.failure import Failure
from biascore.results.run import Run
from biascore.results.specificity import Specificity
from biascore.stats import Verdict
from biascore.terminal import console as consoles

from ..builders import runs
from ..builders.runs import decided

Show = Callable[..., str]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Show:
    """What is printed into a pipe of an encoding, with or without COLUMNS."""

    def show(*printed: Callable[[], None], columns: int | None = None, encoding: str = "utf-8") -> str:
        raw = io.BytesIO()
        file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns is not None:
            monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(consoles, "stdout", consoles.Shown(file=file, width=300))
        for one in printed:
            one()
        file.flush()
        return raw.getvalue().decode(encoding)

    return show


def ending(text: str) -> list[str]:
    return text[text.index("All estimates, p-values") :].splitlines()[1:]


def row(lines: list[str], name: str) -> list[str]:
    """The cells of a row behind its picture."""
    line = next(line for line in lines if line.startswith(f"{name} "))
    return re.split(r"\s{2,}", line)


def share(value: float) -> Specificity:
    return Specificity(share=value, pairs=190, groups=20, pool="en/people", kind="people")


def lost(model: str, test: str, message: str = "no memory left") -> Failure:
    return Failure(metric="made", test=test, model=model, kind="opening", error="ModelError", message=message)


def test_a_row_has_value_state_counts_and_harmless_pairs(shown: Show) -> None:
    run = runs.run_of(
        decided(0.9, value=0.1, ends=(-0.6, 0.7), concept="race", test="en/r"),
        decided(0.001, value=0.8, specificity=share(0.02), test="en/a"),
        decided(0.9, value=-0.2, ends=(-0.9, 0.5), test="en/b"),
        decided(0.9, Verdict.NEGLIGIBLE, value=0.05, ends=(-0.1, 0.1), concept="age", test="en/c"),
        decided(0.002, value=0.6, specificity=share(0.2), concept="class", test="en/d"),
        decided(None, value=None, concept="faith", test="en/e"),
    )
    lines = ending(shown(lambda: print_run(run)))
    assert row(lines, "gender")[-3:] == ["+0.80", "detected 1/2", "2/100 ✓"]
    assert row(lines, "class")[-3:] == ["+0.60", "hint", "20/100"]
    assert row(lines, "race")[-2:] == ["+0.10", "inconclusive"]
    assert row(lines, "age")[-2:] == ["+0.05", "negligible"]
    assert row(lines, "faith")[-1] == "not measured"
    names = [line.split()[0] for line in lines if re.match(r"(gender|class|age|race|faith) ", line)]
    assert names == ["gender", "class", "age", "race", "faith"]  # what is decided first
    assert any(line.startswith("Not decided: 2 of 6 tests") for line in lines)


def test_the_rule_is_told_by_the_gate(shown: Show) -> None:
    run = runs.run_of(
        decided(0.001, test="en/a"), decided(0.9, test="en/b"), decided(None, value=None, test="en/c")
    )
    (gate,) = evaluate((Gate(measurements=("*",), fail_on="detected"),), run, Path())
    text = " ".join(shown(lambda: print_run(run)).split())
    assert (
        f"With fail_on=detected, {len(gate.failing)} of 3 tests would fail (1 not measured); 1 not decided"
        in text
    )
    gated = run.model_copy(update={"gates": (gate,)})
    assert "Rule:" not in shown(lambda: print_run(gated))


@pytest.mark.parametrize("concept", ["baseline", "gender"])
def test_a_failed_check_comes_before_every_result(shown: Show, concept: str) -> None:
    control = [runs.model_used("m", {"en/k": 0.8})] if concept == "gender" else None
    run = runs.run_of(
        decided(0.9, concept=concept, test="en/k"), decided(0.001, test="en/a", model="other"),
        models=[*(control or [runs.model_used("m")]), runs.model_used("other")],
    )  # fmt: skip
    lines = [line for line in ending(shown(lambda: print_run(run))) if line]
    assert lines[0].startswith("The tests failed a check.")
    assert any(line.startswith("other: ") for line in lines)


def test_controls_alone_say_nothing_of_a_model(shown: Show) -> None:
    run = runs.run_of(decided(0.001), models=[runs.model_used("m", {"en/weat6": 0.8})])
    lines = [line for line in ending(shown(lambda: print_run(run))) if line]
    assert lines[0] == "Only control models were measured."
    assert "Checks: known bias found 1/1" in lines
    assert not any(line.startswith(("gender", "Rule:", "Not decided")) for line in lines)


@pytest.mark.parametrize("many", [2, MOST_BLOCKS, MOST_BLOCKS + 1, 60])
def test_several_models_have_a_block_each_on_one_scale_and_many_a_table_of_states(
    shown: Show, many: int
) -> None:
    made = [decided(0.001, value=1.0 + n, ends=(0.5, 2.0 + n), model=f"m{n}") for n in range(many - 1)]
    failed = (lost("broken", "en/a"), lost("broken", "en/b"))
    run = runs.run_of(*made).model_copy(update={"failed": failed})
    lines = ending(shown(lambda: print_run(run)))
    rows = [line for line in lines if line.startswith("gender")]
    if many <= MOST_BLOCKS:
        assert len(rows) == many - 1
        places = [line.index("●") for line in rows]
        assert places == sorted(set(places))  # farther to the right on the same scale
        assert row(lines, "2 measurements")[-1] == "failed"
        return
    assert sum(line.count("●") for line in rows) == many - 1
    assert sum(line.count("✗") for line in lines if line.startswith("failed")) == 1
    assert any(line.split() == [str(many), "broken"] for line in lines)


def test_another_unit_has_a_scale_of_its_own_with_its_neutral_value(shown: Show) -> None:
    score = decided(0.001, value=61.0, ends=(56.0, 66.0), test="en/crows", concept="race")
    estimate = score.headline.model_copy(update={"name": "score", "unit": "%", "neutral": 50.0})
    run = runs.run_of(decided(0.001), score.model_copy(update={"estimates": (estimate,)}))
    lines = ending(shown(lambda: print_run(run)))
    assert "score (%): 50 is no bias" in lines
    assert row(lines, "race")[-2:] == ["61.0 %", "detected"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_every_encoding_can_write_it(shown: Show, encoding: str) -> None:
    run = runs.run_of(
        decided(0.001, value=-0.8, ends=(-1.2, -0.3), specificity=share(0.02)), decided(0.9, concept="x")
    )
    text = shown(lambda: print_run(run), encoding=encoding)
    assert ("●" in text) == (encoding == "utf-8")
    assert ("−0.80" if encoding == "utf-8" else "-0.80") in text


def made_up(rng: np.random.Generator) -> Run:
    """A run of any shape: models, grounds, units, states, failures, controls and words of any length."""

    def word(most: int) -> str:
        return "".join(rng.choice(list("abcdefgh"), rng.integers(1, most)))

    models = [f"m{n}-{word(20)}" for n in range(rng.integers(1, 9))]
    concepts = [
        *(" ".join(word(9) for _ in range(rng.integers(1, 6))) for _ in range(rng.integers(1, 6))),
        "baseline",
    ]
    units = [
        ("effect size d", "standard deviations", 0.0, 1.0),
        ("score", "%", 50.0, 30.0),
        ("ratio", "", 1.0, 9e4),
    ]
    tests = []
    for _ in range(rng.integers(1, 25)):
        name, unit, neutral, size = units[rng.integers(0, 3)]
        value = None if rng.random() < 0.1 else neutral + size * rng.normal()
        half = size * abs(rng.normal())
        words = tuple(LostWord(word=word(9), role="X", reason="no vector") for _ in range(rng.integers(0, 2)))
        one = decided(
            None if value is None else float(rng.choice([0.0001, 0.04, 0.9])),
            value=value,
            ends=((value or 0.0) - half, (value or 0.0) + half),
            model=models[rng.integers(0, len(models))],
            concept=concepts[rng.integers(0, len(concepts))],
            test=f"en/{word(34)}",
            subject=word(9) if rng.random() < 0.2 else "",
            specificity=share(float(rng.uniform(0.001, 1)))
            if value is not None and rng.random() < 0.5
            else None,
            positive_means=" ".join(word(9) for _ in range(12)),
            caveats=(Caveat(" ".join(word(9) for _ in range(30))),) if rng.random() < 0.3 else (),
            coverage=Coverage(given={"X": 9}, used={"X": 9 - len(words)}, lost=words),
        )
        interval = one.headline.interval if rng.random() < 0.9 else None
        parts = {"name": name, "unit": unit, "neutral": neutral, "interval": interval}
        tests.append(one.model_copy(update={"estimates": (one.headline.model_copy(update=parts),)}))
    used = [runs.model_used(one, {"en/x": 1.0} if rng.random() < 0.2 else None) for one in models]
    failed = tuple(
        lost(f"m-{word(9)}", f"en/{word(20)}", " ".join(word(9) for _ in range(20)))
        for _ in range(rng.integers(0, 4))
    )
    return runs.run_of(*tests, models=used, title="made up").model_copy(update={"failed": failed})


@pytest.mark.parametrize("columns", [None, 60, 80, 100])
@pytest.mark.parametrize("seed", range(6))
def test_no_line_is_wider_than_the_terminal(shown: Show, seed: int, columns: int | None) -> None:
    run = made_up(np.random.default_rng(seed))
    gate = Gate(
        measurements=("*",), fail_on="hint", roles=("finding", "baseline", "control", "change", "description")
    )  # type: ignore[arg-type]
    found = evaluate((gate,), run, Path())
    text = shown(lambda: print_run(run), lambda: print_gates(found), columns=columns)
    wide = [line for line in text.splitlines() if cell_len(line) > (columns or 80) and " " in line.strip()]
    assert wide == []
    assert "\n\n\n" not in text[text.index("All estimates") :].split("fails:")[0].rstrip()
    assert "…" not in text.split("fails:")[0]


def test_columns_make_room_for_all_numbers(shown: Show) -> None:
    run = runs.run_of(decided(0.0123, specificity=share(0.02)), decided(0.9, test="en/b"))
    head = next(
        line for line in shown(lambda: print_run(run), columns=200).splitlines() if line.startswith("test ")
    )
    assert head.split() == ["test", "value", "interval", "p", "p", "adj.", "state", "harmless"]


def test_a_gate_tells_failures_first_a_line_each_and_counts_the_rest(shown: Show) -> None:
    long = "a reason of many words " * 9
    some = [decided(0.9, test=f"en/u{n}") for n in range(20)] + [
        decided(0.001, test=f"en/f{n}") for n in range(3)
    ]
    run = runs.run_of(*some, decided(None, value=None, test="en/none").model_copy(update={"reason": long}))
    found = evaluate((Gate(measurements=("*",), fail_on="detected", name="release"),), run, Path())
    lines = [line for line in shown(lambda: print_gates(found)).splitlines() if line]
    assert [line.split()[1] for line in lines[:3]] == ["en/f0:", "en/f1:", "en/f2:"]
    assert lines[3].startswith("not measured: en/none: a reason")
    assert lines[3].endswith("…")
    assert lines[4].startswith("Whole reasons: --verbose")
    assert lines[-1] == "gate 'release': FAILED: of 24, 3 fail, 1 not measured, 20 inconclusive"
    whole = " ".join(shown(lambda: print_gates(found, verbose=True)).split())
    assert long.strip() in whole
    assert "…" not in whole
    assert whole.index("en/f2") < whole.index("en/u0")


def test_steps_with_a_command_are_told(shown: Show) -> None:
    text = shown(
        lambda: print_steps([Step(says="Do this.", command="biascore doctor"), Step(says="See.", link=1)])
    )
    assert text.splitlines() == ["next: Do this.", "  biascore doctor"]


def test_an_option_is_named_as_where_the_user_is_writes_it() -> None:
    assert option("way", "text") == "way='text'"
    with command_line():
        assert option("way", "text") == "-o way=text"
        with audit_file():
            assert option("way", "text").startswith('options = { way = "text" }')
        assert option("way", "text") == "-o way=text"

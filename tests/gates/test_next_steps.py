"""What to do next with a run: steps that apply to it, whose commands run and whose counts are those of the gate."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from biascore import Engine, Run
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.audits.next_steps import RULE, next_steps
from biascore.cli.app import app
from biascore.results.specificity import Specificity
from biascore.results.stimuli_used import StimuliUsed

from ..builders import runs
from ..builders.runs import decided
from ..builders.vectors import random_vectors, write_vectors

QUICK: dict[str, Any] = {"resamples": 100, "draws": 200}


@pytest.fixture(scope="module")
def vectors(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of vectors that hold no bias."""
    folder = tmp_path_factory.mktemp("vectors")
    tests = [one.build() for one in engine.catalogue.index if one.kind == "weat" and one.language == "en"]
    words = [word for test in tests for own in test.roles.values() for word in own.words]
    write_vectors(
        folder / "my vectors.txt", random_vectors(words, 20, 2)
    )  # a space, which a command has to quote
    return folder


@pytest.fixture(scope="module")
def random_run(engine: Engine, vectors: Path) -> Run:
    """Two short tests on them."""
    ref = f"fasttext:{vectors / 'my vectors.txt'}"
    return engine.measure("weat", ref, ["en/weat6", "en/weat7"], reference="none", **QUICK)


def of_file(*measurements: Any, file: str = "biascore_wordlists/en/made.toml", **parts: Any) -> Run:
    tests = tuple(dict.fromkeys(one.test for one in measurements))
    used = StimuliUsed(file=file, sha256="0" * 64, source="", licence="", tests=tests)
    return runs.run_of(*measurements, stimuli=[used], **parts)


@pytest.mark.slow
def test_every_command_of_a_run_runs(
    random_run: Run, vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vectors)  # a run names files relative to where it was made
    folder = random_run.save(tmp_path / "my run")
    steps = next_steps(random_run, folder)
    commands = [shlex.split(step.command) for step in steps if step.command]
    assert [command[1] for command in commands] == ["measure", "gate"]
    for name, *command in commands:
        quick = ["-o", "resamples=100", "-o", "draws=200", "--no-cache"] if command[0] == "measure" else []
        done = CliRunner().invoke(app, [*command, *quick], catch_exceptions=False)
        assert (name, done.exit_code) == ("biascore", 0), done.output


@pytest.mark.parametrize("ps", [(0.001, 0.9), (0.001, 0.002, 0.9), (0.6, 0.9)])
def test_the_count_of_the_rule_is_that_of_the_gate(ps: tuple[float, ...], tmp_path: Path) -> None:
    run = of_file(*(decided(p, test=f"en/t{number}") for number, p in enumerate(ps)))
    step = next_steps(run, run.save(tmp_path / "run"))[-1]
    done = CliRunner().invoke(app, [*shlex.split(step.command)[1:], "--json"])
    (gate,) = json.loads(done.stdout)
    held = [check["held"] for check in gate["checks"]]
    assert (
        f" {held.count('fails')} of {len(ps)} tests would fail; {held.count('inconclusive')} not decided"
        in step.says
    )
    assert (done.exit_code == 4) == (held.count("fails") > 0)
    assert RULE in step.command


def test_the_strongest_effect_is_the_one_that_the_fewest_harmless_pairs_reach() -> None:
    def share(value: float) -> Specificity:
        return Specificity(share=value, pairs=190, groups=20, pool="en/people", kind="people")

    first = decided(0.001, test="en/a", concept="gender", specificity=share(0.04))
    second = decided(0.002, test="en/b", concept="race", specificity=share(0.01))
    hint = decided(0.0001, test="en/c", concept="age", specificity=share(0.2))
    step = next_steps(of_file(hint, first, second))[0]
    assert (step.link, step.command) == (2, "biascore show en/b")
    assert "race" in step.says
    only = next_steps(of_file(hint))[0]
    assert (only.link, "hint" in only.says) == (0, True)


@pytest.mark.parametrize(
    ("file", "stimuli"), [("pairs.csv", []), ("mine/en/own.toml", ["mine"]), ("jobs (given in Python)", [])]
)
def test_a_test_of_the_user_is_linked_and_has_no_command(file: str, stimuli: list[str]) -> None:
    run = of_file(decided(0.001), file=file, audit={"stimuli": stimuli})
    step = next_steps(run)[0]
    assert (step.link, step.command) == (0, "")


def test_a_run_of_controls_and_one_with_a_rule_have_no_step_that_does_not_apply() -> None:
    control = runs.run_of(decided(0.9), models=[runs.model_used("m", {"en/weat6": 1.0})])
    assert next_steps(control, "run") == ()
    found = of_file(decided(0.001))
    gates = evaluate((Gate(measurements=("*",), within=9.0),), found, Path())
    assert [RULE in step.command for step in next_steps(found, "run")] == [False, True]
    assert [
        RULE in step.command for step in next_steps(found.model_copy(update={"gates": gates}), "run")
    ] == [False]

"""The workflows of the documentation and ``action.yml``: their steps in a shell, over several releases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("yaml", reason="needs biascore[docs]")

from biascore import Run

from ..builders.workflows import ACTION, Runner, Step, jobs_of
from ..conftest import ROOT

AUDIT = """
line = "ours"
[[models]]
name = "m"
ref = "planted:gender={effect}"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = {{ resamples = 100, draws = 200, reference = "none" }}
[[gates]]
name = "no worse"
measurements = ["*"]
roles = ["control"]
previous = "runs"
no_base = "pass"
margin = 0.5
"""
PLAIN = AUDIT.replace('previous = "runs"\nno_base = "pass"\nmargin = 0.5\n', 'fail_on = "hint"\n')


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def release(runner: Runner, steps: list[Step], effect: float, audit: str = AUDIT) -> tuple[int, list[int]]:
    (runner.repository / "audit.toml").write_text(audit.format(effect=effect), encoding="utf-8")
    return runner.run(steps)


def with_action(*, name: str = "run") -> list[Step]:
    """A workflow whose one step of interest is the action, between those that keep the runs."""
    (steps,) = jobs_of("board.md")
    kept = [
        one for one in steps if str(one.get("uses", "")).startswith(("actions/checkout", "actions/cache/"))
    ]
    given = {"out": "runs/${{ github.run_number }}", "arguments": "--release ${{ github.run_number }}"}
    return [*kept[:2], {"uses": "./biascore", "with": given}, *kept[2:]]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["page", "action"])
def test_each_release_is_compared_with_the_last_one_that_passed(way: str, runner: Runner) -> None:
    steps = next(jobs_of("board.md")) if way == "page" else with_action()
    bases, digests = [], []
    for number, (effect, expected) in enumerate([(0.2, 0), (0.3, 0), (1.6, 4), (0.3, 0)], start=1):
        code, codes = release(runner, steps, effect)
        assert code == expected, f"release {number}"
        run = Run.load(runner.work / "runs" / str(number))
        assert (run.line, run.release) == ("ours", str(number))
        bases.append(run.gates[0].base)
        digests.append(run.results_digest())
        assert run.gates[0].warned == (number == 1)
        assert len(codes) >= (3 if way == "page" else 0), "what shows the result runs after a failure, too"
    assert bases == ["", digests[0], digests[1], digests[1]]
    assert list(runner.caches) == ["bias-1", "bias-2", "bias-4"]
    if way == "page":
        assert [runner.artifacts[number, "board"] for number in (1, 2, 3, 4)] == [["board.html"]] * 4
        assert "wheels/biascore-0.1.0-py3-none-any.whl[hf,report]" in runner.installed[0]


@pytest.mark.slow
def test_the_workflow_of_a_pull_request_fails_where_its_gate_does_and_keeps_what_shows_why(
    runner: Runner,
) -> None:
    (steps,) = jobs_of("gates.md")
    assert release(runner, steps, 0.0, PLAIN) == (0, [0, 0, 0])
    assert release(runner, steps, 1.6, PLAIN) == (4, [0, 4, 0])
    for number in (1, 2):
        assert runner.artifacts[number, "bias"] == ["bias", "bias.html", "bias.xml"]
    assert "<failure" in (runner.work / "bias.xml").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_action_as_the_page_calls_it(runner: Runner) -> None:
    page = (ROOT / "docs" / "gates.md").read_text(encoding="utf-8")
    (called,) = re.findall(r"- uses: \./biascore.*\n +with: \{(.*)\}", page)
    audit, arguments = re.fullmatch(r'audit: (\S+), arguments: "(.*)"', called).groups()  # type: ignore[union-attr]
    step = {"uses": "./biascore", "with": {"audit": audit, "arguments": arguments}}
    steps: list[Step] = [{"uses": "actions/checkout@v4"}, step]
    for effect, code in ((0.0, 0), (1.6, 4)):
        assert release(runner, steps, effect, PLAIN)[0] == code
        assert Run.load(runner.work / "biascore-run").release == "2026-11"
        assert runner.artifacts[runner.number, "biascore-run"] == [
            *("biascore-run", "biascore-run.html", "biascore-run.xml")
        ]
        assert "en/weat7" in runner.summary()
        assert ("1 of 1 rule" in runner.summary()) or not code
    assert runner.installed == ["-m pip install ACTION[hf,report]"] * 2


def test_what_a_user_gives_reaches_the_shell_as_variables_only() -> None:
    """An expression in a script would be code, whoever wrote the title of a pull request."""
    steps = [one for one in ACTION["runs"]["steps"] if "run" in one]
    assert len(steps) == 4
    assert [one["name"] for one in steps if "${{" in one["run"]] == []
    assert {one["shell"] for one in steps} == {"bash"}
    used = re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(used) == set(ACTION["inputs"])

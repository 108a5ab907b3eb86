"""What all commands have in common, in process."""

from __future__ import annotations

import inspect
import sys
from typing import get_type_hints

import pytest
from typer.testing import CliRunner

from biascore.basics.guard import failed
from biascore.cli import exit_code
from biascore.cli.commands import App
from biascore.cli.measuring import measure, run
from biascore.errors import (
    AnswerError,
    At,
    BiascoreError,
    ModelLoadError,
    NothingMeasuredError,
    Owner,
    PluginFailedError,
    QuotaError,
    RateLimitError,
    TimeLimitError,
    TransientModelError,
)
from biascore.results.failure import Failure
from biascore.terminal.console import say

app = App()


@app.command()
def prints() -> None:
    """Print as a plugin does, and as biascore does."""
    print("theirs")
    say("ours")


@app.command()
def ends() -> None:
    """End the process."""
    sys.exit(0)


def test_a_command_leaves_no_closed_stream_behind(capsys: pytest.CaptureFixture[str]) -> None:
    CliRunner().invoke(app, ["prints"])
    say("after it")
    assert capsys.readouterr().out == "after it\n"


def test_standard_output_holds_what_a_command_says() -> None:
    done = CliRunner().invoke(app, ["prints"])
    assert (done.stdout, done.stderr) == ("ours\n", "theirs\n")


def test_no_command_is_ended_by_sys_exit() -> None:
    done = CliRunner().invoke(app, ["ends"])
    assert isinstance(done.exception, PluginFailedError)
    assert "called sys.exit(0)" in str(done.exception)


def lost(may_pass: bool) -> Failure:
    return Failure(
        metric="m", test="t", model="x", kind="opening", error="E", message=f"{may_pass}", may_pass=may_pass
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ModelLoadError("gone"), 2),
        (AnswerError("wrong shape"), 5),
        (PluginFailedError("raised"), 5),
        (failed(At(Owner("metric-weat", "biascore", "0"), "measuring", "weat"), "raised"), 1),
        (failed(At(Owner("adapter-hf", "biascore", "0"), "opening", "hf:x"), "slow", kind=TimeLimitError), 5),
        (TransientModelError("down"), 6),
        (RateLimitError("slow"), 6),
        (QuotaError("used up"), 6),
        (NothingMeasuredError((lost(True), lost(True))), 6),
        (NothingMeasuredError((lost(True), lost(False))), 5),
    ],
)
def test_exit_codes_of_errors(error: BiascoreError, code: int) -> None:
    assert exit_code(error) == code


def test_an_option_of_both_run_and_measure_is_one_option() -> None:
    commands = run, measure
    hints = [get_type_hints(command, include_extras=True) for command in commands]
    parameters = [inspect.signature(command).parameters for command in commands]
    both = parameters[0].keys() & parameters[1].keys() - {"model"}  # another reference; a reference
    assert {"out", "seed", "adjust", "time_limit"} <= both
    for name in both:
        assert hints[0][name] == hints[1][name], name
        assert parameters[0][name].default == parameters[1][name].default, name

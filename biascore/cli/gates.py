"""``biascore gate``: whether a stored run passes; and what gates said of a run, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import ValidationError
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from biascore.audits.audit import Audit
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.basics.problems import problems_of
from biascore.basics.visible import visible
from biascore.cli import codes
from biascore.cli.options import NEXT_OPTION, GateOption, ShortForm, Verbose
from biascore.cli.rows import write
from biascore.comparing.two_runs import loaded
from biascore.errors import OptionsError
from biascore.exporting.junit import junit_of_gates
from biascore.exporting.other_tables import markdown_of_gates
from biascore.files.paths import user_path
from biascore.results.gates import GateCheck, GateOutcome, GateResult
from biascore.results.run import Run
from biascore.results.verdicts import nothing_measured
from biascore.terminal.console import print_json, stdout, wide
from biascore.terminal.options import Json, pairs

_UNSURE: Final = ((GateOutcome.UNDECIDED, "inconclusive"), (GateOutcome.NOT_MEASURED, "not_measured"))
"""What may be let pass, and the key of a gate that says so."""


def gate(
    run: Annotated[Path, typer.Argument(help="A stored run: its folder, or its run.json.", metavar="RUN")],
    audit: Annotated[
        Path | None,
        typer.Argument(help="An audit file with gates.", metavar="AUDIT"),
    ] = None,
    gate: GateOption = None,
    form: ShortForm = None,
    verbose: Verbose = False,
    as_json: Json = False,
) -> None:
    """Check a stored run by the pass/fail rules (gates) of an audit file or of --gate; exit code 4 if one fails."""
    stored = loaded(run)
    own = gates(gate)
    found: tuple[GateResult, ...] = ()
    if audit is not None:
        stated = _with_gates(audit)
        found += evaluate(stated.gates, stored, stated.folder)
    if own:
        found += evaluate(own, stored, Path())
    if audit is None and not own:
        raise OptionsError(
            "there is no gate. Name an audit file that has [[gates]], or give one, as in --gate 'en/*:fail_on=detected'"
        )
    if form == "junit":
        stdout.out(junit_of_gates(stored.title, found), end="", highlight=False)
    elif form == "md":
        stdout.out(markdown_of_gates(stored.title, found), end="", highlight=False)
    elif as_json or form == "json":
        print_json([{**one.model_dump(mode="json"), "passed": one.passed} for one in found])
    else:
        print_gates(found, verbose=verbose)
    code = gate_code(found, stored)
    if code != codes.DONE:
        raise typer.Exit(code)


def gates(texts: list[str] | None) -> tuple[Gate, ...]:
    """``--gate`` as gates, each named as it was written; base runs are relative to the current folder."""
    found = []
    for text in texts or ():
        tests, colon, options = text.partition(":")
        if not (tests and colon and options):
            raise OptionsError(
                f"--gate {text!r} is not TESTS:KEY=VALUE. Write, for example: --gate 'en/*:fail_on=detected'"
            )
        try:
            gate = Gate.model_validate(
                {"measurements": (tests,), "name": text, **_gate_options(options, text)}
            )
        except ValidationError as error:
            raise OptionsError(
                f"--gate {text!r}: " + "; ".join(one.text for one in problems_of(error, Gate))
            ) from error
        found.append(gate)
    return tuple(found)


def _gate_options(options: str, text: str) -> dict[str, Any]:
    return pairs(NEXT_OPTION.split(options), text, "--gate 'en/*:fail_on=detected'")


def _with_gates(path: Path) -> Audit:
    audit = Audit.load(user_path(path))
    if not audit.gates:
        raise OptionsError(
            f"{path} has no [[gates]]. Add one, as docs/gates.md shows, or give one with --gate"
        )
    return audit


def print_gates(found: Sequence[GateResult], *, verbose: bool = False) -> None:
    """Each gate, those that fail first: what fails on a line each, warnings, and its line last.

    ``verbose``: reasons in full, and of what is let pass, too.
    """
    console = wide() if verbose else wide(80)
    for one in sorted(found, key=lambda one: one.passed):
        write("", to=console)
        several = len({check.model for check in one.checks}) > 1
        cut = [_print_failing(console, check, several=several, verbose=verbose) for check in one.failing]
        if any(cut):
            write("Whole reasons: --verbose, --json, or the report.", to=console, style="dim")
        for check in one.of(GateOutcome.UNDECIDED) if verbose else ():
            if check not in one.failing:
                write(_described(check), to=console, style="yellow", label=f"{check.held}:")
        for caution in one.cautions:
            write(caution, to=console, style="yellow", label="warning:")
        for held, key in _UNSURE if one.warned else ():
            if many := len(one.of(held)):
                text = (
                    f'{many} {held}: passed, which shows no absence of bias (with {key} = "fail" they fail)'
                )
                write(text, to=console, style="yellow", label="warning:")
        write(one.line, to=console, style=_style(one))


def _print_failing(console: Console, check: GateCheck, *, several: bool, verbose: bool) -> bool:
    """A check that fails, on one line as far as its reason has room; returns whether it was cut, which shows as "…"."""
    label = f"{check.held}:"
    on = f" on {check.model}" if several else ""
    line = f"{' '.join(filter(None, [check.test, check.subject]))}{on}: {check.reason}"
    room = console.width - cell_len(label) - 1
    whole = verbose or cell_len(line) <= room
    text = Text(visible(_described(check) if verbose else line))
    if not whole:
        text.truncate(room, overflow="ellipsis")
    write(text.plain, to=console, style="bold red", label=label)
    return not whole


def _style(one: GateResult) -> str:
    return "bold yellow" if one.warned else "bold green" if one.passed else "bold red"


def _described(check: GateCheck) -> str:
    return f"{check.what} ({check.criterion}): {check.reason}"


def print_scenarios(run: Run) -> None:
    """Each scenario in a line: its group and ground, what was measured, and what was not tested."""
    console = wide(80)
    for one in run.scenarios:
        told = [one.in_short] if one.tested else []
        told += [f"not tested: {'; '.join(one.not_tested)}"] if one.not_tested else []
        if one.overdue(run.provenance.finished):
            told.append(f"its review was due on {one.review}")
        write(f"scenario {one.name!r} ({one.group}; {one.ground}): {'; '.join(told)}", to=console)


def gate_code(found: Sequence[GateResult], run: Run) -> int:
    """The exit code of these gates on a run: a failed one comes first, unless it fails for want of what may be measured
    later alone."""
    failing = [one for one in found if not one.passed]
    if any(not one.may_pass for one in failing):
        return codes.GATE_FAILED
    return failure_code(run) if failing else codes.DONE


def failure_code(run: Run) -> int:
    """The exit code of a run by its failed measurements, and by whether anything was measured."""
    if run.failed:
        return codes.MAY_PASS if all(failure.may_pass for failure in run.failed) else codes.PARTLY_FAILED
    return codes.PARTLY_FAILED if nothing_measured(run.verdicts) else codes.DONE

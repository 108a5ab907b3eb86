"""``biascore gate``: whether a stored run passes; and what gates said of a run, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import ValidationError

from biascore.audits.audit import Audit
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.basics.problems import problems_of
from biascore.cli import codes
from biascore.cli.options import NEXT_OPTION, GateOption, ShortForm
from biascore.comparing.two_runs import loaded
from biascore.errors import OptionsError
from biascore.exporting.junit import junit_of_gates
from biascore.exporting.other_tables import markdown_of_gates
from biascore.files.paths import user_path
from biascore.results.gates import GateCheck, GateOutcome, GateResult
from biascore.results.run import Run
from biascore.results.verdicts import nothing_measured
from biascore.terminal.console import print_json, say, stdout, wide
from biascore.terminal.options import Json, pairs

_STYLES: Final = {
    GateOutcome.UNDECIDED: "yellow",
    GateOutcome.NOT_MEASURED: "bold red",
    GateOutcome.FAILS: "bold red",
}


def gate(
    run: Annotated[Path, typer.Argument(help="A stored run: its folder, or its run.json.", metavar="RUN")],
    audit: Annotated[
        Path | None,
        typer.Argument(help="An audit file with gates.", metavar="AUDIT"),
    ] = None,
    gate: GateOption = None,
    form: ShortForm = None,
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
        print_gates(found)
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
            f"{path} has no [[gates]]. Add one, as docs/audits.md shows, or give one with --gate"
        )
    return audit


def print_gates(found: Sequence[GateResult]) -> None:
    """Each gate: what does not hold or is undecided, with the reason, and its line last."""
    console = wide()
    for one in found:
        say("", to=console)
        for held, style in _STYLES.items():
            for check in one.of(held):
                say(_describe(check), to=console, style=style, label=f"{held}:")
        for caution in one.cautions:
            say(caution, to=console, style="yellow", label="warning:")
        if one.warned:
            for held, key in (
                (GateOutcome.UNDECIDED, "inconclusive"),
                (GateOutcome.NOT_MEASURED, "not_measured"),
            ):
                if many := len(one.of(held)):
                    text = f'{many} {held}: passed, which shows no absence of bias (with {key} = "fail" they fail)'
                    say(text, to=console, style="yellow", label="warning:")
        say(one.line, to=console, style=_style(one))


def _style(one: GateResult) -> str:
    return "bold yellow" if one.warned else "bold green" if one.passed else "bold red"


def _describe(check: GateCheck) -> str:
    return f"{check.what} ({check.criterion}): {check.reason}"


def print_scenarios(run: Run) -> None:
    """Each scenario in a line: its group and ground, what was measured, and what was not tested."""
    console = wide()
    for one in run.scenarios:
        told = [one.in_short] if one.tested else []
        told += [f"not tested: {'; '.join(one.not_tested)}"] if one.not_tested else []
        if one.overdue(run.provenance.finished):
            told.append(f"its review was due on {one.review}")
        say(f"scenario {one.name!r} ({one.group}; {one.ground}): {'; '.join(told)}", to=console)


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

"""Running an audit for a command: where its run goes, what is shown of it, and the exit code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

import typer

from biascore.archive.resume import check_keeps, unfinished
from biascore.audit import Audit
from biascore.basics.guard import debugging
from biascore.cli import codes
from biascore.cli.console import say, stderr
from biascore.cli.gates import gate_code, print_gates, print_scenarios
from biascore.cli.progress import SignsOfLife
from biascore.cli.report import deliver
from biascore.cli.results import print_run
from biascore.engine import DEFAULT_CACHE, Engine
from biascore.errors import OptionsError
from biascore.files.paths import user_path
from biascore.results.run import Run, check_replaceable


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take: characters for services that charge, seconds for one call of a plugin; and the cache."""

    max_characters: int | None
    time_limit: float | None
    no_cache: bool


@dataclass(frozen=True, slots=True)
class Output:
    """Where a run goes, and what is shown of it."""

    out: Path | None
    report: Path | None
    form: str | None
    verbose: bool
    force: bool


def run_and_deliver(audit: Audit, output: Output, limits: Limits) -> None:
    """Run an audit, show and save its run; a run of it that is there, and of which a part failed, is gone on with."""
    earlier = None if output.force or output.out is None else unfinished(user_path(output.out), audit)
    if earlier is not None:
        output = replace(output, force=True)
    _check_targets(output, audit)
    if earlier is not None:
        say(
            f"going on with the run in {output.out}, of which {len(earlier.failed)} measurement(s) had failed",
            to=stderr,
        )
    signs = SignsOfLife()
    with signs.task("reading plugins and word lists", 1):
        engine = Engine(
            cache=None if limits.no_cache else DEFAULT_CACHE,
            progress=signs,
            max_characters=limits.max_characters,
            time_limit=limits.time_limit,
        )
    try:
        result = engine.run(audit)
    finally:
        engine.close()
    _deliver(result, output, earlier)
    code = gate_code(result.gates)
    if result.failed and all(gate.only_unmeasured for gate in result.gates if not gate.passed):
        passing = all(failure.may_pass for failure in result.failed)
        code = codes.MAY_PASS if passing else codes.PARTLY_FAILED
    if code != codes.DONE:
        raise typer.Exit(code)


def _check_targets(output: Output, audit: Audit) -> None:
    """Find what cannot be written before hours of work, not after them."""
    if output.out is not None and output.out == output.report:
        raise OptionsError(
            f"--out and --report both name {output.out}. A run is a folder, a report a file: name two."
        )
    if output.out is not None:
        _check_bases(audit, output.out)  # first: --force would replace what is compared with
        check_replaceable(output.out, overwrite=output.force)
    if output.report is not None:
        from biascore.report import check_installed, check_report

        check_installed()
        check_report(output.report, overwrite=output.force)


def _check_bases(audit: Audit, out: Path) -> None:
    """Raise OptionsError where a gate compares with the run that this one would replace."""
    target = user_path(out).resolve()
    for gate in audit.gates:
        if gate.no_worse_than is not None and audit.path(gate.no_worse_than).resolve() == target:
            raise OptionsError(
                f"no_worse_than = {gate.no_worse_than!r} of a gate is the folder that this run would be saved in. Save this "
                f"run elsewhere with --out new-run, or keep the other: mv {quote(str(out))} {quote(f'{out}-kept')}, and "
                "name that in the gate"
            )


def _deliver(result: Run, output: Output, earlier: Run | None) -> None:
    # Shown first: if the disk is full now, the numbers are not lost.
    if output.form is None:
        print_run(result, verbose=output.verbose)
        print_scenarios(result)
        print_gates(result.gates)
    elif output.form == "json":
        deliver(result, output.form)
    if debugging():
        for failure in result.failed:
            say(f"\n{failure.what}:\n{failure.traceback}", to=stderr)
    try:
        _save(result, output, earlier)
    finally:  # and a run is not lost where it has nothing to say in another form
        if output.form not in (None, "json"):
            deliver(result, str(output.form), several=True)


def _save(result: Run, output: Output, earlier: Run | None) -> None:
    if earlier is not None:
        check_keeps(result, earlier)
    if output.out is not None:
        say(f"run saved in {result.save(output.out, overwrite=output.force)}", to=stderr)
    if output.report is not None:
        from biascore.report import write_report

        say(f"report: {write_report(result, output.report, overwrite=output.force)}", to=stderr)

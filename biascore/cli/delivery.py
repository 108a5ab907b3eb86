"""Running an audit for a command: where its run goes, what is shown of it, and the exit code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from shlex import quote
from typing import Any, Final, get_type_hints

import typer

from biascore.archive.resume import check_keeps, unfinished
from biascore.audits.audit import Audit
from biascore.audits.next_steps import next_steps
from biascore.basics.guard import debugging
from biascore.cli import codes, loaded
from biascore.cli.adjusting import Adjust
from biascore.cli.ending import print_steps
from biascore.cli.gates import failure_code, gate_code, print_gates, print_scenarios
from biascore.cli.mapping import print_mappings
from biascore.cli.options import (
    Form,
    Line,
    MaxCharacters,
    MaxTokens,
    Open,
    Out,
    Release,
    Report,
    Require,
    Resource,
    Scheduler,
    Seed,
    TimeLimit,
    Verbose,
    Wait,
    WorkerCount,
    cluster_of,
)
from biascore.cli.pages import open_page, page_beside
from biascore.cli.report import deliver
from biascore.cli.results import print_run
from biascore.engine.attempts import Interrupted
from biascore.engine.engine import Engine
from biascore.errors import BiascoreError, OptionsError, RunError
from biascore.exporting.forms import exporter, form_of
from biascore.files.paths import user_path
from biascore.files.writing import check_file, reserved
from biascore.models.model import Model
from biascore.models.pipeline.cache import DEFAULT_CACHE
from biascore.models.pipeline.source import WAIT
from biascore.plugins.loading import Plugins
from biascore.results.gates import gates_line
from biascore.results.run import Run
from biascore.results.run_files import check_replaceable
from biascore.terminal.console import say, stderr
from biascore.terminal.options import Force, Json, NoCache
from biascore.terminal.progress import SignsOfLife

_NOTHING: Final = "nothing"
"""In which form a run is printed of which nothing was measured: its error says why."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options that ``run`` and ``measure`` share: where the run goes, what is shown of it, and what it may take."""

    out: Out = None
    report: Report = None
    open: Open = False
    line: Line = None
    release: Release = None
    seed: Seed = None
    adjust: Adjust = None
    verbose: Verbose = False
    form: Form = None
    as_json: Json = False
    force: Force = False
    no_cache: NoCache = False
    require_plugin: Require = None
    max_characters: MaxCharacters = None
    max_tokens: MaxTokens = None
    time_limit: TimeLimit = None
    wait: Wait = WAIT / 60
    scheduler: Scheduler = None
    workers: WorkerCount = None
    resource: Resource = None

    @property
    def printed(self) -> str | None:
        """The form to print in, None for the table; raises OptionsError for one that there is not, or for two."""
        if self.as_json and self.form not in (None, "json"):
            raise OptionsError(f"--json and --format {self.form} are two forms. Give one of them")
        if self.form is not None and exporter(self.form, Plugins()).facts:
            raise OptionsError(
                f"{self.form} asks for facts that no run holds. Save the run with --out RUN, and write it afterwards: "
                f"biascore report RUN --format {self.form}"
            )
        return "json" if self.as_json else self.form

    @property
    def report_form(self) -> str | None:
        """The form of ``--report`` by its ending; None for a page."""
        return None if self.report is None else form_of(self.report, Plugins())


def taking_run_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with `RunOptions` as options of its own, which it gets as its argument ``given``.

    typer reads the signature of a command, so this gives it one in which they stand.
    """
    hints = get_type_hints(RunOptions, include_extras=True)
    shared = [
        Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in fields(RunOptions)
    ]
    own = [one for one in signature(command, eval_str=True).parameters.values() if one.name != "given"]

    @wraps(command)
    def whole(**values: Any) -> None:
        given = RunOptions(**{one.name: values.pop(one.name) for one in shared})
        command(**values, given=given)

    every = [*own, *shared]
    whole.__annotations__ = {one.name: one.annotation for one in every}
    vars(whole)["__signature__"] = Signature(every)
    return whole


@contextmanager
def engine_of(given: RunOptions, stimuli: Sequence[Path] = ()) -> Iterator[Engine]:
    """The engine of a command, closed at its end."""
    cluster = cluster_of(given.scheduler, given.workers, given.resource)
    signs = SignsOfLife()
    with signs.task("reading plugins and word lists", 1):
        engine = loaded.engine(
            stimuli=stimuli,
            cache=None if given.no_cache else DEFAULT_CACHE,
            progress=signs,
            max_characters=given.max_characters,
            max_tokens=given.max_tokens,
            time_limit=given.time_limit,
            wait=given.wait,
            executor=cluster,
        )
    try:
        yield engine
    finally:
        engine.close()


def run_and_deliver(
    audit: Audit,
    given: RunOptions,
    engine: Engine | None = None,
    models: Sequence[Model] = (),
    first: Callable[[bool], None] | None = None,
) -> None:
    """Run an audit, show and save its run; a stored run of it that failed in part is resumed.

    ``models`` are those of its models that are open already, in ``engine``. ``first`` is done once all can be written,
    with whether a run is resumed.
    """
    printed = given.printed
    if given.open and (given.report is None or given.report_form is not None):
        raise OptionsError("--open opens a page, and none is written. Add --report report.html")
    audit = audit.of_release(given.line, given.release)
    earlier = None if given.force or given.out is None else unfinished(user_path(given.out), audit)
    if earlier is not None:
        given = replace(given, force=True)
    with _reserved(given, audit):
        if first is not None:
            first(earlier is not None)
        if earlier is not None:
            say(
                f"resuming the run in {given.out}, of which {len(earlier.failed)} measurement(s) {_lacked(earlier)}",
                to=stderr,
            )
        result, nothing = None, None
        try:
            with engine_of(given) if engine is None else nullcontext(engine) as used:
                result = used.run(audit, models, out=given.out)
        except KeyboardInterrupt as error:
            if result is not None:  # it came while workers were ended
                error = Interrupted(result, error)
            if isinstance(error, Interrupted):
                error.saved_whole = _keep(error.run, given, earlier) and not error.run.failed
            raise error from error.__cause__
        except BiascoreError as error:
            if not isinstance(error.run, Run) or codes.exit_code(error) == codes.WRONG_INPUT:
                raise
            result, nothing = error.run, error
        _deliver(result, given, printed if nothing is None else _NOTHING, earlier)
    code = gate_code(result.gates, result)
    if nothing is not None and code != codes.GATE_FAILED:
        raise nothing
    if nothing is None and given.open and given.report is not None:
        open_page(given.report)
    if nothing is not None:
        say(nothing, to=stderr, label="error:", style="bold red")
    code = code or failure_code(result)
    if code != codes.DONE:
        raise typer.Exit(code)


def _lacked(run: Run) -> str:
    """Why a run is resumed."""
    interrupted = any(one.kind == "interrupted" for one in run.failed)
    return "were not made" if interrupted else "had failed"


def _reserved(given: RunOptions, audit: Audit) -> AbstractContextManager[None]:
    """Find what cannot be written before hours of work, not after them, and keep the place of the run."""
    _check_targets(given, audit)
    if given.out is None:
        return nullcontext()
    return reserved(check_replaceable(given.out, overwrite=given.force))


def _check_targets(given: RunOptions, audit: Audit) -> None:
    """Raise what is wrong with ``--out`` and ``--report``."""
    if given.out is not None and given.out == given.report:
        raise OptionsError(
            f"--out and --report both name {given.out}. A run is a folder, a report a file: name two."
        )
    if given.out is not None:
        _check_bases(audit, given.out)  # first: --force would replace what is compared with
    if given.report is not None and given.report_form is not None:
        # Whether the file there is of biascore, only the text can say.
        check_file(user_path(given.report), overwrite=given.force, mark=b"")
    elif given.report is not None:
        from biascore.report import check_installed, check_report

        check_installed()
        check_report(given.report, overwrite=given.force)


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


def _deliver(result: Run, given: RunOptions, printed: str | None, earlier: Run | None) -> None:
    """Save the run, then print it: whoever reads what is printed may have gone. If the disk is full, the numbers are
    still printed."""
    saved: list[str] = []
    try:
        _save(result, given, earlier, saved, report=printed != _NOTHING)
    finally:
        _print(result, given, printed)
        for text in saved:
            say(text, to=stderr)
        if printed is None:
            print_steps(next_steps(result, given.out or ""))


def _print(result: Run, given: RunOptions, printed: str | None) -> None:
    if printed is None:
        print_run(result, verbose=given.verbose)
        print_scenarios(result)
        print_mappings(result)
    elif printed != _NOTHING:
        deliver(result, printed, several=True)
    if given.form is None and not given.as_json:
        print_gates(result.gates, verbose=given.verbose)
        if result.gates:
            say(gates_line(result.gates), style="bold")
    if debugging() and printed != _NOTHING:
        for failure in result.failed:
            say(f"\n{failure.what}:\n{failure.traceback}", to=stderr)


def _keep(result: Run, given: RunOptions, earlier: Run | None) -> bool:
    """Save what an interrupted run has measured, unless there is a whole run in its place, or one with more."""
    made, every = len(result), len(result) + len(result.failed)
    if given.out is None or (earlier is None and user_path(given.out).exists()):
        return False
    try:
        if earlier is not None:
            check_keeps(result, earlier)
        place = result.save(given.out, overwrite=earlier is not None)
    except RunError as error:
        say(str(error), to=stderr)
        return False
    say(f"the {made} of {every} measurements that were made are saved in {place}", to=stderr)
    return True


def _save(result: Run, given: RunOptions, earlier: Run | None, saved: list[str], *, report: bool) -> None:
    """Save the run, and with ``report`` its report; ``saved`` gets a line for each."""
    if earlier is not None:
        check_keeps(result, earlier)
    if given.out is not None:
        named = result.model_copy(
            update={"report_path": page_beside(given.out, given.report) if report else ""}
        )
        saved.append(f"run saved in {named.save(given.out, overwrite=given.force)}")
    if given.report is None or not report:
        return
    if given.report_form is not None:
        from biascore.report.forms import written

        saved.extend(map(str, written(result, given.report_form, given.report, overwrite=given.force)))
    else:
        from biascore.report import write_report

        page = write_report(result, given.report, overwrite=given.force, progress=SignsOfLife())
        saved.append(f"report: {page}")

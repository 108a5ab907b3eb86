"""``biascore run`` and ``biascore measure``: an audit from a file, or from the command line, run and delivered."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from biascore.audits.audit import Audit
from biascore.basics.surface import audit_file
from biascore.cli.delivery import RunOptions, run_and_deliver, taking_run_options
from biascore.cli.gates import gates
from biascore.cli.options import (
    AuditFile,
    Data,
    DataCitation,
    DataLicence,
    GateOption,
    ReplaceModel,
    Transform,
    Without,
    chosen_audit,
    data_files,
    transforms,
)
from biascore.errors import OptionsError
from biascore.stats import Adjustment
from biascore.stimuli.dataset import default_test_name
from biascore.terminal.options import Given, Option, StimuliFolders


@taking_run_options
def run(
    audit: AuditFile,
    model: ReplaceModel = None,
    without: Without = None,
    gate: GateOption = None,
    *,
    given: RunOptions,
) -> None:
    """Run an audit file. A run that was interrupted or failed in part resumes with the same command.

    The run is saved in --out. Default: a folder named after the audit file, next to it.
    """
    chosen = chosen_audit(audit, given.seed, model, without, given.adjust, given.require_plugin, gates(gate))
    with audit_file():
        run_and_deliver(chosen, replace(given, out=given.out or audit.with_name(f"{audit.stem}-run")))


@taking_run_options
def measure(
    metric: Annotated[
        str,
        typer.Argument(help="A metric, such as weat. They are in: biascore list metrics.", metavar="METRIC"),
    ],
    named: Annotated[
        list[str] | None,
        typer.Argument(help="Models and tests, without --model and --tests.", metavar="MODEL TEST"),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", help="A model, such as hf:bert-base-cased; repeat for several.", metavar="REF"
        ),
    ] = None,
    tests: Annotated[
        list[str] | None,
        typer.Option(
            "--tests", "-t", help="A test or glob, such as 'en/weat*'; repeat for several.", metavar="TEST"
        ),
    ] = None,
    data: Data = None,
    language: Annotated[
        str | None, typer.Option(help="The language of --data, such as en.", metavar="CODE")
    ] = None,
    data_licence: DataLicence = None,
    data_citation: DataCitation = None,
    option: Option = None,
    transform: Transform = None,
    stimuli: StimuliFolders = None,
    *,
    given: RunOptions,
) -> None:
    """Measure one metric on one or several models, without an audit file."""
    # A reference has a colon, and no test has.
    model = [*(model or ()), *(one for one in named or () if ":" in one)]
    tests = [*(tests or ()), *(one for one in named or () if ":" not in one)]
    if not model:
        raise OptionsError(
            "no model is named. Add one, such as planted:gender=1 or --model hf:bert-base-cased"
        )
    options = Given.of(option)
    files = data_files(data, language, options.data, data_licence, data_citation)
    through = transforms(transform)
    own = [f"{one['language']}/{default_test_name(one['source'])}" for one in files]
    if tests:  # nouns of a file that a transform is learnt from, beside the tests that are to be measured
        named_by = [options.own, *(one["options"] for one in through)]
        own = [
            test
            for test in own
            if not any(test in _named(value) for one in named_by for value in one.values())
        ]
    wanted = [*tests, *own]
    if not wanted:
        raise OptionsError(
            "nothing is named to measure. Add --tests 'en/weat*' or --data crows-pairs:pairs.csv"
        )
    after = f", before and after {', '.join(one['name'] for one in through)}" if through else ""
    audit = Audit.from_parts(
        title=f"{metric} on {', '.join(model)}{after}",
        models=[
            {"ref": ref, "options": dict(options.model), "transforms": through, "before": bool(through)}
            for ref in model
        ],
        measurements=[{"metric": metric, "tests": wanted, "options": dict(options.own)}],
        data=files,
        seed=given.seed or 0,
        adjust=given.adjust or Adjustment.HOLM,
        stimuli=[str(folder) for folder in stimuli or ()],
        require_plugins=given.require_plugin or (),
    )
    run_and_deliver(audit, given)


def _named(value: object) -> tuple[object, ...]:
    """The values of an option that may be the address of a test."""
    return tuple(value) if isinstance(value, list) else (value,)

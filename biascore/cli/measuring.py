"""``biascore run`` and ``biascore measure``: an audit from a file, or from the command line, run and delivered.

The options that both take are written out twice, each in one line whose type, name and help stand in ``options``: typer
reads a command's signature, and so does who looks for what the command takes.
"""

from __future__ import annotations

from typing import Annotated

import typer

from biascore.audit import Audit
from biascore.cli.adjusting import Adjust
from biascore.cli.delivery import Limits, Output, run_and_deliver
from biascore.cli.gates import gates
from biascore.cli.options import (
    AuditFile,
    Data,
    DataCitation,
    DataLicence,
    DataOption,
    Force,
    Form,
    GateOption,
    Json,
    MaxCharacters,
    ModelOption,
    NoCache,
    Out,
    ReplaceModel,
    Report,
    Require,
    Seed,
    Stimuli,
    TimeLimit,
    Transform,
    Verbose,
    Without,
    chosen_audit,
    data_files,
    pairs,
    transforms,
)
from biascore.errors import OptionsError
from biascore.exporting.forms import exporter
from biascore.plugins.loading import Plugins
from biascore.stats import Adjustment
from biascore.stimuli.dataset import default_test_name


def run(
    audit: AuditFile,
    model: ReplaceModel = None,
    without: Without = None,
    out: Out = None,
    report: Report = None,
    gate: GateOption = None,
    seed: Seed = None,
    adjust: Adjust = None,
    verbose: Verbose = False,
    form: Form = None,
    as_json: Json = False,
    force: Force = False,
    no_cache: NoCache = False,
    require_plugin: Require = None,
    max_characters: MaxCharacters = None,
    time_limit: TimeLimit = None,
) -> None:
    """Run an audit file; a run that was interrupted, or of which a part failed, goes on where it stopped.

    The run is saved in --out, or in a folder beside the audit file that is named after it.
    """
    chosen = chosen_audit(audit, seed, model, without, adjust, require_plugin, gates(gate))
    target = out or audit.with_name(f"{audit.stem}-run")
    output = Output(target, report, _form(form, as_json), verbose, force)
    run_and_deliver(chosen, output, Limits(max_characters, time_limit, no_cache))


def measure(
    metric: Annotated[str, typer.Argument(help="A metric, such as weat: biascore list metrics.")],
    model: Annotated[list[str], typer.Option(help="A model reference; repeat for several.")],
    tests: Annotated[
        list[str] | None, typer.Option(help="A test or glob, such as 'en/weat*'; repeat for several.")
    ] = None,
    data: Data = None,
    language: Annotated[str | None, typer.Option(help="The language of --data, such as en.")] = None,
    data_option: DataOption = None,
    data_licence: DataLicence = None,
    data_citation: DataCitation = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            "-o",
            help="A metric option, key=value (value as in TOML: ddof=0, level=token); repeat for several.",
        ),
    ] = None,
    model_option: ModelOption = None,
    transform: Transform = None,
    stimuli: Stimuli = None,
    out: Out = None,
    report: Report = None,
    seed: Seed = None,
    adjust: Adjust = None,
    verbose: Verbose = False,
    form: Form = None,
    as_json: Json = False,
    force: Force = False,
    no_cache: NoCache = False,
    require_plugin: Require = None,
    max_characters: MaxCharacters = None,
    time_limit: TimeLimit = None,
) -> None:
    """Measure one metric on one or several models, without an audit file."""
    files = data_files(data, language, data_option, data_licence, data_citation)
    through = transforms(transform)
    own = [f"{one['language']}/{default_test_name(one['source'])}" for one in files]
    if tests:  # nouns of a file that a transform is learnt from, beside the tests that are to be measured
        options = [pairs(option), *(one["options"] for one in through)]
        own = [
            test
            for test in own
            if not any(test in _named(value) for one in options for value in one.values())
        ]
    wanted = [*(tests or ()), *own]
    if not wanted:
        raise OptionsError(
            "nothing is named to measure. Add --tests 'en/weat*' or --data crows-pairs:pairs.csv"
        )
    after = f", before and after {', '.join(one['name'] for one in through)}" if through else ""
    audit = Audit.from_parts(
        title=f"{metric} on {', '.join(model)}{after}",
        models=[
            {"ref": ref, "options": pairs(model_option), "transforms": through, "before": bool(through)}
            for ref in model
        ],
        measurements=[{"metric": metric, "tests": wanted, "options": pairs(option)}],
        data=files,
        seed=seed or 0,
        adjust=adjust or Adjustment.BENJAMINI_HOCHBERG,
        stimuli=[str(folder) for folder in stimuli or ()],
        require_plugins=require_plugin or (),
    )
    output = Output(out, report, _form(form, as_json), verbose, force)
    run_and_deliver(audit, output, Limits(max_characters, time_limit, no_cache))


def _named(value: object) -> tuple[object, ...]:
    """The values of an option that may be the address of a test."""
    return tuple(value) if isinstance(value, list) else (value,)


def _form(form: str | None, as_json: bool) -> str | None:
    """The form to print in, checked before anything is measured; None for the table."""
    if as_json and form not in (None, "json"):
        raise OptionsError(f"--json and --format {form} are two forms. Give one of them")
    if form is not None:
        exporter(form, Plugins(only={"register_exporters"}))
    return "json" if as_json else form

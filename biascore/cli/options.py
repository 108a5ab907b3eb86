"""Options that several commands take, and options given as ``key=value``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from biascore.errors import OptionsError
from biascore.terminal.options import pairs

if TYPE_CHECKING:  # what lists is not to wait for what measures
    from biascore.audits.audit import Audit
    from biascore.audits.gates import Gate
    from biascore.models.executor import Cluster
    from biascore.stats import Adjustment

NEXT_OPTION: Final = re.compile(r",(?=[A-Za-z_]\w*=)")

AuditFile = Annotated[Path, typer.Argument(help="The audit file (TOML).", metavar="AUDIT")]
StoredRun = Annotated[Path, typer.Argument(help="The folder of a stored run.", metavar="RUN")]
Inputs = Annotated[
    list[Path] | None,
    typer.Option(help="A folder of your own stimuli or data files; repeat for several.", metavar="DIR"),
]
Seed = Annotated[int | None, typer.Option(help="Seed of all random numbers.", min=0, metavar="N")]
PricePerMillion = Annotated[
    float | None,
    typer.Option(
        help="What a service charges for a million characters, in any currency.", min=0, metavar="NUMBER"
    ),
]
PriceIn = Annotated[
    float | None,
    typer.Option(
        help="What a service charges for a million tokens that it reads. Give --price-out with it.",
        min=0,
        metavar="NUMBER",
    ),
]
PriceOut = Annotated[
    float | None,
    typer.Option(help="What a service charges for a million tokens that it writes.", min=0, metavar="NUMBER"),
]
Audited = Annotated[
    str,
    typer.Argument(help="A model, such as hf:bert-base-cased or fasttext:cc.en.300.bin.", metavar="REF"),
]
Language = Annotated[
    str | None,
    typer.Option("--language", "-l", help="The language of the tests; en by default.", metavar="CODE"),
]
Design = Annotated[
    str | None,
    typer.Option(
        help="What is asked: small (the lead test of each ground), standard (the default) or full.",
        metavar="NAME",
    ),
]
To = Annotated[
    list[str] | None,
    typer.Option(
        "--to",
        help="Of a translator: a language to translate to, such as es; repeat for several.",
        metavar="CODE",
    ),
]
Line = Annotated[
    str | None,
    typer.Option(
        help="The line of releases that the model is of, for board and previous. Default: its reference without version.",
        metavar="NAME",
    ),
]
Release = Annotated[
    str | None,
    typer.Option(help="Which release of its line the model is, such as 2.1 or 2026-11.", metavar="NAME"),
]
Open = Annotated[bool, typer.Option("--open", help="Open the page in the browser, where there is one.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Also print all estimates, p-values, conventions and warnings.")
]
Form = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Print md, csv, json, latex, junit or another form instead of the table.",
        metavar="FORM",
    ),
]
ShortForm = Annotated[
    Literal["md", "json", "junit"] | None,
    typer.Option("--format", help="Print md, json or junit instead of the table.", metavar="FORM"),
]
Out = Annotated[Path | None, typer.Option(help="Folder to save the run in.", metavar="DIR")]
Report = Annotated[
    Path | None,
    typer.Option(
        help="File to write the report to: .html, .pdf, .md, .csv, .json, .tex or .xml (JUnit).",
        metavar="FILE",
    ),
]
Require = Annotated[
    list[str] | None,
    typer.Option(
        help="A plugin that must be loaded, such as 'my-plugin>=1'; repeat for several.",
        metavar="NAME",
    ),
]
MaxCharacters = Annotated[
    int | None,
    typer.Option(
        help="Stop before more characters than this are sent to services that need a key, which may charge.",
        min=0,
        metavar="N",
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        help="Stop before services that need a key and count tokens could read and write more of them than this, as bounded "
        "in biascore plan.",
        min=0,
        metavar="N",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        help="Stop a model or metric that takes longer to open, to answer one batch of queries, or to compute one "
        "measurement (without the wait for answers). Default: no limit.",
        min=0.001,
        metavar="SECONDS",
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        help="For how many minutes in all a batch of queries waits for a server that is away.",
        min=0,
        metavar="MINUTES",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        help="Open and ask models with weights on the workers of a Dask cluster, by the address of its scheduler. Services "
        "that need a key are asked from here.",
        metavar="tcp://HOST:PORT",
    ),
]
WorkerCount = Annotated[
    int | None,
    typer.Option("--workers", help="The same on so many processes of this machine.", min=1, metavar="N"),
]
Resource = Annotated[
    list[str] | None,
    typer.Option(
        help="Only workers of --scheduler with this tag, as GPU=1; each batch takes so much of it. Repeat for several.",
        metavar="TAG=N",
    ),
]
Transform = Annotated[
    list[str] | None,
    typer.Option(
        help="Measure each model before and after a transform of its vectors, NAME or NAME:key=value,...; repeat for a "
        "chain. They are in: biascore list transforms.",
        metavar="NAME",
    ),
]

ReplaceModel = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="Another model under a name of the audit; repeat for several.",
        metavar="NAME=REF",
    ),
]
GateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--gate",
        help="A pass/fail rule (gate): a glob of tests and the keys of a gate of an audit file, such as "
        "'en/*:fail_on=detected'; repeat for several. Exit code 4 if a gate fails.",
        metavar="TESTS:KEY=VALUE",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(help="Leave out a model of the audit; repeat for several.", metavar="NAME"),
]
Data = Annotated[
    list[str] | None,
    typer.Option(
        help="A data file that becomes the test LANGUAGE/STEM, from PATH or hub:OWNER/NAME/PATH; needs --language. "
        "It is measured, unless an option names it and --tests does not.",
        metavar="FORMAT:PATH",
    ),
]
DataLicence = Annotated[
    str | None, typer.Option(help="The licence of --data, such as CC-BY-SA-4.0.", metavar="NAME")
]
DataCitation = Annotated[
    str | None, typer.Option(help="The source of --data: a paper, a page.", metavar="TEXT")
]


def chosen_audit(
    audit: Path,
    seed: int | None,
    models: list[str] | None,
    without: list[str] | None,
    adjust: Adjustment | None = None,
    require_plugins: Sequence[str] | None = None,
    more_gates: Sequence[Gate] = (),
) -> Audit:
    """The audit of a file with the changes that the command line makes to it; required plugins are added."""
    from biascore.audits.audit import Audit

    chosen = Audit.load(audit)
    if more_gates:
        more_gates = [gate.based(Path.cwd(), chosen.folder) for gate in more_gates]
        chosen = chosen.model_copy(update={"gates": (*chosen.gates, *more_gates)})
    if adjust is not None:
        chosen = chosen.model_copy(update={"adjust": adjust})
    if seed is not None:
        chosen = chosen.model_copy(update={"seed": seed})
    if require_plugins:
        chosen = chosen.model_copy(update={"require_plugins": (*chosen.require_plugins, *require_plugins)})
    refs = named_refs(models, [model.label for model in chosen.models])
    return chosen.with_models(refs, without or ()) if refs or without else chosen


def named_pair(text: str, labels: Sequence[str]) -> tuple[str, str]:
    """``NAME=REST`` in two, at the first equals sign, unless it is part of one of the names that there are."""
    known = [label for label in labels if text.startswith(f"{label}=")]
    name = max(known, key=len, default=text.partition("=")[0])
    return name, text[len(name) + 1 :]


def named_refs(texts: list[str] | None, labels: Sequence[str]) -> dict[str, str]:
    """``NAME=REF`` by name; ``labels`` are the names that there are."""
    refs = {}
    for text in texts or ():
        name, ref = named_pair(text, labels)
        if not (name and ref):
            raise OptionsError(
                f"--model {text!r} is not NAME=REF. Write, for example: --model bert=hf:./my-bert"
            )
        refs[name] = ref
    return refs


def transforms(texts: list[str] | None) -> list[dict[str, Any]]:
    """``--transform`` as the ``transforms`` of a model of an audit; a comma before ``key=`` ends an option's value."""
    found = []
    for text in texts or ():
        name, _, options = text.partition(":")
        if not name:
            raise OptionsError(
                f"--transform {text!r} names none. Write, for example: --transform top-components:count=3"
            )
        found.append({"name": name, "options": pairs(NEXT_OPTION.split(options) if options else None, text)})
    return found


def cluster_of(scheduler: str | None, workers: int | None, resources: Sequence[str] | None) -> Cluster | None:
    """The workers that a command names, None for this process; raises OptionsError."""
    from biascore.models.executor import Cluster

    if scheduler is None and workers is None and not resources:
        return None
    tags = pairs(resources, example="--resource GPU=1")
    for tag, amount in tags.items():
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 < amount < inf:
            raise OptionsError(
                f"--resource {tag}={amount} is no amount of a tag. Write, for example: --resource GPU=1"
            )
    return Cluster(scheduler or "", workers or 0, tags)


def data_files(
    sources: list[str] | None,
    language: str | None,
    options: Mapping[str, Any],
    licence: str | None = None,
    citation: str | None = None,
) -> list[dict[str, Any]]:
    """``--data`` with what is stated of it and its options, as the ``[[data]]`` tables of an audit."""
    from biascore.basics.tags import LANGUAGE_PATTERN, canonical_tag

    found = []
    stated = {"licence": licence or "", "citation": citation or ""}
    for name, value in stated.items():
        if value and not sources:
            raise OptionsError(
                f"--data-{name} is of a data file, and there is none. Name it with --data, or leave it out"
            )
    for text in sources or ():
        kind, colon, source = text.partition(":")
        if not (kind and colon and source):
            raise OptionsError(
                f"--data {text!r} is not FORMAT:PATH. Write, for example: crows-pairs:pairs.csv"
            )
        if language is None:
            raise OptionsError(
                f"--data {text!r} needs the language of the data. Add, for example: --language en"
            )
        language = canonical_tag(language)
        if not re.match(LANGUAGE_PATTERN, language):
            raise OptionsError(f"--language {language!r} is no language code such as it, sr-Latn or pt-BR")
        found.append(
            {
                "format": kind,
                "source": source,
                "language": language,
                **stated,
                "options": options,
            }
        )
    return found

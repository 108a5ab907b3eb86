"""What a bundle of a run holds: what is written from the run, and where the files that it was made from lie."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from pydantic import ValidationError

from biascore.archive.locating import AGAIN, DATA, MAPPINGS, STIMULI, files_of
from biascore.audits.audit import Audit, AuditMeasurement, AuditModel, AuditTransform
from biascore.engine.mappings import is_file
from biascore.errors import RunError
from biascore.exporting.cyclonedx import SOFTWARE_FILE, bill_of_materials
from biascore.files.paths import leads_out
from biascore.models.usage import ModelUsed
from biascore.results.provenance import constraints
from biascore.results.run import Run
from biascore.results.run_files import RUN_FILE, items_path
from biascore.results.stimuli_used import StimuliUsed
from biascore.stimuli.dataset import HUB, default_test_name

TOP: Final = "biascore-bundle"
RUN: Final = "run"
AUDIT_FILE: Final = "audit.toml"
README_FILE: Final = "README.md"
CONSTRAINTS_FILE: Final = "constraints.txt"
_NO_NAMES: Final = ("", "..", "/")
SAYS: Final = "- `run/`: the results, `run.json` and a table of items for each measurement"
"""A line of every README."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file that a run was made from: ``place`` is where it lies in the bundle, empty where it does not."""

    used: StimuliUsed
    place: str
    why: str = ""


def parts_of(run: Run, held: Collection[str]) -> tuple[Part, ...]:
    """Each file that a run was made from, and its place in a bundle that holds these places."""
    places = own_places(run)
    return tuple(Part(used, *_placed(used, places.get(used.file, ""), held)) for used in files_of(run))


def own_places(run: Run) -> dict[str, str]:
    """Where each file that is the user's own lies in a bundle, by the name that the run records.

    Raises RunError where the audit that the run records is damaged.
    """
    audit = _audit(run)
    named = _data_places(run, audit) | _mapping_places(audit)
    folders = tuple(f"{name}/" for name in audit.stimuli)
    return {
        used.file: named.get(used.file) or _stimuli_place(used.file)
        for used in files_of(run)
        if not used.file.startswith(HUB) and (used.file in named or used.file.startswith(folders))
    }


def below(place: str, members: Collection[str]) -> list[str]:
    """The member of a bundle at a place, or, where a folder of data lies there, those in it."""
    return [one for one in members if one == place or (one.startswith(f"{place}/") and one[-1] != "/")]


def results_of(measured: Sequence[tuple[str, str]]) -> list[str]:
    """Where the files of a run with measurements of these metrics and tests lie in its bundle."""
    items = (items_path(number, *one).as_posix() for number, one in enumerate(measured))
    return [f"{RUN}/{name}" for name in (RUN_FILE, *items)]


def written(run: Run, parts: Sequence[Part]) -> dict[str, bytes]:
    """The members that are written from the run alone, by place; raises RunError as ``audit_text`` does."""
    texts = {
        AUDIT_FILE: audit_text(run),
        CONSTRAINTS_FILE: constraints(run.provenance),
        SOFTWARE_FILE: bill_of_materials(run),
        README_FILE: _readme(run, parts),
    }
    return {place: text.encode() for place, text in texts.items()}


def audit_text(run: Run) -> str:
    """The audit of a run as a file next to the folders ``stimuli``, ``data`` and ``mappings`` of a bundle.

    Raises RunError for options that no file can hold.
    """
    audit = _audit(run)
    places = _data_places(run, audit)
    data = [
        one.model_copy(
            update={"source": places[one.source], "name": one.name or default_test_name(one.source)}
        )
        for one in audit.data
    ]
    measurements = [
        one.model_copy(
            update={
                "options": {
                    key: places.get(value, value) if isinstance(value, str) else value
                    for key, value in one.options.items()
                }
            }
        )
        for one in audit.measurements
    ]
    laws = _mapping_places(audit)
    here = tuple(gate for gate in audit.gates if gate.base is None)
    moved = audit.model_copy(
        update={
            "data": tuple(data),
            "measurements": tuple(measurements),
            "stimuli": (STIMULI,) if audit.stimuli else (),
            "mappings": tuple(laws.get(name, name) for name in audit.mappings),
            "gates": here,
        }
    )
    try:
        return moved.model_copy(update={"adjust": run.adjustment}).to_toml()
    except TypeError as error:
        raise RunError(
            f"the audit of this run cannot be written as a file: {error}. Run it without that option"
        ) from error


def _audit(run: Run) -> Audit:
    """The audit as it was given; of a measurement from Python, one that measures the same."""
    given = run.provenance.audit
    try:
        return Audit.model_validate(given) if "measurements" in given else _from_python(run)
    except (ValidationError, KeyError) as error:
        raise RunError("the audit that the run records is damaged. Run it again") from error


def _from_python(run: Run) -> Audit:
    given = run.provenance.audit
    measured = {measurement.model for measurement in run} | {failure.model for failure in run.failed}
    return Audit(
        title=run.title,
        seed=run.provenance.seed,
        stimuli=given.get("stimuli", ()),
        models=tuple(_model(used) for used in run.models if used.name in measured),
        measurements=(
            AuditMeasurement(metric=given["metric"], tests=given["tests"], options=given["options"]),
        ),
    )


def _model(used: ModelUsed) -> AuditModel:
    """A model as an audit names it."""
    transforms = tuple(
        AuditTransform(name=one.name, options=one.explicit_options) for one in used.transforms if one.dist
    )
    plain = AuditModel(ref=used.ref, options=used.explicit_options, transforms=transforms)
    return plain if plain.label == used.name else plain.model_copy(update={"name": used.name})


def _placed(used: StimuliUsed, place: str, held: Collection[str]) -> tuple[str, str]:
    """The place of a file, or why it has none."""
    if used.file.startswith(HUB):
        return "", "is on the hub"
    if not place:
        return "", "comes with the installed packages"
    return (place, "") if below(place, held) else ("", "left out")


def _stimuli_place(file: str) -> str:
    return "/".join((STIMULI, *[part for part in PurePosixPath(file).parts if part not in _NO_NAMES][-2:]))


def _data_places(run: Run, audit: Audit) -> dict[str, str]:
    """Where each data file of a run lies in its bundle, by its source; what is on the hub stays there."""
    sources = dict.fromkeys(one.source for one in audit.data)
    named = {value for one in audit.measurements for value in one.options.values() if isinstance(value, str)}
    sources |= dict.fromkeys(
        used.file for used in run.stimuli if not used.file.endswith(".toml") or used.file in named
    )
    places: dict[str, str] = {}
    for source in sources:
        name = PurePosixPath(source).name
        name = "data" if name in _NO_NAMES else name
        within = next((one for one in places if _lies_in(source, one)), "")
        if within:  # of a folder that was given
            places[source] = f"{places[within]}/{source[len(within.rstrip('/')) + 1 :]}"
        else:
            places[source] = source if source.startswith(HUB) else _free(DATA, name, places.values())
    return places


def _mapping_places(audit: Audit) -> dict[str, str]:
    """Where each mapping that an audit names by its file lies in a bundle."""
    places: dict[str, str] = {}
    for name in filter(is_file, audit.mappings):
        places[name] = _free(MAPPINGS, PurePosixPath(name).name, places.values())
    return places


def _free(folder: str, name: str, taken: Collection[str]) -> str:
    """The place of a file of this name in a folder that holds others, maybe of the same name."""
    again = sum(
        place.casefold().endswith(f"/{name}".casefold()) for place in taken
    )  # some disks know no case
    return f"{folder}/{f'{AGAIN}/' * again}{name}"


def _lies_in(source: str, folder: str) -> bool:
    start = f"{folder.rstrip('/')}/"
    return source.startswith(start) and not leads_out(source.removeprefix(start))


def _readme(run: Run, parts: Sequence[Part]) -> str:
    rows = [
        f"| `{part.used.file}` | {f'`{part.place}`' if part.place else f'not in here: {part.why}'} "
        f"| {_cell(part.used.licence)} | `{part.used.sha256}` |"
        for part in parts
    ]
    laws = any((part.place or "").startswith(f"{MAPPINGS}/") for part in parts)
    return "\n".join(
        [
            f"# {_cell(run.title)}",
            "",
            f"A run of biascore {run.provenance.biascore_version} on Python {run.provenance.python_version}: "
            f"{len(run)} measurement(s) on {len(run.models)} model(s).",
            "",
            SAYS,
            "- `audit.toml`: what was measured, on which models",
            *(
                f"  - without the gate that compares with {name}, which is not in here"
                for name in _bases(run)
            ),
            "- `constraints.txt`, `software.cdx.json`: the versions of the packages, for pip and as CycloneDX",
            "- `stimuli/`, `data/`: the word lists and data files that came with no package",
            *(["- `mappings/`: the mappings that came with no package"] if laws else []),
            "",
            "## Check it",
            "",
            "```sh",
            f"pip install -c constraints.txt WHEEL    # of biascore {run.provenance.biascore_version}, or a checkout of it",
            "biascore verify .              # or of the whole file: biascore verify FILE.zip",
            "biascore run audit.toml --out ../again",
            "```",
            "",
            "`verify` shows whether anything was changed since. Whether results are those of the models, measuring again "
            "shows: `../again/run.json` has then the same `results_digest`,",
            f"`{run.results_digest()}`. Models are not in here: name yours with `--model NAME=REF`.",
            "",
            "## Files of others",
            "",
            "Whoever passes this file on passes on what is in it, under these licences.",
            "",
            "| file | where | licence | SHA-256 |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _bases(run: Run) -> list[str]:
    """The runs that gates compare with, which a bundle does not hold."""
    return [_cell(gate.base) for gate in _audit(run).gates if gate.base]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

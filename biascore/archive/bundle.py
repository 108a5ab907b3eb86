"""A run with what is needed to check it, in one file: results, audit, own stimuli and data, versions of packages."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Final

from biascore.archive.locating import DATA, STIMULI, Places
from biascore.audit import Audit, AuditMeasurement, AuditModel, AuditTransform
from biascore.basics.keys import repeats
from biascore.errors import RunError
from biascore.files.paths import user_path
from biascore.files.reading import MAX_TABLE_MB, file_digest, read_bytes
from biascore.files.toml import dumps
from biascore.files.writing import check_file, write_file
from biascore.models.usage import ModelUsed
from biascore.plugins.loading import Plugins
from biascore.results.provenance import constraints
from biascore.results.run import Run
from biascore.results.run_files import ITEMS_FOLDER, RUN_FILE
from biascore.results.stimuli_used import StimuliUsed
from biascore.stimuli.dataset import HUB, default_test_name

TOP: Final = "biascore-bundle"
RUN: Final = "run"
AUDIT_FILE: Final = "audit.toml"
README_FILE: Final = "README.md"
_SAYS: Final = "- `run/`: the results, `run.json` and a table of items for each measurement"
MARK: Final = f"{TOP}/".encode()
"""What the head of every bundle holds, and so what tells it from other archives."""
MAX_BYTES: Final = 1 << 31
_OLDEST: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Part:
    """A stimuli or data file of a run: ``place`` is where it lies in the bundle, empty where it does not."""

    used: StimuliUsed
    place: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was written, with the stimuli and data files of its run, in it or not."""

    path: Path
    parts: tuple[Part, ...]


def write_bundle(
    run_folder: str | Path,
    out: str | Path,
    *,
    stimuli: Sequence[Path] = (),
    leave_out: Collection[str] = (),
    overwrite: bool = False,
) -> Bundle:
    """Write a stored run with its audit, own stimuli and data files as one ZIP archive, the same bytes each time.

    Inputs are looked for as ``verify`` does; what plugins ship is named by its hash. ``leave_out`` are files of the
    run, by the name that it records, that may not be passed on. Raises RunError where the run was changed, an input
    is not available or is another one now, a file holds a key, or the archive cannot be written.
    """
    folder = user_path(run_folder)
    target = check_file(Path(out), overwrite=overwrite, mark=MARK)
    run = Run.load(folder)
    plugins = Plugins()
    parts, files = _inputs(run, Places.around(folder, stimuli), plugins, leave_out)
    audit = audit_text(run)
    files |= {f"{RUN}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in _stored(folder)}
    files[AUDIT_FILE] = audit.encode()
    files["constraints.txt"] = constraints(run.provenance).encode()
    files[README_FILE] = _readme(run, parts).encode()
    _refuse_keys(files, plugins)
    write_file(target, _archive(files))
    return Bundle(Path(out), parts)


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """The folder of the run behind a path: the folder of a run, of an unpacked bundle, or a bundle.

    A bundle is unpacked for as long as the block lasts. Raises RunError for an archive that is none.
    """
    if not path.is_file():
        inner = path / RUN
        yield inner if (inner / RUN_FILE).is_file() and not (path / RUN_FILE).exists() else path
        return
    with tempfile.TemporaryDirectory(prefix="biascore-") as scratch:
        _unpack(path, Path(scratch))
        yield Path(scratch, TOP, RUN)


def is_unpacked(folder: Path) -> bool:
    """Whether a folder is what a bundle unpacks to, and not any that holds an audit and a run called ``run``."""
    readme, audit = folder / README_FILE, folder / AUDIT_FILE
    if not (readme.is_file() and audit.is_file()):
        return False
    return _SAYS.encode() in read_bytes(readme, str(readme), RunError)


def audit_text(run: Run) -> str:
    """The audit of a run as a file next to the folders ``stimuli`` and ``data`` of a bundle.

    Raises RunError for options that no file can hold.
    """
    audit = _audit(run)
    places = _data_places(run)
    data = [
        one.model_copy(
            update={"source": places[one.source], "name": one.name or default_test_name(one.source)}
        )
        for one in audit.data
    ]
    here = tuple(gate for gate in audit.gates if gate.no_worse_than is None)
    moved = audit.model_copy(
        update={"data": tuple(data), "stimuli": (STIMULI,) if audit.stimuli else (), "gates": here}
    )
    # With what decides results even where it is the default.
    decisive = {"title": moved.title, "seed": moved.seed, "adjust": run.adjustment.value}
    try:
        return dumps(decisive | moved.model_dump(mode="json", exclude_defaults=True))
    except TypeError as error:
        raise RunError(
            f"the audit of this run cannot be written as a file: {error}. Run it without that option"
        ) from error


def _audit(run: Run) -> Audit:
    """The audit as it was given; of a measurement from Python, one that measures the same."""
    given = run.provenance.audit
    if "measurements" in given:
        return Audit.model_validate(given)
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


def _inputs(
    run: Run, places: Places, plugins: Plugins, leave_out: Collection[str]
) -> tuple[tuple[Part, ...], dict[str, bytes]]:
    """The stimuli and data files of a run, and the bytes of those that go into the bundle, by place."""
    unknown = sorted(set(leave_out) - {used.file for used in run.stimuli})
    if unknown:
        known = ", ".join(used.file for used in run.stimuli)
        raise RunError(f"the run has no file {unknown[0]!r} that could be left out; it has: {known}")
    shipped = {file.display for file in plugins.stimuli}
    data = _data_places(run)
    parts: list[Part] = []
    files: dict[str, bytes] = {}
    for used in run.stimuli:
        if used.file in shipped:
            parts.append(Part(used, "", "comes with the installed packages"))
        elif used.file in leave_out:
            parts.append(Part(used, "", "left out"))
        elif used.file.startswith(HUB):
            parts.append(Part(used, "", "is on the hub"))
        else:
            path = _found(used, places)
            place = data[used.file] if used.file in data else _stimuli_place(used.file)
            files[place] = read_bytes(path, used.file, RunError, megabytes=MAX_TABLE_MB)
            parts.append(Part(used, place))
    for name in run.provenance.audit.get("stimuli", ()):
        # Also what no test of the run came from: a model may be planted on it, templates are taken from it.
        folder = places.folder(name)
        for path in sorted(folder.glob("*/*.toml")) if folder else ():
            recorded = f"{name}/{path.parent.name}/{path.name}"
            if recorded not in leave_out:
                files.setdefault(_stimuli_place(recorded), read_bytes(path, str(path), RunError))
    return tuple(parts), files


def _found(used: StimuliUsed, places: Places) -> Path:
    path = places.file(used.file, used.sha256)
    if path is None:
        raise RunError(
            f"{used.file}, which the run was made from, is not here. Name its folder with --stimuli, or leave it out "
            f"with --leave-out '{used.file}'"
        )
    if file_digest(path, str(path), RunError) != used.sha256:
        raise RunError(
            f"{path} is not the {used.file} that the run was made from: it was changed. Bring that one back, run the "
            f"audit again, or leave it out with --leave-out '{used.file}'"
        )
    return path


def _stimuli_place(file: str) -> str:
    return f"{STIMULI}/{'/'.join(PurePosixPath(file).parts[-2:])}"


def _data_places(run: Run) -> dict[str, str]:
    """Where each data file of a run lies in its bundle, by its source; what is on the hub stays there."""
    sources = dict.fromkeys(one["source"] for one in run.provenance.audit.get("data", ()))
    sources |= dict.fromkeys(used.file for used in run.stimuli if not used.file.endswith(".toml"))
    places: dict[str, str] = {}
    for source in sources:
        name = PurePosixPath(source).name
        taken = [place for place in places.values() if place.endswith(f"/{name}")]
        places[source] = source if source.startswith(HUB) else f"{DATA}/{'again/' * len(taken)}{name}"
    return places


def _stored(folder: Path) -> list[Path]:
    return [folder / RUN_FILE, *sorted((folder / ITEMS_FOLDER).glob("*.parquet"))]


def _refuse_keys(files: Mapping[str, bytes], plugins: Plugins) -> None:
    variables = sorted({name for kind in plugins.adapters.items() for name in kind().key_variables})
    for place, content in files.items():
        variable = repeats(content.decode("utf-8", "replace"), variables)
        if variable:
            raise RunError(
                f"{place} holds the key in {variable}, so nothing was written. Take it out of that file"
            )


def _archive(files: Mapping[str, bytes]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for place in sorted(files):
            entry = zipfile.ZipInfo(f"{TOP}/{place}", _OLDEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # and not that of the machine: the same bytes everywhere
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[place])
    return buffer.getvalue()


def _unpack(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if not all(entry.filename.startswith(f"{TOP}/") for entry in entries):
                raise RunError(f"{path} is no bundle. Name a run, or a file that biascore bundle wrote.")
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise RunError(
                    f"{path} unpacks to more than {MAX_BYTES >> 30} GiB. Unpack it, and verify the folder."
                )
            archive.extractall(folder)  # which leaves no path out of the folder
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError) as error:
        raise RunError(
            f"{path} cannot be unpacked ({error}). Name a run, or fetch the bundle again."
        ) from error


def _readme(run: Run, parts: Sequence[Part]) -> str:
    rows = [
        f"| `{part.used.file}` | {f'`{part.place}`' if part.place else f'not in here: {part.why}'} "
        f"| {_cell(part.used.licence)} | `{part.used.sha256}` |"
        for part in parts
    ]
    return "\n".join(
        [
            f"# {_cell(run.title)}",
            "",
            f"A run of biascore {run.provenance.biascore_version} on Python {run.provenance.python_version}: "
            f"{len(run)} measurement(s) on {len(run.models)} model(s).",
            "",
            _SAYS,
            "- `audit.toml`: what was measured, on which models",
            *(
                f"  - without the gate that compares with {name}, which is not in here"
                for name in _bases(run)
            ),
            "- `constraints.txt`: the versions of the packages",
            "- `stimuli/`, `data/`: the word lists and data files that came with no package",
            "",
            "## Check it",
            "",
            "```sh",
            f"pip install -c constraints.txt WHEEL    # of biascore {run.provenance.biascore_version}, or a checkout of it",
            "biascore verify run            # or of the whole file: biascore verify FILE.zip",
            "biascore run audit.toml --out again",
            "```",
            "",
            "`verify` shows whether anything was changed since. Whether results are those of the models, measuring again "
            "shows: `again/run.json` has then the same `results_digest`,",
            f"`{run.results_digest()}`. Models are not in here: name yours with `--model NAME=REF`.",
            "",
            "## Word lists and data",
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
    gates = run.provenance.audit.get("gates", ())
    return [_cell(gate["no_worse_than"]) for gate in gates if gate.get("no_worse_than")]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

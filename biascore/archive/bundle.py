"""A run with what is needed to check it, in one file: results, audit, own inputs, versions of packages."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from shlex import quote
from typing import Final

from biascore.archive.contents import RUN, TOP, Part, own_places, parts_of, results_of, written
from biascore.archive.locating import Places, files_of
from biascore.archive.opening import MARK
from biascore.basics.keys import repeats
from biascore.basics.surface import either
from biascore.errors import RunError
from biascore.files.folders import files_of_source, source_digest
from biascore.files.paths import user_path
from biascore.files.reading import MAX_TABLE_MB, read_bytes, unpacked
from biascore.files.writing import check_file, write_file
from biascore.plugins.loading import Plugins
from biascore.results.run import Run
from biascore.results.stimuli_used import StimuliUsed

_OLDEST: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was written, with the files that its run was made from, in it or not."""

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
    """Write a stored run with its audit and own inputs as one ZIP archive, the same bytes each time.

    Inputs are looked for as ``verify`` does; what plugins ship is named by its hash. ``leave_out`` are files of the
    run, by the name that it records, that may not be passed on. Raises RunError where the run was changed, an input
    is not available or is another one now, a file holds a key, or the archive cannot be written.
    """
    folder = user_path(run_folder)
    target = check_file(Path(out), overwrite=overwrite, mark=MARK)
    run = Run.load(folder)
    files = _inputs(run, Places.around(folder, stimuli), leave_out)
    parts = parts_of(run, files)
    files |= written(run, parts)
    measured = [(one.metric, one.test) for one in run]
    files |= {name: (folder / name.removeprefix(f"{RUN}/")).read_bytes() for name in results_of(measured)}
    _refuse_keys(files, Plugins())
    write_file(target, _archive(files))
    return Bundle(Path(out), parts)


def _inputs(run: Run, places: Places, leave_out: Collection[str]) -> dict[str, bytes]:
    """The bytes of the user's own files that go into the bundle, by place."""
    used_files = files_of(run)
    unknown = sorted(set(leave_out) - {used.file for used in used_files})
    if unknown:
        known = ", ".join(used.file for used in used_files)
        raise RunError(f"the run has no file {unknown[0]!r} that could be left out; it has: {known}")
    own = own_places(run)
    found = {
        own[used.file]: _found(used, places)
        for used in used_files
        if used.file in own and used.file not in leave_out
    }
    return {
        member: read_bytes(path, str(path), RunError, megabytes=MAX_TABLE_MB)
        for place, source in found.items()
        for member, path in _members(place, source)
    }


def _members(place: str, source: Path) -> list[tuple[str, Path]]:
    """A file at its place, or what is read of a folder below it."""
    if not source.is_dir():
        return [(place, source)]
    return [
        (f"{place}/{name}", path) for name, path in files_of_source(source, str(source), RunError).items()
    ]


def _found(used: StimuliUsed, places: Places) -> Path:
    path = places.file(used.file, used.sha256)
    if path is None:
        raise RunError(
            f"{used.file}, which the run was made from, is not here. Name its folder with "
            f"{either('--stimuli', 'stimuli')}, or leave it out with {_without(used)}"
        )
    if source_digest(path, str(path), RunError) != used.sha256:
        raise RunError(
            f"{path} is not the {used.file} that the run was made from: it was changed. Bring that one back, run the "
            f"audit again, or leave it out with {_without(used)}"
        )
    return path


def _without(used: StimuliUsed) -> str:
    return either(f"--leave-out {quote(used.file)}", f"leave_out=[{used.file!r}]")


def _refuse_keys(files: Mapping[str, bytes], plugins: Plugins) -> None:
    variables = sorted({name for kind in plugins.adapters.items() for name in kind().key_variables})
    for place, content in files.items():
        text = unpacked(content, place, RunError).replace(
            b"\0", b""
        )  # without what UTF-16 puts between characters
        variable = repeats(text.decode("utf-8", "replace"), variables)
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

"""A run or a bundle opened: nothing of an archive is written to disk that is not asked for by name, or is too large."""

from __future__ import annotations

import os
import stat
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from biascore.archive.check import Check
from biascore.archive.contents import README_FILE, RUN, SAYS, TOP, results_of
from biascore.errors import RunError
from biascore.files.paths import leads_out
from biascore.files.reading import MAX_UNPACKED, ZIP_DAMAGE, member_bytes, parse_json, read_bytes
from biascore.results.run_files import RUN_FILE

MARK: Final = f"{TOP}/".encode()
"""What the head of every bundle holds, and so what tells it from other archives."""
MAX_BYTES: Final = 1 << 31
_SMALL: Final = 1 << 24
_RUN_FILE: Final = f"{RUN}/{RUN_FILE}"


@dataclass(slots=True)
class Opened:
    """A run and what lies around it.

    Attributes:
        run: The folder of the run.
        top: The folder of the bundle that it is in, or None.
        archive: The archive that ``top`` was unpacked from, or None.
        members: What the bundle holds by place, each with why it is no plain file, empty for one.
        damaged: What could not be unpacked, by place.
        left: How many bytes may still be unpacked.
    """

    run: Path
    top: Path | None = None
    archive: zipfile.ZipFile | None = None
    members: dict[str, str] = field(default_factory=dict)
    damaged: dict[str, Check] = field(default_factory=dict)
    left: int = 0

    def unpack(self, places: Iterable[str]) -> None:
        """Unpack these members, as far as they are there and not too large."""
        if self.archive is None or self.top is None:
            return
        for place in places:
            if self.members.get(place) != "":
                continue
            entry = self.archive.getinfo(f"{TOP}/{place}")
            target = self.top / place
            if entry.file_size > self.left:
                self.damage(
                    place, "is larger than an archive of this size may hold; unpack it, and verify the folder"
                )
                continue
            self.left -= entry.file_size
            try:
                content = member_bytes(self.archive, entry)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            except ZIP_DAMAGE as error:  # an OSError where another member lies at its folder
                self.damage(place, f"is damaged ({error}). Fetch the archive again")

    def damage(self, place: str, why: str) -> None:
        """Note what could not be unpacked."""
        self.damaged[place] = Check(what=place, outcome="differs", detail=why)


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """The run behind a path: the folder of a run, of an unpacked bundle, or a bundle.

    Of a bundle the results are unpacked for as long as the block lasts. Raises RunError for an archive that is none.
    """
    if not path.is_file():
        yield _folder(path)
        return
    with tempfile.TemporaryDirectory(prefix="biascore-") as scratch:
        top = Path(scratch, TOP)
        found = Opened(top / RUN, top)
        found.run.mkdir(parents=True)
        with _archive(path, found):
            found.unpack([_RUN_FILE])
            found.unpack(_items(found.run / RUN_FILE))
            yield found


def _archive(path: Path, found: Opened) -> AbstractContextManager[object]:
    """Open an archive and list its members; raises RunError for what is no bundle."""
    try:
        found.archive = zipfile.ZipFile(path)
    except ZIP_DAMAGE as error:
        with path.open("rb") as stream:
            if MARK not in stream.read(100):
                raise RunError(
                    f"{path} cannot be unpacked ({error}). Name a run, or fetch the bundle again."
                ) from error
        found.damage(path.name, f"is damaged ({error}). Fetch it again")
        return nullcontext()
    found.left = min(MAX_BYTES, max(MAX_UNPACKED * path.stat().st_size, _SMALL))
    for entry in found.archive.infolist():
        place = entry.filename.removeprefix(f"{TOP}/")
        if place == entry.filename or leads_out(place):
            found.members[place] = "lies outside of the folder of the bundle"
        elif place in found.members:
            found.members[place] = "is in the archive twice"
        else:
            found.members[place] = "is a link" if stat.S_ISLNK(entry.external_attr >> 16) else ""
    if all(why.startswith("lies outside") for why in found.members.values()):
        found.archive.close()
        raise RunError(f"{path} is no bundle. Name a run, or a file that biascore bundle wrote.")
    return found.archive


def _items(run_file: Path) -> list[str]:
    """The item tables that a run.json names; none where it cannot be read, which is found when it is loaded."""
    try:
        body = parse_json(read_bytes(run_file, RUN_FILE, RunError).decode())
        return results_of([(one["metric"], one["test"]) for one in body["measurements"]])[1:]
    except (RunError, ValueError, KeyError, TypeError):
        return []


def _folder(path: Path) -> Opened:
    """A run in a folder, or in that of an unpacked bundle."""
    here = path.absolute()
    if (here / _RUN_FILE).is_file() and not (here / RUN_FILE).exists():
        return Opened(path / RUN, path, members=_walked(path))
    readme = here.parent / README_FILE
    if here.name == RUN and readme.is_file() and SAYS.encode() in read_bytes(readme, str(readme), RunError):
        return Opened(path, here.parent, members=_walked(here.parent))
    return Opened(path)


def _walked(top: Path) -> dict[str, str]:
    found = {}
    for folder, folders, files in os.walk(top):
        for path in (Path(folder, name) for name in (*folders, *files)):
            place = path.relative_to(top).as_posix()
            if path.is_symlink():
                found[place] = "is a link"
            elif not path.is_dir():
                found[place] = "" if path.is_file() else "is no plain file"
    return found

"""Putting files and folders in their place: whole or not at all, and over nothing that biascore did not write.

What is written is made in a hidden folder next to its place and renamed. That folder is locked while its process
lives, so that the next command tells one that is dead, brings back what a kill in the middle left nowhere, and
removes the rest.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from biascore.basics.surface import either
from biascore.errors import RunError
from biascore.files.paths import user_path

if TYPE_CHECKING:
    from filelock import FileLock

_STAGING: Final = re.compile(r"\.biascore-[a-z0-9_]{8}")
_LOCK, _NEW, _OLD, _TARGET = "lock", "new", "old", "target"
_HEAD: Final = 1 << 16
_TAIL: Final = 1 << 8


def check_file(path: Path, *, overwrite: bool, mark: bytes) -> Path:
    """Where a file that bears ``mark`` can be written: ``path``, or what it links to.

    Raises RunError for a folder, device or pipe, a file that biascore did not write, one that may not be
    overwritten, a link to nothing, and where nothing can be written.
    """
    target = _followed(path)
    if target.is_dir():
        raise RunError(f"{path} is a folder. Name a file inside it, such as {path / 'report.html'}.")
    if target.exists():
        if not stat.S_ISREG(target.stat().st_mode):
            raise RunError(
                f"{path} is no regular file (a device or a pipe), so it is left alone. Name another."
            )
        if not overwrite:
            raise RunError(
                f"{path} exists already. Choose another path, or replace it: {either('--force', 'overwrite=True')}."
            )
        if not _bears(target, mark):
            raise RunError(
                f"{path} was not written by biascore, so it is not overwritten. Choose another path."
            )
    _check_writable(target, path)
    return target


def check_folder(path: Path, *, overwrite: bool, in_the_way: Callable[[Path], str]) -> Path:
    """Where a folder can be written: ``path``, or what it links to.

    ``in_the_way`` says what of a folder that is there is not biascore's, or nothing. Raises RunError as ``check_file``.
    """
    target = _followed(path)
    if target.exists():
        if not target.is_dir():
            raise RunError(f"{path} exists already and is no folder. Choose another folder.")
        if not overwrite:
            raise RunError(
                f"{path} exists already. Choose another folder, or replace it: {either('--force', 'overwrite=True')}."
            )
        finish(target)
        problem = in_the_way(target) if any(target.iterdir()) else ""
        if problem:
            raise RunError(f"{path} is not overwritten: {problem}. Choose another folder.")
    _check_writable(target, path)
    return target


def write_file(target: Path, content: bytes) -> None:
    """Write bytes to a path that was checked, whose folder is made; raises RunError."""
    try:
        with _staging(target.parent) as scratch:
            new = scratch / _NEW
            with new.open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            new.replace(target)
    except OSError as error:
        raise RunError(
            f"{target} cannot be written: {error.strerror or error}. Free space or choose another path."
        ) from error


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A new folder that replaces ``target``, which was checked, when the block ends without an exception.

    What was at ``target`` before is there until then, and still where the block fails or the process dies.
    Raises OSError where the folder cannot be made or moved.
    """
    with _staging(target.parent) as scratch:
        new, old = scratch / _NEW, scratch / _OLD
        new.mkdir()
        yield new
        if not target.exists():
            new.rename(target)
        elif not _exchanged(new, target):
            (scratch / _TARGET).write_text(target.name, encoding="utf-8")
            target.rename(old)  # killed here, the next command puts the new one in its place
            try:
                new.rename(target)
            except OSError:
                old.rename(target)
                raise


@contextmanager
def reserved(target: Path) -> Iterator[None]:
    """A path, which was checked, kept for this process while the block lasts.

    Raises RunError where another process has reserved it.
    """
    target = target.absolute()
    above = next(parent for parent in target.parents if parent.is_dir())
    name = str(target.relative_to(above))
    finish(above)
    before = _reserving(above, name).keys()  # whatever the clock says: it may have been set back
    with _staging(above) as scratch:
        (scratch / _TARGET).write_text(name, encoding="utf-8")
        others = _reserving(above, name)
        if min(others, key=lambda path: (others[path], path.name)) != scratch or before & others.keys():
            raise RunError(
                f"another command is at work that will write {target}. Wait until it is done, or choose another place."
            )
        yield


def _reserving(above: Path, name: str) -> dict[Path, int]:
    """The hidden folders of processes that have reserved this name, and when, by the clock of the file system."""
    found = {}
    for scratch in (path for path in above.iterdir() if _STAGING.fullmatch(path.name)):
        with suppress(OSError, ValueError):  # another process may remove its own at any time
            if _text(scratch / _TARGET) == name:
                found[scratch] = (scratch / _TARGET).stat().st_mtime_ns
    return found


def finish(folder: Path) -> None:
    """Clean up after commands that were killed while they wrote into this folder; what is not theirs stays."""
    try:
        left = [path for path in folder.iterdir() if _STAGING.fullmatch(path.name)]
    except OSError:  # none, or not to be read: then nothing was left there
        return
    for scratch in left:
        try:
            names = {path.name for path in scratch.iterdir()}
        except OSError:  # no folder, or its process has removed it by now
            continue
        if scratch.is_symlink() or not names <= {_LOCK, _NEW, _OLD, _TARGET}:
            continue
        if not names:
            with suppress(OSError):
                scratch.rmdir()
            continue
        lock = None
        with suppress(OSError):  # another user's, say
            lock = _locked(scratch) if _LOCK in names else None
        if lock is not None:
            _bring_back(scratch)
            shutil.rmtree(scratch, ignore_errors=True)
            lock.release()


def _bring_back(scratch: Path) -> None:
    """Put the new folder, or else the old one, where neither is."""
    with suppress(OSError, ValueError):
        name = _text(scratch / _TARGET)
        target = scratch.parent / name
        if (scratch / _OLD).exists() and not target.exists() and Path(name).name == name:
            whole = scratch / _NEW if (scratch / _NEW).exists() else scratch / _OLD
            whole.rename(target)


def _text(path: Path) -> str:
    """What a file holds; raises OSError or ValueError, also for a link or a pipe that somebody put there."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError(f"{path} is no regular file")
    return path.read_text(encoding="utf-8")


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """A hidden folder in ``folder``, for a rename is all or nothing only within one file system."""
    folder.mkdir(parents=True, exist_ok=True)
    finish(folder)
    lock = None
    while lock is None:  # again where another command took the new folder for a dead one
        scratch = Path(tempfile.mkdtemp(prefix=".biascore-", dir=folder))
        lock = _locked(scratch)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        lock.release()


def _locked(scratch: Path) -> FileLock | None:
    """The lock of a hidden folder, or None where another process holds it or has removed it, and where it is none."""
    from filelock import FileLock, Timeout  # imports asyncio

    path = scratch / _LOCK
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        return None  # a link, say, which somebody put there to have its file emptied
    lock = FileLock(path)
    try:
        lock.acquire(blocking=False)
    except (
        Timeout,
        FileExistsError,
        FileNotFoundError,
    ):  # filelock makes the folder again, and may be too late for it
        return None
    return lock


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange what two names represent in one step; False where this system or file system cannot."""
    if sys.platform == "win32":
        return False
    names = os.fsencode(one), os.fsencode(other)
    library = ctypes.CDLL(None, use_errno=True)
    if hasattr(library, "renameat2"):  # Linux: RENAME_EXCHANGE is 2, AT_FDCWD is -100
        return bool(library.renameat2(-100, names[0], -100, names[1], 2) == 0)
    if hasattr(library, "renamex_np"):  # macOS: RENAME_SWAP is 2
        return bool(library.renamex_np(*names, 2) == 0)
    return False


def _followed(path: Path) -> Path:
    """What a path represents: links are followed, and stay."""
    path = user_path(path)
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if not target.exists() and path.is_symlink():
        raise RunError(
            f"{path} is a link to {target}, which does not exist. Remove the link or name another path."
        )
    if not path.parent.exists():
        finish(path.parent.parent)
    elif not target.exists():
        finish(target.parent)
    return target


def _bears(path: Path, mark: bytes) -> bool:
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
            stream.seek(max(0, path.stat().st_size - _TAIL))
            return mark in head or mark in stream.read(_TAIL)
    except OSError as error:
        raise RunError(
            f"{path} cannot be read ({error}), so it is not overwritten. Choose another path."
        ) from error


def _check_writable(target: Path, path: Path) -> None:
    """Raise RunError where nothing can be written next to ``target``: a file in the way, no permission, no space."""
    above = next(parent for parent in target.absolute().parents if os.path.lexists(parent))
    if not above.is_dir():
        raise RunError(f"{path} cannot be written: {above} is no folder. Choose another place.")
    try:
        # By trying: root may write anywhere, but not on a file system that is read-only.
        tempfile.TemporaryFile(dir=above).close()
    except OSError as error:
        raise RunError(
            f"{path} cannot be written: nothing can be made in {above} ({error.strerror}). Choose another place."
        ) from error

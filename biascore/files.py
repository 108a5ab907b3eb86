"""Paths as users write them, and writing files and folders whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from biascore.errors import OptionsError, RunError


def user_path(text: str | Path) -> Path:
    """The path, with ``~`` expanded; raises OptionsError for what this system cannot take as a path."""
    try:
        path = Path(text).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:  # too long; no such user; a NUL character
        raise OptionsError(f"{str(text)[:100]!r} is no path here: {error}. Give another one.") from error
    return path


def is_path(text: str) -> bool:
    """Whether the text is the path of something that exists."""
    try:
        return user_path(text).exists()
    except OptionsError:
        return False


def refuse_existing(targets: Iterable[Path], *, overwrite: bool) -> None:
    """Raise RunError for the first target that is a folder, or exists and may not be overwritten."""
    for target in map(user_path, targets):
        if target.is_dir():
            raise RunError(f"{target} is a folder. Name a file inside it, such as {target / 'report.html'}.")
        if target.exists() and not overwrite:
            raise RunError(f"{target} exists already. Choose another path, or say overwrite=True (--force).")


def write_atomically(target: Path, content: bytes) -> None:
    """Write bytes to a path, whose folder is made, by renaming a finished file; raises RunError."""
    staging: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:80]}-", dir=target.parent)
        staging = Path(name)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        staging.chmod(0o644)
        staging.replace(target)
    except OSError as error:
        if staging is not None:
            staging.unlink(missing_ok=True)
        raise RunError(f"{target} cannot be written: {error}. Free space or choose another path.") from error


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A new folder beside ``target``, put in its place when the block ends without an exception.

    What was at ``target`` before is there until then, and still where the block fails.
    Raises OSError where the folder cannot be made or moved.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, for a rename is all or nothing only within one file system.
    with tempfile.TemporaryDirectory(
        prefix=f".{target.name[:80]}-", dir=target.parent, ignore_cleanup_errors=True
    ) as scratch:
        new, old = Path(scratch, "new"), Path(scratch, "old")
        new.mkdir()
        yield new
        if target.exists():
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise

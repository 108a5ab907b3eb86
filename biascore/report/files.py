"""Writing a file whole or not at all, and never over another one by accident."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from biascore.errors import RunError


def refuse_existing(targets: Iterable[Path], *, overwrite: bool) -> None:
    """Raise RunError for the first target that is a folder, or exists and may not be overwritten."""
    for target in targets:
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

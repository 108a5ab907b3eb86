"""Paths as users write them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath

from biascore.errors import OptionsError


def user_path(text: str | Path) -> Path:
    """The path, with ``~`` expanded; raises OptionsError for what this system cannot take as a path."""
    try:
        path = Path(text).expanduser()
        with suppress(FileNotFoundError, NotADirectoryError):
            path.stat()  # from Python 3.14 on, exists() is false of what is no path
    except (OSError, RuntimeError, ValueError) as error:  # too long; no such user; a NUL character
        raise OptionsError(f"{str(text)[:100]!r} is no path here: {error}. Give another one.") from error
    return path


def cache_folder() -> Path:
    """The user's cache folder: ``BIASCORE_CACHE_DIR``, or what the platform provides.

    Raises RuntimeError where the platform has none for this user.
    """
    override = os.environ.get("BIASCORE_CACHE_DIR")
    if override:
        return user_path(override)
    import platformdirs

    return Path(platformdirs.user_cache_dir("biascore", appauthor=False))


def is_path(text: str) -> bool:
    """Whether the text is the path of something that exists."""
    try:
        return user_path(text).exists()
    except OptionsError:
        return False


def leads_out(name: str) -> bool:
    """Whether a path that a file of somebody else states leads out of its folder, on any system."""
    place = PurePosixPath(name.replace("\\", "/"))
    return place.is_absolute() or ".." in place.parts or bool(PureWindowsPath(name).drive)

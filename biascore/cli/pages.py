"""A page that a command wrote: opened in the browser, and named by the run next to it."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

from biascore.files.paths import user_path
from biascore.terminal.console import say, stderr


def open_page(page: Path) -> None:
    """Open a page in the default browser; where there is none, or nobody would see it, say where the page is."""
    place = user_path(page).resolve()
    try:
        opened = _seen() and webbrowser.open(place.as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        say(f"no browser to open it with: the page is {place}", to=stderr)


def _seen() -> bool:
    """Whether there is a screen: a browser of text would take the terminal, and one over SSH opens elsewhere."""
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return False
    shown = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in shown)


def page_beside(run: Path, page: Path | None) -> str:
    """Where the page of a run lies, relative to the folder of the run, so that both can be moved together.

    Empty where it lies elsewhere than next to the run, or below that: such a path would not outlive a move, and a stored run
    holds no path of the machine that made it.
    """
    if page is None or page.suffix.lower() not in (".html", ".htm"):
        return ""
    folder, place = user_path(run).resolve(), user_path(page).resolve()
    return os.path.relpath(place, folder).replace(os.sep, "/") if folder.parent in place.parents else ""

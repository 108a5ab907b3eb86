"""A page as PDF, printed by a headless Chromium or Chrome of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from biascore.errors import RunError

VARIABLE: Final = "BIASCORE_BROWSER"
NAMES: Final = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
SECONDS: Final = 300
_OPTIONS: Final = (
    *("--headless", "--disable-gpu", "--no-pdf-header-footer", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--virtual-time-budget=60000"),
)


def find_browser() -> str:
    """The browser that prints; raises RunError where there is none."""
    stated = os.environ.get(VARIABLE)
    found = next(filter(None, map(shutil.which, [stated] if stated else NAMES)), None)
    if found is None:
        where = f"{VARIABLE} = {stated!r} is no program" if stated else "found neither Chromium nor Chrome"
        raise RunError(
            f"a PDF is printed by a browser: {where}. Install Chromium or Chrome, or name its program in {VARIABLE}; or "
            "write the report as .html, open it and print it"
        )
    return found


def printed(page: str) -> bytes:
    """The page as PDF; raises RunError where no browser is there, or where it does not print."""
    browser = find_browser()
    with TemporaryDirectory(prefix="biascore-", ignore_cleanup_errors=True) as folder:
        source, target = Path(folder, "report.html"), Path(folder, "report.pdf")
        source.write_text(page, encoding="utf-8")
        # The sandbox of Chromium refuses to start as root; the page is ours and loads nothing.
        root = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
        command = [browser, *_OPTIONS, *root, f"--user-data-dir={folder}/profile", f"--print-to-pdf={target}"]
        try:
            done = subprocess.run(
                [*command, source.as_uri()], capture_output=True, timeout=SECONDS, check=False
            )
            content = target.read_bytes() if target.exists() else b""
        except subprocess.TimeoutExpired as error:
            raise RunError(f"{browser} did not print the report within {SECONDS} seconds. {_NEXT}") from error
        except OSError as error:
            raise RunError(f"{browser} did not print the report: {error.strerror}. {_NEXT}") from error
    if not content.startswith(b"%PDF"):
        last = done.stderr.decode("utf-8", "replace").replace(folder, "...").strip().splitlines()[-1:]
        raise RunError(
            f"{browser} did not print the report (exit code {done.returncode}): {' '.join(last)}. {_NEXT}"
        )
    return content


_NEXT: Final = f"Name another browser in {VARIABLE}, or write the report as .html and print it"

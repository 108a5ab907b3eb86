"""A page in a real browser: what it makes of it, what it asks the network for, and how many sheets it prints."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OWN_REQUESTS = ("google.com", "googleapis.com", "gvt1.com", "gstatic.com")
"""Hosts that the browser itself calls about updates, whatever page is open."""
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--virtual-time-budget=20000",
    "--dump-dom",
)
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')


class Page(HTMLParser):
    """What a browser made of a page: its elements in order, and its text outside of scripts and drawings."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.title = self.text = ""
        self._open: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in {"script", "style", "title", "svg"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open == ["title"]:
            self.title += data
        elif not self._open:
            self.text += data

    def count(self, tag: str, css_class: str) -> int:
        return sum(t == tag and css_class in (a.get("class") or "").split() for t, a in self.elements)


@dataclass(frozen=True)
class Visit:
    page: Page
    console: str
    requested: frozenset[str]


def visit(document: str, folder: Path, *more: str, address: str = "") -> Visit:
    """``address``: what follows the name of the file, such as ``#show=all``."""
    assert CHROMIUM is not None
    path, log = folder / "page.html", folder / "net.json"
    path.write_text(document, encoding="utf-8")
    command = [CHROMIUM, *SWITCHES, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", *more]
    done = subprocess.run(
        [*command, f"{path.as_uri()}{address}"], capture_output=True, timeout=240, check=True
    )
    hosts = re.findall(r'"url":"(?:https?|wss?)://([^/":]*)', log.read_text(encoding="utf-8"))
    requested = frozenset(host for host in hosts if not host.endswith(OWN_REQUESTS))
    return Visit(Page(done.stdout.decode("utf-8")), done.stderr.decode("utf-8", "replace"), requested)


def pages_printed(document: str, folder: Path) -> int:
    """The number of sheets that the page takes on paper."""
    assert CHROMIUM is not None
    path, pdf = folder / "printed.html", folder / "printed.pdf"
    path.write_text(document, encoding="utf-8")
    switches = [switch for switch in SWITCHES if switch != "--dump-dom"]
    command = [
        CHROMIUM,
        *switches,
        f"--user-data-dir={folder / 'profile'}",
        f"--print-to-pdf={pdf}",
        path.as_uri(),
    ]
    subprocess.run(command, capture_output=True, timeout=240, check=True)
    return len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))

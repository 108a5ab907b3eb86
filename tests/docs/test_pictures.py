"""The rows that pages show are those that the report draws today, and every page of a metric shows a picture."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .sandbox import ROOT

DOCS = ROOT / "docs"
SHOWN = re.compile(r"\((?:\.\./)?pictures/([\w-]+\.\w+)\)")
RESULTS = [
    *sorted(DOCS.glob("metrics/*.md")),
    *(DOCS / "plugins" / f"{one}.md" for one in ("metric", "transform")),
]


@pytest.mark.parametrize("page", RESULTS, ids=lambda page: page.stem)
def test_a_page_with_results_shows_them(page: Path) -> None:
    assert SHOWN.search(page.read_text(encoding="utf-8"))


def test_every_picture_is_on_a_page() -> None:
    shown = {
        name
        for page in (ROOT / "README.md", *DOCS.rglob("*.md"))
        for name in SHOWN.findall(page.read_text("utf-8"))
    }
    assert {path.name for path in (DOCS / "pictures").iterdir()} - shown == set()


@pytest.mark.slow
def test_the_rows_are_what_the_report_draws() -> None:
    command = [sys.executable, str(DOCS / "picture_rows.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

"""What the pages tell a newcomer to type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("docs/**/*.toml"),
    )
)
INSTALL = re.compile(r"pip install[^`\n]*")
FROM_AN_INDEX = re.compile(r"(?<![\w/.-])biascore(-plugin-slavic)?(\[[\w,-]*\])?(?![\w/.\[-])")


def test_what_an_index_would_have_to_hold() -> None:
    for line in (
        "pip install biascore",
        "pip install 'biascore[hf,report]'",
        "pip install biascore-plugin-slavic",
    ):
        assert FROM_AN_INDEX.search(line), line
    for line in (
        "pip install '.[hf]'",
        "pip install ./plugins/biascore-plugin-slavic",
        "pip install dist/biascore-0.1.0.whl",
    ):
        assert not FROM_AN_INDEX.search(line), line


@pytest.mark.parametrize("page", PAGES)
def test_no_page_installs_what_no_index_has(page: str) -> None:
    """Before a release, a checkout and a wheel are what there is to install from."""
    lines = INSTALL.findall((ROOT / page).read_text(encoding="utf-8"))
    wrong = [line for line in lines if FROM_AN_INDEX.search(line.split("#")[0])]
    assert not wrong, f"{page} installs from an index: {wrong}"

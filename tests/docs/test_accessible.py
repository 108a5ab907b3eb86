"""No page of the site breaks a rule of axe-core, in the light or in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..report.axe import violations

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("chromium")]

PAGES = ("index.html", "guides/chat.html", "metrics/weat.html", "plugins.html", "api.html")


@pytest.mark.parametrize("switches", [(), ("--force-dark-mode",)], ids=["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_site(site: Path, name: str, switches: tuple[str, ...], tmp_path: Path) -> None:
    page = site / name
    profile = f"--user-data-dir={tmp_path}"  # the scheme of a visit is kept for the next
    assert violations(page.read_text(encoding="utf-8"), page.parent, profile, *switches) == []

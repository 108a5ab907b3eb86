"""The site opened from disk: its search answers without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..report.browser import CHROMIUM, SWITCHES
from .sandbox import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("chromium")]

TYPED = """<script>
setTimeout(() => {
  document.querySelector("#__search").click();
  const field = document.querySelector("[data-md-component=search-query]");
  field.focus();
  field.value = "specificity";
  for (const name of ["input", "keyup"]) field.dispatchEvent(new Event(name, { bubbles: true }));
}, 2000);
</script></body>"""


def test_search_finds_a_word(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="needs biascore[docs]")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    page = tmp_path / "site" / "index.html"
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r'<(?:script|link)[^>]+(?:src|href)="https?:', text)
    page.write_text(text.replace("</body>", TYPED), encoding="utf-8")
    assert CHROMIUM
    done = subprocess.run([CHROMIUM, *SWITCHES, page.as_uri()], capture_output=True, text=True, check=False)
    assert re.search(r"\d+ matching documents", done.stdout)

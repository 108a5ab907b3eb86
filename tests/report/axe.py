"""axe-core on a page in a real browser: what it finds wrong for people who use a keyboard or a screen reader."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from pathlib import Path

import pytest

from .browser import POLICY, visit

PACKAGES = ("axe_playwright_python", "axe_core_python")
"""What carries axe.min.js, the newer one first."""
RUN = """
<script>
window.addEventListener("load", async () => {
  const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
  for (let round = 0; round < 3; round += 1) {
    for (const one of document.querySelectorAll("details:not(.vega-embed details)")) one.open = true;
    await pause(1500);
  }
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const told = violations.map((v) => [v.id, v.impact, v.nodes.length, v.nodes[0].html.slice(0, 200)]);
  document.body.dataset.axe = JSON.stringify(told);
});
</script>
"""


def axe_core() -> str:
    """The program; the test is skipped where no package has it."""
    for name in PACKAGES:
        try:
            return (files(name) / "axe.min.js").read_text(encoding="utf-8")
        except ModuleNotFoundError:
            continue
    pytest.skip("axe-core is not installed: pip install axe-core-python")


def violations(document: str, folder: Path, *more: str) -> list[list[object]]:
    """Each rule that the page breaks, its details open: its name, how grave it is, how often, and the first place."""
    program = axe_core()
    page = POLICY.sub("", document).replace("</body>", f"<script>{program}</script>{RUN}</body>")
    seen = visit(page, folder, *more)
    (body,) = [attributes for tag, attributes in seen.page.elements if tag == "body"]
    text = body.get("data-axe")
    assert text is not None, f"axe did not end: {seen.console[-500:]}"
    found: list[list[object]] = json.loads(html.unescape(text))
    return found

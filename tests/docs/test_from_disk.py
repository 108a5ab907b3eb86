"""The site opened from disk: its search finds what people ask for without a network, and its text can be read."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from ..report.browser import CHROMIUM, SWITCHES

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("chromium")]

TYPED = """<script>
setTimeout(() => {
  document.querySelector("#__search").click();
  const field = document.querySelector("[data-md-component=search-query]");
  field.focus();
  field.value = "WORDS";
  for (const name of ["input", "keyup"]) field.dispatchEvent(new Event(name, { bubbles: true }));
}, 2000);
</script></body>"""
CONTRAST = """<style>* { transition: none !important; }</style><script>
setTimeout(() => document.body.setAttribute("data-md-color-scheme", "SCHEME"), 2000);
setTimeout(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const behind = (one) => {
    const layers = [];
    for (; one; one = one.parentElement) layers.push(parts(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((ground, layer) => over(layer, ground), [255, 255, 255]);
  };
  const luminance = (color) => color.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const told = (one) => {
    const ground = behind(one);
    const pair = [luminance(over(parts(getComputedStyle(one).color), ground)), luminance(ground)].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  };
  const links = [...document.querySelectorAll(
    ".md-typeset a:not(.headerlink), .md-nav__link--active, .md-footer-meta a, .md-copyright")];
  const found = links.filter((one) => one.innerText.trim() && one.offsetParent).map(told);
  document.title = `contrast of ${found.length}: ${Math.min(...found)}`;
}, 4000);
</script></body>"""


def opened(site: Path, script: str) -> str:
    """The first page with the script in it, as a browser makes it."""
    text = (site / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r'<(?:script|link)[^>]+(?:src|href)="https?:', text)
    page = site / "with-script.html"
    page.write_text(text.replace("</body>", script), encoding="utf-8")
    assert CHROMIUM
    done = subprocess.run([CHROMIUM, *SWITCHES, page.as_uri()], capture_output=True, text=True, check=False)
    return done.stdout


@pytest.mark.parametrize(
    ("words", "page"),
    [("install", "start.html"), ("bias chatbot", "guides/chat.html"), ("negligible", "glossary.html")],
)
def test_search_finds_the_page_that_a_reader_looks_for(site: Path, words: str, page: str) -> None:
    shown = opened(site, TYPED.replace("WORDS", words))
    assert re.search(r"\d+ matching documents", shown)
    first = re.search(r'<a href="([^"#?]*)[^"]*" class="md-search-result__link"', shown)
    assert first, "no result"
    assert first[1].endswith(page)


@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_links_can_be_read(site: Path, scheme: str) -> None:
    shown = opened(site, CONTRAST.replace("SCHEME", scheme))
    found = re.search(r"<title>contrast of (\d+): ([\d.]+)</title>", shown)
    assert found, "the script did not run"
    assert int(found[1]) > 10
    assert float(found[2]) >= 4.5


def test_the_search_dialog_has_a_name(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'role="dialog" aria-label="Search"' in text

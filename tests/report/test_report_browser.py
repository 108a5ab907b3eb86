"""The page in a real browser: hostile texts, with and without the content security policy; the network."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from biascore.report import write_report
from biascore.results.run import Run

from ..builders.runs import HOSTILE, hostile_run, run_of, typical_run
from .browser import POLICY, Visit, pages_printed, visit
from .pages import Tree, data_in, squeezed
from .pictured import hostile_figures, hostile_joined, hostile_rulers, plane_measurement

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("chromium"),
]

# Points at a few marks of every chart and keeps what the tooltip then shows; Vega listens to pointer events.
POINTER = """
<script>
window.addEventListener("load", () => setTimeout(() => {
  const seen = { tags: {}, texts: [] };
  for (const svg of document.querySelectorAll(".chart svg.marks")) {
    const marks = [...svg.querySelectorAll("[aria-roledescription='point']")];
    for (const mark of marks.slice(0, 20)) {
      const box = mark.getBoundingClientRect();
      const at = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
      mark.dispatchEvent(new PointerEvent("pointermove", at));
      const tooltip = document.getElementById("vg-tooltip-element");
      if (!tooltip || !tooltip.classList.contains("visible")) continue;
      for (const element of tooltip.querySelectorAll("*")) seen.tags[element.tagName] = true;
      for (const cell of tooltip.querySelectorAll("td.value")) seen.texts.push(cell.textContent);
    }
  }
  document.body.dataset.tooltips = JSON.stringify(seen);
}, 3000));
</script>
"""


def opened(run: Run, tmp_path: Path) -> str:
    """The page with all its sections open, as they are drawn only then."""
    document = write_report(run, tmp_path / "report.html").read_text(encoding="utf-8")
    return re.sub(r'(<details class="measurement" id="m\d+")>', r"\1 open>", document)


def assert_unharmed(seen: Visit, run: Run) -> None:
    assert squeezed(seen.page.title) == squeezed(f"{run.title} – biascore report")
    tags = {tag for tag, _ in seen.page.elements}
    assert tags & {"img", "iframe", "object", "embed", "textarea", "link"} == set()
    assert not [a for _, attributes in seen.page.elements for a in attributes if a.startswith("on")]
    text = squeezed(seen.page.text)
    assert [t for t in HOSTILE if squeezed(t) not in text] == []
    assert seen.page.count("div", "chart") == seen.page.count("div", "drawn") > len(HOSTILE)
    assert seen.page.count("svg", "marks") == seen.page.count("div", "chart")


def test_hostile_texts_do_nothing_and_all_charts_are_drawn(tmp_path: Path) -> None:
    run = hostile_run()
    seen = visit(opened(run, tmp_path), tmp_path)
    assert_unharmed(seen, run)
    assert "Content Security Policy" not in seen.console  # so nothing of the page itself breaks it
    assert "Uncaught" not in seen.console
    assert seen.requested == frozenset()


def test_escaping_holds_without_the_policy_and_in_tooltips(tmp_path: Path) -> None:
    run = hostile_run()
    document, removed = POLICY.subn("", opened(run, tmp_path))
    assert removed == 1
    seen = visit(document + POINTER, tmp_path)
    assert_unharmed(seen, run)
    body = next(attributes for tag, attributes in seen.page.elements if tag == "body")
    tooltips = json.loads(body["data-tooltips"] or "")
    assert set(tooltips["tags"]) == {"TABLE", "TBODY", "TR", "TD"}
    shown = {squeezed(text) for text in tooltips["texts"]}
    plain = [t for t in HOSTILE if t.isprintable()]
    assert len(plain) > 8
    assert [t for t in plain if squeezed(t) not in shown] == []


def test_hostile_texts_in_pictures_and_their_tooltips_do_nothing(tmp_path: Path) -> None:
    run = run_of(hostile_figures(), *hostile_rulers())
    seen = visit(opened(run, tmp_path), tmp_path)
    assert_unharmed(seen, run)
    assert "Content Security Policy" not in seen.console
    assert "Uncaught" not in seen.console
    assert seen.requested == frozenset()
    bare = visit(POLICY.sub("", opened(run, tmp_path / "bare")) + POINTER, tmp_path)
    assert_unharmed(bare, run)
    tooltips = json.loads(next(a for tag, a in bare.page.elements if tag == "body")["data-tooltips"] or "")
    assert set(tooltips["tags"]) == {"TABLE", "TBODY", "TR", "TD"}  # no IMG of a column that is named image
    columns = [text for text in tooltips["texts"] if "image: " in text]
    assert columns
    assert all(squeezed(f"{HOSTILE[0]}: ") in text and "value: " in text for text in columns)
    assert bare.requested == frozenset()


def test_hostile_texts_in_pictures_of_the_run_do_nothing(tmp_path: Path) -> None:
    run = run_of(*hostile_joined())
    seen = visit(opened(run, tmp_path), tmp_path)
    assert_unharmed(seen, run)
    assert "Content Security Policy" not in seen.console
    assert "Uncaught" not in seen.console
    assert seen.requested == frozenset()
    bare = visit(POLICY.sub("", opened(run, tmp_path / "bare")) + POINTER, tmp_path)
    assert_unharmed(bare, run)
    tooltips = json.loads(next(a for tag, a in bare.page.elements if tag == "body")["data-tooltips"] or "")
    assert set(tooltips["tags"]) == {"TABLE", "TBODY", "TR", "TD"}
    shown = {squeezed(text) for text in tooltips["texts"]}
    assert squeezed(HOSTILE[0]) in shown
    assert bare.requested == frozenset()


def test_a_narrow_page_keeps_the_proportions_of_a_plane_and_names_fewer_items(tmp_path: Path) -> None:
    document = opened(run_of(plane_measurement(600, 3)), tmp_path)
    [script] = [one for one in Tree(document).root.all("script") if one.attributes.get("id") == "chart-1-1"]
    spec = data_in(script)

    def labels_and_plot(width: int) -> tuple[int, float, float]:
        done = visit(document, tmp_path, f"--window-size={width},900").page.elements
        start = next(i for i, (_, a) in enumerate(done) if a.get("data-spec") == "chart-1-1")
        end = next(i for i, (_, a) in enumerate(done) if a.get("data-spec") == "chart-1-2")
        plot = done[start:end]
        named = sum(tag == "text" and a.get("font-size") == "11px" for tag, a in plot)
        rules = [a for tag, a in plot if tag == "line" and a.get("stroke") == "#8a8a8a"]
        across, up = (max(abs(float(a[key] or 0)) for a in rules) for key in ("x2", "y2"))
        return named, across, up

    wide, narrow = labels_and_plot(1300), labels_and_plot(520)
    assert wide[0] == len(spec["datasets"]["labels"])
    assert narrow[0] == len(spec["usermeta"]["narrow"]) < wide[0]
    assert narrow[1] < 460 < wide[1]
    assert wide[2] / wide[1] == pytest.approx(narrow[2] / narrow[1], rel=0.03)


# What the rules for print would cut: charts beyond the sheet, and columns narrower than a word of theirs.
MEASURED = """
<script>
window.addEventListener("load", () => setTimeout(() => {
  // The charts were drawn for the window; a sheet is narrower, and nothing is drawn anew for it.
  document.querySelector("main").style.maxWidth = "688px"; // A4 less its margins
  const sheet = document.querySelector("main").getBoundingClientRect().right + 1;
  const charts = [...document.querySelectorAll(".chart svg.marks")];
  const columns = [...document.querySelectorAll(".results thead th")];
  document.body.dataset.print = JSON.stringify({
    charts: charts.length,
    cut: charts.filter((svg) => svg.getBoundingClientRect().right > sheet).length,
    narrow: columns.filter((th) => th.textContent.length > 3 && th.getBoundingClientRect().width < 32).length,
    test: columns[0].getBoundingClientRect().width,
    wide: document.querySelector(".results").getBoundingClientRect().right > sheet,
  });
}, 3000));
</script>
"""


def test_printing_cuts_no_chart_and_no_column(tmp_path: Path) -> None:
    document = POLICY.sub("", opened(typical_run(), tmp_path)).replace("@media print", "@media all")
    seen = visit(document + MEASURED, tmp_path, "--window-size=1300,1000").page
    body = next(attributes for tag, attributes in seen.elements if tag == "body")
    found = json.loads(body["data-print"] or "")
    assert found.pop("charts") > 2
    assert found.pop("test") > 130
    assert found == {"cut": 0, "narrow": 0, "wide": False}


def test_the_harness_sees_what_a_page_without_escaping_would_do(tmp_path: Path) -> None:
    """The checks above can fail: an unescaped text changes the title, or the policy blocks it."""
    document = write_report(hostile_run(), tmp_path / "report.html").read_text(encoding="utf-8")
    harmed = document.replace(html.escape(HOSTILE[0]).replace("&#x27;", "&#39;"), HOSTILE[0], 9)
    assert harmed != document
    blocked = visit(harmed, tmp_path)
    assert "Content Security Policy" in blocked.console
    assert blocked.page.title != "PWNED"
    ran = visit(POLICY.sub("", harmed) + "<img src='http://page.invalid/x.png'>", tmp_path)
    assert ran.page.title == "PWNED"
    assert ran.requested == {"page.invalid"}


def test_on_paper_stand_the_details_that_are_open(tmp_path: Path) -> None:
    """The short form: a browser that prints opens nothing by itself, and says on paper how all of it gets there."""
    run = typical_run()
    document = POLICY.sub("", write_report(run, tmp_path / "report.html").read_text(encoding="utf-8"))
    printing = "<script>addEventListener('load', () => dispatchEvent(new Event('beforeprint')));</script>"
    after = visit(document + printing, tmp_path).page
    assert after.count("svg", "marks") == 1  # a forest plot alone
    some = document.replace(
        '<details class="measurement" id="m2">', '<details class="measurement" id="m2" open>'
    )
    assert visit(some + printing, tmp_path).page.count("svg", "marks") == 2
    short, longer = pages_printed(document, tmp_path), pages_printed(opened(run, tmp_path / "open"), tmp_path)
    assert short < longer
    assert short <= 11

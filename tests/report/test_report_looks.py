"""The report in a real browser: wide, on a phone, dark and on paper; nothing beyond the page, nothing too heavy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.report import write_report
from biascore.results.run import Run

from ..builders.runs import measurement, model_used, run_of, table
from .browser import POLICY, Page, pages_printed, visit

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("chromium"),
]

MODELS = ("a small encoder", "a large encoder", "planted, gender = 1")
TITLES = (
    "Male and female names, career and family",
    "European American and African American names, pleasant and unpleasant",
)
LOOK = """
<script>
window.addEventListener("load", () => setTimeout(() => {
  const wide = document.documentElement.clientWidth;
  const right = (one) => one.getBoundingClientRect().right;
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const c = part / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one) => {
    const style = getComputedStyle(one);
    const [dark, light] = [luminance(style.color), luminance(style.backgroundColor)].sort();
    return (light + 0.05) / (dark + 0.05);
  };
  const seen = { wide, whole: document.documentElement.scrollWidth };
  seen.nodes = document.querySelectorAll("*").length;
  const drawn = [...document.querySelectorAll(".answers, .results, .map, .chart svg.marks, h1, p, .cell")];
  const shown = drawn.filter((one) => one.getClientRects().length && !one.closest(".scroll"));
  seen.beyond = shown.filter((one) => right(one) > wide + 1).length;
  seen.contrast = Math.min(...[...document.querySelectorAll(".cell.detected, .cell.hint")].map(contrast));
  seen.dark = luminance(getComputedStyle(document.body).backgroundColor) < 0.1;
  const lines = [...document.querySelectorAll(".chart svg .role-axis-label text")].map((one) => one.textContent);
  seen.cut = lines.filter((line) => line.includes("…")).length;
  seen.heads = getComputedStyle(document.querySelector(".results thead")).display;
  const rows = () => [...document.querySelectorAll("tr.row")].filter((row) => !row.hidden);
  const verdicts = document.querySelector("select[data-filter=verdict]");
  seen.all = rows().length;
  verdicts.value = "detected";
  verdicts.dispatchEvent(new Event("input", { bubbles: true }));
  seen.detected = rows().length;
  verdicts.value = "";
  const text = document.querySelector(".filters input");
  text.value = "small WEAT-1 ";
  text.dispatchEvent(new Event("input", { bubbles: true }));
  seen.found = rows().length;
  text.value = "";
  text.dispatchEvent(new Event("input", { bubbles: true }));
  document.querySelectorAll(".results thead button")[3].click();
  seen.sorted = [...document.querySelectorAll(".results tbody")].every((body) => {
    const values = [...body.querySelectorAll("tr.row")].map((row) => Number(row.cells[3].dataset.sort));
    return values.every((value, place) => place === 0 || values[place - 1] <= value);
  });
  document.querySelector(".results").scrollIntoView();
  window.scrollBy(0, 400);
  const head = document.querySelector(".results thead th").getBoundingClientRect();
  seen.sticks = head.top >= 0 && head.top < 80;
  seen.linked = [...document.querySelectorAll(".cell")].every((cell) => document.getElementById(cell.hash.slice(1)));
  seen.made = document.querySelectorAll("[data-items], details.measurement .plot").length;
  document.querySelector("details.measurement").open = true;
  setTimeout(() => {
    const later = document.querySelector("[data-items]");
    seen.before = later.querySelectorAll("tr").length;
    later.closest("details.more").open = true;
    setTimeout(() => {
      seen.after = later.querySelectorAll("tbody tr").length;
      seen.drawn = document.querySelectorAll("details.measurement .chart.drawn").length;
      document.body.dataset.look = JSON.stringify(seen);
    }, 1500);
  }, 500);
}, 2500));
</script>
"""


def many(items: int = 40) -> Run:
    """Twenty-seven measurements of three models, one of which is a control."""
    rng = np.random.default_rng(5)
    made = []
    for place in range(27):
        values = rng.normal(0, 1, items).round(3).tolist()
        rows = table([(f"word {i} of a list", "XY"[i % 2], value) for i, value in enumerate(values)])
        one = measurement(
            test=f"en/WEAT-{place // 3}",
            title=f"WEAT {place // 3}: {TITLES[place % 2]}",
            model=MODELS[place % 3],
            value=float(rng.uniform(-1.5, 1.5)),
            p=float(rng.uniform(0, 0.06)),
            items=rows,
            positive_means="male names with career, female names with family",
            unit="standard deviations",
        )
        made.append(one.model_copy(update={"concept": ("gender", "race", "baseline")[place // 9]}))
    return run_of(
        *made,
        models=[model_used(MODELS[0]), model_used(MODELS[1]), model_used(MODELS[2], {"en/WEAT-0": 1.0})],
    )


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = write_report(many(), tmp_path_factory.mktemp("looks") / "report.html")
    return POLICY.sub("", path.read_text(encoding="utf-8"))


def looked(document: str, folder: Path, *more: str) -> dict[str, Any]:
    page: Page = visit(document + LOOK, folder, *more).page
    found: dict[str, Any] = json.loads(
        next(a for tag, a in page.elements if tag == "body")["data-look"] or ""
    )
    return found


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_lies_beyond_the_page_and_what_is_asked_for_happens(
    width: int, dark: bool, document: str, tmp_path: Path
) -> None:
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
    seen = looked(document, tmp_path, f"--window-size={width},900", *scheme)
    assert seen["whole"] <= seen["wide"] <= max(width, 500)  # a window of a browser may have a least width
    assert seen["beyond"] == 0
    assert seen["cut"] == 0  # the end of a label may be what tells it from another
    assert seen["dark"] is dark
    assert seen["contrast"] > 4.5
    assert seen["linked"]
    assert seen["all"] == 27
    assert 0 < seen["detected"] < 27
    assert seen["found"] == 1
    assert seen["sorted"]
    assert (seen["made"], seen["before"], seen["after"]) == (
        0,
        0,
        40,
    )  # details are made when they are opened
    assert seen["drawn"] == 1
    if width == 1280:
        assert seen["sticks"]
    else:
        assert seen["heads"] == "none"  # rows are cards


def test_twenty_seven_measurements_are_few_sheets(document: str, tmp_path: Path) -> None:
    assert pages_printed(document, tmp_path) <= 14
    # What is not printed is said, and what every number rests on stands there all the same.
    on_paper = document.partition('class="on-paper"')[2].partition("</div>")[0]
    assert "further\nestimates are not printed" in on_paper
    assert "conventions of all" in on_paper


def test_the_page_of_nine_large_measurements_is_light(tmp_path: Path) -> None:
    """As many items, and as long texts, as GEST has in nine pairs of a system and a language."""
    rng = np.random.default_rng(6)
    made = []
    for place in range(9):
        rows = [(f"I am sentence number {i}, as long as such sentences are.", f"{i % 16} stereotype", float(v))
                for i, v in enumerate(rng.integers(0, 2, 3565))]  # fmt: skip
        more = {
            "translation": [f"Som veta číslo {i}, taká dlhá, ako takéto vety bývajú." for i in range(3565)],
            "word": ["silný"] * 3565,
            "rule": ["adjective after the copula"] * 3565,
        }
        made.append(measurement(metric="gest-mt", test=f"en/gest{place}", items=table(rows, more)))
    path = write_report(run_of(*made), tmp_path / "report.html")
    assert path.stat().st_size <= 5_000_000
    page = visit(path.read_text(encoding="utf-8"), tmp_path).page
    assert len(page.elements) <= 50_000
    assert pages_printed(path.read_text(encoding="utf-8"), tmp_path) <= 12


def test_the_page_of_fifty_five_measurements_is_light(tmp_path: Path) -> None:
    """As many items, with as many columns, as a study of traits has; the details are made when they are opened."""
    rng = np.random.default_rng(7)
    made = []
    for place in range(55):
        values = rng.normal(0, 1, 1708).tolist()
        rows = [
            (f"The person number {i} is always ready to help out.", "mf"[i % 2], v)
            for i, v in enumerate(values)
        ]
        more = {
            "template": [f"t{i % 6}" for i in range(1708)],
            "target": [f"word {i % 17}" for i in range(1708)],
            "perplexity": rng.lognormal(2, 0.2, 1708).tolist(),
            "weight": rng.uniform(0, 1, 1708).tolist(),
        }
        made.append(measurement(test=f"en/trait{place}", items=table(rows, more)))
    path = write_report(run_of(*made), tmp_path / "report.html")
    assert path.stat().st_size <= 5_000_000
    page = visit(path.read_text(encoding="utf-8"), tmp_path).page
    assert len(page.elements) <= 25_000

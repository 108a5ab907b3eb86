from __future__ import annotations

import dataclasses
import math
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from biascore.audit import Audit
from biascore.basics.visible import visible
from biascore.errors import MissingExtraError, RunError
from biascore.report import write_charts, write_report
from biascore.results.coverage import LostWord
from biascore.results.run import Run
from biascore.stats.verdict import Verdict

from .builders import (
    HOSTILE,
    hostile_run,
    measurement,
    model_used,
    random_items,
    run_of,
    table,
    typical_run,
)

alt = pytest.importorskip("altair")
vl_convert = pytest.importorskip("vl_convert")
charts_of = pytest.importorskip("biascore.report.charts").charts_of
vega_lite_version = pytest.importorskip("biascore.report.vega").vega_lite_version

VOID = {"meta", "br", "img", "link", "input", "hr"}


@dataclasses.dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    parent: Element | None = None
    own_text: list[str] = dataclasses.field(default_factory=list)
    children: list[Element] = dataclasses.field(default_factory=list)

    def all(self, tag: str, css_class: str | None = None) -> list[Element]:
        found = [c for c in self.walk() if c.tag == tag]
        return [c for c in found if css_class is None or css_class in c.classes]

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    def walk(self) -> list[Element]:
        return [self, *(e for c in self.children for e in c.walk())]

    @property
    def text(self) -> str:
        """All text under this element with runs of space as one, scripts and styles left out."""
        return " ".join(self._raw().split())

    def _raw(self) -> str:
        if self.tag in {"script", "style"}:
            return ""
        return "".join(part if isinstance(part, str) else part._raw() for part in self._parts())

    def _parts(self) -> list[Any]:
        return self.own_text


class Tree(HTMLParser):
    """A tree of elements; fails where a tag is closed that is not open, so that nesting is checked too."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.current = Element("#root", {})
        self.feed(document)
        self.close()
        assert self.current is self.root, f"<{self.current.tag}> is never closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs), self.current)
        self.current.children.append(element)
        self.current.own_text.append(element)  # type: ignore[arg-type]  # text and elements in document order
        if tag not in VOID:
            self.current = element

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.current.tag, f"</{tag}> closes <{self.current.tag}>"
        assert self.current.parent is not None
        self.current = self.current.parent

    def handle_data(self, data: str) -> None:
        self.current.own_text.append(data)


def page_of(run: Run, tmp_path: Path) -> Element:
    return Tree(write_report(run, tmp_path / "report.html").read_text(encoding="utf-8")).root


def squeezed(text: str) -> str:
    """The text as the page shows it: what would act is visible, white space is one space."""
    return " ".join(visible(text).split())


def test_every_part_of_a_run_is_on_the_page(tmp_path: Path) -> None:
    run = typical_run()
    page = page_of(run, tmp_path)

    headings = [h.text for h in page.all("h2")]
    assert headings[:4] == ["What was found", "Results", "Effects", "Measurements"]
    assert headings[4:] == ["Models", "Stimuli", "Provenance", "Cite and repeat"]
    assert page.all("h1")[0].text == run.title
    assert "2026-01-01 00:00 UTC" in page.all("p", "lead")[0].text

    sections = page.all("details", "measurement")
    rows = page.all("table", "results")[0].all("tbody")[0].all("tr")
    assert len(sections) == len(rows) == len(run)
    for m, said, section, row in zip(run, run.verdicts, sections, rows, strict=True):
        cells = [cell.text for cell in row.children]
        assert cells[0] == f"{m.test_title}{m.test}"
        assert cells[1] == m.model
        assert cells[3].startswith(f"{m.headline.value:.3f}")
        assert cells[7:] == [said.verdict.value + said.note, str(len(m.coverage.lost))]
        if said.p_adjusted is None:
            assert cells[5:7] == ["none", "–"]
        else:
            assert float(cells[6].removesuffix(f"of {said.tests}")) == pytest.approx(
                said.p_adjusted, rel=0.01
            )
        told = section.text
        texts = [m.reason, m.positive_means, *m.warnings, *m.coverage.composed, m.concept]
        texts += [e.name for e in m.estimates] + [p.name for e in m.estimates for p in e.p_values]
        texts += [part for w in m.coverage.lost for part in (w.word, w.reason)]
        for text in texts:
            assert text in told
        conventions = section.all("table", "pairs")[0].all("tr")
        assert {r.children[0].text for r in conventions} == set(m.conventions)

    digests = [run.results_digest(), run.models[0].digest, run.stimuli[0].sha256]
    for text in [*run.warnings, *digests, run.stimuli[0].source, run.stimuli[0].licence]:
        assert text in page.text


def test_summary_counts_the_verdicts_and_says_what_inconclusive_is_not(tmp_path: Path) -> None:
    run = typical_run()
    page = page_of(run, tmp_path)
    tally = page.all("ul", "tally")[0].all("li")
    counted = {li.attributes["class"]: int(li.all("b")[0].text) for li in tally}
    assert counted == {v.value: [said.verdict for said in run.verdicts].count(v) for v in Verdict}
    alone = sum(said.only_alone for said in run.verdicts)
    assert alone
    assert f"{alone} of the inconclusive are detected alone, not after adjustment." in page.text
    assert "inconclusive is not “unbiased”" in page.text
    inconclusive = [s for s, said in zip(page.all("details", "measurement"), run.verdicts, strict=True)
                    if said.verdict is Verdict.INCONCLUSIVE]  # fmt: skip
    assert all("This does not say that the model is unbiased." in s.text for s in inconclusive)


def test_page_is_accessible_and_self_contained(tmp_path: Path) -> None:
    page = page_of(typical_run(), tmp_path)
    elements = page.walk()
    ids = [e.attributes["id"] for e in elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    for element in elements:
        assert not element.attributes.keys() & {"src", "srcset", "action", "data", "style"}, element.tag
        assert not [name for name in element.attributes if name.startswith("on")]
        if "href" in element.attributes:
            assert str(element.attributes["href"]).removeprefix("#") in ids
        if "aria-labelledby" in element.attributes:
            assert element.attributes["aria-labelledby"] in ids
    assert all(th.attributes.get("scope") in {"row", "col"} for th in page.all("th"))
    assert all(t.all("caption") for t in page.all("table"))
    assert all(f.attributes.get("aria-label") and f.all("figcaption") for f in page.all("figure"))
    policy = next(m.attributes["content"] for m in page.all("meta") if "http-equiv" in m.attributes)
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "script-src 'unsafe-inline'" not in policy


def test_long_item_tables_show_both_ends_and_hold_all_rows(tmp_path: Path) -> None:
    run = run_of(measurement(items=random_items(np.random.default_rng(0), 500)))
    tables = page_of(run, tmp_path).all("table", "items")
    ends, whole = ([r.children[0].text for r in t.all("tbody")[0].all("tr")] for t in tables)
    by_value = run[0].items_frame().sort_values("value", ascending=False)["item"].tolist()
    assert whole == by_value
    assert ends == [*by_value[:5], "⋮", *by_value[-5:]]


@pytest.mark.parametrize(
    ("items", "told"),
    [
        (table([]), "This measurement has no item table."),
        (table([("a", "X", None), ("b", "Y", math.nan)]), "–"),
        (
            table([("a", "X", 1.0), ("b", "Y", None), ("c", "Y", math.inf)]),
            "2 without a finite value not drawn",
        ),
        (table([("same", "X", 1.0)] * 3, {"list": [[1], [], [2]]}), "same"),
    ],
)
def test_unusual_item_tables(items: Any, told: str, tmp_path: Path) -> None:
    assert told in page_of(run_of(measurement(items=items)), tmp_path).all("details", "measurement")[0].text


def test_what_cannot_be_estimated_is_said_and_not_drawn(tmp_path: Path) -> None:
    lost = (LostWord(word="x", role="Y", reason="out of vocabulary"),)
    nothing = measurement(value=None, p=None, verdict=Verdict.INCONCLUSIVE, items=table([]), lost=lost)
    page = page_of(run_of(nothing), tmp_path)
    assert not page.all("figure")
    assert "The effect size d could not be estimated." in page.text
    assert "1 of the 1 measurements could not be estimated" in page.text
    page = page_of(run_of(nothing, measurement(test="it/other")), tmp_path / "both")
    assert "1 not estimable and so not drawn." in page.all("figure")[0].text


def test_empty_run(tmp_path: Path) -> None:
    page = page_of(run_of(models=(), stimuli=(), audit={}), tmp_path)
    assert "This run holds no measurements." in page.text
    assert "without an audit" in page.text


def test_two_hundred_measurements(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    made = [
        measurement(test=f"t{i // 2}", title=f"Test {i // 2}", model=f"m{i % 2}", items=random_items(rng, 64))
        for i in range(200)
    ]
    path = write_report(run_of(*made), tmp_path / "report.html")
    assert path.stat().st_size < 12_000_000
    page = Tree(path.read_text(encoding="utf-8")).root
    assert len(page.all("details", "measurement")) == 200
    assert len(page.all("figure")) == 201


def test_units_and_variants_have_their_own_forest_plot(tmp_path: Path) -> None:
    run = run_of(
        measurement(),
        measurement(variant="token level"),
        measurement(name="stereotype rate", unit="share"),
        measurement(model="other"),
    )
    names = [p.name for p in write_charts(run, tmp_path, ("svg",)) if p.name.startswith("forest")]
    assert names == [
        "forest-01-weat-effect-size-d.svg",
        "forest-02-weat-token-level-effect-size-d.svg",
        "forest-03-weat-stereotype-rate.svg",
    ]


def test_charts_are_svg_and_png_of_the_specifications_on_the_page(tmp_path: Path) -> None:
    run = run_of(measurement(), measurement(items=random_items(np.random.default_rng(2), 300)))
    paths = write_charts(run, tmp_path / "new" / "folder")
    page = page_of(run, tmp_path)
    names = [d.attributes["data-name"] for d in page.all("div", "chart")]
    assert [p.stem for p in paths] == [name for name in names for _ in range(2)]
    for path in paths:
        content = path.read_bytes()
        if path.suffix == ".png":
            assert content.startswith(b"\x89PNG\r\n\x1a\n")
            width = int.from_bytes(content[16:20], "big")
            assert width == 3 * 720
        else:
            root = ElementTree.fromstring(content)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert float(root.attrib["width"]) == 720
    marks = ElementTree.parse(paths[2]).iter("{http://www.w3.org/2000/svg}path")
    assert sum("Item: word" in mark.get("aria-label", "") for mark in marks) == 16


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    run = hostile_run()
    page = page_of(run, tmp_path)
    assert page.all("title")[0].text == squeezed(f"{run.title} – biascore report")
    assert not [e for e in page.walk() if e.tag in {"img", "svg", "textarea", "b-", "iframe"}]
    executed = [s for s in page.all("script") if s.attributes.get("type") != "application/json"]
    assert len(executed) == 2
    assert {s.attributes["id"] for s in page.all("script") if s not in executed} == {
        d.attributes["data-spec"] for d in page.all("div", "chart")
    }
    for section in page.all("details", "measurement")[: len(HOSTILE)]:
        for text in HOSTILE:
            assert section.text.count(squeezed(text)) >= 6  # item, group, column, lost, warning, convention
    two = run.model_copy(update={"measurements": (run[0], *run[len(HOSTILE) :])})
    for path in write_charts(two, tmp_path / "charts", ("svg",)):
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}
        assert tags <= {"svg", "g", "path", "rect", "line", "text", "tspan", "defs", "clipPath"}


@pytest.mark.parametrize("count", [12, 120])
def test_no_text_of_the_user_enters_an_expression(count: int) -> None:
    """Vega-Lite writes titles of axes and domains of colours into expressions: these must be fixed texts."""
    mark = "ZZ-user-text-ZZ"
    ends: dict[str, list[Any]] = {"ci_low": [0.0] * count, "ci_high": [9.0] * count}
    items = table([(f"{mark}{i}", f"{mark}{i % 2}", i / 10) for i in range(count)], ends)
    texts: dict[str, Any] = dict.fromkeys(("test", "title", "metric", "variant", "name", "unit"), mark)
    texts["items"] = items
    run = run_of(measurement(model=f"{mark}1", **texts), measurement(model=f"{mark}2", **texts))
    charts = charts_of(run)
    assert len(charts) == 3
    for chart in charts:
        alt.LayerChart.from_dict(chart.spec)  # raises where the specification breaks the Vega-Lite schema
        compiled = vl_convert.vegalite_to_vega(chart.spec, vl_version=vega_lite_version())
        places = {key for key, text in leaves(compiled) if mark in text}
        data = {
            f"data.values.{name}" for name in ("label", "test", "model", "method", "series", "item", "group")
        }
        assert {"description"} < places <= {"description", "title.text", *data}, chart.name


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a specification, with the keys on the way to it."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from leaves(entry, f"{key}.{name}".strip("."))
    elif isinstance(value, list):
        for entry in value:
            yield from leaves(entry, key)


def test_audit_on_the_page_is_toml_that_reads_back(tmp_path: Path) -> None:
    run = hostile_run()
    page = page_of(run, tmp_path)
    shown = "".join(part for part in page.all("pre")[1].all("code")[0].own_text)
    given = Audit.model_validate(run.provenance.audit)
    assert Audit.model_validate(tomllib.loads(shown)).model_dump() == given.model_dump()


def test_audit_that_toml_cannot_hold_is_shown_as_such(tmp_path: Path) -> None:
    page = page_of(
        run_of(
            measurement(),
            audit={
                "models": [{"ref": "a:b"}],
                "measurements": [{"metric": "weat", "tests": ["it/*"], "options": {"layer": None}}],
            },
        ),
        tmp_path,
    )
    assert "it holds values that a file cannot" in page.text
    assert '{"layer": null}' in page.text


def test_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_report(typical_run(), tmp_path / "a.html").read_bytes()
    assert first == write_report(typical_run(), tmp_path / "b.html").read_bytes()


def test_existing_files_are_kept_unless_told_otherwise(tmp_path: Path) -> None:
    run, path = run_of(measurement()), tmp_path / "report.html"
    path.write_text("precious")
    with pytest.raises(RunError, match=r"report\.html exists already.*overwrite"):
        write_report(run, path)
    with pytest.raises(RunError, match=r"report\.html was not written by biascore"):
        write_report(run, path, overwrite=True)
    assert path.read_text() == "precious"
    own = tmp_path / "own.html"
    for overwrite in (False, True):
        assert write_report(run, own, overwrite=overwrite) == own
    assert own.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_charts_replace_charts_and_nothing_else(tmp_path: Path) -> None:
    run = run_of(measurement())
    drawn = write_charts(run, tmp_path)
    assert {path.suffix for path in drawn} == {".svg", ".png"}
    with pytest.raises(RunError, match="exists already"):
        write_charts(run, tmp_path)
    assert write_charts(run, tmp_path, overwrite=True) == drawn
    for path in drawn[:2]:
        content = path.read_bytes()
        path.write_text("precious")
        with pytest.raises(RunError, match=f"{path.name} was not written by biascore"):
            write_charts(run, tmp_path, overwrite=True)
        assert path.read_text() == "precious"
        path.write_bytes(content)
    assert [p for p in tmp_path.iterdir() if p not in drawn] == []


def test_a_folder_and_an_unknown_format_are_refused(tmp_path: Path) -> None:
    run = run_of(measurement())
    with pytest.raises(RunError, match="is a folder"):
        write_report(run, tmp_path, overwrite=True)
    with pytest.raises(RunError, match=r"'jpeg'.*svg, png"):
        write_charts(run, tmp_path / "charts", ("svg", "jpeg"))  # type: ignore[arg-type]  # what is tested
    assert not (tmp_path / "charts").exists()


def test_failed_write_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_report(run_of(measurement()), tmp_path / "report.html")
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match="No space left"):
        write_report(run_of(measurement()), path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert path.read_bytes() == before


@pytest.mark.parametrize("module", ["altair", "jinja2", "vl_convert"])
def test_missing_extra_is_named(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for write in (write_report, write_charts):
        with pytest.raises(MissingExtraError, match=r"pip install .*\[report\]'"):
            write(run_of(measurement()), tmp_path / "r")


def test_importing_the_package_needs_no_extra() -> None:
    code = "import sys, biascore.report; print({'altair', 'jinja2', 'vl_convert'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_models_with_equal_tests_share_a_row_and_repeats_get_their_own(tmp_path: Path) -> None:
    run = run_of(measurement(), measurement(), measurement(model="other"), models=(model_used(),))
    svg = next(p for p in write_charts(run, tmp_path, ("svg",)) if p.name.startswith("forest"))
    marks = list(ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}g"))
    assert sum("role-legend-symbol" in g.get("class", "") for g in marks) == 2  # one legend, of two models
    labels = ["".join(e.itertext()) for e in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert sum(label.startswith("WEAT 6: male and female") for label in labels) == 2

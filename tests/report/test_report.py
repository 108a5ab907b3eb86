"""Every part of a run is on the page, in order, for everyone, and nothing of it is executed."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from biascore.audits.audit import Audit
from biascore.basics.wording import true_minus
from biascore.report import write_charts, write_report
from biascore.results.coverage import LostWord
from biascore.results.estimates import Estimate
from biascore.results.run import Run
from biascore.results.verdicts import Role, State
from biascore.stats.verdict import Verdict

from ..builders.runs import HOSTILE, hostile_run, measurement, random_items, run_of, table, typical_run
from .pages import Element, Tree, assert_data_is_used, page_of, squeezed, tables_of

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


@pytest.fixture(scope="module")
def typical(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Element]:
    """A run and its page."""
    run = typical_run()
    return run, page_of(run, tmp_path_factory.mktemp("typical"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Element]:
    """A run of texts that would act on a page, and its page."""
    run = hostile_run()
    return run, page_of(run, tmp_path_factory.mktemp("hostile"))


def test_every_part_of_a_run_is_on_the_page(typical: tuple[Run, Element]) -> None:
    run, page = typical
    headings = [h.text for h in page.all("h2")]
    assert headings[:3] == ["The answer", "In three sentences", "What was not tested"]
    assert headings[3:5] == ["Every test", "Effects"]
    assert headings[5:] == ["Results", "Measurements", "Models", "Stimuli", "Provenance", "Cite and repeat"]
    assert page.all("h1")[0].text == run.title
    assert "2026-01-01 00:00 UTC" in page.all("details", "words")[0].text
    assert "2026-01-01" in page.all("p", "about")[0].text

    sections = page.all("details", "measurement")
    rows = page.all("table", "results")[0].all("tr", "row")
    assert len(sections) == len(rows) == len(run)
    for m, said, section, row in zip(run, run.verdicts, sections, rows, strict=True):
        cells = [cell.text for cell in row.children]
        assert cells[0] == f"{m.titled}{m.test}"
        assert cells[1] == m.model
        assert cells[3].startswith(true_minus(m.headline.texts().value))
        assert cells[7].startswith(State.of(m, said).value + said.note)
        assert (f"{len(m.coverage.lost)} lost" in cells[4]) is bool(m.coverage.lost)
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


def test_summary_counts_the_verdicts_and_says_what_inconclusive_is_not(typical: tuple[Run, Element]) -> None:
    run, page = typical
    found = page.all("table", "answers")[0].all("tbody")[0].all("tr")
    assert [row.all("td")[-1].text for row in found] == [
        f"{a.state.value}{a.evidence if a.counts.measurements > 1 else ''}"
        for a in run.answers
        if a.role is Role.FINDING
    ]
    assert [line.text for line in page.all("p", "result")] == list(run.result_lines)
    assert any(said.hint for said in run.verdicts)
    assert "Hint: may be luck among many tests" in page.text
    assert "No rule set" in page.text
    assert "Inconclusive does not mean unbiased" in page.text
    inconclusive = [s for s, said in zip(page.all("details", "measurement"), run.verdicts, strict=True)
                    if said.verdict is Verdict.INCONCLUSIVE]  # fmt: skip
    assert all("This does not say that the model is unbiased." in s.text for s in inconclusive)


def test_page_is_accessible_and_self_contained(typical: tuple[Run, Element]) -> None:
    _, page = typical
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
    page = page_of(run, tmp_path)
    (shown,), (later,) = page.all("table", "items"), tables_of(page).values()
    ends = [row.children[0].text for row in shown.all("tbody")[0].all("tr")]
    whole = [row[0] for row in later["rows"]]
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
    nothing = measurement(value=None, p=None, verdict=Verdict.NOT_MEASURED, items=table([]), lost=lost)
    page = page_of(run_of(nothing), tmp_path)
    assert not page.all("figure")
    assert "The effect size d was not measured." in page.text
    assert [line.text for line in page.all("p", "result")] == ["Nothing was measured."]
    assert nothing.reason in page.all("table", "rows")[0].text
    page = page_of(run_of(nothing, *(measurement(test=f"it/{i}") for i in range(3))), tmp_path / "both")
    assert "1 not estimable and so not drawn." in page.all("figure")[0].text


def test_empty_run(tmp_path: Path) -> None:
    page = page_of(run_of(models=(), stimuli=(), audit={}), tmp_path)
    assert "This run holds no measurements." in page.text
    assert "without an audit" in page.text


@pytest.mark.slow
def test_two_hundred_measurements(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    made = [
        measurement(test=f"t{i // 2}", title=f"Test {i // 2}", model=f"m{i % 2}", items=random_items(rng, 64))
        for i in range(200)
    ]
    path = write_report(run_of(*made), tmp_path / "report.html")
    assert path.stat().st_size < 8_000_000
    page = Tree(path.read_text(encoding="utf-8")).root
    assert len(page.all("details", "measurement")) == 200
    assert len(page.all("template")) == 200  # whose content is packed, 20 together
    assert len(page.all("figure")) == 1


def test_hostile_texts_stay_texts(hostile: tuple[Run, Element], tmp_path: Path) -> None:
    run, page = hostile
    assert page.all("title")[0].text == squeezed(f"{run.title} – biascore report")
    assert not [e for e in page.walk() if e.tag in {"img", "textarea", "b-", "iframe"}]
    assert all({"lane", "axis", "tally"} & set(e.classes) for e in page.all("svg"))
    executed = [s for s in page.all("script") if s.attributes.get("type") != "application/json"]
    assert len(executed) == 1
    assert_data_is_used(page)
    for section in page.all("details", "measurement")[: len(HOSTILE)]:
        for text in HOSTILE:
            assert section.text.count(squeezed(text)) >= 6  # item, group, column, lost, warning, convention
    two = run.model_copy(update={"measurements": (run[0], *run[len(HOSTILE) :])})
    for path in write_charts(two, tmp_path / "charts", ("svg",)):
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}
        assert tags <= {"svg", "g", "path", "rect", "line", "text", "tspan", "defs", "clipPath"}


def test_audit_on_the_page_is_toml_that_reads_back(hostile: tuple[Run, Element]) -> None:
    run, page = hostile
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


def test_the_estimate_to_read_first_stands_before_the_headline_everywhere(tmp_path: Path) -> None:
    names = {
        "raw rate f_s": (0.3, 0.0),
        "raw level f_m": (0.9, 0.5),
        "rate f_s": (0.3, 0.0),
        "level f_m": (0.89, 0.5),
    }
    estimates = tuple(
        Estimate(name=name, value=value, unit="share", neutral=neutral, n={})
        for name, (value, neutral) in names.items()
    )
    made = measurement().model_copy(update={"estimates": estimates, "read_first": "raw level f_m"})
    page = page_of(run_of(made), tmp_path)
    section = page.all("details", "measurement")[0]
    read = section.all("p", "reading")[0].text
    assert read.index("raw level f_m is 0.90; 0.5 is no bias") < read.index("raw rate f_s is 0.30")
    row = page.all("table", "rows")[0].all("tbody")[0].text
    assert row.index("raw level f_m = 0.90, where 0.5 is no bias") < row.index("+0.30")
    effect = page.all("table", "answers")[0].text
    assert effect.index("raw level f_m = 0.90") < effect.index("raw rate f_s")
    assert [cell.text for cell in page.all("table", "map")[0].all("a", "cell")] == ["0.90", "0.30"]
    rows = [row.all("th")[0].text for row in section.all("table", "estimates")[0].all("tbody")[0].all("tr")]
    assert rows == ["raw level f_m", "raw rate f_s", "rate f_s", "level f_m"]

"""The first screen of the page: a sentence, a bar of states, a row with a picture for every ground, three boxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from biascore.basics.progress import Advance
from biascore.report import write_report
from biascore.results.estimates import Equivalence
from biascore.results.failure import Failure
from biascore.results.gates import GateCheck, GateOutcome, GateResult
from biascore.results.measurement import Measurement
from biascore.results.rows import Axis, Mark, Row
from biascore.results.words.result import check_sums
from biascore.terminal.pictures import DRAWN

from ..builders.runs import decided, model_used, run_of

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

import itertools

from biascore.report.lanes import panels, scale_of
from biascore.report.parts import PARTS

from .pages import page_of

TEMPLATES = Path(__file__).parents[2] / "biascore" / "report" / "templates"
RULE = re.compile(r"(?P<of>[^{};]+)::before\s*\{[^}]*content: \"(?P<sign>[^\"]+)\"")


def d(p: float | None, concept: str = "gender", **parts: Any) -> Measurement:
    return decided(p, concept=concept, **{"test": f"en/{concept}", **parts})


def failure(model: str, test: str = "en/lost") -> Failure:
    return Failure(
        metric="weat", test=test, model=model, kind="opening", error="ModelError", message="no such file"
    )


def test_a_ground_is_a_row_with_its_picture_its_state_and_a_link(tmp_path: Path) -> None:
    run = run_of(d(1e-6), d(0.9, test="en/other"), d(0.9, "race", ends=(-0.3, 0.9)))
    page = page_of(run, tmp_path)
    assert page.all("p", "result")[0].text == "Bias on 1 of 2 grounds: gender."
    bar = page.all("svg", "tally")[0]
    assert (bar.attributes["role"], bar.attributes["aria-label"]) == (
        "img",
        "3 tests: 1 detected, 2 inconclusive",
    )
    gender, race = page.all("table", "rows")[0].all("tbody")[0].all("tr")
    assert gender.all("a")[0].attributes["href"] == "#m1"
    assert [cell.text for cell in gender.all("td")[1:3]] == ["+0.50+0.10 to +0.90", "detected1 of 2 tests"]
    lane = gender.all("svg", "lane")[0]
    assert lane.attributes["role"] == "img"
    assert lane.attributes["aria-label"] == (
        "gender: d +0.50, interval +0.10 to +0.90, detected; 1 other test at 0.5; no bias is 0"
    )
    assert len(lane.all("circle", "other")) == 1
    assert "could go either way" in race.text
    assert "inconclusive" in race.text
    not_decided, make, steps = (box.text for box in page.all("div", "boxes")[0].all("div")[1:])
    assert "Not decided: 2 of 3 tests All of race; 1 of 2 of gender." in not_decided
    assert "Inconclusive does not mean unbiased." in not_decided
    assert make.startswith("How much to make of it Of 3 measurements fewer than one would look significant")
    assert "See what is behind the strongest detected effect (gender)." in steps


def test_what_is_drawn_lies_where_its_scale_says() -> None:
    axis = Axis(name="score", unit="%", neutral=50.0, bound=5.0, limits=(0.0, 100.0))
    mark = Mark(number=0, test="t", state="detected", value=60.0, low=52.0, high=68.0)
    row = Row(model="m", name="n", says="", state="detected", axis=axis, lead=mark, link=0)
    ((scale, ((_, lane),)),) = [(panel.scale, panel.rows) for panel in panels([row])]
    assert scale is not None
    assert lane is not None
    assert (scale.at(scale.low), scale.at(scale.high)) == (0.0, 100.0)
    assert scale.low < 45 < 68 < scale.high
    assert lane.lead.at == scale.at(60.0)
    assert lane.bound == (scale.at(45.0), scale.at(55.0))
    assert [tick.text for tick in scale.ticks if tick.what == "no bias"] == ["50"]
    assert scale.label == "score (%)"


@pytest.mark.parametrize("most", [5, 9])
@pytest.mark.parametrize("width", [1e-6, 0.03, 0.4, 3.0, 250.0])
@pytest.mark.parametrize("neutral", [None, 0.0, 50.0])
def test_labels_of_an_axis_have_room(most: int, width: float, neutral: float | None) -> None:
    axis = Axis(name="x", unit="u", neutral=neutral, bound=width / 9)
    middle = neutral or 0.0
    mark = Mark(
        number=0, test="t", state="hint", value=middle + width, low=middle - width, high=middle + 2 * width
    )
    row = Row(model="m", name="n", says="", state="hint", axis=axis, lead=mark)
    places = [tick.at for tick in scale_of([row], most).ticks]
    assert places
    assert all(later - one >= 100 / most - 0.1 for one, later in itertools.pairwise(places))


def test_each_unit_has_an_axis_of_its_own(tmp_path: Path) -> None:
    other = d(0.9, "race")
    share = other.headline.model_copy(update={"unit": "%", "name": "score", "neutral": 50.0})
    page = page_of(run_of(d(1e-6), other.model_copy(update={"estimates": (share,)})), tmp_path)
    heads = [head.all("th", "of")[0].text for head in page.all("table", "rows")[0].all("thead")]
    assert [head.split()[0] for head in heads] == ["d", "score"]
    assert "no bias" in heads[1]


def test_a_distance_shows_what_chance_gives_and_that_0_is_no_difference(tmp_path: Path) -> None:
    made = d(1e-6)
    distance = made.headline.model_copy(update={"chance": 0.3})
    page = page_of(run_of(made.model_copy(update={"estimates": (distance,)})), tmp_path)
    table = page.all("table", "rows")[0]
    assert "by chance" in table.all("thead")[0].text
    assert "no difference" in table.all("thead")[0].text
    assert "no bias" not in table.text
    assert table.all("line", "chance")
    assert "chance alone gives 0.30 on average" in table.all("tbody")[0].text


@pytest.mark.parametrize(("models", "layout"), [(1, "rows"), (2, "columns"), (4, "columns"), (5, "matrix")])
def test_failed_models_and_tests_have_rows(models: int, layout: str, tmp_path: Path) -> None:
    some = [d(1e-6 if number else 0.9, model=f"m{number}") for number in range(models)]
    run = run_of(*some).model_copy(update={"failed": (failure("m0"), failure("m0", "en/gone"))})
    if models > 1:
        run = run.model_copy(update={"failed": (*run.failed, failure("down"))})
    page = page_of(run, tmp_path)
    first = page.all("section", "answer")[0]
    if models == 4:  # the lost model is the fifth
        layout = "matrix"
    table = first.all("table", "matrix" if layout == "matrix" else "rows")[0]
    told = " ".join(one.text for one in first.all("table", "matrix" if layout == "matrix" else "rows"))
    assert ("columns" in table.classes) is (layout == "columns")
    assert "en/lost, en/gone" in told
    assert "no such file" in told
    assert ("down" in told) is (models > 1)
    if layout == "matrix":
        assert [row.all("th")[0].text.split("failed")[0] for row in table.all("tbody")[0].all("tr")] == [
            *(f"m{number}" for number in range(models)),
            "down",
        ]
    results = page.all("table", "results")[0]
    assert sum("failed" in row.text for row in results.all("tr", "row")) == len(run.failed)
    assert f"{len(run.failed)} failed" in first.all("div", "boxes")[0].text


@pytest.mark.parametrize(
    ("made", "known", "told"),
    [
        (d(0.9), {"m": {"en/gender": 0.8}}, "A bias of 0.80 was missed"),
        (d(1e-6), {"m": {"en/gender": 0.0}}, "a false alarm"),
        (d(0.9, "baseline"), {}, "Harmless associations that most models have (m): detected in 0 of 1"),
    ],
)
def test_a_failed_check_is_red_and_first(
    made: Measurement, known: dict[str, dict[str, float]], told: str, tmp_path: Path
) -> None:
    own = d(1e-6, model="own")
    page = page_of(run_of(made, own, models=[model_used("m", known.get("m")), model_used("own")]), tmp_path)
    sentences = [
        p for p in page.all("section", "answer")[0].all("p") if {"failed", "result"} & set(p.classes)
    ]
    assert told in sentences[0].text
    assert "failed" in sentences[0].classes
    assert page.all("a", "missed")[0].attributes["href"] == "#checks"
    assert told in page.all("table", "checks")[0].all("tr", "missed")[0].text
    assert "m" not in [row.all("td")[0].text for row in page.all("table", "map")[0].all("tbody")]


def test_only_controls_have_no_result(tmp_path: Path) -> None:
    page = page_of(run_of(d(1e-6), models=[model_used("m", {"en/gender": 0.8})]), tmp_path)
    assert [p.text for p in page.all("p", "result")] == ["Only control models were measured."]
    assert not page.all("table", "map")
    assert not page.all("svg", "tally")
    assert len(page.all("table", "checks")) == 1


def test_gates_are_a_table_with_failures_first_and_linked(tmp_path: Path) -> None:
    run = run_of(d(0.9, "race"), d(1e-6), d(0.9, "age"))

    def check(test: str, held: GateOutcome, **more: Any) -> GateCheck:
        plain = {
            "metric": "made",
            "variant": "",
            "subject": "",
            "model": "m",
            "criterion": "fail_on detected",
        }
        return GateCheck(**{**plain, "test": test, "held": held, "reason": f"of {test}", **more})

    checks = (
        check("en/race", GateOutcome.UNDECIDED),
        check("en/gender", GateOutcome.FAILS),
        check("en/age", GateOutcome.HOLDS),
        check("en/lost", GateOutcome.NOT_MEASURED, measured=False),
    )
    fine = GateResult(name="fine", criteria=("x",), inconclusive="warn", checks=(checks[2],))
    gate = GateResult(name="release", criteria=("x",), inconclusive="warn", checks=checks)
    page = page_of(run.model_copy(update={"gates": (fine, gate)}), tmp_path)
    part = page.all("section", "gates")[0]
    assert [title.text for title in part.all("h3")] == ["“release”: failed", "“fine”: passed"]
    table = part.all("table", "gate")[0]
    rows = [row for body in table.all("tbody") for row in body.all("tr")]
    assert [row.all("th")[0].text for row in rows] == ["made en/gender on m", "made en/lost on m"]
    assert rows[0].all("a")[0].attributes["href"] == "#m2"
    assert rows[0].all("svg", "lane")
    assert not rows[1].all("a")
    folded = [one.all("summary")[0].text for one in part.all("details")]
    assert folded == ["1 inconclusive, passed", "1 holds", "1 holds"]
    assert "Not decided counts as passed, with a warning" in part.text


def test_option_sets_and_other_tests_are_told_in_the_row(tmp_path: Path) -> None:
    run = run_of(d(0.9, ends=(-0.3, 0.9)), d(1e-6, variant="token level"))
    row = page_of(run, tmp_path).all("table", "rows")[0].all("tbody")[0].text
    assert "en/gender has 2 option sets and counts once, by the first; they disagree" in row


def test_the_page_can_be_used_without_a_mouse(tmp_path: Path) -> None:
    page = page_of(run_of(d(1e-6)), tmp_path)
    skip = page.all("a", "skip")[0]
    assert skip.attributes["href"] == "#main"
    assert page.all("main")[0].attributes["id"] == "main"
    assert all(one.text for one in page.all("summary"))
    assert all(
        svg.attributes.get("aria-label") or svg.attributes.get("aria-hidden") for svg in page.all("svg")
    )
    labels = [e.attributes["aria-label"] for e in page.walk() if e.attributes.get("role") == "region"]
    assert len(labels) == len(set(labels))


def test_the_key_names_a_band_only_where_there_is_a_bound(tmp_path: Path) -> None:
    one = d(1e-6)
    bounded = one.model_copy(update={"equivalence": Equivalence(bound=0.2, of=one.headline.name)})
    for number, measured in enumerate((bounded, one.model_copy(update={"equivalence": None}))):
        (tmp_path / str(number)).mkdir()
        (key,) = page_of(run_of(measured), tmp_path / str(number)).all("p", "rows-key")
        assert ("Grey band" in key.text) is (number == 0)


def test_how_many_harmless_associations_were_found_is_said(tmp_path: Path) -> None:
    run = run_of(d(1e-6), d(1e-6, "baseline"), d(0.9, "baseline", test="en/other"))
    assert "harmless associations found 1/2" in page_of(run, tmp_path).text


def test_signs_of_the_page_are_those_of_the_terminal() -> None:
    signs = {name.replace(" ", "-"): sign for name, sign in DRAWN.marks.items()} | {
        "fails": DRAWN.marks["failed"]
    }
    seen = set()
    for style in TEMPLATES.glob("*.css"):
        for rule in RULE.finditer(style.read_text("utf-8")):
            for name in signs.keys() & set(re.findall(r"\.([\w-]+)", rule["of"])):
                assert rule["sign"].strip() == signs[name], (style.name, name)
                seen.add(name)
    assert {"detected", "hint", "negligible", "inconclusive", "failed", "increased", "changed-sign"} <= seen


def test_checks_are_summed_once(tmp_path: Path) -> None:
    run = run_of(
        d(1e-6, model="known"), d(0.9, model="none"), d(1e-6, "baseline", model="own"), d(1e-6, model="own"),
        models=[model_used("known", {"en/gender": 0.8}), model_used("none", {"en/gender": 0.0}), model_used("own")],
    )  # fmt: skip
    assert check_sums(run.answers) == [
        (True, "known bias found 1/1"),
        (True, "no false alarm in 1"),
        (True, "harmless associations found 1/1"),
    ]
    first = page_of(run, tmp_path).all("section", "answer")[0]
    assert [one.text[2:] for one in first.all("a", "checked")] == [
        told for _, told in check_sums(run.answers)
    ]


class Heard:
    def __init__(self) -> None:
        self.steps: list[int] = []
        self.total = 0

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Advance]:
        assert label == "Writing the report"
        self.total = total
        yield self.steps.append

    def note(self, text: str) -> None:
        raise AssertionError(text)


def test_the_sections_are_heard_as_they_are_written(tmp_path: Path) -> None:
    heard = Heard()
    write_report(run_of(d(1e-6)), tmp_path / "report.html", progress=heard)
    assert sum(heard.steps) == heard.total == len(PARTS)

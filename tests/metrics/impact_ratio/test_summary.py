"""Published summaries against ten tables worked out by hand, and what is asked for, refused and escaped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html.parser import HTMLParser
from statistics import median
from typing import Any, Final, NamedTuple

import pytest

from biascore import Engine
from biascore.errors import OptionsError, RunError
from biascore.exporting.forms import exported
from biascore.results.run import Run
from biascore_metrics.impact_ratio.exporter import ImpactTables, LocalLaw144
from biascore_metrics.impact_ratio.items import OutcomesTest, People, Person

from ...builders.models import model_of
from .test_outcomes import Decides

FACTS: Final = {
    "date": "2026-10-01",
    "distributed": "2026-10-15",
    "source": "applicant tracking",
    "explanation": "applications of 2026, as decided",
}
Rows = Sequence[tuple[str, str, float]]
"""Sex, race and outcome of each person; "" where a category is not stated."""


def people(counts: Mapping[tuple[str, str], tuple[int, int]]) -> Rows:
    """The first so many of each selected."""
    return [(*who, float(i < x)) for who, (x, n) in counts.items() for i in range(n)]


class Case(NamedTuple):
    """``ratios``: by hand; None for one that is left out, "none" where there is no rate to divide by."""

    rows: Rows
    ratios: Mapping[tuple[str, str], Fraction | str | None]
    unknown: tuple[int, int, int]
    options: Mapping[str, Any] = {}


SCORES: Final = [
    ("F", "A", 1.0),
    ("F", "B", 2.0),
    ("M", "A", 2.0),
    ("M", "B", 2.0),
    ("M", "A", 5.0),
    ("F", "B", 6.0),
]
CASES: Final[Mapping[str, Case]] = {
    # F 3/10, M 6/10; A 4/10, B 5/10; (F,A) 1/5, (F,B) 2/5, (M,A) 3/5, (M,B) 3/5.
    "plain": Case(
        people({("F", "A"): (1, 5), ("F", "B"): (2, 5), ("M", "A"): (3, 5), ("M", "B"): (3, 5)}),
        {
            ("sex", "F"): Fraction(1, 2),
            ("sex", "M"): Fraction(1),
            ("race", "A"): Fraction(4, 5),
            ("race", "B"): Fraction(1),
            ("sex × race", "F, A"): Fraction(1, 3),
            ("sex × race", "F, B"): Fraction(2, 3),
            ("sex × race", "M, A"): Fraction(1),
            ("sex × race", "M, B"): Fraction(1),
        },
        (0, 0, 0),
    ),
    # F 6/12, M 4/8: both a half, so both are the highest.
    "two highest": Case(
        people({("F", "A"): (3, 6), ("F", "B"): (3, 6), ("M", "A"): (1, 4), ("M", "B"): (3, 4)}),
        {("sex", "F"): Fraction(1), ("sex", "M"): Fraction(1), ("race", "A"): Fraction(2, 3)},
        (0, 0, 0),
    ),
    "nobody selected": Case(
        people({("F", "A"): (0, 4), ("F", "B"): (0, 3), ("M", "A"): (0, 5), ("M", "B"): (0, 2)}),
        {("sex", "F"): "none", ("sex", "M"): "none", ("race", "B"): "none", ("sex × race", "M, B"): "none"},
        (0, 0, 0),
    ),
    "everybody selected": Case(
        people({("F", "A"): (4, 4), ("F", "B"): (3, 3), ("M", "A"): (5, 5), ("M", "B"): (2, 2)}),
        {("sex", "F"): Fraction(1), ("race", "A"): Fraction(1), ("sex × race", "F, B"): Fraction(1)},
        (0, 0, 0),
    ),
    # Without sex 3, without race 5, without either or both 7 (one has neither). F 4/12, M 6/10; A 6/13, B 4/7.
    "unknown": Case(
        people(
            {("F", "A"): (2, 6), ("F", "B"): (1, 3), ("M", "A"): (3, 5), ("M", "B"): (3, 4)}
            | {("", "A"): (1, 2), ("", ""): (1, 1), ("F", ""): (1, 3), ("M", ""): (0, 1)}
        ),
        {
            ("sex", "F"): Fraction(5, 9),
            ("race", "A"): Fraction(21, 26),
            ("sex × race", "F, A"): Fraction(4, 9),
        },
        (3, 5, 7),
    ),
    # C is 1 of 100, 1 %, and left out, though all of it is selected: the highest is then B, 20/50. A 10/49.
    "below two percent": Case(
        people(
            {
                ("F", "A"): (5, 24),
                ("M", "A"): (5, 25),
                ("F", "B"): (10, 25),
                ("M", "B"): (10, 25),
                ("F", "C"): (1, 1),
            }
        ),
        {
            ("race", "A"): Fraction(25, 49),
            ("race", "B"): Fraction(1),
            ("race", "C"): None,
            ("sex × race", "F, C"): None,
            ("sex × race", "F, A"): Fraction(25, 48),
        },
        (0, 0, 0),
        {"leave_out_below": 0.02},
    ),
    # C is 2 of 100: not below 2 %, so it stays, and it is the highest.
    "two percent": Case(
        people(
            {
                ("F", "A"): (5, 24),
                ("M", "A"): (5, 24),
                ("F", "B"): (10, 25),
                ("M", "B"): (10, 25),
                ("F", "C"): (2, 2),
            }
        ),
        {("race", "A"): Fraction(5, 24), ("race", "B"): Fraction(2, 5), ("race", "C"): Fraction(1)},
        (0, 0, 0),
        {"leave_out_below": 0.02},
    ),
    # One race alone: it is the highest of its table.
    "one category, none of another selected": Case(
        people({("F", "A"): (0, 6), ("M", "A"): (3, 5), ("M", ""): (1, 1)}),
        {
            ("sex", "F"): Fraction(0),
            ("sex", "M"): Fraction(1),
            ("race", "A"): Fraction(1),
            ("sex × race", "F, A"): Fraction(0),
        },
        (0, 1, 1),
    ),
    # Median of 1, 2, 2, 2, 5, 6 is 2: three score it and are not above. F 1/3, M 1/3; A 1/3, B 1/3.
    "scores at the median": Case(
        SCORES,
        {
            ("sex", "F"): Fraction(1),
            ("race", "A"): Fraction(1),
            ("sex × race", "F, A"): Fraction(0),
            ("sex × race", "F, B"): Fraction(1),
            ("sex × race", "M, A"): Fraction(1),
            ("sex × race", "M, B"): Fraction(0),
        },
        (0, 0, 0),
        {"rate": "scoring"},
    ),
    # The median of all seven, the person without sex among them, is 3; of the six others it would be 2. F 1/3, M 2/3.
    "the median is of all": Case(
        [*SCORES[:3], ("M", "B", 4.0), *SCORES[4:], ("", "B", 3.0)],
        {("sex", "F"): Fraction(1, 2), ("sex", "M"): Fraction(1), ("race", "A"): Fraction(2, 3)},
        (1, 0, 1),
        {"rate": "scoring"},
    ),
}


def measured(engine: Engine, rows: Rows, groups: tuple[str, ...] = ("sex", "race"), **options: Any) -> Run:
    some = tuple(Person(f"p{i}", (sex, race)[: len(groups)]) for i, (sex, race, _) in enumerate(rows))
    test = OutcomesTest(
        id="en/hires",
        kind="outcomes",
        language="en",
        file="hires",
        sha256="0" * 64,
        concept="sex and race",
        people=People("people", some, groups=groups),
    )
    scores = {one.text: row[2] for one, row in zip(some, rows, strict=True)}
    model = model_of(Decides(scores, "score" if options.get("rate") == "scoring" else "selected"))
    return engine.measure("impact-ratio", model, test, draws=100, **options)


def text_of(run: Run, ending: str, **facts: str) -> str:
    form = LocalLaw144()
    form.stated, form.ending = FACTS | facts, ending
    (one,) = form.export(run)
    return one.text


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def counted(rows: Rows, scoring: bool) -> dict[tuple[str, str], tuple[int, int]]:
    """People and those selected of each category, counted again one by one."""
    middle = median(row[2] for row in rows)
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for sex, race, outcome in rows:
        for group, name in (
            ("sex", sex),
            ("race", race),
            ("sex × race", f"{sex}, {race}" if sex and race else ""),
        ):
            if name:
                people, selected = found.get((group, name), (0, 0))
                found[group, name] = people + 1, selected + int(outcome > middle if scoring else outcome == 1)
    return found


@pytest.mark.parametrize("name", CASES)
def test_ten_tables_worked_out_by_hand(engine: Engine, name: str) -> None:
    case = CASES[name]
    run = measured(engine, case.rows, **case.options)
    facts = {"justification": "one person"} if None in case.ratios.values() else {}
    rows = records(text_of(run, ".csv", **facts))
    lines = {(row["group"], row["category"]): row for row in rows if row["row"] != "unknown"}
    again = counted(case.rows, "rate" in case.options)
    assert {key: (int(row["people"]), int(row["selected"])) for key, row in lines.items()} == again
    highest = {
        group: max(
            Fraction(x, n)
            for (g, _), (n, x) in again.items()
            if g == group and case.ratios.get((g, _), 1) is not None
        )
        for group, _ in again
    }
    for key, row in lines.items():
        n, x = again[key]
        assert float(row["rate"]) == pytest.approx(x / n)
        assert float(row["rate_low"]) <= x / n <= float(row["rate_high"])
        by_hand = case.ratios.get(key, Fraction(x, n) / highest[key[0]] if highest[key[0]] else "none")
        assert (row["row"] == "left out") is (by_hand is None)
        if by_hand in (None, "none"):
            assert row["impact_ratio"] == row["ratio_low"] == ""
        else:
            assert float(row["impact_ratio"]) == pytest.approx(float(by_hand))  # type: ignore[arg-type]
            if row["ratio_low"]:
                assert float(row["ratio_low"]) <= float(by_hand) <= float(row["ratio_high"])  # type: ignore[arg-type]
    assert tuple(int(row["people"]) for row in rows if row["row"] == "unknown") == case.unknown
    assert {row["all_people"] for row in rows} == {str(len(case.rows))}
    stated = {str(float(row["median_score"])) if row["median_score"] else "" for row in rows}
    assert stated == {str(float(median(row[2] for row in case.rows))) if "rate" in case.options else ""}


class Cells(HTMLParser):
    """The texts of an HTML page: rows of its tables, and its list of facts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.facts: list[str] = []
        self.tags: list[str] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        self.inside = tag
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag in ("dt", "dd"):
            self.facts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside in ("td", "th"):
            self.rows[-1][-1] += data
        if self.inside in ("dt", "dd"):
            self.facts[-1] += data


def test_page_and_markdown_hold_the_same_numbers(engine: Engine) -> None:
    run = measured(engine, CASES["unknown"].rows)
    page, text = Cells(text_of(run, ".html")), text_of(run, ".md")
    assert next(row for row in page.rows if row[0] == "F")[:4] == ["F", "12", "4", "0.333"]
    assert next(row for row in page.rows if row[0] == "M")[-2:] == ["1.00", "highest rate"]
    assert ["All with a category", "22", "10", "0.455", "", "", ""] in page.rows
    assert [row[1] for row in page.rows if row[0] == "Unknown"] == ["3", "5", "7"]
    told = dict(zip(page.facts[::2], page.facts[1::2], strict=True))
    assert told["Date of the bias audit"] == "2026-10-01"
    assert told["Tool in use since (distribution date)"] == "2026-10-15"
    assert told["Source of the data"] == "applicant tracking"
    assert told["Explanation of the data"] == "applications of 2026, as decided"
    assert told["People"] == "25"
    for row in page.rows:
        if row[0] != "category":
            assert f"| {' | '.join(row)} |" in text
    assert "Local Law 144 sets no threshold" in text
    assert page.tags.count("table") == 3
    assert not re.search(
        r"(src|href)\s*=|url\(|@import|<script", text_of(run, ".html")
    )  # no other file, no address


def test_scores_state_their_median(engine: Engine) -> None:
    text = text_of(measured(engine, SCORES, rate="scoring"), ".md")
    assert "- Median score: 2, of all people (score)" in text
    assert "| sex | people | above the median | scoring rate | 95 % interval |" in text
    nobody = text_of(measured(engine, CASES["nobody selected"].rows), ".md")
    assert re.search(r"\| F \| 7 \| 0 \| 0\.000 \| .* \| none selected \|  \|", nobody)


@pytest.mark.parametrize("missing", list(FACTS))
def test_a_fact_that_is_missing_is_named_and_never_assumed(engine: Engine, missing: str) -> None:
    run = measured(engine, CASES["plain"].rows)
    with pytest.raises(
        OptionsError, match=rf"asks for facts that no run holds, and assumes none: {missing} \("
    ):
        text_of(run, ".md", **{missing: " "})
    with pytest.raises(OptionsError) as error:
        LocalLaw144().export(run)
    assert all(f"{name} (" in str(error.value) for name in FACTS)
    assert "justification" not in str(error.value)


@pytest.mark.parametrize("name", ["date", "distributed"])
def test_dates_are_days(engine: Engine, name: str) -> None:
    with pytest.raises(OptionsError, match=f"{name} is 'last May', which is no day"):
        text_of(measured(engine, CASES["plain"].rows), ".md", **{name: "last May"})


def test_a_ratio_is_left_out_for_a_reason_and_below_two_percent_alone(engine: Engine) -> None:
    run = measured(engine, CASES["below two percent"].rows, leave_out_below=0.02)
    with pytest.raises(OptionsError, match=r"no ratio is shown of 'race: C', .* nothing says why"):
        text_of(run, ".md")
    text = text_of(run, ".md", justification="one person")
    assert "- Why ratios of small categories are left out: one person" in text
    assert re.search(r"\| C \| 1 \| 1 \| 1\.000 \| .* \| left out \|  \|", text)  # number and rate are shown
    with pytest.raises(OptionsError, match="and none is"):
        text_of(measured(engine, CASES["plain"].rows), ".md", justification="one person")
    wide = measured(engine, CASES["two percent"].rows, leave_out_below=0.03)
    with pytest.raises(
        OptionsError, match="race: C is left out, 2 of 100 people, and only a category below 2 %"
    ):
        text_of(wide, ".md", justification="few")


def test_what_is_no_whole_summary_is_refused(engine: Engine) -> None:
    rows = CASES["plain"].rows
    for run in (measured(engine, rows, ("sex",)), measured(engine, rows, intersections=False)):
        with pytest.raises(OptionsError, match="by sex, by race or ethnicity, and by both together"):
            text_of(run, ".md")
    run = measured(engine, rows)
    other = run[0].model_copy(update={"model": "other"})
    with pytest.raises(RunError, match="a summary is about one tool"):
        text_of(run.model_copy(update={"measurements": (run[0], other)}), ".md")
    with pytest.raises(RunError, match="no measurement is of impact-ratio"):
        text_of(engine.measure("weat", "planted:", "en/weat6"), ".md")


def test_what_users_write_is_text(engine: Engine) -> None:
    rows = [("<b>F", "=1+1", 1.0), ("<b>F", "B|C", 0.0), ("M", "=1+1", 1.0), ("M", "B|C", 1.0)]
    run = measured(engine, rows)
    source = {"source": "<script>x</script> | a"}
    page = text_of(run, ".html", **source)
    assert "<script" not in page
    assert "&lt;b&gt;F" in page
    for ending in (".html", ".md", ".csv"):
        facts = FACTS | {"source": "a\u202eb\x1b[31m"}
        (hidden,) = exported(run, "ll144", engine.plugins, facts=facts, ending=ending)
        assert not {"\u202e", "\x1b"} & {*hidden.text}
    assert Cells(page).facts[5] == "<script>x</script> | a"
    text = text_of(run, ".md", **source)
    assert "| B\\|C | 2 |" in text
    assert "<script" not in text
    assert {row["category"] for row in records(text_of(run, ".csv", **source)) if row["group"] == "race"} == {
        *("'=1+1", "B|C", "")
    }


def test_it_has_two_names_and_its_facts_come_by_the_engine(engine: Engine) -> None:
    run = measured(engine, CASES["plain"].rows)
    texts = [
        exported(run, name, engine.plugins, facts=FACTS, ending=".csv")[0].text
        for name in ("impact-tables", "ll144")
    ]
    assert texts[0] == texts[1] == text_of(run, ".csv")
    assert exported(run, "ll144", engine.plugins, facts=FACTS)[0].text == text_of(run, ".md")
    assert "Ranker 3" in exported(run, "ll144", engine.plugins, facts=FACTS | {"tool": "Ranker 3"})[0].text
    with pytest.raises(OptionsError, match=r"no fact 'sourc'. Did you mean source"):
        exported(run, "ll144", engine.plugins, facts={"sourc": "x"})
    with pytest.raises(OptionsError, match=r"md has no fact 'date'. It takes none"):
        exported(run, "md", engine.plugins, facts={"date": "2026-10-01"})
    assert ImpactTables.suffix == ".md"

"""The report says nothing false: how to repeat a run, whose colour is whose, what a line stands for, who disagrees."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from biascore.audits.audit import Audit
from biascore.results.estimates import ConfidenceInterval, Equivalence, Estimate, PValue
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.stats import Adjustment, Verdict

from ..builders.runs import measurement, run_of
from .pages import page_of, squeezed

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

DOCS = Path(__file__).resolve().parents[2] / "docs"


# Repeat.


@pytest.mark.parametrize("file", ["studies/italian.toml", "studies/gest.toml"])
def test_repeat_prints_the_audit_file_that_was_run(file: str, tmp_path: Path) -> None:
    audit = Audit.load(DOCS / file)
    page = page_of(run_of(measurement(), audit=audit.model_dump(mode="json")), tmp_path)
    assert "save the audit below as audit.toml" in squeezed(page.text)
    shown = "".join(page.all("pre")[1].all("code")[0].own_text)
    assert Audit.model_validate(tomllib.loads(shown)).model_dump() == audit.model_dump()
    assert "null" not in shown
    assert f"seed = {audit.seed}\n" in shown  # no thousands separator


def test_what_was_asked_from_python_is_no_audit_file(tmp_path: Path) -> None:
    asked = {
        "metric": "weat",
        "model": "planted:gender=1",
        "tests": ["en/weat6"],
        "options": {"draws": 20_000},
    }
    page = page_of(run_of(measurement(), audit=asked), tmp_path)
    assert "audit.toml" not in page.text
    assert "repeated from Python" in page.text
    assert '"draws": 20000' in page.text


# Colours.


def looks(spec: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """The colour and shape of each series of a forest plot, by the order in which it appears."""
    point = spec["layer"][-1]["encoding"]
    names = list(dict.fromkeys(row["series"] for row in spec["datasets"]["rows"]))
    ranges = [point[channel]["scale"]["range"] for channel in ("fill", "shape")]
    assert all(len(some) == len(names) for some in ranges)
    return dict(zip(names, zip(*ranges, strict=True), strict=True))


def test_a_model_keeps_its_colour_and_shape_from_chart_to_chart() -> None:
    from biascore.report.charts import forest_charts

    a, b, c = ({"model": name} for name in ("a", "b", "c"))
    run = run_of(
        measurement(**a), measurement(**b), measurement(**c),
        measurement(**c, metric="seat"), measurement(**b, metric="seat"), measurement(**c, metric="lpbs"),
    )  # fmt: skip
    first, second, third = (looks(chart.spec) for chart in forest_charts(run))
    assert len(set(first.values())) == 3
    assert second == {name: first[name] for name in ("c", "b")}
    assert third == {"c": first["c"]}


# Lines.


def distance(chance: float | None) -> Measurement:
    made = measurement(name="distance", value=0.27)
    return made.model_copy(
        update={"estimates": (made.headline.model_copy(update={"chance": chance}), *made.estimates[1:])}
    )


def test_a_line_stands_where_chance_puts_a_distance_that_is_never_0(tmp_path: Path) -> None:
    from biascore.report.charts import forest_charts

    (chart,) = forest_charts(run_of(distance(0.21)))
    assert [row["chance"] for row in chart.spec["datasets"]["rows"]] == [0.21]
    assert "neutral" not in chart.spec["datasets"]
    assert "what chance alone gives" in chart.caption
    assert any(layer["encoding"]["x"].get("field") == "chance" for layer in chart.spec["layer"])
    (plain,) = forest_charts(run_of(distance(None)))
    assert plain.spec["datasets"]["neutral"] == [{"value": 0.0}]
    assert "The vertical line at 0 means no bias." in plain.caption


# Test and interval.


def estimate(p: float, ends: tuple[float, float], alternative: Any = "two-sided") -> Estimate:
    two = PValue(name="two-sided", value=min(1.0, 2 * min(p, 1 - p)), kind="exact", alternative="two-sided")
    p_values = (PValue(name="p", value=p, kind="exact", alternative=alternative), two)
    interval = ConfidenceInterval(low=ends[0], high=ends[1], level=0.95, method="made")
    return Estimate(
        name="d", value=sum(ends) / 2, unit="sd", n={"X": 8}, interval=interval, p_values=p_values
    )


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (estimate(0.001, (-1.4, 1.8)), True),
        (estimate(0.2, (0.1, 1.8)), True),
        (estimate(0.001, (0.1, 1.8)), False),
        (estimate(0.2, (-0.1, 1.8)), False),
        (estimate(0.996, (-1.07, -0.29), "greater"), False),  # the reason says that it is the other way
    ],
)
def test_where_test_and_interval_disagree_the_page_says_why(
    one: Estimate, told: bool, tmp_path: Path
) -> None:
    run = run_of(measurement().model_copy(update={"estimates": (one,)}))
    section = page_of(run, tmp_path).all("details", "measurement")[0].text
    assert ("here they disagree" in section) is told


def test_a_part_that_decides_where_the_whole_is_even_is_no_disagreement(tmp_path: Path) -> None:
    """Detected although the headline's interval lies inside the bound: its p is of a part, which the reason names."""
    one = estimate(0.001, (-1.4, 1.8))
    changed = {
        "estimates": (one,),
        "verdict": Verdict.DETECTED,
        "equivalence": Equivalence(bound=2.0, of="d"),
    }
    section = page_of(run_of(measurement().model_copy(update=changed)), tmp_path).all(
        "details", "measurement"
    )[0]
    assert "here they disagree" not in section.text


def test_an_effect_the_other_way_of_a_one_sided_test_is_told_with_its_ends() -> None:
    told = estimate(0.996, (-1.07, -0.29), "greater").opposite(0.05)
    assert told.startswith(
        "the effect points the other way (two-sided p = 0.008, 95 % interval -1.07 to -0.29)"
    )
    assert estimate(0.9, (-1.07, -0.29), "greater").opposite(0.05) == ""
    assert estimate(0.996, (-1.07, -0.29)).opposite(0.05) == ""
    assert estimate(0.004, (0.29, 1.07), "greater").opposite(0.05) == ""


# The definition.


def test_detected_is_defined_for_a_family(tmp_path: Path) -> None:
    run = run_of(measurement(p=0.04), measurement(p=0.9, test="it/other"))
    text = squeezed(page_of(run, tmp_path).text)
    assert "adjustment (Holm, over the measurements on one model) corrects" in text
    assert "The adjusted p is at or below" in text
    plain: Run = run.model_copy(update={"adjustment": Adjustment.NONE})
    told = squeezed(page_of(plain, tmp_path / "plain").text)
    assert "p-values are not adjusted" in told

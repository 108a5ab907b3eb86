"""Bands behind dots: shaded where values reach them, in the picture that asks for them, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from biascore.results.estimates import Estimate
from biascore.results.figures import Band, Dots
from biascore.results.measurement import Measurement
from biascore.results.run import Run

from ..builders.runs import measurement, run_of, table
from .drawings import drawing
from .pages import page_of
from .pictured import bounds

charts = pytest.importorskip("biascore.report.charts")
pytest.importorskip("vl_convert")

BANDS = (
    Band(name="tiny", low=0.0, high=0.01),
    Band(name="modest", low=0.01, high=0.25),
    Band(name="huge", low=0.25, high=1.0),
)


def made(value: float, half: float = 0.02, bands: tuple[Band, ...] = BANDS, model: str = "m") -> Measurement:
    share = Estimate(name="R²", value=value, unit="share", neutral=None, n={}, interval=bounds(value, half))
    figure = Dots(title="Shares", estimates=("R²",), labels=("R²",), bands=bands)
    one = measurement(metric="some", test="en/t", model=model, items=table([]))
    return one.model_copy(update={"estimates": (share,), "figures": (figure,)})


def shades(run: Run) -> list[dict[str, object]]:
    (picture,) = charts.run_pictures(run)
    rows: list[dict[str, object]] = picture.chart.spec["datasets"].get("bands", [])
    return rows


def test_bands_are_shaded_as_far_as_the_values_reach(tmp_path: Path) -> None:
    run = run_of(made(0.02), made(0.1, model="other"), made(0.1, model="third"))
    tiny, modest = shades(run)
    assert (tiny["band"], tiny["start"], tiny["end"]) == ("tiny", 0.0, 0.01)
    assert (modest["band"], modest["start"]) == ("modest", 0.01)
    assert 0.12 < float(str(modest["end"])) < 0.13
    caption = page_of(run, tmp_path).all("section", "across")[0].text
    assert "Shaded: tiny from 0 to 0.01, modest from 0.01 to 0.25, huge from 0.25 to 1." in caption


def test_shades_lie_where_their_limits_are_and_a_legend_names_them() -> None:
    marks = drawing(run_of(made(0.3, 0.3)), "run-01")
    colours = [
        m.attributes["fill"]
        for m in marks
        if m.attributes.get("fill", "").startswith(("#fdf8", "#f9eb", "#f4d9"))
    ]
    assert len(set(colours)) == 3
    assert {"tiny", "modest", "huge"} <= {m.text for m in marks if m.tag == "text"}
    assert sum("Estimate: R²" in m.label for m in marks) == 1


def test_a_value_alone_lies_in_its_band() -> None:
    one = made(0.1)
    alone = one.estimates[0].model_copy(update={"interval": None})
    assert [row["band"] for row in shades(run_of(one.model_copy(update={"estimates": (alone,)})))] == [
        "modest"
    ]


def test_pictures_without_bands_and_their_stored_form_are_as_before() -> None:
    run = run_of(made(0.1, bands=()))
    assert shades(run) == []
    assert "bands" not in json.dumps(run.to_json())
    assert set(run[0].figures[0].model_dump()) == {"kind", "title", "estimates", "labels", "subject"}


def test_bands_come_back_from_their_stored_form() -> None:
    (figure,) = made(0.1).figures
    assert Dots.model_validate_json(figure.model_dump_json()) == figure


def test_other_bands_are_another_picture() -> None:
    assert len(charts.run_pictures(run_of(made(0.1), made(0.1, bands=BANDS[:2])))) == 2


def test_bands_go_from_low_to_high() -> None:
    with pytest.raises(ValidationError, match="must end above its start"):
        Band(name="none", low=0.1, high=0.1)
    with pytest.raises(ValidationError, match="from low to high"):
        made(0.1, bands=BANDS[::-1])

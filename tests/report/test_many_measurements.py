"""A report of many measurements: details packed together, opened one by one, and what draws read once a chart is open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from biascore.results.run import Run

from ..builders.runs import HOSTILE, measurement, run_of
from .browser import CHROMIUM, POLICY, visit
from .pages import packed

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from biascore.report.page import render
from biascore.report.parts.detail import BLOCK, MANY_SECTIONS


def many(count: int = MANY_SECTIONS + 1) -> Run:
    return run_of(*(measurement(test=f"t{i}", title=HOSTILE[i % len(HOSTILE)]) for i in range(count)))


def test_details_of_many_are_packed_together_each_at_its_place() -> None:
    page = render(many())
    blocks = packed(page)
    vega = blocks.pop("vega")
    assert "vegaEmbed" in vega
    assert "vegaEmbed = " not in page
    assert list(blocks) == [f"details-{n}" for n in range(-(-(MANY_SECTIONS + 1) // BLOCK))]
    assert sum(map(len, blocks.values())) == MANY_SECTIONS + 1
    places = re.findall(r'<template data-block="(details-\d+)" data-place="(\d+)">\s*</template>', page)
    for number, (block, place) in enumerate(places):
        body = blocks[block][int(place)]
        assert f"<bdi>t{number}</bdi>" in body
        assert HOSTILE[0] not in body
        assert 'data-packed="gzip"' not in body
    assert len(places) == MANY_SECTIONS + 1


def test_details_of_few_are_on_the_page_itself() -> None:
    page = render(many(MANY_SECTIONS))
    assert list(packed(page)) == ["vega"]
    assert "data-block" not in page


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_packed_measurement_opens_by_its_link_with_its_chart(tmp_path: Path) -> None:
    opening = "<script>addEventListener('load', () => { location.hash = '#m33'; })</script>"
    page = POLICY.sub("", render(many())).replace("</body>", f"{opening}</body>")
    seen = visit(page, tmp_path)
    opened = [
        a["id"]
        for tag, a in seen.page.elements
        if tag == "details" and a.get("class") == "measurement" and "open" in a
    ]
    assert opened == ["m33"]
    assert (
        seen.page.count("div", "drawn") == seen.page.count("div", "chart") == 2
    )  # the forest, and the items
    assert "Uncaught" not in seen.console

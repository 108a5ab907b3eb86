"""A run as Python and a notebook show it: a short frame, HTML without scripts, the page, and a picture."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from biascore import Run
from biascore.errors import UnknownNameError
from biascore.report.notebook import MOST
from biascore.results.caveat import Caveat
from biascore.results.verdicts import State

from ..builders.runs import HOSTILE, decided, hostile_run, measurement, model_used, run_of, typical_run


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def typical() -> Run:
    return typical_run()


def test_the_summary_has_eight_columns_and_the_verdicts_of_the_run(typical: Run) -> None:
    frame = typical.summary()
    assert list(frame.columns) == [
        *("model", "concept", "test", "metric", "effect", "interval", "p_adjusted", "verdict"),
    ]
    assert list(frame["verdict"]) == [
        State.of(*both).value for both in zip(typical, typical.verdicts, strict=True)
    ]
    assert list(frame["effect"]) == [one.headline.value for one in typical]


def test_a_notebook_shows_answers_and_rows_and_runs_nothing(typical: Run) -> None:
    page = Tags(typical._repr_html_())
    assert page.tags.count("svg") == len(typical.answers)  # a row for each ground of each model
    assert page.tags.count("tr") == len(typical) + 1 + len(typical.answers)
    for answer in typical.answers:
        assert answer.text in page.texts
    one = Tags(typical[0]._repr_html_())
    assert one.tags.count("svg") == one.tags.count("tr") == 1
    folded = one.tags[one.tags.index("details") :].count("li")
    assert folded >= len(typical[0].estimates)
    assert one.tags.count("li") - folded <= 1  # all but the headline is folded away
    assert any("ddof = 1" in text for text in one.texts)
    undecided = run_of(
        decided(
            0.4, caveats=(Caveat("few", verdict=False), Caveat("lists differ")), value=-0.25, ends=(-0.9, 0.4)
        ),
        models=[model_used("m")],
    )
    page = Tags(undecided._repr_html_())
    assert {f"caveat: en/weat6, made on m: {one}" for one in ("few", "lists differ")} <= set(page.texts)
    assert page.tags.count("details") == 3
    assert {"\N{MINUS SIGN}0.25 sd", "\N{MINUS SIGN}0.90 to 0.40 (95 %)"} <= set(page.texts)
    one = Tags(undecided[0]._repr_html_())
    assert {"caveat: few", "caveat: lists differ"} <= set(one.texts)
    for shown in (page, one):
        assert any("Inconclusive does not mean unbiased" in text for text in shown.texts)
    html = hostile_run()._repr_html_()
    hostile = Tags(html)
    assert not set(hostile.tags) & {"script", "img", "style", "b><"}
    assert hostile.tags.count("svg") == html.count('<svg role="img" aria-label="')
    assert any(HOSTILE[0] in text for text in hostile.texts)


def test_many_rows_are_counted() -> None:
    run = run_of(*(measurement(test=f"it/weat{number}") for number in range(MOST + 5)))
    page = Tags(run._repr_html_())
    assert page.tags.count("tr") == 1 + MOST + 1  # the ground, and a head
    assert "5 more rows: run.to_frame() has all" in page.texts


@pytest.mark.slow
def test_the_page_and_the_picture_of_a_run(typical: Run, tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="the extra report is not installed")
    pytest.importorskip("vl_convert", reason="the extra report is not installed")
    from biascore.report.vega import draw

    assert typical.report(tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    whole = typical.plot().to_dict(validate=False)
    assert len(whole["vconcat"]) == 2
    assert "config" not in whole["vconcat"][0]
    svg = draw(whole, "svg").decode()
    assert "WEAT 7" in svg
    assert "Minimal pairs" in svg
    assert "vconcat" not in typical.plot("weat").to_dict(validate=False)
    with pytest.raises(UnknownNameError, match="Did you mean weat"):
        typical.plot("waet")

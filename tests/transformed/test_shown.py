"""A model before and after its transforms stands side by side, on the terminal and on the page."""

from __future__ import annotations

import re

import pytest

from biascore import Audit, Engine, Run
from biascore.cli.results import print_run

REF = "planted:gender=1"


@pytest.fixture
def run(made: Engine) -> Run:
    wary = {"name": "wary", "options": {"test": "en/weat1", "parts": 2}}
    audit = Audit.from_parts(
        title="Side by side",
        models=[
            {"name": "es", "ref": REF, "transforms": [wary], "before": True},
            {"name": "it", "ref": "planted:gender=0.5"},
        ],
        measurements=[{"metric": "weat", "tests": ["en/weat7", "en/weat8"], "options": {"resamples": 100}}],
    )
    return made.run(audit)


def test_they_are_neighbours_test_by_test(run: Run) -> None:
    assert [(one.test, one.model) for one in run] == [
        ("en/weat7", "es before"),
        ("en/weat7", "es"),
        ("en/weat8", "es before"),
        ("en/weat8", "es"),
        ("en/weat7", "it"),
        ("en/weat8", "it"),
    ]
    assert run.duplicates == (("es before", "es"),)


def test_the_terminal_tells_what_was_learnt(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    print_run(run)
    out = " ".join(capsys.readouterr().out.split())
    assert "models before and after transforms are counted twice: es before and es." in out
    assert (
        "transform wary of es, sentence level: steps 2, X: words used 25, Y: words used 25, and 2 more" in out
    )
    assert "warning: es, wary (sentence): few words were known" in out


def test_the_page_tells_it(run: Run) -> None:
    pytest.importorskip("altair", reason="needs biascore[report]")
    from biascore.report.page import render

    texts = re.sub(r"</?bdi>", "", render(run))
    page = " ".join(re.sub(r"<[^>]+>", " ", texts).split())
    assert "ran 2 tests on 2 models, 1 of them before and after a transform in" in page
    assert "counted twice: es before and es." in page
    assert "After wary The transform, and what it learnt Fingerprint" in page
    assert "Learnt from en/weat1" in page
    assert "Option parts 2" in page
    assert "steps, sentence level 2" in page
    assert "Warning, sentence level few words were known" in page

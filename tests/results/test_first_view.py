"""The first view of a result on every surface: numbers of one width, the harmless pairs in one form, the rest on demand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biascore.basics.wording import but, figures, true_minus
from biascore.exporting.forms import EXPORTERS
from biascore.results.run import Run
from biascore.results.specificity import Specificity

from ..builders.runs import decided, model_used, run_of

TOLD = "3 of 100 harmless pairs reach it"
FEW = Specificity(share=0.026, pairs=300, groups=25, pool="en/people", kind="people")


@pytest.mark.parametrize("power", range(-6, 5))
@pytest.mark.parametrize("lead", [1.0, 2.89, 9.96])
@pytest.mark.parametrize("middle", [0.0, 0.0018, -0.8, 57.2, 12345.0])
def test_ends_have_the_digits_of_their_width(power: int, lead: float, middle: float) -> None:
    width = lead * 10.0**power
    low, high = middle - width / 2, middle + width / 2
    texts = figures(low, high, middle)
    numbers = [float(text.replace(",", "")) for text in texts]
    assert numbers == pytest.approx([low, high, middle], abs=0.051 * width)
    assert texts[0] != texts[1]
    assert len({len(text.partition(".")[2]) for text in texts}) == 1


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ((0.0004, 0.00329, 0.0018), ("0.0004", "0.0033", "0.0018")),  # of eec, which was told as 0.00 to 0.00
        ((-1.07, -0.29, -0.769), ("-1.07", "-0.29", "-0.77")),
        ((48.0, 66.5, 57.2), ("48.0", "66.5", "57.2")),
        ((1000.0, 21000.0, 12345.0), ("1,000", "21,000", "12,345")),
        ((0.5, 0.5, 0.5), ("0.50", "0.50", "0.50")),
        ((-0.0, 0.0, 0.0), ("0.00", "0.00", "0.00")),
        ((1e-14, 3e-14, 2e-14), ("1.0e-14", "3.0e-14", "2.0e-14")),
        ((float("-inf"), 2.0, 1.0), ("-inf", "2.00", "1.00")),
    ],
)
def test_numbers_that_are_read_together(numbers: tuple[float, ...], texts: tuple[str, ...]) -> None:
    assert figures(*numbers) == texts


def test_two_caveats_are_said() -> None:
    assert but(()) == ""
    assert but(("a", "b")) == "but a, and b"
    assert but(("a", "b", "c", "d")) == "but a, and b, and 2 more, see details"


@pytest.fixture
def run() -> Run:
    """A small effect, detected, with a specificity; and one that is inconclusive, whose specificity no first view tells."""
    small: dict[str, Any] = {"value": -0.0018, "ends": (-0.00329, -0.0004), "specificity": FEW}
    other = FEW.model_copy(update={"share": 0.6})
    return run_of(
        decided(0.001, **small),
        decided(0.9, test="en/weat7", specificity=other),
        models=[model_used("m")],
    )


@pytest.mark.parametrize("form", [one for one in EXPORTERS if one != "cyclonedx"])
def test_every_form_says_how_many_harmless_pairs_reach_it(run: Run, form: str) -> None:
    (one,) = EXPORTERS[form]().export(run)
    if form == "json":
        assert json.loads(one.text)["measurements"][0]["specificity"]["share"] == 0.026
        return
    assert (TOLD if form != "every-eval-ever" else '"specificity": "0.026"') in one.text.replace("\\%", "%")
    assert "60 of 100" not in one.text
    if form in ("md", "model-card"):
        assert f"| detected; {TOLD} |" in one.text
        assert "| \N{MINUS SIGN}0.0018 | \N{MINUS SIGN}0.0033 to \N{MINUS SIGN}0.0004 |" in one.text


def test_python_and_notebooks_say_it(run: Run) -> None:
    assert (
        str(run)
        .splitlines()[1]
        .endswith(f"d = -0.0018 [-0.0033, -0.0004], p = 0.001 (adjusted 0.002) -> detected; {TOLD}>")
    )
    assert str(run[0]).endswith(f"-> significant before adjustment; {TOLD}>")
    assert f"<td>detected; {TOLD}</td>" in run._repr_html_()
    assert list(run.to_frame()["specificity"]) == [0.026, 0.6]
    first, _, folded = run[1]._repr_html_().partition("<details>")
    assert "harmless" not in first
    assert "share 0.6 (300 pairs of 25 groups of people from en/people)" in folded


def test_the_report_says_it(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="the extra report is not installed")
    pytest.importorskip("vl_convert", reason="the extra report is not installed")
    cautioned = {"warnings": ("a list lost words.", "of no weight"), "cautions": ("a list lost words.",)}
    run = run.model_copy(
        update={"measurements": (*run.measurements, decided(0.9, test="en/weat8", **cautioned))}
    )
    page = run.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count(TOLD) >= 4  # the sentence, the answers, the table, the section of the test
    assert f"<b>Verdict: <bdi>detected; {TOLD}</bdi>.</b>" in page
    assert true_minus("-0.0033 to -0.0004") in page
    assert page.count("share 0.6 (300 pairs") == 1  # under details
    first, _, folded = page[page.index('id="m3"') :].partition('<details class="more method">')
    assert "But a list lost words." in first  # which nothing says in brief
    assert "of no weight" not in first
    assert "of no weight" in folded

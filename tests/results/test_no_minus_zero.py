"""No number that is shown is minus zero, whatever rounding leaves of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from biascore import Engine
from biascore.basics.wording import figures, shown, signed, true_minus
from biascore.comparing import compare
from biascore.designs.mean import Mean
from biascore.exporting.forms import exported
from biascore.plugins.loading import Plugins
from biascore.report.notebook import run_html
from biascore.report.texts import number
from biascore.results.gates import ends
from biascore.results.verdicts import reason_of
from biascore.results.words.effects import Size, describe_change, ends_of, side_of
from biascore.stats import Interval
from biascore_metrics.bbq.bias import quote

from ..builders.runs import decided, run_of

ROOT = Path(__file__).resolve().parents[2] / "biascore"
MINUS_ZERO = re.compile(r"(?<![\w.])[-\u2212]0(\.0+)?(?![\d.e])")
SMALL = (-0.0, -1e-17, -2.2e-16, -1e-4, -0.004, -0.0049)


def test_what_is_looked_for_is_found() -> None:
    for text in ("-0.00", "\u22120.0", "d = -0, 3", "-0.000 to 1"):
        assert MINUS_ZERO.search(text), text
    for text in ("-0.01", "0.00", "-0.5", "x-0", "-0.004", "-0e-17x"):
        assert not MINUS_ZERO.search(text), text


def test_numbers_with_others() -> None:
    rng = np.random.default_rng(1)
    for value in (*SMALL, *(-(10 ** rng.uniform(-9, 0, 200)))):
        for low, high in ((-1.0, 1.0), (value, 300.0), (-5000.0, 20_000.0), (value, value)):
            for text in (
                *figures(low, high, value),
                shown(value),
                number(value),
                true_minus(figures(low, high, value)[2]),
            ):
                assert not MINUS_ZERO.search(text), (value, low, high, text)


@pytest.mark.parametrize("value", SMALL)
def test_a_run_in_every_form(value: float) -> None:
    old = run_of(decided(0.5, value=0.0, ends=(-1.0, 1.0)))
    run = run_of(
        decided(0.5, value=value, ends=(value, 1.0)),
        decided(0.4, test="en/weat7", value=value, ends=(-1, value)),
    )
    texts = [
        run_html(run),
        repr(run),
        *run.result_lines,
        repr(compare(old, run)),
        ends(run[0].headline.interval),
    ]
    texts += [reason_of(m, said, run.adjustment) for m, said in zip(run, run.verdicts, strict=True)]
    texts += [size.text for m in run if (size := Size.of(m.headline))]
    for form in ("md", "latex", "model-card", "junit"):
        texts += [one.text for one in exported(run, form, Plugins())]
    for text in texts:
        assert not MINUS_ZERO.search(text), text[:300]


def test_what_shows_numbers_rounds_them_to_no_minus_zero() -> None:
    """Fixed decimals and significant digits have the z of the format, which drops the sign of a zero, and no +."""
    fixed = re.compile(r":(?:\+?,?|\+z,?)\.(?:\d|\{[^{}]+\})+[fg%]\}")
    rooms = (
        "comparing",
        "results",
        "report",
        "cli",
        "exporting",
        "gates",
        "evidence",
        "designs",
        "calibration",
    )
    for room in (*(ROOT / one for one in rooms), ROOT.parent / "plugins" / "biascore_metrics"):
        for path in sorted(room.rglob("*.py")):
            found = fixed.findall(path.read_text(encoding="utf-8"))
            assert not found, f"{path.name}: {found}. Write z in the format, or call signed"


@pytest.mark.parametrize("value", [*SMALL[:4], 0.0, 1e-17, 4e-4])
def test_what_rounds_to_zero_has_no_sign(value: float) -> None:
    assert signed(value) == "0.000"
    assert (signed(-0.0121), signed(0.0121), signed(1e-4, ".3g")) == ("-0.012", "+0.012", "+0.0001")


@pytest.mark.parametrize("value", [-4e-4, -1e-17, 0.0, 1e-17, 4e-4])
def test_no_share_is_picked_zero_points_more_or_less_often(value: float) -> None:
    ends = Interval(-0.2, value, 0.95, "t, CR2, 9 df", 0)
    mean = Mean(value, {"questions": 40, "templates": 10}, interval=ends)
    told = quote("ambiguous", mean, "age")
    assert "picked the stereotyped person as often as the other" in told
    assert "0.0 to 20.0)" in told
    assert " 0.0 points" not in told


@pytest.mark.parametrize("value", [-1e-17, 0.0, 1e-17])
def test_rounding_noise_has_no_direction(value: float) -> None:
    run = run_of(decided(0.5, value=value, ends=(-1.0, 1.0)))
    assert side_of(run[0].headline) == 0
    assert ends_of(run[0]).at(run[0].headline) == ""
    assert describe_change("d", 0.5, 0.5 + value) == "d is unchanged at 0.50"


@pytest.mark.parametrize(
    ("metric", "test"),
    [
        ("weat", "en/weat6"),
        ("fise", "en/fise_gender_class_traits"),
        ("eec", "en/eec"),
        ("crows-pairs", "en/crows_own"),
    ],
)
def test_the_sentences_of_a_model_without_an_effect(metric: str, test: str) -> None:
    options = (
        {"affect_model": "self"} if metric == "fise" else {"emotions": ["joy"]} if metric == "eec" else {}
    )
    found = Engine(cache=None).measure(metric, f"planted:{test}=0", test, **options)
    texts = [*found.result_lines, *(one.text for m in found for one in m.caveats)]
    texts += [f"{m.reason} {m.quote}" for m in found]
    assert all(texts[:1])
    for text in texts:
        assert not re.search(r"(?<![\w.])[-+\u2212]0(\.0+)?(?![\d.e])", text), text

"""No number that is shown is minus zero, whatever rounding leaves of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from biascore.basics.wording import figures, shown, true_minus
from biascore.comparing import compare
from biascore.exporting.forms import exported
from biascore.plugins.loading import Plugins
from biascore.report.notebook import run_html
from biascore.report.texts import number
from biascore.results.effect_words import Size
from biascore.results.gates import ends
from biascore.results.verdicts import reason_of

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
    """Fixed decimals and significant digits have the z of the format, which drops the sign of a zero."""
    fixed = re.compile(r"\{[^{}\"']*:\+?,?\.(?:\d|\{\w+\})+[fg]\}")
    for room in ("comparing", "results", "report", "cli", "exporting", "gates", "evidence"):
        for path in sorted((ROOT / room).rglob("*.py")):
            found = fixed.findall(path.read_text(encoding="utf-8"))
            assert not found, f"{path.name}: {found}"

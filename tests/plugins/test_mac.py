"""A metric by somebody who knows only the pages, with a kind of test of its own: what it gets without further code."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from typer.testing import CliRunner

from biascore import Engine
from biascore.calibration.simulation import calibrate
from biascore.cli.app import app
from biascore.stats import Verdict, cosine_matrix
from biascore.testing import check_metric

FOLDER = Path(__file__).parents[2] / "examples" / "biascore-plugin-mac" / "biascore_plugin_mac"
TEST = "en/mac"
WORDING = {"name", "summary", "reference"}


@pytest.fixture
def mac(with_dists: Callable[..., None]) -> Engine:
    """An engine that has the metric, its kind and a test."""
    with_dists("biascore-plugin-mac")
    return Engine(cache=None)


@pytest.fixture
def command(with_dists: Callable[..., None]) -> Callable[..., str]:
    """What ``biascore`` prints."""
    with_dists("biascore-plugin-mac")

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    return run


def test_the_value_is_that_of_the_paper_with_p_and_interval(mac: Engine) -> None:
    model = mac.model(f"planted:{TEST}=1.8")
    roles = mac.tests("mac", [TEST], {})[0].roles
    targets, *sets = (model.embed(roles[role].words) for role in ("T", "A.greed", "A.violence"))
    expected = np.mean([[cosine_matrix(t[None], one).mean() for one in sets] for t in targets])
    found = mac.measure("mac", model, TEST)[0]
    assert found.headline.value == pytest.approx(expected, rel=1e-9)
    assert found.headline.interval is not None
    assert found.headline.interval.low > 0
    assert found.verdict is Verdict.DETECTED
    # Targets, of which there are 8, and attributes, also 8, are both the observations once.
    table = cosine_matrix(targets, np.concatenate(sets))
    expected_p = max(scipy.stats.ttest_1samp(table.mean(axis=side), 0).pvalue for side in (0, 1))
    assert found.p_value == pytest.approx(expected_p, rel=1e-6)


@pytest.mark.slow
def test_every_clause_of_a_metric_holds(mac: Engine) -> None:
    metric = import_module("biascore_plugin_mac.metric").Mac
    assert check_metric(metric, TEST, engine=mac).metric == "mac"


def test_diagnostics_look_at_its_scores(mac: Engine) -> None:
    duplicates = mac.measure("mac", "planted:", TEST, duplicates="keep")[0]
    assert "fewer than 8 do not represent a concept well" in " ".join(duplicates.warnings)
    assert duplicates.conventions["duplicates"] == "keep"


def test_two_models_are_compared_item_by_item(mac: Engine) -> None:
    run = mac.measure("mac", [f"planted:{TEST}=0", f"planted:{TEST}=1.8"], TEST)
    one, other = (model.name for model in run.models)
    (difference,) = run.compare(models={one: other}).differences
    assert (difference.paired, difference.items.num_rows) == (True, 8)
    assert difference.change.value is not None
    assert difference.change.value > 0


@pytest.mark.slow
def test_it_is_calibrated_in_two_sizes(mac: Engine) -> None:
    found = calibrate(mac, "mac", TEST, effects=[1.0], times=[1.0, 2.0], models=10, nulls=10)
    at = {cell.times: np.mean(cell.found) for cell in found.cells if cell.planted == 1.0}
    assert set(at) == {1.0, 2.0}
    assert min(at.values()) > 0


@pytest.mark.slow
def test_its_kind_is_listed_shown_and_reported(command: Callable[..., str], tmp_path: Path) -> None:
    listed = json.loads(command("list", "tests", "--metric", "mac", "--json"))
    assert [one["test"] for one in listed] == [TEST]
    shown = command("show", TEST)
    assert "church" in shown
    run = str(tmp_path / "run")
    told = command(
        "measure", "mac", "--model", f"planted:{TEST}=1.8", "--tests", TEST, "--out", run, "--no-cache"
    )
    assert "detected" in told
    page = tmp_path / "page.html"
    command("report", run, "--out", str(page))
    assert "MAC" in page.read_text(encoding="utf-8")


def test_most_of_its_lines_are_method() -> None:
    """Of the lines of metric and kind, without docstrings: all but imports and what is only shown."""
    own = [line for name in ("metric", "kind") for line in _lines(FOLDER / f"{name}.py")]
    assert sum(own) / len(own) >= 0.7, f"{sum(own)} of {len(own)} lines"


def _lines(path: Path) -> Iterator[bool]:
    """Whether each line of code is method."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings, other = set[int](), set[int]()
    for node in ast.walk(tree):
        span = range(getattr(node, "lineno", 0), (getattr(node, "end_lineno", 0) or 0) + 1)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.update(span)
            continue
        named = {getattr(one, "id", "") for one in getattr(node, "targets", ())}
        if isinstance(node, ast.Import | ast.ImportFrom) or named & WORDING:
            other.update(span)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and number not in docstrings:
            yield number not in other

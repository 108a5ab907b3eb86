"""No page breaks a rule of axe-core, whatever it shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from biascore import Engine
from biascore.board import make_board
from biascore.engine.mappings import mapping_used
from biascore.plugins.loading import Plugins
from biascore.results.failure import Failure
from biascore.results.run import Run

from ..builders.releases import paired, release
from ..builders.runs import decided, run_of, typical_run
from ..metrics.impact_ratio.test_summary import CASES, measured, text_of
from .axe import violations
from .pictured import pairs_measurement, plane_measurement, systems_run, templates_run

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from biascore import compare
from biascore.report.board import render_board
from biascore.report.comparison import render_comparison
from biascore.report.page import render

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("chromium")]


def failed(run: Run) -> Run:
    lost = Failure(
        metric="weat",
        test="en/lost",
        model="gone",
        kind="opening",
        error="ModelError",
        message="no such file",
    )
    return run.model_copy(update={"failed": (lost,)})


def of_models(count: int) -> Run:
    """Three grounds on so many models."""
    return run_of(
        *(
            decided(p, test=f"en/{concept}", concept=concept, model=f"model-{n}")
            for n in range(count)
            for concept, p in (("gender", 1e-5), ("race", 0.03), ("age", 0.7))
        )
    )


def with_mappings(run: Run) -> Run:
    """With all that ship."""
    plugins = Plugins()
    used = (mapping_used(plugins, name, Path(), run) for name in plugins.mappings.names)
    return run.model_copy(update={"mappings": tuple(used)})


PAGES: dict[str, Callable[[], Run]] = {
    "one model": lambda: of_models(1),
    "three models": typical_run,
    "six models": lambda: of_models(6),
    "laws and standards": lambda: with_mappings(typical_run()),
    "failures": lambda: failed(typical_run()),
    "pictures": lambda: run_of(pairs_measurement(), plane_measurement(200)),
    "pictures of the run": systems_run,
    "templates": templates_run,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_report(name: str, tmp_path: Path) -> None:
    assert violations(render(PAGES[name]()), tmp_path) == []


def test_a_summary_of_a_bias_audit(engine: Engine, tmp_path: Path) -> None:
    run = measured(engine, CASES["unknown"].rows)
    assert violations(text_of(run, ".html"), tmp_path) == []


def test_a_report_in_the_dark(tmp_path: Path) -> None:
    assert violations(render(typical_run()), tmp_path, "--force-dark-mode") == []


def test_a_report_on_a_phone(tmp_path: Path) -> None:
    assert violations(render(failed(typical_run())), tmp_path, "--window-size=390,800") == []


@pytest.fixture(scope="module")
def releases() -> tuple[Run, Run]:
    """Two releases of a line, of which one ground increased, one decreased and one stayed."""
    effects = {"gender": (0.2, 1.9), "race": (1.8, 0.3), "age": (0.5, 0.5)}
    old, new = (
        release(
            *(paired(ground, of[month], noise=month + 1) for ground, of in effects.items()),
            month=month,
            line="chat",
            release=str(month),
        )
        for month in (0, 1)
    )
    return old, new


def test_a_comparison(releases: tuple[Run, Run], tmp_path: Path) -> None:
    page = render_comparison(compare(*releases))
    assert page.count('<svg class="lane"') == 3
    assert violations(page, tmp_path) == []


def test_a_board(releases: tuple[Run, Run], tmp_path: Path) -> None:
    for number, run in enumerate(releases):
        run.save(tmp_path / "runs" / str(number))
    failed(releases[1]).save(tmp_path / "runs" / "2")
    assert violations(render_board(make_board([tmp_path / "runs"])), tmp_path) == []


def test_axe_is_asked(tmp_path: Path) -> None:
    page = render(of_models(1)).replace(
        '<main id="main" tabindex="-1">', '<main id="main" tabindex="-1"><img src="data:,">'
    )
    assert [rule for rule, *_ in violations(page, tmp_path)] == ["image-alt"]

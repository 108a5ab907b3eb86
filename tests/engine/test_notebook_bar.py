"""Progress in a notebook, and what is offered when a name is completed there."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace

import pytest

from biascore import Engine
from biascore.basics.notebook import NotebookBar, progress_here
from biascore.basics.progress import Silent


def test_a_bar_names_all_that_is_at_work_and_leaves_nothing() -> None:
    drawn: list[str] = []
    now = iter(range(100))
    bar = NotebookBar(show=drawn.append, every=1, clock=lambda: next(now))
    with bar.task("all measurements", 4) as whole:
        whole(2)
        with bar.task("weat <x> on a model", 1), bar.task("embed", 300) as asked:
            asked(150)
    assert re.fullmatch(
        r'<progress value="2" max="4"></progress> all measurements \(2 of 4, \d+ s\)', drawn[1]
    )
    assert drawn[-2].startswith('<progress value="2" max="4">')
    assert re.search(r"weat &lt;x&gt; on a model \(\d+ s\); embed \(150 of 300, \d+ s\)$", drawn[-2])
    assert drawn[-1] == ""


def test_it_is_drawn_now_and_then() -> None:
    drawn: list[str] = []
    bar = NotebookBar(show=drawn.append, every=10, clock=lambda: 5.0)
    with bar.task("all", 1000) as advance:
        for _ in range(1000):
            advance(1)
    assert len(drawn) == 2  # the first, and nothing at the end


def test_only_the_kernel_of_a_notebook_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for shell, kind in (
        (None, Silent),
        (SimpleNamespace(), Silent),
        (SimpleNamespace(kernel=1), NotebookBar),
    ):
        found = SimpleNamespace(get_ipython=lambda shell=shell: shell)
        monkeypatch.setitem(sys.modules, "IPython", found)
        assert type(progress_here()) is kind


def test_names_that_are_completed_are_a_runs_own(engine: Engine) -> None:
    run = engine.measure("weat", "planted:gender=0", "en/weat6", resamples=100, draws=99, reference="none")
    for value, own in ((run, "summary"), (run[0], "headline")):
        names = set(dir(value))
        assert own in names
        assert "_repr_html_" in names
        assert not [name for name in names if name.startswith("model_") and name != "model_conventions"]
        assert not names & {"copy", "dict", "json", "construct", "schema", "_abc_impl", "_iter"}

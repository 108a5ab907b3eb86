"""A clock that is set back in the middle of a run changes nothing but what the run says of the time of day."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from biascore import Engine, Run
from biascore.errors import RunError, TransientModelError
from biascore.files.writing import reserved

from ..plugins.trouble import adapter_that

time_machine = pytest.importorskip("time_machine", reason="needs the extra dev")
YEAR = 365 * 86_400


def measured(cache: Path, answer: Callable[[], None]) -> Run:
    kind = adapter_that(answer=answer)
    kind.answers_version = "1"  # so that its answers are kept from engine to engine
    with closing(Engine(adapters=[kind], cache=cache, time_limit=1000)) as engine:
        return engine.measure("weat", "made:x", ["en/weat7", "en/weat8"], resamples=100, reference="none")


@pytest.mark.slow
def test_a_clock_that_is_set_back(tmp_path: Path) -> None:
    plain = measured(tmp_path / "plain", lambda: None)
    failures = iter([True, False, True])
    with time_machine.travel(YEAR, tick=True) as clock:

        def answer() -> None:
            clock.shift(-3600)
            if next(failures, False):  # and waited for, a second each
                raise TransientModelError("busy")

        began = time.time()
        run = measured(tmp_path / "back", answer)
        assert time.time() < began
        assert measured(tmp_path / "back", answer).questions.asked == 0
    assert run.results_digest() == plain.results_digest()
    assert run.questions.asked == plain.questions.asked
    assert 0 <= run.provenance.finished - run.provenance.started < 1800
    assert run.provenance.started == pytest.approx(began, abs=1800)


def test_who_came_first_is_no_matter_of_the_clock(tmp_path: Path) -> None:
    with reserved(tmp_path / "run"):
        (mark,) = tmp_path.glob(".biascore-*/target")
        os.utime(mark, (time.time() + YEAR,) * 2)  # the clock was set back since
        with pytest.raises(RunError, match="another command is at work"), reserved(tmp_path / "run"):
            raise AssertionError("two have reserved one place")
    with reserved(tmp_path / "run"):
        pass
    assert list(tmp_path.iterdir()) == []

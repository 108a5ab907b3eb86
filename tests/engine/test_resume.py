"""A run that is killed half way and started again equals the run that was not, to the last bit."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biascore import Run

PROGRAM = """
import json, os, sys, time
from pathlib import Path
from biascore import Audit, Engine
from biascore.models.pipeline.repeatability import Repeatability
from biascore.models.pipeline.calling import Caller
from biascore.models.transforms.transformed import Transformed

def noted(caller, hook, questions, flight, call=Caller.call):
    answers = call(caller, hook, questions, flight)
    if not isinstance(caller._backend, Transformed):
        with Path(os.environ["BIASCORE_TEST_CALLS"]).open("a") as stream:
            stream.write(f"{hook.name}\\t{len(questions)}\\n")
        time.sleep(float(os.environ["BIASCORE_TEST_SLEEP"]))
    return answers

Caller.call = noted
Repeatability.ask = lambda *_: 0  # the calls are counted here, and what is asked again depends on what was missing
audit = Audit.from_parts(**json.loads(sys.argv[1]))
engine = Engine(cache=sys.argv[2], seed=audit.seed)
engine.run(audit).save(sys.argv[3])
engine.close()
"""

PLANTED = {
    "title": "Resumed",
    "seed": 11,
    "models": [
        {"ref": "planted:gender=0.5", "name": "weak"},
        {"ref": "planted:gender=1.5", "name": "strong", "options": {"seed": 3}},
    ],
    "measurements": [
        {"metric": "weat", "tests": ["en/weat6", "en/weat7", "en/weat8"], "options": {"resamples": 200}},
        {"metric": "sc-weat", "tests": ["en/weat6"], "options": {"resamples": 200, "draws": 500}},
        {"metric": "weat", "tests": ["it/Gen*", "de/CW*"], "options": {"resamples": 200}},
    ],
}


class Runner:
    """Starts the program in an interpreter that writes down every call of a model, and sleeps."""

    def __init__(
        self, folder: Path, environment: Callable[..., dict[str, str]], audit: dict[str, Any]
    ) -> None:
        self._folder, self._environment, self._audit = folder, environment, audit

    def start(self, name: str, cache: str, sleep: float = 0) -> subprocess.Popen[str]:
        variables = {"BIASCORE_TEST_CALLS": str(self.calls_file(name)), "BIASCORE_TEST_SLEEP": str(sleep)}
        paths = [str(self._folder / cache), str(self._folder / name)]
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, json.dumps(self._audit), *paths],
            env=self._environment(variables=variables),
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, name: str, cache: str) -> Run:
        process = self.start(name, cache)
        _, error = process.communicate(timeout=120)
        assert process.returncode == 0, error
        return Run.load(self._folder / name)

    def kill_after(self, calls: int, name: str, cache: str) -> None:
        """Kill the program as soon as it has made so many calls, while it sleeps in the last of them."""
        process = self.start(name, cache, sleep=0.2)
        deadline = time.monotonic() + 120
        while len(self.calls(name)) < calls:
            assert process.poll() is None, f"it ended before it was killed: {process.communicate()[1]}"
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert not (self._folder / name).exists()

    def calls_file(self, name: str) -> Path:
        return self._folder / f"{name}.calls"

    def calls(self, name: str) -> list[int]:
        """The number of questions of each call that the model answered."""
        file = self.calls_file(name)
        lines = file.read_text().splitlines() if file.exists() else []
        return [int(line.split("\t")[1]) for line in lines if "\t" in line]


def check_resuming(runner: Runner) -> None:
    whole = runner.finish("whole", "cache-of-whole")
    calls = runner.calls("whole")
    assert len(calls) >= 6, "too few calls to be killed between them"
    assert whole.questions.asked == sum(calls)

    runner.kill_after(len(calls) // 2, "killed", "cache")
    killed = runner.calls("killed")
    assert killed == calls[: len(killed)]
    assert len(killed) < len(calls)

    resumed = runner.finish("resumed", "cache")
    assert resumed.results_digest() == whole.results_digest()
    for one, other in zip(whole, resumed, strict=True):
        assert one.items.equals(other.items)
        assert one == other
    # Asked: what was missing, and so neither nothing nor everything. The call it was killed in may or may
    # not have been stored.
    asked = runner.calls("resumed")
    assert asked in (calls[len(killed) :], calls[len(killed) - 1 :])
    assert resumed.questions.asked == sum(asked)
    assert resumed.questions.put == whole.questions.put
    assert (
        resumed.questions.asked + resumed.questions.cached + resumed.questions.repeated
        == resumed.questions.put
    )

    third = runner.finish("third", "cache")
    assert runner.calls("third") == []
    assert third.questions.asked == 0
    assert third.results_digest() == whole.results_digest()


@pytest.mark.slow
def test_a_killed_run_resumes(tmp_path: Path, python_environment: Callable[..., dict[str, str]]) -> None:
    check_resuming(Runner(tmp_path, python_environment, PLANTED))


@pytest.mark.slow
def test_a_killed_run_of_transformed_models_resumes(
    tmp_path: Path, python_environment: Callable[..., dict[str, str]]
) -> None:
    words = {"lists": ["en/caliskan2017/flowers", "en/caliskan2017/insects"], "components": 2}
    transforms = [{"name": "top-components", "options": words}]
    models = [{**model, "transforms": transforms, "before": True} for model in PLANTED["models"]]
    check_resuming(Runner(tmp_path, python_environment, {**PLANTED, "models": models}))


@pytest.mark.slow
def test_a_killed_run_of_a_neural_model_resumes(
    tmp_path: Path, python_environment: Callable[..., dict[str, str]], saved_model: Callable[[str], Path]
) -> None:
    tests = [f"en/weat{number}" for number in (1, 2, 6, 7, 8, 9, 10)]
    audit = {
        "title": "Resumed",
        "seed": 5,
        "models": [{"ref": f"hf:{saved_model('bert-uncased')}", "name": "tiny"}],
        "measurements": [{"metric": "weat", "tests": tests, "options": {"resamples": 200}}],
    }
    check_resuming(Runner(tmp_path, python_environment, audit))

"""``pytest -p biascore.testing.pytest_gates audit.toml``: a test for each gate and each measurement that it looks at.

It is no entry point of biascore: pytest would mark all modules of the distribution for rewriting, in every run wherever that
is installed. ``plugins/pytest-biascore`` is one, and loads this where ``--biascore`` is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from biascore.results.gates import GateCheck, GateResult
    from biascore.results.run import Run


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the run is kept."""
    parser.getgroup("biascore").addoption(
        "--biascore-out",
        metavar="FOLDER",
        help="Save the run of the audit as this folder, as biascore run does.",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The audit files that are named, and none that are found on the way."""
    if file_path.suffix == ".toml" and parent.session.isinitpath(file_path):
        made: pytest.Collector = AuditFile.from_parent(parent, path=file_path)
        return made
    return None


class GateFailed(AssertionError):
    """What a gate asks for does not hold."""


class NotMeasured(Exception):
    """There is no result that a gate could look at."""


class AuditFile(pytest.File):
    """An audit, which is run once, when the first of its tests is."""

    def collect(self) -> Iterator[GateTest]:
        """A test for each gate and measurement; no model is opened."""
        from biascore.audits.audit import Audit
        from biascore.audits.gates import named
        from biascore.engine.engine import Engine
        from biascore.errors import BiascoreError, OptionsError

        try:
            audit = Audit.load(self.path)
            if not audit.gates:
                raise OptionsError(f"{self.path} has no [[gates]], so there is nothing to test. Add one")
            planned = Engine().check(audit)
        except BiascoreError as error:
            raise self.CollectError(str(error)) from error
        for name, gate in named(audit.gates):
            for what in planned:
                if gate.takes(*what):
                    metric, test, model = what
                    yield GateTest.from_parent(
                        self, name=f"{name}: {metric} {test} on {model}", gate=name, what=what
                    )

    @cached_property
    def gates(self) -> dict[str, GateResult] | Exception:
        """What its gates said of its run, by name; or why there is no run."""
        from biascore.errors import BiascoreError

        try:
            return {one.name: one for one in self._run().gates}
        except BiascoreError as error:
            return error

    def _run(self) -> Run:
        from biascore.engine.engine import Engine
        from biascore.errors import BiascoreError
        from biascore.results.run import Run

        out = self.config.getoption("--biascore-out")
        place = out and Path(out)
        try:
            made = Engine().run(self.path, out=place)
        except BiascoreError as error:  # nothing was measured: the gates say so one by one
            if not isinstance(error.run, Run):
                raise
            made = error.run
        if place:
            made.save(place, overwrite=True)
        return made


class GateTest(pytest.Item):
    """A gate on one measurement: what was not measured is an error, as far as the gate does not let it pass."""

    def __init__(self, *, gate: str, what: tuple[str, str, str], **more: Any) -> None:
        super().__init__(**more)
        self.gate, self.what = gate, what

    def setup(self) -> None:
        """Run the audit, unless it was; skip what the gate does not look at."""
        assert isinstance(self.parent, AuditFile)
        gates = self.parent.gates
        if isinstance(gates, Exception):
            raise NotMeasured(str(gates)) from gates
        self.result = gates[self.gate]
        self.checks = [one for one in self.result.checks if (one.metric, one.test, one.model) == self.what]
        if not (self.checks or self.result.problem):
            self._skip("the gate does not look at it: it has another role, such as that of a baseline")
        missing = [one for one in self.checks if not one.measured or one.held == "not measured"]
        failing = [one for one in missing if one in self.result.failing]
        if failing:
            raise NotMeasured(_told(failing))
        if missing:
            self._skip(_told(missing))

    def runtest(self) -> None:
        """Fail with the gate's reasons; what it lets pass with a warning is skipped with its reasons."""
        if self.result.problem:
            raise GateFailed(self.result.problem)
        if failing := [one for one in self.checks if one in self.result.failing]:
            raise GateFailed(_told(failing))
        unsure = [one for one in self.checks if one.held == "inconclusive"]
        if warned := [one for one in unsure if self.result.policy(one) == "warn"]:
            self._skip(_told(warned))

    def _skip(self, reason: str) -> None:
        pytest.skip(f"{self.name}: {reason}")  # pytest shows reasons without names

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *more: Any) -> Any:
        """The reasons, without a traceback."""
        if isinstance(excinfo.value, GateFailed | NotMeasured):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *more)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it is from."""
        return self.path, None, self.name


def _told(checks: list[GateCheck]) -> str:
    """The reasons; of several variants or directions of a measurement, each with its own."""
    several = len(checks) > 1
    return "\n".join(
        f"{one.held}: {f'{one.what}: ' * several}{one.reason} ({one.criterion})" for one in checks
    )

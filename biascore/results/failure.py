"""What a run could not measure, and why: a model or a plugin failed, and the rest of the run went on."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from biascore.basics.frozen import Frozen


class Failure(Frozen):
    """One measurement that was not made.

    ``plugin`` and ``dist`` name whose code failed, empty where it was biascore itself; ``model`` is the model
    measured, ``culprit`` the one that failed, which may be a second model that the metric asked. ``kind`` says what
    the code was at, or that it took longer than it may, that its result cannot be, or that it was interrupted before.
    ``may_pass``: whether the same may succeed later, as where a service is down. ``traceback`` is not stored: it names
    files of this machine.
    """

    metric: str
    test: str
    model: str
    kind: Literal[
        "loading", "checking", "opening", "answering", "measuring", "result", "time limit", "interrupted"
    ]
    error: str
    message: str
    may_pass: bool = False
    plugin: str = ""
    dist: str = ""
    culprit: str = ""
    traceback: str = Field(default="", exclude=True, repr=False)

    @property
    def what(self) -> str:
        """The measurement in one phrase."""
        return f"{self.metric} {self.test} on {self.model}"

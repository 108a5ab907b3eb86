"""What to do with a run next: at most three steps, each with a command that runs or a measurement to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path, PurePath
from shlex import quote
from typing import Any, Final

from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.basics.frozen import Frozen
from biascore.basics.wording import counted, some_of
from biascore.models.usage import ModelUsed
from biascore.results.gates import GateOutcome
from biascore.results.run import Run
from biascore.results.verdicts import State
from biascore.results.words.answers import Answer, findings

RULE: Final = "*:fail_on=detected"
"""The gate that is proposed where a run has none."""
_GATE: Final = Gate(name=RULE, measurements=("*",), fail_on="detected")
_SHOWN: Final = (State.DETECTED, State.HINT)
_LONGER: Final = 3
"""So many longer tests are in a command."""


class Step(Frozen):
    """A sentence, and the ``command`` that does it, or empty; ``link``: the measurement to look at, from 0, or None."""

    says: str
    command: str = ""
    link: int | None = None


def next_steps(run: Run, folder: str | Path = "") -> tuple[Step, ...]:
    """See what is behind the strongest effect, decide what is inconclusive, set a rule: those that apply, in this order.

    ``folder``: where the run is stored, as commands name it; empty where it is not, and then no command needs it. A model of
    a file is named as the run names it, relative to where that was made. What `RULE` would say is evaluated on this run.
    """
    found = findings(run.answers)
    if not found:
        return ()
    return (*_behind(run, found), *_decide(run, found), *_rule(run, folder))


def strongest(run: Run, found: Sequence[Answer]) -> int | None:
    """The number of the strongest effect, from 0, or None.

    Detected before hints, and of these the one that the fewest harmless pairs reach.
    """
    numbers, verdicts = [one.strongest for one in found if one.state in _SHOWN], run.verdicts

    def rank(number: int) -> tuple[int, float, float]:
        one, said = run[number], verdicts[number]
        share = one.specificity.share if one.specificity else None
        return (
            _SHOWN.index(State.of(one, said)),
            inf if share is None else share,
            1.0 if one.p_value is None else one.p_value,
        )

    return min(numbers, key=rank, default=None)


def _behind(run: Run, found: Sequence[Answer]) -> Iterator[Step]:
    """See what is behind the strongest effect."""
    first = strongest(run, found)
    if first is None:
        return
    state = State.of(run[first], run.verdicts[first]).value
    about = next(one.about for one in found if first in one.numbers)
    effect = "hint" if state == State.HINT.value else "detected effect"
    where = f"{about}, {run[first].model}" if len({one.model for one in found}) > 1 else about
    test = run[first].test
    command = "" if _own(test, run) else f"biascore show {quote(test)}"
    yield Step(says=f"See what is behind the strongest {effect} ({where}).", command=command, link=first)


def _decide(run: Run, found: Sequence[Answer]) -> Iterator[Step]:
    """Longer tests of what is inconclusive, on the first model that has some; else the task that the model is for."""
    if not any(one.counts.inconclusive for one in found):
        return
    models = {model.name: model for model in run.models}
    measured = {(one.model, one.test) for one in run}
    longer: dict[tuple[str, str], list[str]] = {}
    for number in (number for one in found for number in one.numbers):
        one = run[number]
        unmeasured = [test for test in one.longer if (one.model, test) not in measured]
        if unmeasured and not _own(one.test, run):
            longer.setdefault((one.model, one.metric), []).extend(unmeasured)
    for (model, metric), tests in longer.items():
        some = list(dict.fromkeys(tests))
        part = f"; {_LONGER} of {len(some)}:" if len(some) > _LONGER else ":"
        command = _measured(metric, models.get(model), some[:_LONGER])
        names = "" if command else f" {some_of(some, _LONGER)}"
        yield Step(
            says=f"Decide what is inconclusive: longer tests see smaller effects{part}{names}",
            command=command,
        )
        return
    yield Step(says="Test the task that the model is for, too.", command="biascore list metrics")


def _measured(metric: str, model: ModelUsed | None, tests: Sequence[str]) -> str:
    """The command that measures these tests, or empty where it would need what a run does not name."""
    if model is None or model.transforms or model.ref.startswith("python:"):
        return ""
    options = [f"-o {quote(f'model.{key}={_toml(value)}')}" for key, value in model.explicit_options.items()]
    return " ".join(["biascore measure", metric, quote(model.ref), *map(quote, tests), *options])


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rule(run: Run, folder: str | Path) -> Iterator[Step]:
    """What a rule would say of this run, where it has none."""
    if run.gates:
        return
    (said,) = evaluate((_GATE,), run, Path())
    if not said.checks:
        return
    once = len({check.test for check in said.checks}) == len(said.checks)
    of = counted(len(said.checks), "test" if once else "measurement")
    unmade = sum(not one.measured or one.held is GateOutcome.NOT_MEASURED for one in said.failing)
    why = f" ({unmade} not measured)" if unmade else ""
    unsure = len(said.of(GateOutcome.UNDECIDED))
    hints = " or hints" if any(one.counts.hint for one in findings(run.answers)) else ""
    more = f"; {unsure} not decided{hints} would pass with a warning" if unsure else ""
    command = f"biascore gate {quote(str(folder))} --gate {quote(RULE)}" if str(folder) else ""
    yield Step(
        says=f"Set a rule for releases: with {RULE}, {len(said.failing)} of {of} would fail{why}{more}.",
        command=command,
    )


def _own(test: str, run: Run) -> bool:
    """Whether a test is no installed one: of a data file, of a folder of the user, or made in Python."""
    file = next((one.file for one in run.stimuli if test in one.tests), "")
    asked: Mapping[str, Any] = run.provenance.audit
    folders = [PurePath(one) for one in asked.get("stimuli", ())]
    return not file.endswith(".toml") or any(PurePath(file).is_relative_to(folder) for folder in folders)

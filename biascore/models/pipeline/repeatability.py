"""Whether a model gives the same answers when it is asked the same questions once more.

A model that samples, or whose dropout is on, gives results that nobody can repeat. So a few of the questions of a run are
sent to it again, in the same batch, for the last bits of an answer may depend on the batch: a small batch once, of a large
one the first questions twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from biascore.errors import BiascoreError
from biascore.models.pipeline.cache import Cache
from biascore.models.pipeline.calling import Hook
from biascore.models.questions import codecs
from biascore.models.questions.questions import Chosen, TokenLogprobs
from biascore.models.questions.writing import Written
from biascore.models.usage import Repeated

MOST: Final = 16
"""So many questions of each hook are asked again."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """A batch that was asked through a hook, or of a larger one its first questions, without answers then."""

    hook: Hook[Any, Any]
    questions: tuple[Any, ...]
    answers: tuple[bytes, ...] | None


@dataclass(slots=True)
class Repeatability:
    """What one opened model is asked again, once for each hook, and what was found; its views share it."""

    _samples: dict[str, _Sample] = field(default_factory=dict, init=False)
    _prefixes: dict[bytes, str] = field(default_factory=dict, init=False)
    _found: dict[str, Repeated | None] = field(default_factory=dict, init=False)

    @property
    def deviations(self) -> tuple[Repeated, ...]:
        """What was found through the hooks whose answers were others."""
        return tuple(one for one in self._found.values() if one is not None)

    def met(self, hook: Hook[Any, Any], prefix: bytes) -> None:
        """Questions come through a hook, whose keys begin with ``prefix``."""
        self._prefixes[prefix] = hook.name

    def note(self, hook: Hook[Any, Any], questions: tuple[Any, ...], answers: Sequence[Any]) -> None:
        """A batch was answered; that with the most questions is asked again, a whole one rather than a part of one."""
        whole = len(questions) <= MOST
        other = self._samples.get(hook.name)
        if other is None or (len(questions[:MOST]), whole) > (
            len(other.questions),
            other.answers is not None,
        ):
            kept = tuple(map(hook.encode, answers)) if whole else None
            self._samples[hook.name] = _Sample(hook, questions[:MOST], kept)

    def recall(self, cache: Cache) -> None:
        """Find what an earlier run has found, for the answers that are kept may be of that one."""
        keys = {codecs.question_key(prefix, {"again": MOST}): name for prefix, name in self._prefixes.items()}
        for key, data in cache.get(list(keys)).items():
            try:
                self._found[keys[key]] = Repeated.model_validate_json(data)
            except ValidationError:
                cache.drop({key: data})

    def ask(self, call: Callable[[Hook[Any, Any], tuple[Any, ...]], list[Any]], cache: Cache) -> int:
        """Ask again what was not yet, keep what differs, and return how many questions were put."""
        put = 0
        for name, sample in self._samples.items():
            if name in self._found:
                continue
            times = 2 if sample.answers is None else 1
            put += times * len(sample.questions)
            self._found[name] = deviation = _deviation(sample, call)
            keys = [prefix for prefix, used in self._prefixes.items() if used == name]
            if deviation is not None and not deviation.problem:
                data = deviation.model_dump_json().encode()
                cache.put({codecs.question_key(prefix, {"again": MOST}): data for prefix in keys})
        return put


def _deviation(
    sample: _Sample, call: Callable[[Hook[Any, Any], tuple[Any, ...]], list[Any]]
) -> Repeated | None:
    """How the answers to a sample differ when it is asked again, or None where they are the same, bit for bit."""
    hook, questions = sample.hook, sample.questions

    def answers() -> tuple[bytes, ...]:
        return tuple(map(hook.encode, call(hook, questions)))

    try:
        first = sample.answers if sample.answers is not None else answers()
        second = answers()
    except BiascoreError as error:  # what was measured before stays
        return Repeated(hook=hook.name, questions=len(questions), problem=str(error))
    differing = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
    if not differing:
        return None
    numbers = [(_numbers(hook.decode(one)), _numbers(hook.decode(other))) for one, other in differing]
    comparable = all(
        one.shape == other.shape and one.size and np.isfinite(one - other).all() for one, other in numbers
    )
    return Repeated(
        hook=hook.name,
        questions=len(questions),
        differing=len(differing),
        largest=max(_largest(one - other) for one, other in numbers) if comparable else None,
        scale=max(_largest(one) for one, _ in numbers) if comparable else None,
    )


def _numbers(answer: object) -> npt.NDArray[np.float64]:
    """The numbers of an answer; none of a text, written or translated, nor of an option that was chosen without any."""
    if isinstance(answer, TokenLogprobs | Chosen):
        found = np.array(answer.logprobs, dtype=np.float64)
        return found[np.isfinite(found)]
    if isinstance(answer, str | Written):
        return np.empty(0)
    return np.atleast_1d(np.asarray(answer, dtype=np.float64))


def _largest(numbers: npt.NDArray[np.float64]) -> float:
    return float(np.max(np.abs(numbers)))

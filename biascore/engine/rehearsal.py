"""A model that is not asked: questions go its whole way up to the hook, where placeholders answer them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from biascore.basics.progress import Silent
from biascore.models.model import Model
from biascore.models.pipeline.budget import Budget
from biascore.models.pipeline.cache import Cache, NoCache
from biascore.models.pipeline.calling import Hook
from biascore.models.pipeline.flight import Flight
from biascore.models.questions.cost import Cost
from biascore.models.questions.questions import Choice, Chosen, Masked, TokenLogprobs
from biascore.models.questions.writing import Written
from biascore.models.vocabulary import BLOCK_ROWS, Vocabulary

Q = TypeVar("Q")
A = TypeVar("A")

DIMENSIONS: Final = 256
"""Of placeholder vectors, until a vector from the cache shows how many the model's have."""

FEW_WORDS: Final = 1000


class Scratch:
    """A cache that reads from another and never writes to it: placeholders stay here.

    It keeps them where the other would keep answers, so that a question is missing as often as in a run.
    ``seen`` are the keys looked up, ``real`` those that the other cache answered, and ``given`` counts the
    placeholders handed out.
    """

    def __init__(self, inner: Cache, placeholders: Mapping[bytes, bytes] | None = None) -> None:
        self.placeholders = dict(placeholders or {})
        self.seen: set[bytes] = set()
        self.answered: set[bytes] = set()
        self.given = 0
        self._inner = inner
        self._keeps = not isinstance(inner, NoCache)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """What the other cache holds, and the placeholders for the rest of ``keys``."""
        own = {key: self.placeholders[key] for key in keys if key in self.placeholders}
        found = self._inner.get([key for key in keys if key not in own])
        # A placeholder of another model of this audit, under the same key, is an answer by then.
        self.answered |= found.keys() | (own.keys() - self.seen)
        self.seen.update(keys)
        self.given += len(own)
        return found | own

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Keep placeholders here."""
        self.given += len(answers)
        if self._keeps:
            self.placeholders.update(answers)

    def drop(self, answers: Mapping[bytes, bytes]) -> bool:  # noqa: ARG002
        """The other cache is left as it is."""
        return False

    def close(self) -> None:
        """Nothing to let go of; the other cache stays open."""

    @property
    def problem(self) -> str:
        """None: placeholders cost nothing."""
        return ""


@dataclass(slots=True)
class Group:
    """The questions of one hook, of one kind and with the same parameters, that a run would ask, and what they cost.

    ``kind`` says how masked questions hide what they ask for, which decides what they cost; "" for others.
    """

    hook: Hook[Any, Any]
    kind: str = ""
    questions: list[Any] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost.none)


@dataclass(slots=True)
class Tally:
    """What one hook was asked: in all, without repeats, answered by the cache; and what is left to ask.

    ``beyond``: so many more at most would be asked by metrics that put only some of their questions.
    """

    put: int = 0
    unique: int = 0
    cached: int = 0
    beyond: int = 0
    groups: dict[tuple[object, ...], Group] = field(default_factory=dict)

    def ask(self, hook: Hook[Any, Any], questions: Sequence[Any], cost: Cost) -> None:
        """Count one call of the hook."""
        kind = _kind(questions)
        group = self.groups.setdefault((kind, *sorted(hook.params.items())), Group(hook, kind))
        group.questions += questions
        group.cost += cost


def rehearsed(model: Model, scratch: Scratch, dimensions: int = DIMENSIONS) -> tuple[Model, Rehearsal]:
    """The model with placeholders for answers, and what counts its questions: itself, or the model under transforms.

    Of a transform the words to learn from are asked for, and nothing is learnt or changed.
    """
    if model.under is None:
        counting = Rehearsal(model, scratch, dimensions)
        return counting, counting
    under, counting = rehearsed(model.under, scratch, dimensions)
    return model.on(under), counting


class Rehearsal(Model):
    """Another view of an opened model: the same keys, cache and batches, and placeholders for what is missing.

    ``tallies`` by hook say what a run would ask. ``steps_unknown``: whether that depends on how many steps a transform
    takes. ``dimensions``: of placeholder vectors; ``seen_dimensions`` are those of the vectors that the cache gave, or
    None.
    """

    _learns = False

    def __init__(self, model: Model, scratch: Scratch, dimensions: int = DIMENSIONS) -> None:
        # Nothing is sent, so nothing is charged to the budget of a run.
        services = replace(
            model._services,
            cache=scratch,
            progress=Silent(),
            budget=Budget(),
            token_budget=Budget(unit="tokens"),
        )
        super().__init__(model.source, model._backend, services)
        self._asker = replace(self._asker, call=self._answer, in_flight=1)
        self.scratch = scratch
        self.dimensions = dimensions
        self.seen_dimensions: int | None = None
        self.steps_unknown = False
        self.tallies: dict[str, Tally] = {}
        self._rng = np.random.default_rng(0)

    @property
    def batch(self) -> int:
        """The largest number of questions that the model takes in one call."""
        return self._backend.batch

    def view(self, name: str = "") -> Model:  # noqa: ARG002
        """Itself: nothing may be asked past it."""
        return self

    def put(self) -> dict[str, int]:
        """The number of questions put so far, by hook."""
        return {hook: tally.put for hook, tally in self.tallies.items()}

    def cost(self, hook: Hook[Q, A], questions: Sequence[Q]) -> Cost:
        """What one call of the hook with these questions would cost; raises QuestionError as it would."""
        return self._caller.cost(hook, questions)

    def ask(self, hook: Hook[Q, A], questions: Sequence[Q]) -> None:
        """Ask the model after all, past cache and placeholders, and forget the answers."""
        self._caller.call(hook, tuple(questions), Flight())

    def vocabulary(self) -> Vocabulary:
        """The model's own words, and placeholders for the vectors of the first of them: a plan reads no whole file."""
        return _Placeholders(super().vocabulary(), self.dimensions)

    def _note_steps(self) -> None:
        self.steps_unknown = True

    def _ask(self, hook: Hook[Q, A], questions: list[Q]) -> list[A]:
        tally = self.tallies.setdefault(hook.name, Tally())
        tally.put += len(questions)
        seen, answered = len(self.scratch.seen), len(self.scratch.answered)
        try:
            answers = super()._ask(hook, questions)
        finally:
            tally.unique += len(self.scratch.seen) - seen
            tally.cached += len(self.scratch.answered) - answered
        if hook.name == "embed":
            real = {row.shape[0] for row in answers if isinstance(row, np.ndarray)} - {self.dimensions}
            self.seen_dimensions = min(real, default=self.seen_dimensions)
        return answers

    def _answer(self, hook: Hook[Q, A], questions: tuple[Q, ...], _flight: Flight[Any]) -> list[A]:
        """Count the batch and answer it with placeholders, where a model would be called."""
        self.tallies[hook.name].ask(hook, questions, self.cost(hook, questions))
        return hook.split(self.name, _placeholders(hook, questions, self.dimensions, self._rng), questions)


class _Placeholders(Vocabulary):
    """The words of a vocabulary, and random vectors of the first few."""

    def __init__(self, inner: Vocabulary, dimensions: int) -> None:
        self._inner = inner
        self._dimensions = dimensions

    def __len__(self) -> int:
        return len(self._inner)

    def words(self, most: int | None = None) -> Iterator[str]:
        return self._inner.words(most)

    def blocks(
        self, rows: int = BLOCK_ROWS, most: int | None = None
    ) -> Iterator[tuple[tuple[str, ...], npt.NDArray[np.float32]]]:
        few = FEW_WORDS if most is None else min(most, FEW_WORDS)
        words = tuple(self._inner.words(min(few, rows)))
        rng = np.random.default_rng(0)
        yield words, rng.standard_normal((len(words), self._dimensions), dtype=np.float32)


def _kind(questions: Sequence[Any]) -> str:
    kinds = {question.one_at_a_time for question in questions if isinstance(question, Masked)}
    if len(kinds) != 1:
        return ""
    return "tokens hidden one at a time" if kinds.pop() else "words hidden whole"


def _placeholders(
    hook: Hook[Any, Any], questions: Sequence[Any], dimensions: int, rng: np.random.Generator
) -> object:
    """Answers of the right form: unit vectors, one token a span, the text itself, 0.5 more or less."""
    match hook.name:
        case "embed":
            vectors = rng.standard_normal((len(questions), dimensions))
            return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        case "mask_logprob":
            return tuple(_masked(query, rng) for query in questions)
        case "translate":
            return questions
        case "choose":
            return tuple(_chosen(question, hook.params["way"], rng) for question in questions)
        case "generate":
            return tuple(
                Written(one.text, "stop", len(one.text.split()), "written", one.text) for one in questions
            )
        case _:
            scores = rng.uniform(0.25, 0.75, len(questions))
            if hook.params.get("quantity") == "token_count":
                texts = (one if isinstance(one, str) else one.text for one in questions)
                return np.array([float(len(text.split())) for text in texts])
            return -40 * scores if hook.params.get("quantity") == "log_likelihood" else scores


def _chosen(question: Choice, way: Any, rng: np.random.Generator) -> Chosen:
    logprobs = tuple(float(p) for p in np.log(rng.dirichlet(np.ones(len(question.options)))))
    return Chosen(way, logprobs, int(np.argmax(logprobs)), tokens=(1,) * len(logprobs), outside=0.0)


def _masked(query: Masked, rng: np.random.Generator) -> TokenLogprobs:
    spans = tuple(sorted(query.spans)) if query.spans is not None else ((0, len(query.text)),)
    logprobs = tuple(float(p) for p in rng.uniform(-8, -2, len(spans)))
    return TokenLogprobs(tuple(query.text[start:end] for start, end in spans), spans, logprobs)

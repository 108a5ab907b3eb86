"""The way of a question: deduplicate → cache → ask what is missing in batches, some at once → check → store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Final, TypeVar, cast

from biascore.basics.guard import clock_stopped, noted
from biascore.basics.keys import repeats
from biascore.basics.surface import either
from biascore.basics.wording import quoted
from biascore.errors import (
    AnswerError,
    AuthError,
    BiascoreError,
    CacheError,
    QuotaError,
    TimeLimitError,
    TransientModelError,
    WorkerError,
)
from biascore.models.backend import Backend, Identity
from biascore.models.pipeline.budget import Budget
from biascore.models.pipeline.calling import Hook
from biascore.models.pipeline.flight import Flight
from biascore.models.pipeline.repeatability import Repeatability
from biascore.models.pipeline.source import Services, Source
from biascore.models.questions import codecs
from biascore.models.questions.cost import characters
from biascore.models.questions.questions import Choice, Chosen
from biascore.models.questions.writing import Prompt, Settings, Written
from biascore.models.usage import QuestionCounts

Q = TypeVar("Q")
A = TypeVar("A")
_CACHE_SCHEMA: Final = 1
_DOWN: Final = (TransientModelError, AuthError, QuotaError, TimeLimitError, WorkerError)
"""After one of these a model is asked nothing more in its run; what is in the cache it still answers."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """The keys of questions that are asked together, those of them that lack an answer, and its place among the batches."""

    place: int
    keys: list[bytes]
    lost: set[bytes]


@dataclass(slots=True)
class Availability:
    """Whether a model still answers: ``down`` is the error after which it is asked nothing more in its run.

    ``unread``: that after which nothing of it is read. Outside of a run it is asked each time.
    """

    in_run: bool = False
    down: BiascoreError | None = None
    unread: BiascoreError | None = None

    def note(self, error: BiascoreError) -> None:
        """An error after which it is asked nothing more in its run."""
        if self.in_run:
            self.down = self.down or error

    def end_run(self) -> None:
        """It is asked again, whatever happened in the run."""
        self.in_run, self.down, self.unread = False, None, None


@dataclass(slots=True, repr=False)
class QueryRunner:
    """Questions of any number in, an answer for each out, of one opened model.

    ``call`` puts one batch to the model: ``Caller.call``, or what replaces it; ``needs`` is what one takes of a budget.
    ``in_flight``: how many batches at once. ``counts`` are the questions put so far, ``answered`` the keys of those that
    were answered, which all views of the model share, as ``again`` and ``standing``.
    """

    source: Source
    backend: Backend
    services: Services
    call: Callable[[Hook[Any, Any], tuple[Any, ...], Flight[Any]], list[Any]]
    needs: Callable[[Budget, Hook[Any, Any], Sequence[Any]], int]
    in_flight: int = 1
    counts: QuestionCounts = field(default_factory=QuestionCounts, init=False)
    answered: set[bytes] = field(default_factory=set, init=False)
    again: Repeatability = field(default_factory=Repeatability, init=False)
    _identity: Identity = field(init=False)
    standing: Availability = field(default_factory=Availability, init=False)

    def __post_init__(self) -> None:
        self._identity = self.backend.identity

    def ask(self, hook: Hook[Q, A], questions: list[Q]) -> list[A]:
        """The answers, one for one; raises AnswerError, BudgetError, CacheError or what the model raises."""
        prefix = self._key_prefix(hook)
        self.again.met(hook, prefix)
        keys = [self._key(prefix, question) for question in questions]
        unique: dict[bytes, Q] = {}
        for key, question in zip(keys, questions, strict=True):
            unique.setdefault(key, question)
        answers = self._kept(hook, unique)
        cached = len(answers)
        came: set[bytes] = set()
        # Waiting for a model is no time of the metric's own.
        with clock_stopped(), noted(self.source.at(hook.name)):
            try:
                self._ask_missing(hook, unique, answers, came)
            finally:  # what came before an error may have been charged for
                self.answered.update(answers)
                put = sum(key in came or key in answers for key in keys)
                self.counts = QuestionCounts(
                    put=self.counts.put + put,
                    repeated=self.counts.repeated + put - cached - len(came),
                    cached=self.counts.cached + cached,
                    asked=self.counts.asked + len(came),
                    characters=self.counts.characters + sum(characters(unique[key]) for key in came),
                    again=self.counts.again,
                )
        return [answers[key] for key in keys]

    def read(self, doing: str, call: Callable[[], A]) -> A:
        """What the backend tells of itself, which is no question; raises what it does, as for one."""
        if self.standing.unread:
            raise self.standing.unread
        try:
            return self.source.guarded(doing, call, self.services.time_limit)
        except _DOWN as error:
            self.standing.note(error)
            self.standing.unread = self.standing.down
            raise

    def ask_repeated(self) -> None:
        """Ask some of the questions again, once for each hook; not what is charged for, nor a model that is down."""
        self.again.recall(self.services.cache)
        if not self.source.paid and not self.standing.down:
            with self.services.progress.task(f"{self.source.name}: some questions again", 1) as advance:
                alone: Flight[Any] = Flight(1, self.services.sleep)
                put = self.again.ask(
                    lambda hook, questions: self.call(hook, questions, alone), self.services.cache
                )
                advance(1)
            self.counts = self.counts.model_copy(update={"again": self.counts.again + put})

    def forget(self, hook: Hook[Q, A], questions: Sequence[Q]) -> bool:
        """Drop the kept answers to these questions; whether they are gone."""
        prefix = self._key_prefix(hook)
        keys = [self._key(prefix, question) for question in questions]
        return self.services.cache.drop(self.services.cache.get(keys))

    def _ask_missing(
        self, hook: Hook[Q, A], unique: dict[bytes, Q], answers: dict[bytes, A], came: set[bytes]
    ) -> None:
        """Ask what has no answer yet, and add it to ``answers``; ``came``: whatever the model has answered."""
        missing = len(unique) - len(answers)
        if not missing:
            return
        if self.standing.down:
            raise self.standing.down
        batches = self._batches(hook, unique)
        if self.source.paid:
            left = [question for key, question in unique.items() if key not in answers]
            for budget in self.services.budgets:
                budget.check(self.source.name, self.needs(budget, hook, left))
        flight: Flight[_Batch] = Flight(self.in_flight, self.services.sleep)

        def call(batch: _Batch) -> list[A]:
            self._check_kept()
            return self.call(hook, tuple(unique[key] for key in batch.keys), flight)

        problems: dict[int, Exception] = {}
        with (
            self.services.progress.task(f"{self.source.name}: {hook.name}", missing) as advance,
            closing(flight.over(self._lacking(batches, answers), call)) as flying,
        ):
            try:
                for batch, get in flying:
                    try:
                        new = self._taken(hook, unique, batch, get, came)
                    except Exception as error:  # what is on its way is paid for, and kept as well
                        problems[batch.place] = error
                        flight.stop()
                    else:
                        answers.update(new)
                        advance(len(new))
            except BaseException:  # Ctrl-C waits for nothing
                flight.stop()
                for batch, get in flight.completed():
                    with suppress(BaseException):
                        self._taken(hook, unique, batch, get, came)
                raise
        if problems:
            raise problems[min(problems)]

    def _taken(
        self,
        hook: Hook[Q, A],
        unique: Mapping[bytes, Q],
        batch: _Batch,
        get: Callable[[], list[A]],
        came: set[bytes],
    ) -> dict[bytes, A]:
        """The answers to those of a batch that had none, checked and kept; raises what ``get`` does, and AnswerError."""
        questions = tuple(unique[key] for key in batch.keys)
        try:
            found = dict(zip(batch.keys, get(), strict=True))
        except AnswerError as error:
            came |= batch.lost
            usable = {batch.keys[i]: cast("A", answer) for i, answer in error.usable.items()}
            self._keep(hook, unique, {key: usable[key] for key in batch.lost & usable.keys()})
            raise
        except _DOWN as error:
            self.standing.note(error)
            raise
        came |= batch.lost
        self.again.note(hook, questions, [*found.values()])
        new = {key: found[key] for key in batch.keys if key in batch.lost}
        problems = self._keep(hook, unique, new)
        if problems and not hook.lenient:
            raise AnswerError(problems[0])
        return new

    def _lacking(self, batches: list[list[bytes]], answers: Mapping[bytes, object]) -> Iterator[_Batch]:
        """The batches in which some answer is missing, each made when it is its turn."""
        for place, some in enumerate(batches):
            lost = {key for key in some if key not in answers}
            if lost:
                yield _Batch(
                    place, [key for key in some if key in lost or self._is_asked_with_batch(key)], lost
                )

    def _is_asked_with_batch(self, key: bytes) -> bool:
        """Whether a question whose answer is kept is asked with the others of its batch, for theirs depend on it.

        The last digits of an answer may depend on the batch. So a batch is made as if the cache had been empty when this
        model was opened: without what it has answered since. What a service charges for is asked once.
        """
        return not self.source.paid and key not in self.answered

    def _kept(self, hook: Hook[Q, A], unique: Mapping[bytes, Q]) -> dict[bytes, A]:
        """The answers that the cache holds; what it holds but is none is dropped, and so asked for again."""
        answers: dict[bytes, A] = {}
        unreadable = {}
        for key, data in self.services.cache.get(list(unique)).items():
            try:
                answer = hook.decode(data)
            except ValueError:
                unreadable[key] = data
                continue
            if hook.problem(self.source.name, unique[key], answer):  # kept by an older version
                unreadable[key] = data
            else:
                answers[key] = answer
        if unreadable:
            self.services.cache.drop(unreadable)
        return answers

    def _keep(self, hook: Hook[Q, A], unique: Mapping[bytes, Q], new: Mapping[bytes, A]) -> list[str]:
        """Keep the answers that are some, and say why the others are none."""
        for key, answer in new.items():
            said = answer.said if isinstance(answer, Chosen | Written) else answer
            name = repeats(said, self.source.key_variables) if isinstance(said, str) else ""
            if name:
                raise AnswerError(
                    f"{self.source.name}: the answer to {quoted(unique[key])} repeats the key in {name}, so none of its "
                    "batch is kept. Check the address of the server"
                )
        problems = {key: hook.problem(self.source.name, unique[key], answer) for key, answer in new.items()}
        good = {key: hook.encode(answer) for key, answer in new.items() if not problems[key]}
        if good:
            self.services.cache.put(good)
        return [problem for problem in problems.values() if problem]

    def _check_kept(self) -> None:
        """Raise CacheError where the answers of a service that charges would be paid for and lost."""
        problem = self.services.cache.problem if self.source.paid else ""
        if problem:
            raise CacheError(
                f"{self.source.name} charges for its answers, and {problem}, so they would have to be paid for again. "
                f"Fix that, or pass {either('--no-cache', 'Engine(cache=None)')} if they need not be kept"
            )

    def _batches(self, hook: Hook[Q, A], unique: dict[bytes, Q]) -> list[list[bytes]]:
        """The keys in the batches that the backend wants.

        They are cut from all questions, not from what is missing, so that a resumed run, or one whose cache lost answers,
        asks in the same batches as an uninterrupted one and its numbers are the same.
        """
        questions = tuple(unique.values())
        sizes = self.source.guarded(
            "cutting batches",
            lambda: list(self.backend.batch_sizes(hook.name, questions)),
            self.services.time_limit,
        )
        if sum(sizes) != len(unique) or any(size < 1 for size in sizes):
            raise AnswerError(
                f"{self.source.name} would take {len(unique)} questions in batches of {sizes}. "
                f"Report this to the adapter's authors."
            )
        keys = iter(unique)
        return [list(islice(keys, size)) for size in sizes]

    def _key(self, prefix: bytes, question: object) -> bytes:
        """The key of a question without its item, which no model reads, so that equal ones are asked once."""
        if isinstance(question, Choice | Prompt) and question.item and not self._identity.chosen_before:
            question = replace(question, item="")
        return codecs.question_key(prefix, question)

    def _key_prefix(self, hook: Hook[Q, A]) -> bytes:
        """What the keys of all questions to this model through this hook begin with."""
        return codecs.digest(
            [
                _CACHE_SCHEMA,
                self.source.ref.adapter,
                self.source.answers_version,
                self._identity.revision,
                self._identity.digest,
                dict(self._identity.facts),  # the device it runs on and its libraries change the last bits
                # Not those with their defaults: an upgrade that adds an option would have everything asked again.
                self.source.options if self.source.unusual is None else dict(self.source.unusual),
                hook.name,
                {
                    name: asdict(one) if isinstance(one, Settings) else one
                    for name, one in hook.params.items()
                },
            ]
        )

"""A model as metrics see it: questions in, answers out, each asked once, kept, retried and checked."""

from __future__ import annotations

import math
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, Generic, Literal, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pluggy
import tenacity

from biascore.basics.guard import At, Owner, clock_stopped, guarded, noted
from biascore.basics.keys import hiding, repeats
from biascore.basics.progress import Progress, Silent
from biascore.basics.wording import quoted
from biascore.errors import (
    AnswerError,
    AuthError,
    BiascoreError,
    CacheError,
    CapabilityError,
    PluginFailedError,
    QuestionError,
    QuotaError,
    RateLimitError,
    TimeLimitError,
    TransientModelError,
)
from biascore.models import codecs
from biascore.models.adapter import Backend, ModelPlugin
from biascore.models.answers import no_translation, split_logprobs, split_scores, split_texts, split_vectors
from biascore.models.around import put_around
from biascore.models.budget import Budget
from biascore.models.cache import Cache, NoCache
from biascore.models.capabilities import CAPABILITIES, PROJECT, CapabilitySpecs
from biascore.models.cost import characters
from biascore.models.questions import Familiarity, Level, Masked, Text, TokenLogprobs
from biascore.models.refs import ModelRef
from biascore.models.used import ModelUsed, QuestionCounts

Q = TypeVar("Q")
A = TypeVar("A")
R = TypeVar("R")
_CACHE_SCHEMA: Final = 1
_DOWN: Final = (TransientModelError, AuthError, QuotaError, TimeLimitError)
"""After one of these a model is asked nothing more in its run; what is in the cache it still answers."""
MAX_WAIT: Final = 900.0
"""Seconds: a service that asks for a longer wait is not waited for; run again later."""


@dataclass(frozen=True, slots=True)
class Source:
    """What names a model in a run: its short name, reference, options, and who answers in which version.

    ``paid``: whether it may charge for what it is asked. ``key_variables``: see ``Adapter``. ``owner``: the plugin
    of the adapter.
    """

    name: str
    ref: ModelRef
    answers_version: str
    options: dict[str, Any]
    explicit_options: dict[str, Any]
    paid: bool = False
    key_variables: tuple[str, ...] = ()
    unusual: Mapping[str, Any] | None = None
    owner: Owner = field(default_factory=Owner)


@dataclass(frozen=True, slots=True)
class Services:
    """What the engine lends to its models: cache, progress, budget, retries and the clock between them.

    ``time_limit``: the seconds that one call of a plugin's code may take, None for no limit.
    """

    cache: Cache = field(default_factory=NoCache)
    progress: Progress = field(default_factory=Silent)
    budget: Budget = field(default_factory=Budget)
    attempts: int = 5
    sleep: Callable[[float], None] = time.sleep
    time_limit: float | None = None


@dataclass(frozen=True, slots=True)
class Hook(Generic[Q, A]):
    """How one hook is called, checked and stored: ``split`` turns a batch answer into single answers.

    ``problem`` says why an answer to a question is none, or is empty: such an answer is never kept, and is an error
    unless ``lenient``.
    """

    name: str
    params: dict[str, str]
    split: Callable[[str, Any, Sequence[Q]], list[A]]
    encode: Callable[[A], bytes]
    decode: Callable[[bytes], A]
    problem: Callable[[str, Q, A], str] = lambda _model, _question, _answer: ""
    lenient: bool = False


class Model:
    """One opened model with its transforms and observers.

    Every method deduplicates the questions, answers from the cache what it can, asks the rest in
    batches, tries again after failures that may pass, checks shapes and NaN, and stores each batch
    in one transaction. Batches are cut from the whole list of questions, not from what is missing,
    so a resumed run asks in the same batches as an uninterrupted one and its numbers are the same.
    """

    def __init__(
        self,
        source: Source,
        backend: Backend,
        plugins: Sequence[ModelPlugin] = (),
        services: Services | None = None,
    ) -> None:
        self.source = source
        self.identity = backend.identity
        self._backend = backend
        self._services = services or Services()
        self._plugins = tuple(plugins)
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(CapabilitySpecs)
        self._manager.register(backend, name="backend")
        answered = {caller.name for caller in self._manager.get_hookcallers(backend) or []}
        for plugin in self._plugins:
            put_around(self._manager, plugin, source.name)
        self._manager.check_pending()
        self.capabilities = frozenset(answered & set(CAPABILITIES))
        self._counts = QuestionCounts()
        self._down: BiascoreError | None = None

    @property
    def name(self) -> str:
        """The model's short name, unique within a run."""
        return self.source.name

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables whose values no message may hold."""
        return self.source.key_variables

    @property
    def lacks(self) -> str:
        """Why it answers less than models of its kind do, or ""."""
        return self._backend.lacks

    @property
    def counts(self) -> QuestionCounts:
        """The questions put so far."""
        return self._counts

    def embed(self, texts: Iterable[Text | str], level: Level = "sentence") -> npt.NDArray[np.float32]:
        """Vectors of shape (n, d), float32; a row of NaN is a text outside the vocabulary.

        A plain string stands for the word that it is. Raises CapabilityError, QuestionError or AnswerError.
        """
        questions = [Text.word(t) if isinstance(t, str) else t for t in texts]
        hook: Hook[Text, npt.NDArray[np.float32]] = Hook(
            "embed", {"level": level}, split_vectors, codecs.encode_vector, codecs.decode_vector
        )
        rows = self._ask(hook, questions)
        # A kept vector may have another length than the rest: it goes, and where that does not help, all go.
        for everything in (False, True):
            usual = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
            odd = [q for q, row in zip(questions, rows, strict=True) if everything or len(row) != usual]
            if all(len(row) == usual for row in rows) or not self._forget(hook, odd):
                break
            rows = self._ask(hook, questions)
        if len({row.shape for row in rows}) > 1:
            with noted(self._at("embed")):
                raise AnswerError(
                    f"{self.name} gave vectors of different lengths. Report this to the adapter."
                )
        return np.stack(rows) if rows else np.empty((0, 0), dtype=np.float32)

    def familiarity(self, words: Sequence[str]) -> tuple[Familiarity, ...]:
        """Whether the model has seen each of the words in training; see ``Familiarity``. Asks no question.

        Raises AnswerError where the adapter does not answer word for word.
        """
        answers = tuple(self._backend.familiarity(tuple(words)))
        if len(answers) != len(words) or not all(isinstance(answer, Familiarity) for answer in answers):
            raise AnswerError(
                f"{self.name} does not say of each of {len(words)} words whether it has seen it. "
                f"Report this to the adapter's authors."
            )
        return answers

    def mask_logprob(
        self, queries: Iterable[Masked], *, unread: Literal["error", "empty"] = "error"
    ) -> tuple[TokenLogprobs, ...]:
        """Log-probabilities (nats) of the hidden tokens of each query.

        Put to the model in order of what they leave in sight: questions that differ only in what they hide
        are one forward pass, if they come in one batch. Where the model reads nothing under a span of a
        query (its tokenizer drops those characters), this raises QuestionError, or with ``unread="empty"``
        the answer has no tokens, so that a metric can report the word as lost.
        """
        hook: Hook[Masked, TokenLogprobs] = Hook(
            "mask_logprob", {}, split_logprobs, codecs.encode_logprobs, codecs.decode_logprobs
        )
        asked = list(queries)
        order = sorted(range(len(asked)), key=lambda i: _in_sight(asked[i]))
        answers = self._ask(hook, [asked[i] for i in order])
        found = dict(zip(order, answers, strict=True))
        for i, query in enumerate(asked if unread == "error" else ()):
            if query.spans and not found[i].tokens:
                raise QuestionError(_unread(self.name, query))
        return tuple(found[i] for i in range(len(asked)))

    def translate(
        self,
        texts: Iterable[str],
        source: str,
        target: str,
        *,
        unusable: Literal["error", "empty"] = "error",
    ) -> tuple[str, ...]:
        """Translations, one for one, from language ``source`` to ``target`` (BCP 47 tags).

        A translation that is blank, holds NUL or half of a surrogate pair is none. It is not kept, and raises
        AnswerError; with ``unusable="empty"`` it is an empty string, so that a metric can report the text as lost.
        """
        hook: Hook[str, str] = Hook(
            "translate",
            {"source": source, "target": target},
            split_texts,
            codecs.encode_text,
            codecs.decode_text,
            no_translation,
            lenient=unusable == "empty",
        )
        asked = list(texts)
        answers = self._ask(hook, asked)
        return tuple(
            "" if no_translation(self.name, text, answer) else answer
            for text, answer in zip(asked, answers, strict=True)
        )

    def score(self, texts: Iterable[str], quantity: str) -> npt.NDArray[np.float64]:
        """Scores of shape (n,), float64: nats for ``"log_likelihood"``, else the unit of the head."""
        hook: Hook[str, float] = Hook(
            "score", {"quantity": quantity}, split_scores, codecs.encode_score, codecs.decode_score
        )
        return np.array(self._ask(hook, list(texts)), dtype=np.float64)

    @hiding
    def export(self, folder: Path, *, int8: bool = False) -> str:
        """Write the model into an empty folder for another adapter, whose id is returned; see ``Backend.export``.

        Raises CapabilityError where the model cannot be exported.
        """
        try:
            return self._backend.export(folder, int8=int8)
        except CapabilityError as error:
            raise CapabilityError(f"{self.name}: {error}") from error

    def used(self, since: QuestionCounts | None = None) -> ModelUsed:
        """The record of this model for a run, with the questions put after ``since``, or all of them."""
        before = since or QuestionCounts()
        counts = {
            name: getattr(self._counts, name) - getattr(before, name) for name in QuestionCounts.model_fields
        }
        return ModelUsed(
            name=self.name,
            ref=str(self.source.ref),
            revision=self.identity.revision,
            digest=self.identity.digest,
            options=self.source.options,
            explicit_options=self.source.explicit_options,
            facts=dict(self.identity.facts),
            control=self.identity.control,
            transforms=tuple(p.name for p in self._plugins if p.role == "transform"),
            questions=QuestionCounts(**counts),
        )

    @hiding
    def close(self) -> None:
        """Let go of the model's files and memory; ``with engine.model(ref) as model:`` does it too."""
        try:
            self._guarded("closing", self._backend.close)
        except PluginFailedError as error:  # the answers are here, and right
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Model {self.name} ({self.source.ref}): {', '.join(sorted(self.capabilities))}>"

    @hiding
    def _ask(self, hook: Hook[Q, A], questions: list[Q]) -> list[A]:
        if hook.name not in self.capabilities:
            why = f" (its head: {self.lacks})" if self.lacks else ""
            raise CapabilityError(
                f"{self.name} ({self.source.ref}) cannot {hook.name}; "
                f"it can {', '.join(sorted(self.capabilities))}{why}. "
                f"Choose a metric that needs only those, or another model."
            )
        prefix = self._key_prefix(hook)
        keys = [codecs.question_key(prefix, question) for question in questions]
        unique = dict(zip(keys, questions, strict=True))
        answers = self._kept(hook, unique)
        cached = len(answers)
        missing = [question for key, question in unique.items() if key not in answers]
        # Waiting for a model is no time of the metric's own.
        with clock_stopped(), noted(self._at(hook.name)):
            self._ask_missing(hook, unique, answers)
        self._counts = QuestionCounts(
            put=self._counts.put + len(keys),
            repeated=self._counts.repeated + len(keys) - len(unique),
            cached=self._counts.cached + cached,
            asked=self._counts.asked + len(missing),
            characters=self._counts.characters + sum(map(characters, missing)),
        )
        return [answers[key] for key in keys]

    def _ask_missing(self, hook: Hook[Q, A], unique: dict[bytes, Q], answers: dict[bytes, A]) -> None:
        keys = list(unique)
        missing = len(keys) - len(answers)
        if not missing:
            return
        if self._down:
            raise self._down
        batches = self._batches(hook, unique)
        if self.source.paid:
            left = sum(characters(question) for key, question in unique.items() if key not in answers)
            self._services.budget.check(self.name, left)
        with self._services.progress.task(f"{self.name}: {hook.name}", missing) as advance:
            for some in batches:
                batch = [key for key in some if key not in answers]
                if not batch:
                    continue
                self._check_kept()
                questions = tuple(unique[key] for key in batch)
                try:
                    raw = self._call(hook, questions)
                except AnswerError as error:
                    self._keep(
                        hook, unique, {batch[i]: cast("A", answer) for i, answer in error.usable.items()}
                    )
                    raise
                except _DOWN as error:
                    self._down = error
                    raise
                new = dict(zip(batch, hook.split(self.name, raw, questions), strict=True))
                problems = self._keep(hook, unique, new)
                if problems and not hook.lenient:
                    raise AnswerError(problems[0])
                answers.update(new)
                advance(len(batch))

    def _kept(self, hook: Hook[Q, A], unique: Mapping[bytes, Q]) -> dict[bytes, A]:
        """The answers that the cache holds; what it holds but is none is dropped, and so asked for again."""
        answers: dict[bytes, A] = {}
        unreadable = {}
        for key, data in self._services.cache.get(list(unique)).items():
            try:
                answer = hook.decode(data)
            except ValueError:
                unreadable[key] = data
                continue
            if hook.problem(self.name, unique[key], answer):  # kept by an older version
                unreadable[key] = data
            else:
                answers[key] = answer
        if unreadable:
            self._services.cache.drop(unreadable)
        return answers

    def _forget(self, hook: Hook[Q, A], questions: Sequence[Q]) -> bool:
        """Drop the kept answers to these questions; whether they are gone."""
        prefix = self._key_prefix(hook)
        keys = [codecs.question_key(prefix, question) for question in questions]
        return self._services.cache.drop(self._services.cache.get(keys))

    def _keep(self, hook: Hook[Q, A], unique: Mapping[bytes, Q], new: Mapping[bytes, A]) -> list[str]:
        """Keep the answers that are some, and say why the others are none."""
        for key, answer in new.items():
            name = repeats(answer, self.key_variables) if isinstance(answer, str) else ""
            if name:
                raise AnswerError(
                    f"{self.name}: the answer to {quoted(unique[key])} repeats the key in {name}, so none of its batch "
                    "is kept. Check the address of the server"
                )
        problems = {key: hook.problem(self.name, unique[key], answer) for key, answer in new.items()}
        good = {key: hook.encode(answer) for key, answer in new.items() if not problems[key]}
        if good:
            self._services.cache.put(good)
        return [problem for problem in problems.values() if problem]

    def _check_kept(self) -> None:
        """Raise CacheError where the answers of a service that charges would be paid for and lost."""
        if self.source.paid and self._services.cache.problem:
            raise CacheError(
                f"{self.name} charges for its answers, and {self._services.cache.problem}, so they would have to be "
                "paid for again. Mend that, or pass --no-cache if they need not be kept"
            )

    def _batches(self, hook: Hook[Q, A], unique: dict[bytes, Q]) -> list[list[bytes]]:
        """The keys in the batches that the backend wants."""
        questions = tuple(unique.values())
        sizes = self._guarded(
            "cutting batches", lambda: list(self._backend.batch_sizes(hook.name, questions))
        )
        if sum(sizes) != len(unique) or any(size < 1 for size in sizes):
            raise AnswerError(
                f"{self.name} would take {len(unique)} questions in batches of {sizes}. "
                f"Report this to the adapter's authors."
            )
        keys = iter(unique)
        return [list(islice(keys, size)) for size in sizes]

    def _call(self, hook: Hook[Q, A], questions: tuple[Q, ...]) -> object:
        caller = getattr(self._manager.hook, hook.name)
        if self.source.paid:
            caller = self._services.budget.guard(self.name, caller, sum(map(characters, questions)))
        argument = "queries" if hook.name == "mask_logprob" else "texts"
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_may_pass),
            stop=tenacity.stop_after_attempt(self._services.attempts),
            wait=_wait,
            sleep=self._services.sleep,
            reraise=True,
        )
        asked = f"answering {len(questions)} question(s) ({hook.name})"
        return retrying(lambda: self._guarded(asked, lambda: caller(**{argument: questions}, **hook.params)))

    def _guarded(self, what: str, call: Callable[[], R]) -> R:
        """What the backend gives; its errors are named."""
        return guarded(self._at(what), call, self._services.time_limit)

    def _at(self, what: str) -> At:
        return At(self.source.owner, "answering", f"{self.name}, {what},", self.name)

    def _key_prefix(self, hook: Hook[Q, A]) -> bytes:
        transforms = [[p.name, p.fingerprint] for p in self._plugins if p.role == "transform"]
        return codecs.digest(
            [
                _CACHE_SCHEMA,
                self.source.ref.adapter,
                self.source.answers_version,
                self.identity.revision,
                self.identity.digest,
                dict(self.identity.facts),  # the device it runs on and its libraries change the last bits
                # Not those with their defaults: an upgrade that adds an option would have everything asked again.
                self.source.options if self.source.unusual is None else dict(self.source.unusual),
                transforms,
                hook.name,
                hook.params,
            ]
        )


def _unread(model: str, query: Masked) -> str:
    words = ", ".join(repr(query.text[start:end]) for start, end in (*(query.spans or ()), *query.also))
    return (
        f"{model}: no sub-token covers {words} of {query.text!r}, or not all of them: the tokenizer drops those "
        f"characters. Put the spans on words that it keeps"
    )


def _in_sight(query: Masked) -> str:
    """The text of a question without what it hides."""
    hidden = sorted({*(query.spans or ()), *query.also}) if not query.one_at_a_time else []
    parts, start = [], 0
    for span in hidden:
        parts.append(query.text[start : span[0]])
        start = max(start, span[1])
    return "\0".join([*parts, query.text[start:]])


def _may_pass(error: BaseException) -> bool:
    """Whether to ask again; not where the service asks for a wait that nobody sits through."""
    if isinstance(error, RateLimitError) and error.retry_after is not None:
        return not error.retry_after > MAX_WAIT
    return isinstance(error, TransientModelError)


def _wait(state: tenacity.RetryCallState) -> float:
    """Seconds before the next attempt: what the service asked for, else 1, 2, 4, ... up to 60."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, RateLimitError) else None
    if asked is not None and not math.isnan(asked):
        return max(0.0, float(asked))
    return float(min(60, 2 ** (state.attempt_number - 1)))

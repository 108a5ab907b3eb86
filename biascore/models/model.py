"""A model as metrics see it: questions in, answers out; ``asking`` has how they are asked."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt

from biascore.basics.guard import noted
from biascore.basics.progress import Silent
from biascore.errors import AnswerError, BiascoreError, CapabilityError, PluginFailedError, QuestionError
from biascore.models.backend import Backend
from biascore.models.pipeline import hooks
from biascore.models.pipeline.answers import check_familiarity, check_unit, no_translation, not_read
from biascore.models.pipeline.asking import Availability, QueryRunner
from biascore.models.pipeline.cache import NoCache
from biascore.models.pipeline.calling import Caller, Hook
from biascore.models.pipeline.source import Services, Source
from biascore.models.questions.outcomes import Outcomes
from biascore.models.questions.questions import (
    NOT_ASKED,
    Choice,
    Chosen,
    Continuation,
    Familiarity,
    Level,
    Masked,
    Text,
    TokenLogprobs,
    Way,
)
from biascore.models.questions.writing import Prompt, Settings, Written
from biascore.models.training import Checkpoints, Trained, Training
from biascore.models.transforms.prepared import Prepared, no_vectors, only_vectors
from biascore.models.transforms.transform import FittedTransform, Transform
from biascore.models.transforms.transformed import Transformed
from biascore.models.usage import ModelUsed, QuestionCounts, TransformUsed
from biascore.models.vocabulary import Vocabulary

Q = TypeVar("Q")
A = TypeVar("A")


class Model:
    """One opened model.

    Every question goes one way: ``QueryRunner`` deduplicates, answers from the cache what it can, asks the rest in batches,
    checks and stores each. ``Caller`` sends a batch to the backend, again after transient failures. ``under`` is transformed
    by it.
    """

    _learns = True  # transforms of it are fitted

    def __init__(
        self,
        source: Source,
        backend: Backend,
        services: Services | None = None,
        *,
        under: Model | None = None,
    ) -> None:
        self.source = source
        self.identity = backend.identity
        self.cost_of = backend.cost
        self.lacks = backend.lacks  # why it answers less than models of its kind do, or ""
        self._backend = backend
        self._services = services or Services()
        self._under = under
        self._transformed = backend if isinstance(backend, Transformed) else None
        self._open: ExitStack = ExitStack() if under is None else under._open
        if under is None:
            self._open.callback(backend.close)
        self._caller = caller = Caller(source, backend, self._services)
        in_flight = backend.in_flight
        self._asker = QueryRunner(source, backend, self._services, caller.call, caller.needs, in_flight)
        self.capabilities = caller.capabilities
        self._known: dict[str, Familiarity] = {}
        self.prompting: dict[str, str] = {}  # conventions of prompts put in this measurement
        self.outcomes = Outcomes()  # of the choices and texts of this measurement

    @property
    def name(self) -> str:
        """The model's short name, unique within a run."""
        return self.source.name

    @property
    def after(self) -> str:
        """The names of its transforms, or ""."""
        return ", ".join(one.name for one in self.transforms)

    @property
    def transforms(self) -> tuple[Transformed, ...]:
        """Its transforms, the first one first."""
        own = () if self._transformed is None else (self._transformed,)
        return own if self._under is None else (*self._under.transforms, *own)

    @property
    def counts(self) -> QuestionCounts:
        """The questions asked so far; of a transformed model, those of the model underneath."""
        return self._asker.counts if self._under is None else self._under.counts

    def embed(self, texts: Iterable[Text | str], level: Level = "sentence") -> npt.NDArray[np.float32]:
        """Vectors of shape (n, d), float32; a row of NaN is a text outside the vocabulary.

        A plain string represents the word that it is. Raises CapabilityError, QuestionError or AnswerError.
        """
        questions = [Text.word(t) if isinstance(t, str) else t for t in texts]
        hook = hooks.embedding(level)
        rows = self._ask(hook, questions)
        # A kept vector may have another length than the rest: it goes, and where that does not help, all go.
        for everything in (False, True):
            usual = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
            odd = [q for q, row in zip(questions, rows, strict=True) if everything or len(row) != usual]
            if all(len(row) == usual for row in rows) or not self._asker.forget(hook, odd):
                break
            rows = self._ask(hook, questions)
        if len({row.shape for row in rows}) > 1:
            with noted(self.source.at("embed")):
                raise AnswerError(f"{self.name} gave vectors of different lengths. Report it to its adapter")
        return np.stack(rows) if rows else np.empty((0, 0), dtype=np.float32)

    def familiarity(self, words: Sequence[str]) -> tuple[Familiarity, ...]:
        """Whether it has seen each word in training, and how frequent each is; no questions. Raises AnswerError.

        Each word is looked up once: harmless groups are the same in every test.
        """
        new = tuple(word for word in dict.fromkeys(words) if word not in self._known)
        if new:
            answers = self._asker.read(
                "reading its vocabulary", lambda: tuple(self._backend.familiarity(new))
            )
            check_familiarity(self.name, new, answers)
            self._known.update(zip(new, answers, strict=True))
        return tuple(self._known[word] for word in words)

    def vocabulary(self) -> Vocabulary:
        """All words that it has vectors for, read straight from it; nothing of that is asked or kept.

        Raises CapabilityError where it has no list of words.
        """
        found = self._asker.read("reading its vocabulary", lambda: self._backend.vocabulary())
        if found is None:
            raise CapabilityError(
                f"{self.name} ({self.source.ref}) has no vocabulary of words that could be read whole. "
                "Choose a model of word vectors: biascore list adapters"
            )
        return found

    def first_words(self, most: int = 3) -> tuple[str, ...]:
        """A few words of its vocabulary, as an example for a reader; none where there is no list, or no reading it."""
        own = self.untransformed or self
        with suppress(BiascoreError):  # the measurement is worth more than the example
            return tuple(own._asker.read("reading its words", lambda: [*own._backend.first_words(most)]))
        return ()

    def mask_logprob(
        self, queries: Iterable[Masked], *, unread: Literal["error", "empty"] = "error"
    ) -> tuple[TokenLogprobs, ...]:
        """Log-probabilities (nats) of the hidden tokens of each query.

        Asked in order of what they leave in sight: those that differ only in what they hide are one forward pass, if they
        come in one batch. Where the model reads nothing under a span (its tokenizer drops those characters), this raises
        QuestionError, or with ``unread="empty"`` the answer has no tokens, so that a metric can report the word as lost.
        """
        asked = list(queries)
        found = self._ask_sorted(hooks.filling(), asked, lambda query: query.in_sight)
        for query, answer in zip(asked, found, strict=True):
            if unread == "error" and query.spans and not answer.tokens:
                raise QuestionError(not_read(self.name, query))
        return tuple(found)

    def translate(
        self,
        texts: Iterable[str],
        source: str,
        target: str,
        *,
        unusable: Literal["error", "empty", "named"] = "error",
    ) -> tuple[str, ...]:
        """Translations, one for one, from language ``source`` to ``target`` (BCP 47 tags).

        One that is blank, holds NUL or half of a surrogate pair is not kept, and raises AnswerError; where ``unusable`` is
        "empty", it is an empty string, so lost. "named": the same, but NOT_ASKED where given answers lack it.
        """
        asked = list(texts)
        answers = self._ask(hooks.translating(source, target, lenient=unusable != "error"), asked)
        kept = NOT_ASKED if unusable == "named" else None
        return tuple(
            "" if answer != kept and no_translation(self.name, text, answer) else answer
            for text, answer in zip(asked, answers, strict=True)
        )

    def score(
        self, texts: Iterable[str | Continuation], quantity: str, *, in_nats: bool = False
    ) -> npt.NDArray[np.float64]:
        """Scores (n,), float64, in the unit of the head; ``in_nats``: logarithms, OptionsError if their base is not known.

        A causal language model gives ``"log_likelihood"`` in nats, per token ``"mean_log_likelihood"``, and the number of
        these tokens, ``"token_count"``; those to ask for are in ``identity.quantities``. Not all take a ``Continuation``.
        Asked in their alphabetical order: what those of one batch begin with may be computed once.
        """
        check_unit(self.name, self.identity, quantity if in_nats else None)
        self.prompting.update(hooks.prompting(self.name, self.identity, asked := list(texts)))
        return np.array(self._ask_sorted(hooks.scoring(quantity), asked, _as_read), dtype=np.float64)

    def choose(self, questions: Iterable[Choice], way: Way | None = None) -> tuple[Chosen, ...]:
        """What the model chooses of each question's options, asked in one way: by default the only one that it has.

        Raises OptionsError for none of several, CapabilityError for one it has not, QuestionError for a seed but by text."""
        hook = hooks.choosing(self.name, self.identity, way, asked := list(questions))
        self.prompting.update(hooks.chosen_by(self.identity, hook.params["way"]))
        return self.outcomes.noted(self._ask(hook, asked))

    def generate(
        self, prompts: Iterable[Prompt | str], settings: Settings | None = None
    ) -> tuple[Written, ...]:
        """What it writes to each prompt; samples of one prompt are the same text unless ``settings.drawn``."""
        settings, asked = settings or Settings(), [Prompt(p) if isinstance(p, str) else p for p in prompts]
        self.prompting.update(hooks.written_by(self.prompting, self.identity, settings, asked))
        return self.outcomes.noted(self._ask(hooks.generating(settings), asked))

    def export(self, folder: Path, *, int8: bool = False) -> str:
        """Write the model into an empty folder for another adapter, whose id is returned; see ``Backend.export``.

        Raises CapabilityError where the model cannot be exported, OSError where the folder cannot be written.
        """
        return self._made("exporting", lambda: self._backend.export(folder, int8=int8))

    def fine_tune(
        self, folder: Path, texts: Sequence[str], training: Training, checkpoints: Checkpoints
    ) -> Trained:
        """Train a copy of the model further and write it into an empty folder; see ``Backend.fine_tune``.

        Raises CapabilityError where the model cannot be trained.
        """
        progress = self._services.progress
        return self._made(
            "training", lambda: self._backend.fine_tune(folder, texts, training, checkpoints, progress)
        )

    def used(self, since: QuestionCounts | None = None) -> ModelUsed:
        """The record of this model for a run, with the questions put after ``since``, or all of them."""
        told = self.source.guarded("telling what answered", lambda: self._backend.told())
        return ModelUsed(
            name=self.name,
            ref=str(self.source.ref),
            revision=self.identity.revision,
            digest=self.identity.digest,
            options=self.source.options,
            explicit_options=self.source.explicit_options,
            facts={**self.identity.facts, **told.facts},
            control=self.identity.control,
            transforms=self._transforms_used(),
            questions=self.counts.since(since or QuestionCounts()),
            deviations=(self.untransformed or self)._asker.again.deviations,
            warnings=told.warnings,
        )

    @property
    def standing(self) -> Availability:
        """Whether it still answers in the run that it is in, under whatever name."""
        return (self.untransformed or self)._asker.standing

    def ask_repeated(self) -> None:
        """Ask it some of its questions again, for ``deviations`` of its record; see ``QueryRunner.ask_repeated``."""
        (self.untransformed or self)._asker.ask_repeated()

    def close(self) -> None:
        """Let go of the model's files and memory, once; ``with engine.model(ref) as model:`` does it too.

        A transformed model and the one underneath are one opened model: closing either closes both.
        """
        try:
            self.source.guarded("closing", self._open.close, self._services.time_limit)
        except PluginFailedError as error:  # the answers are here, and right
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)

    def with_transform(self, transform: str | Transform, /, **options: Any) -> Model:
        """This model with its vectors changed by a transform, called ``"NAME after TRANSFORM"``; again for a chain.

        ``model.with_transform("grammatical-gender", nouns="es/nouns")``. It is fitted when it is first needed, once for
        each level, on what this model answers (through its cache), and can ``embed`` and nothing else. Raises
        UnknownNameError, OptionsError or StimuliError, and CapabilityError where this model cannot embed.
        """
        return self.through(self._services.transforms.get(transform, options))

    def through(self, *transforms: Prepared, name: str = "") -> Model:
        """This model through transforms that are made already, one after the other; see ``with_transform``."""
        model = self
        for prepared in transforms:
            if "embed" not in model.capabilities:
                raise CapabilityError(no_vectors(prepared.name, model.name, model.capabilities))
            under = model.view()
            backend = Transformed(under, prepared, learns=self._learns, time_limit=self._services.time_limit)
            model = _over(under, backend, under.name + (", " if under.under else " after ") + prepared.name)
        return model.view(name) if name else model

    def view(self, name: str = "") -> Model:
        """The same opened model once more: its questions are counted anew, and it may have another name."""
        if self._under is not None:
            return self.on(self._under.view(), name)
        again = Model(replace(self.source, name=name or self.name), self._backend, self._services)
        again._open, own, new = self._open, self._asker, again._asker
        new.answered, new.again, new.standing = own.answered, own.again, own.standing
        return again

    @property
    def under(self) -> Model | None:
        """The model that its transform is applied to, or None where it has none."""
        return self._under

    def on(self, under: Model, name: str = "") -> Model:
        """The transform of this model over another view of the model under it; what either learns, both know."""
        if self._transformed is None:
            return under
        return _over(under, self._transformed.on(under, learns=under._learns), name or self.name)

    @property
    def untransformed(self) -> Model | None:
        """The model before all of its transforms, or None where it has none."""
        under = self._under
        while under is not None and under._under is not None:
            under = under._under
        return under

    def steps(self, level: Level = "sentence") -> tuple[Model, ...]:
        """The model before all transforms, then after each step of the last transform; the last one is this model.

        The steps are those learnt at ``level``; models of them answer at that level alone. Raises what fitting raises.
        """
        before, transformed, under = self.untransformed, self._transformed, self._under
        if before is None or transformed is None or under is None:
            return (self,)
        before._note_steps()
        made = (
            _over(under, transformed.at_step(step, level), f"{self.name}, step {number}")
            for number, step in enumerate(transformed.steps(level)[:-1], start=1)
        )
        return (before, *made, self)

    def fitted(self, level: Level = "sentence") -> FittedTransform | None:
        """What the last transform learnt at this level, now if it was not yet; None without transforms and in a plan.

        Raises what fitting raises.
        """
        return None if self._transformed is None else self._transformed.fitted(level)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Model {self.name} ({self.source.ref}): {', '.join(sorted(self.capabilities))}>"

    def _note_steps(self) -> None:
        """Called where a metric asks for the steps of a transform, whose number nobody knows before it is fitted."""

    def _transforms_used(self) -> tuple[TransformUsed, ...]:
        return tuple(one.used() for one in self.transforms)

    def _made(self, doing: str, make: Callable[[], A]) -> A:
        """What the backend makes in a folder; an OSError is that folder's, and none of the adapter's."""
        try:
            return self.source.guarded(doing, make, passing=(OSError,))
        except CapabilityError as error:
            raise CapabilityError(f"{self.name}: {error}") from error

    def _ask(self, hook: Hook[Q, A], questions: list[Q]) -> list[A]:
        if hook.name not in self.capabilities:
            if self._transformed is not None:
                raise CapabilityError(only_vectors(hook.name, self.name, self._transformed.name))
            of = f"{self.name} ({self.source.ref})"
            raise CapabilityError(hooks.no_capability(of, hook.name, self.capabilities, self.lacks))
        return self._asker.ask(hook, questions)

    def _ask_sorted(self, hook: Hook[Q, A], questions: list[Q], key: Callable[[Q], str]) -> list[A]:
        """The answers, one for one, to questions that are asked in the order of their keys."""
        order = np.argsort([key(one) for one in questions], kind="stable")
        answers = self._ask(hook, [questions[i] for i in order])
        return [answers[i] for i in np.argsort(order)]


def _as_read(asked: str | Continuation) -> str:
    return asked if isinstance(asked, str) else asked.prompt + asked.text


def _over(under: Model, backend: Transformed, name: str) -> Model:
    """A model that is another one transformed: what it asks goes to that one, which keeps, counts and tries again."""
    source = replace(under.source, name=name, paid=False)
    services = replace(under._services, cache=NoCache(), progress=Silent(), attempts=1)
    return Model(source, backend, services, under=under)

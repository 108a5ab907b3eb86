"""The contract of an adapter, checked on one model: ``check_adapter("csv:vectors.csv")``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from biascore.adapter import Adapter
from biascore.engine.engine import Engine
from biascore.errors import BiascoreError, ModelLoadError, OptionsError, PluginFailedError, QuestionError
from biascore.models.backend import Identity
from biascore.models.model import Model
from biascore.models.pipeline import hooks
from biascore.models.questions.questions import Choice, Text
from biascore.models.questions.writing import Prompt
from biascore.models.refs import ModelRef
from biascore.testing.contract import Contract, NotAskedError, check_all, hold
from biascore.testing.pickles import unpickled_by
from biascore.testing.queries import (
    LENGTH,
    SCRIPTS,
    TEXTS,
    TOKENS,
    WORDS,
    Asked,
    Direct,
    answered,
    apart,
    asked_of,
    longer,
    numbers,
)
from biascore.testing.units import hold_units

_DIGEST: Final = re.compile(r"[a-z0-9][\w .-]*:.+", re.DOTALL)
_WORDS: Final = 6  # that a model of vectors of words is asked
_KEY: Final = "contract-key-7f3a9c51e2"


@dataclass
class AdapterContract(Contract):
    """What ``check_adapter`` takes."""

    kind = "adapter"
    ref: str
    adapter: type[Adapter] | None = None
    texts: Sequence[str] = TEXTS
    choices: Sequence[Choice] = ()
    prompts: Sequence[Prompt] = ()
    words: Sequence[str] = ()
    languages: tuple[str, str] = ("en", "it")
    unknown: str = "qzxvkqqj"
    failures: Mapping[type[BiascoreError], Callable[[], AbstractContextManager[object]]] = field(
        default_factory=dict
    )
    key: str = _KEY
    close_to: float = 1e-4
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: Engine | None = None
    _model: Model | None = field(default=None, init=False)
    _taken: dict[str, bool] = field(default_factory=dict, init=False)

    def close(self) -> None:
        if self._model is not None:
            self._model.close()
            self._model = None

    @property
    def _id(self) -> str:
        return ModelRef.parse(self.ref).adapter

    @property
    def _lent(self) -> Engine:
        if self.engine is None:
            self.engine = Engine(cache=None)
        if self.adapter is not None and self.adapter.id not in self.engine.plugins.adapters.names:
            self.engine.register_adapter(self.adapter)
        return self.engine

    @property
    def _kind(self) -> type[Adapter]:
        return self._lent.plugins.adapters.get(self._id)

    @property
    def _opened(self) -> Model:
        if self._model is None:
            try:
                self._model = self._lent.model(self.ref, **self.options)
            except BiascoreError as error:
                raise AssertionError(f"{self.ref} cannot be opened: {error}") from error
        return self._model

    @property
    def _direct(self) -> Direct:
        return Direct(self._opened._backend, self.ref)

    def _asked(self, texts: Sequence[str] = ()) -> list[Asked]:
        """What to ask of the texts, without the ways of choosing or writing that it refuses for plain texts."""
        found = self._every(texts)
        return [
            one for one in found if not one.name.startswith(("choose", "generate")) or self._takes(one.name)
        ]

    def _every(self, texts: Sequence[str] = ()) -> list[Asked]:
        direct = self._direct
        return asked_of(
            direct.backend.identity,
            direct.capabilities,
            texts or self.texts,
            self.languages,
            () if texts else self.choices,
            () if texts else self.prompts,
            () if texts else self._known,
        )

    @cached_property
    def _known(self) -> tuple[str, ...]:
        """Words that the model has seen: those given, or some of its vocabulary and of the texts."""
        model = self._opened
        offered = self.words or [
            *model.first_words(5),
            *WORDS,
            *re.findall(r"[^\W\d_]+", " ".join(self.texts)),
        ]
        found = dict.fromkeys(offered)
        return tuple(w for w, one in zip(found, model.familiarity([*found]), strict=True) if one.seen)[
            :_WORDS
        ]

    def _with_answers(self) -> Iterator[tuple[Asked, list[Any]]]:
        """What is asked and answered; raises NotAskedError where the model has no answer to any of it."""
        some = False
        for asked in self._asked():
            answers = self._answers(asked)
            if any(map(answered, answers)):
                some = True
                yield asked, answers
        if not some:
            raise NotAskedError(
                f"no answer to any query; name texts and words that {self.ref} answers: texts=, words="
            )

    def _takes(self, way: str) -> bool:
        """Whether it answers plain questions in this way: a tokenizer may read a letter in several tokens, for one."""
        if way not in self._taken:
            direct = self._direct
            asked = next(one for one in self._every() if one.name == way)
            try:
                direct.ask(asked.hook, asked.queries[:1])
            except QuestionError:
                self._taken[way] = False
            except BiascoreError:
                self._taken[way] = True  # what it raises is for the clauses
            else:
                self._taken[way] = True
        return self._taken[way]

    def _answers(self, asked: Asked, queries: Sequence[Any] | None = None) -> list[Any]:
        try:
            return self._direct.ask(asked.hook, asked.queries if queries is None else queries)
        except BiascoreError as error:
            raise AssertionError(f"{asked.name} of {len(asked.queries)} plain texts: {error}") from error

    def check_opens(self) -> None:
        """The model opens, and answers no more than the adapter declares."""
        answered, declared = self._direct.capabilities, self._kind.capabilities
        hold(not answered or self._asked(), f"{self.ref} refuses every plain query")
        hold(answered, f"{self.ref} answers none of the hooks")
        hold(
            answered <= declared,
            f"{self.ref} answers {sorted(answered)}, and {self._id} declares {sorted(declared)}",
        )

    def check_identity(self) -> None:
        one = self._opened.identity
        hold(
            isinstance(one, Identity) and _DIGEST.fullmatch(one.digest),
            f"the digest is {one.digest!r}, not algorithm:value",
        )
        with self._lent.model(self.ref, **self.options) as again:
            hold(again.identity == one, f"opened again, the identity is {again.identity}, and was {one}")

    def check_errors(self) -> None:
        """A wrong option, an empty reference and a model that is not there are errors of biascore."""
        for ref, options in (
            (self.ref, {**self.options, "no_such_option": 1}),
            (f"{self._id}:", {}),
            (f"{self._id}:no/such/model", {}),
        ):
            try:
                self._lent.model(ref, **options).close()
            except BiascoreError as error:
                told = str(error)
                hold(error.__class__ is not ModelLoadError or told.rstrip(), f"{ref}: the error says nothing")
                hold(
                    "no_such_option" not in options or isinstance(error, OptionsError),
                    f"{ref}: an unknown option is {error!r}",
                )
                hold(not isinstance(error, PluginFailedError), f"{ref}: {told}")
            else:
                hold(
                    "no_such_option" not in options,
                    f"{ref} takes the option no_such_option, which it does not have",
                )

    def check_shape(self) -> None:
        for asked, answers in self._with_answers():
            hold(
                len(answers) == len(asked.queries),
                f"{asked.name}: {len(answers)} answers to {len(asked.queries)} queries",
            )

    def check_units(self) -> None:
        hold_units(self._direct, self._with_answers(), self._answers)

    def check_deterministic(self) -> None:
        for asked, one in self._with_answers():
            other = self._answers(asked)
            same = all(
                np.array_equal(numbers(a), numbers(b), equal_nan=True)
                for a, b in zip(one, other, strict=True)
            )
            hold(same, f"{asked.name}: asked again, the answers differ by {apart(one, other)}")

    def check_batch(self) -> None:
        """Alone, in reverse, next to a long text, twice."""
        for asked, whole in self._with_answers():
            queries = asked.queries
            alone = [answer for query in queries for answer in self._answers(asked, [query])]
            self._same(asked, whole, alone, "alone")
            self._same(asked, whole, self._answers(asked, queries[::-1])[::-1], "in reverse order")
            twice = self._answers(asked, [query for query in queries for _ in range(2)])
            self._same(asked, whole, twice[::2], "each query twice")
            self._same(asked, whole, twice[1::2], "each query twice")
            try:
                beside = self._direct.ask(asked.hook, [*queries, longer(queries[0])])
            except QuestionError:
                continue
            self._same(asked, whole, beside[:-1], "next to a long text")

    def _same(self, asked: Asked, one: Sequence[Any], other: Sequence[Any], how: str) -> None:
        far = apart(one, other)
        hold(far <= self.close_to, f"{asked.name}: {how}, answers differ by {far:.3g} of their size")

    def check_sizes(self) -> None:
        for asked in self._asked():
            for count in (0, 1, len(asked.queries)):
                sizes = list(self._direct.backend.batch_sizes(asked.hook.name, asked.queries[:count]))
                hold(
                    sum(sizes) == count and all(s > 0 for s in sizes),
                    f"{asked.name}: {count} queries in batches of {sizes}",
                )

    def check_unicode(self) -> None:
        """Each script alone: a refusal of one says nothing of the others."""
        for text in SCRIPTS:
            for asked in self._asked([text]):
                try:
                    self._direct.ask(asked.hook, asked.queries)
                except QuestionError:
                    continue
                except Exception as error:
                    raise AssertionError(
                        f"{asked.name} of {text!r} raises {type(error).__name__}: {error}"
                    ) from error

    def check_long(self) -> None:
        """Two long texts that differ at the end are answered differently."""
        start = " ".join(["The nurse is tired and goes home."] * (LENGTH // 7))
        compared = 0
        for one, other in zip(self._asked([f"{start} Good."]), self._asked([f"{start} Bad."]), strict=True):
            try:
                found = [self._direct.ask(asked.hook, asked.queries[:1])[0] for asked in (one, other)]
            except QuestionError:
                compared += 1
                continue
            except Exception as error:
                raise AssertionError(
                    f"{one.name} of {LENGTH} words raises {type(error).__name__}: {error}"
                ) from error
            if one.name in ("embed: sentence", "score: log_likelihood") and answered(found[0]):
                compared += 1
                hold(
                    not np.array_equal(numbers(found[0]), numbers(found[1])),
                    f"{one.name}: the end of {LENGTH} words changes nothing",
                )
        if not compared:
            raise NotAskedError(f"no answer to a text of {LENGTH} words, and no refusal")

    def check_unknown(self) -> None:
        if "embed" not in self._direct.capabilities:
            raise NotAskedError("the model gives no vectors")
        row = self._direct.ask(hooks.embedding("token"), [Text.word(self.unknown)])[0]
        seen = self._opened.familiarity([self.unknown])[0].seen
        if not np.isnan(row).all() and seen:
            raise NotAskedError(
                f"{self.unknown!r} has a vector, and is said to be seen: name a word that is not, unknown="
            )
        hold(
            not (np.isnan(row).all() and seen),
            f"{self.unknown!r} has no vector, and familiarity says that it was seen",
        )

    def check_writes(self) -> None:
        """Bounds of 1, 6 and 12 tokens."""
        written = [asked for asked in self._asked() if asked.name.startswith("generate")]
        if not written:
            raise NotAskedError("the model writes no texts")
        for asked in written:
            for most in (1, TOKENS // 2, TOKENS):
                settings = replace(asked.hook.params["settings"], max_tokens=most)
                for one in self._answers(replace(asked, hook=hooks.generating(settings))):
                    hold(
                        one.tokens is None or one.tokens <= most,
                        f"{asked.name}: {one.tokens} tokens where {most} are the most",
                    )
                    hold(
                        one.outcome != "written" or one.finish in ("stop", "unknown"),
                        f"{asked.name}: a text that ends by {one.finish!r} is {one.outcome!r}",
                    )

    def check_threads(self) -> None:
        """Four threads, each with all queries."""
        for asked, alone in self._with_answers():
            with ThreadPoolExecutor(4) as threads:
                for found in [threads.submit(self._answers, asked) for _ in range(4)]:
                    self._same(asked, alone, found.result(), "in four threads at once")

    def check_secrets(self) -> None:
        """The value of the key is looked for in what can be shown of an open model."""
        names = self._kind().key_variables
        if not names:
            raise NotAskedError("the adapter declares no key")
        import os

        before = {name: os.environ.get(name) for name in names}
        os.environ.update(dict.fromkeys(names, self.key))
        try:
            with self._lent.model(self.ref, **self.options) as model:
                backend = model._backend
                shown = [repr(backend), repr(backend.identity), repr(model.source), repr(model.used())]
                shown += [repr(value) for value in vars(backend).values()]
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        hold(
            not any(self.key in text for text in shown),
            f"the repr of the model or of a part of it holds the value of {names}",
        )

    def check_pickle(self) -> None:
        """The interpreter tells of each class that a pickle names."""
        found = unpickled_by(lambda: self._lent.model(self.ref, **self.options).close())
        hold(not found, f"opening {self.ref} unpickles {', '.join(sorted(set(found))[:5])}")

    def check_failures(self) -> None:
        """Each failure that the caller can bring about, under all hooks."""
        if not self.failures:
            raise NotAskedError("no failures are given")
        asked = self._asked()[0]
        for kind, failing in self.failures.items():
            with failing():
                try:
                    self._direct.ask(asked.hook, asked.queries[:1])
                except Exception as error:
                    hold(
                        isinstance(error, kind),
                        f"{asked.name}: {type(error).__name__} instead of {kind.__name__}: {error}",
                    )
                else:
                    raise AssertionError(f"{asked.name}: an answer instead of {kind.__name__}")


def check_adapter(ref: str, **given: Any) -> dict[str, str]:
    """Check on the model ``ref`` what every adapter has to fulfil.

    ``given``: ``adapter``, its class, if it is not installed; ``texts`` that the model answers, by default four English
    sentences; ``words`` that it has vectors for, by default some of its vocabulary and of the texts; ``choices``, questions
    with options that it answers, and ``prompts``, by default about the texts; ``languages`` that it translates between,
    ("en", "it"); ``unknown``, a word out of vocabulary; ``options`` of the adapter; ``failures``, for a service: by class of
    error a function that returns a context manager that brings it about, ``{RateLimitError: lambda: server.failing(429)}``;
    ``key``, a key that the service takes; ``close_to``, the difference of two answers that is rounding, 1e-4 of the largest
    number; ``engine``.

    Raises AssertionError, which lists each clause that is broken. Returns those that were
    skipped, each with the reason.
    """
    contract = AdapterContract(ref, **given)
    try:
        return check_all(contract.clauses())
    finally:
        contract.close()

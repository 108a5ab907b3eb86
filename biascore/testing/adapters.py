"""The contract of an adapter, checked on one model: ``check_adapter("csv:vectors.csv")``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from biascore.adapter import Adapter
from biascore.engine import Engine
from biascore.errors import BiascoreError, ModelLoadError, OptionsError, PluginFailedError, QuestionError
from biascore.models import hooks
from biascore.models.backend import Identity
from biascore.models.model import Model
from biascore.models.questions import Choice, Masked, Text
from biascore.models.refs import ModelRef
from biascore.testing.contract import Clause, NotAskedError, check_all, clauses_of, hold
from biascore.testing.pickles import unpickled_by
from biascore.testing.queries import LENGTH, SCRIPTS, TEXTS, WORDS, Asked, Direct, asked_of, numbers

_DIGEST: Final = re.compile(r"[a-z0-9][\w .-]*:.+", re.DOTALL)
_KEY: Final = "contract-key-7f3a9c51e2"


@dataclass
class AdapterContract:
    """What ``check_adapter`` takes; ``clauses`` are to be checked one by one."""

    ref: str
    adapter: type[Adapter] | None = None
    texts: Sequence[str] = TEXTS
    choices: Sequence[Choice] = ()
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

    def clauses(self) -> Iterator[Clause]:
        """The clauses in order; the model is opened with the first and closed after the last."""
        checks = [
            self.check_opens, self.check_identity, self.check_errors, self.check_shape, self.check_units,
            self.check_deterministic, self.check_batch, self.check_sizes, self.check_unicode, self.check_long,
            self.check_unknown, self.check_threads, self.check_secrets, self.check_pickle, self.check_failures,
        ]  # fmt: skip
        yield from clauses_of("adapter", checks)

    def close(self) -> None:
        """Close the model, if one is open."""
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
        """What to ask of the texts, without the ways of choosing that it refuses for plain texts."""
        found = self._every(texts)
        return [asked for asked in found if not asked.name.startswith("choose") or self._takes(asked.name)]

    def _every(self, texts: Sequence[str] = ()) -> list[Asked]:
        direct = self._direct
        return asked_of(
            direct.backend.identity,
            direct.capabilities,
            texts or self.texts,
            self.languages,
            () if texts else self.choices,
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
        """Two openings are one model."""
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
        """Each answer is checked as the engine does."""
        for asked in self._asked():
            answers = self._answers(asked)
            hold(
                len(answers) == len(asked.queries),
                f"{asked.name}: {len(answers)} answers to {len(asked.queries)} queries",
            )

    def check_units(self) -> None:
        """Logarithms of probabilities are natural ones."""
        direct, some = self._direct, 0
        for asked in self._asked():
            answers = self._answers(asked)
            if asked.name == "score: log_likelihood":
                some += 1
                hold(max(answers) <= 0, f"{asked.name}: {max(answers)} is above 0")
                self._check_mean(asked, answers)
            if asked.name == "choose: letters":
                some += 1
                for answer in answers:
                    whole = float(np.exp(answer.logprobs).sum()) + answer.outside
                    hold(
                        whole <= 1 + 1e-4 or np.isnan(whole),
                        f"{asked.name}: the letters and the rest have {whole} in all",
                    )
        if "mask_logprob" in direct.capabilities:
            some += 1
            queries = [Masked(f"{word} is a cautious person.", ((0, len(word)),)) for word in WORDS]
            found = self._answers(Asked("mask_logprob", hooks.filling(), tuple(queries)))
            whole = sum(np.exp(one.logprobs[0]) for one in found if len(one.tokens) == 1)
            hold(
                whole <= 1 + 1e-4,
                f"mask_logprob: different words at one place have {whole:.3f} in all, as nats",
            )
        if not some:
            raise NotAskedError("the model gives no log-probabilities")

    def _check_mean(self, asked: Asked, sums: Sequence[float]) -> None:
        if not {"mean_log_likelihood", "token_count"} <= {*self._opened.identity.quantities}:
            return
        mean, count = (
            np.array(self._answers(replace(asked, hook=hooks.scoring(q))))
            for q in ("mean_log_likelihood", "token_count")
        )
        hold(
            np.allclose(mean * count, sums, rtol=1e-6),
            f"{asked.name}: mean times token_count is {mean * count}, not {sums}",
        )
        hold((count % 1 == 0).all() and (count >= 1).all(), f"token_count is {count}")

    def check_deterministic(self) -> None:
        """Asked twice, in the same batch."""
        for asked in self._asked():
            one, other = self._answers(asked), self._answers(asked)
            same = all(
                np.array_equal(numbers(a), numbers(b), equal_nan=True)
                for a, b in zip(one, other, strict=True)
            )
            hold(same, f"{asked.name}: asked again, the answers differ by {self._apart(one, other)}")

    def check_batch(self) -> None:
        """Alone, in reverse, beside a long text, twice."""
        for asked in self._asked():
            whole = self._answers(asked)
            queries = asked.queries
            alone = [answer for query in queries for answer in self._answers(asked, [query])]
            self._same(asked, whole, alone, "alone")
            self._same(asked, whole, self._answers(asked, queries[::-1])[::-1], "in reverse order")
            twice = self._answers(asked, [query for query in queries for _ in range(2)])
            self._same(asked, whole, twice[::2], "each query twice")
            self._same(asked, whole, twice[1::2], "each query twice")
            try:
                beside = self._direct.ask(asked.hook, [*queries, _longer(queries[0])])
            except QuestionError:
                continue
            self._same(asked, whole, beside[:-1], "beside a long text")

    def _same(self, asked: Asked, one: Sequence[Any], other: Sequence[Any], how: str) -> None:
        apart = self._apart(one, other)
        hold(apart <= self.close_to, f"{asked.name}: {how}, answers differ by {apart:.3g} of their size")

    @staticmethod
    def _apart(one: Sequence[Any], other: Sequence[Any]) -> float:
        """The largest difference, relative to the largest number of the answer; infinity for another form."""
        largest = 0.0
        for a, b in zip(map(numbers, one), map(numbers, other), strict=True):
            if a.shape != b.shape or not np.array_equal(np.isnan(a), np.isnan(b)):
                return float("inf")
            if a.size and not np.isnan(a).all():
                largest = max(
                    largest, float(np.nanmax(np.abs(a - b)) / max(1.0, float(np.nanmax(np.abs(a)))))
                )
        return largest

    def check_sizes(self) -> None:
        """As the engine cuts its batches."""
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
        for one, other in zip(self._asked([f"{start} Good."]), self._asked([f"{start} Bad."]), strict=True):
            try:
                found = [self._direct.ask(asked.hook, asked.queries[:1])[0] for asked in (one, other)]
            except QuestionError:
                continue
            except Exception as error:
                raise AssertionError(
                    f"{one.name} of {LENGTH} words raises {type(error).__name__}: {error}"
                ) from error
            if (
                one.name in ("embed: sentence", "score: log_likelihood")
                and not np.isnan(numbers(found[0])).all()
            ):
                hold(
                    not np.array_equal(numbers(found[0]), numbers(found[1])),
                    f"{one.name}: the end of {LENGTH} words changes nothing",
                )

    def check_unknown(self) -> None:
        """A word that no model has met."""
        if "embed" not in self._direct.capabilities:
            raise NotAskedError("the model gives no vectors")
        row = self._direct.ask(hooks.embedding("token"), [Text.word(self.unknown)])[0]
        seen = self._opened.familiarity([self.unknown])[0].seen
        hold(
            not (np.isnan(row).all() and seen),
            f"{self.unknown!r} has no vector, and familiarity says that it was seen",
        )

    def check_threads(self) -> None:
        """Four threads, each with all queries."""
        for asked in self._asked():
            alone = self._answers(asked)
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


def check_adapter(ref: str, **given: Any) -> None:
    """Check on the model ``ref`` what every adapter has to fulfil.

    ``given``: ``adapter``, its class, if it is not installed; ``texts`` that the model answers, by default four English
    sentences; ``choices``, questions with options that it answers, by default about the texts; ``languages`` that it
    translates between, ("en", "it"); ``unknown``, a word out of vocabulary; ``options`` of the adapter; ``failures``, for a
    service: by class of error a function that returns a context manager that brings it about,
    ``{RateLimitError: lambda: server.failing(429)}``; ``key``, a key that the service takes; ``close_to``, the difference
    of two answers that is rounding, 1e-4 of the largest number; ``engine``.

    Raises AssertionError, which lists each clause that is broken.
    """
    contract = AdapterContract(ref, **given)
    try:
        check_all(contract.clauses())
    finally:
        contract.close()


def _longer(query: Any) -> Any:
    """The query with its text twice, where that still is one."""
    return replace(query, text=f"{query.text} {query.text}") if hasattr(query, "text") else query

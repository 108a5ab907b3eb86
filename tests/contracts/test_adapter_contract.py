"""The contract of an adapter names the clause that a model breaks, and passes one that breaks none."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Engine
from biascore.api.adapters import Adapter, Backend, Identity, LoadContext, ModelRef, Options, hookimpl
from biascore.api.queries import Familiarity, Masked, Text, TokenLogprobs
from biascore.errors import AuthError, ModelLoadError, QuestionError, RateLimitError
from biascore.testing import CLAUSES, AdapterContract, NotAskedError, check_adapter

LONGEST = 2000


class Sound(Backend):
    """Vectors, log-probabilities and scores of the characters of a text."""

    def __init__(self) -> None:
        self.identity = Identity(
            "test:sound", quantities=("log_likelihood", "mean_log_likelihood", "token_count")
        )
        self.fails: type[Exception] | None = None

    def checked(self, text: str) -> str:
        if self.fails is not None:
            raise self.fails("the service says no")
        if len(text) > LONGEST:
            raise QuestionError(f"{text[:20]!r}... is too long. Shorten it")
        return text

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
        rows = [[len(self.checked(one.text)), sum(map(ord, one.text)) % 97] for one in texts]
        found = np.array(rows, dtype=np.float32)
        found[["q" in one.text for one in texts]] = np.nan
        return found

    def familiarity(self, words: Sequence[str]) -> Sequence[Familiarity]:
        return [Familiarity(seen="q" not in word) for word in words]

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        return tuple(
            TokenLogprobs(("x",), ((0, 1),), (self.logprob(self.checked(one.text)),)) for one in queries
        )

    def logprob(self, text: str) -> float:
        return -3.0 - len(text) % 7

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        counts = np.array([len(self.checked(text)) for text in texts], dtype=np.float64)
        return {"log_likelihood": -counts * 2, "mean_log_likelihood": counts * 0 - 2, "token_count": counts}[
            quantity
        ]


class Half(Sound):
    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float32]:
        return np.zeros(len(texts), dtype=np.float32)


class Log10(Sound):
    def logprob(self, text: str) -> float:
        return -0.7


class Wrong(Sound):
    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        return Sound.score(self, texts, "log_likelihood" if quantity == "mean_log_likelihood" else quantity)


class Random(Sound):
    def __init__(self) -> None:
        super().__init__()
        self.rng = np.random.default_rng(0)

    def logprob(self, text: str) -> float:
        return -3 - float(self.rng.random()) / 1e6


class Padded(Sound):
    """What is answered depends on the longest text of the batch."""

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
        return Sound.embed(self, texts, level) + max(len(one.text) for one in texts) / np.float32(100)


class Dropping(Sound):
    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> list[int]:
        return [len(questions)] if questions else [1]


class Ascii(Sound):
    def checked(self, text: str) -> str:
        text.encode("latin-1")
        return super().checked(text)


class Cutting(Sound):
    def checked(self, text: str) -> str:
        return text[:LONGEST]

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
        return Sound.embed(self, tuple(Text(one.text[:LONGEST], one.span) for one in texts), level)


class Forgetful(Sound):
    def familiarity(self, words: Sequence[str]) -> Sequence[Familiarity]:
        return [Familiarity()] * len(words)


class OneAtATime(Sound):
    """Keeps the text that it works on in itself."""

    def logprob(self, text: str) -> float:
        self.text = text
        time.sleep(0.002)
        return super().logprob(self.text)


class Talkative(Sound):
    def __init__(self) -> None:
        super().__init__()
        import os

        self.headers = {"Authorization": f"Bearer {os.environ.get('SOUND_KEY', '')}"}


class Unpickling(Sound):
    def __init__(self) -> None:
        super().__init__()
        pickle.loads(pickle.dumps(ModelRef("a", "b")))


class Restless(Sound):
    def __init__(self) -> None:
        super().__init__()
        self.identity = Identity(f"test:{time.time_ns()}", quantities=self.identity.quantities)


class Mute(Backend):
    def __init__(self) -> None:
        self.identity = Identity("test:mute")


MADE: dict[str, type[Backend]] = {
    one.__name__.lower(): one
    for one in (Sound, Half, Log10, Wrong, Random, Padded, Dropping, Ascii, Cutting, Forgetful, OneAtATime)
} | {one.__name__.lower(): one for one in (Talkative, Unpickling, Restless, Mute)}


class SoundOptions(Options):
    """``crash``: an error of somebody else comes out."""

    crash: bool = False


class SoundAdapter(Adapter[SoundOptions]):
    id: ClassVar[str] = "sound"
    summary: ClassVar[str] = "models that break one clause each"
    example: ClassVar[str] = "sound:sound"
    capabilities: ClassVar[frozenset[str]] = frozenset({"embed", "mask_logprob", "score"})
    key_env_var: ClassVar[str | None] = "SOUND_KEY"

    def load(self, ref: ModelRef, options: SoundOptions, context: LoadContext) -> Backend:
        if ref.locator not in MADE:
            raise ModelLoadError(f"{ref} is none of {', '.join(MADE)}. Name one of them")
        return MADE[ref.locator]()


class CrashingAdapter(SoundAdapter):
    id: ClassVar[str] = "crashing"
    example: ClassVar[str] = "crashing:sound"

    def load(self, ref: ModelRef, options: SoundOptions, context: LoadContext) -> Backend:
        return MADE[ref.locator]()


@pytest.fixture(scope="module")
def lent() -> Engine:
    return Engine(cache=None, adapters=[SoundAdapter, CrashingAdapter])


def broken(ref: str, lent: Engine) -> dict[str, str]:
    contract = AdapterContract(ref, engine=lent)
    found = {}
    try:
        for clause in contract.clauses():
            try:
                clause()
            except AssertionError as error:
                found[clause.name] = str(error)
            except NotAskedError:
                continue
    finally:
        contract.close()
    return found


def test_a_sound_model_breaks_no_clause(lent: Engine) -> None:
    assert broken("sound:sound", lent) == {}
    check_adapter("sound:sound", adapter=SoundAdapter)


@pytest.mark.parametrize(
    ("model", "clause", "says"),
    [
        ("mute", "opens", "answers none of the hooks"),
        ("restless", "identity", "opened again"),
        ("half", "shape", "float32"),
        ("log10", "units", "as nats"),
        ("wrong", "units", "mean times token_count"),
        ("random", "deterministic", "asked again"),
        ("padded", "batch", "alone, answers differ"),
        ("dropping", "sizes", r"0 queries in batches of \[1\]"),
        ("ascii", "unicode", "UnicodeEncodeError"),
        ("cutting", "long", "changes nothing"),
        ("forgetful", "unknown", "familiarity says that it was seen"),
        ("oneatatime", "threads", "in four threads at once"),
        ("talkative", "secrets", "SOUND_KEY"),
        ("unpickling", "pickle", "ModelRef"),
    ],
)
def test_a_model_that_breaks_a_clause_is_told_which(lent: Engine, model: str, clause: str, says: str) -> None:
    found = broken(f"sound:{model}", lent)
    assert clause in found
    with pytest.raises(AssertionError, match=says):
        raise AssertionError(found[clause])
    assert CLAUSES["adapter"][clause] in found[clause]


def test_an_adapter_that_crashes_breaks_the_clause_on_errors(
    lent: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOUND_KEY", "a-key-that-is-set")
    assert "KeyError" in broken("crashing:sound", lent)["errors"]


@contextmanager
def failing(contract: AdapterContract, error: type[Exception]) -> Iterator[None]:
    backend: Any = contract._opened._backend
    backend.fails = error
    yield
    backend.fails = None


def test_failures_are_told_by_their_class(lent: Engine) -> None:
    contract = AdapterContract("sound:sound", engine=lent)
    right: Callable[[], Any] = lambda: failing(contract, RateLimitError)  # noqa: E731
    wrong: Callable[[], Any] = lambda: failing(contract, ValueError)  # noqa: E731
    contract.failures = {RateLimitError: right}
    contract.check_failures()
    contract.failures = {AuthError: wrong}
    with pytest.raises(AssertionError, match="ValueError instead of AuthError"):
        contract.check_failures()
    contract.close()


def test_all_broken_clauses_are_listed_at_once(lent: Engine) -> None:
    with pytest.raises(AssertionError) as caught:
        check_adapter("sound:log10", engine=lent, texts=["x" * (LONGEST + 1)])
    assert "shape:" in str(caught.value)
    assert "deterministic:" in str(caught.value)

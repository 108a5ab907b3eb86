"""Each call of a backend passes the boundary around plugins' code once, and nothing else that guards or hides."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import biascore
from biascore.api.adapters import Backend, Cost, Identity, hookimpl
from biascore.api.queries import Choice, Chosen, Familiarity, Masked, Text, TokenLogprobs
from biascore.basics import guard, keys
from biascore.errors import AnswerError, PluginFailedError
from biascore.models.model import Model
from biascore.models.pipeline.hooks import embedding
from biascore.models.pipeline.source import Services

from ..builders.models import model_of

KEY = "sk-Live_9f8A7c6B5d4E"
BOUNDARY = (guard.__file__, keys.__file__)


class Traced(Backend):
    """Notes by which functions of the boundary each of its methods was called; ``failing`` is one that then raises."""

    identity = Identity("test:traced", quantities=("made",), ways=("text",))

    def __init__(self, failing: str = "") -> None:
        self.passed: dict[str, list[str]] = {}
        self.failing = failing

    def __repr__(self) -> str:
        return f"<Traced with {KEY}>"

    def _note(self) -> None:
        frame: FrameType | None = sys._getframe(1)
        assert frame is not None
        name, found = frame.f_code.co_name, []
        while frame is not None:
            if frame.f_code.co_filename in BOUNDARY:
                found.append(frame.f_code.co_name)
            frame = frame.f_back
        self.passed[name] = found
        if name == self.failing:
            raise ValueError("failed")

    @hookimpl
    def embed(self, texts: tuple[Text, ...]) -> Any:
        self._note()
        return np.ones((len(texts), 2), dtype=np.float32)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> Any:
        self._note()
        return tuple(TokenLogprobs(("x",), ((0, 1),), (-1.0,)) for _ in queries)

    @hookimpl
    def translate(self, texts: tuple[str, ...]) -> Any:
        self._note()
        return texts

    @hookimpl
    def score(self, texts: tuple[str, ...]) -> Any:
        self._note()
        return np.zeros(len(texts))

    @hookimpl
    def choose(self, questions: tuple[Choice, ...]) -> Any:
        self._note()
        return tuple(Chosen("text", (float("nan"),) * 2, 0) for _ in questions)

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> list[int]:
        self._note()
        return [len(questions)]

    def familiarity(self, words: Sequence[str]) -> Any:
        self._note()
        return [Familiarity(seen=True) for _ in words]

    def vocabulary(self) -> Any:
        self._note()
        return range(3)

    def cost(self, hook: str, questions: Sequence[Any], params: Any) -> Cost:
        self._note()
        return Cost()

    def export(self, folder: Path, *, int8: bool = False) -> str:
        self._note()
        return "made"

    def told(self) -> Any:
        self._note()
        return super().told()

    def close(self) -> None:
        self._note()


CALLS: dict[str, Callable[[Model], object]] = {
    "embed": lambda model: model.embed(["a"]),
    "mask_logprob": lambda model: model.mask_logprob([Masked("a", ((0, 1),))]),
    "translate": lambda model: model.translate(["a"], "en", "it"),
    "score": lambda model: model.score(["a"], "made"),
    "choose": lambda model: model.choose([Choice("Who?", ("she", "he"))]),
    "batch_sizes": lambda model: model.embed(["a"]),
    "familiarity": lambda model: model.familiarity(["a"]),
    "vocabulary": lambda model: model.vocabulary(),
    "cost": lambda model: model._caller.cost(embedding("sentence"), (Text.word("a"),)),
    "export": lambda model: model.export(Path()),
    "told": lambda model: model.used(),
    "close": lambda model: model.close(),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("limit", [None, 60.0])
def test_each_call_passes_it_once(name: str, limit: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", KEY)
    backend = Traced()
    CALLS[name](model_of(backend, Services(time_limit=limit), key_variables=("ACME_KEY",)))
    assert [one for one in backend.passed[name] if one != "_limited"] == ["guarded"]


@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"close"}))
@pytest.mark.parametrize("limit", [None, 60.0])
def test_no_frame_around_it_shows_what_holds_the_key(
    name: str, limit: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_KEY", KEY)
    model = model_of(Traced(name), Services(time_limit=limit), key_variables=("ACME_KEY",))
    with pytest.raises(PluginFailedError) as caught:
        CALLS[name](model)
    error: BaseException | None = caught.value
    while error is not None:
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        frames = [one for one in told.stack if one.filename != __file__]
        assert [one.name for one in frames if KEY in str(one.locals)] == []
        error = error.__cause__


class Repeats(Backend):
    """Gives an answer that is none, or an error, with its key in it."""

    identity = Identity("test:repeats")

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> Any:
        return tuple(TokenLogprobs((KEY,), (), ()) for _ in queries)

    @hookimpl
    def embed(self, texts: tuple[Text, ...]) -> Any:
        secret = KEY
        raise ValueError(f"{secret} {len(texts)}")


def test_what_is_said_of_an_answer_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", KEY)
    model = model_of(Repeats(), key_variables=("ACME_KEY",))
    with pytest.raises(AnswerError, match=r"\[ACME_KEY\].*which is not a token") as caught:
        model.mask_logprob([Masked("a", ((0, 1),))])
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("own", [("ACME_KEY",), ()])
def test_frames_lose_their_variables_where_a_key_is_set(
    own: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_KEY", KEY)
    with pytest.raises(PluginFailedError) as caught:
        model_of(Repeats(), key_variables=own).embed(["a"])
    trace = caught.value.__cause__ and caught.value.__cause__.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    assert ("secret" in trace.tb_frame.f_locals) is not bool(own)


def test_threads_are_made_in_one_place() -> None:
    """The page of the architecture says which there are."""
    sources = Path(biascore.__file__).parent.rglob("*.py")
    found = [path.name for path in sources if re.search(r"\bThread\(", path.read_text(encoding="utf-8"))]
    assert found == ["threads.py"]

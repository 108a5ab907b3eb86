"""A metric that asks what it is told to, a model that counts, and a plan of both by a clock that is set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity
from biascore.api.queries import Masked, Text, TokenLogprobs
from biascore.api.stimuli import Catalogue, Test, WordList, hookimpl
from biascore.engine.plan import Plan
from biascore.engine.planner import Planner
from biascore.errors import QuestionError
from biascore.metric import Context, Metric
from biascore.models.model import Model
from biascore.models.pipeline.cache import DiskCache, NoCache
from biascore.models.pipeline.source import Services
from biascore.models.questions.cost import Cost

from ..builders.models import model_of


class Asks(Metric):
    """Asks what it is told to, in the order given; every call must have an answer for every question."""

    name: ClassVar[str] = "asks"
    requires: ClassVar[frozenset[str]] = frozenset({"embed"})
    kinds: ClassVar[frozenset[str]] = frozenset({"weat"})

    def __init__(self, ask: Callable[[Model], Any], *, name: str = "asks") -> None:
        self.name = name  # type: ignore[misc]  # one class stands for many metrics here
        self._ask = ask

    def measure(self, model: Model, test: Test, context: Context) -> Any:
        return self._ask(model)


class Adaptive(Asks):
    """Its later questions depend on its earlier answers."""

    adaptive: ClassVar[bool] = True


class All(Backend):
    """Answers all four questions; ``each`` is called with the number of questions before it answers."""

    def __init__(self, batch: int = 4, each: Callable[[int], None] = lambda _count: None) -> None:
        self.batch = batch
        self.each = each
        self.asked = 0
        self.closed = 0
        self.identity = Identity(digest="test:all")

    def _count(self, questions: Sequence[Any]) -> None:
        self.asked += len(questions)
        self.each(len(questions))

    @hookimpl
    def embed(self, texts: tuple[Text, ...]) -> npt.NDArray[np.float32]:
        self._count(texts)
        return np.array([[len(text.text), 1, 0] for text in texts], dtype=np.float32)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        self._count(queries)
        return tuple(TokenLogprobs((query.text,), ((0, 1),), (-1.0,)) for query in queries)

    @hookimpl
    def translate(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        self._count(texts)
        return texts

    @hookimpl
    def score(self, texts: tuple[str, ...]) -> npt.NDArray[np.float64]:
        self._count(texts)
        return np.ones(len(texts))

    def close(self) -> None:
        self.closed += 1


class Tokenised(All):
    """Knows what a question costs: a pass and as many tokens as characters; no text of more than 50."""

    def cost(self, hook: str, questions: Sequence[Any], params: Any) -> Cost:
        lengths = [len(question.text) for question in questions]
        if max(lengths) > 50:
            raise QuestionError("too long. Shorten it.")
        return Cost.of_passes(questions, lengths)


TEST = Test(
    id="xx/test",
    kind="weat",
    language="xx",
    roles={role: WordList(role, ("a",)) for role in "XYAB"},
    file="test.toml",
    sha256="0" * 64,
)


class Clock:
    """A time that only moves when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds


def in_context(metric: Metric, model: Model, test: Test, open_second: Callable[[str], Model]) -> object:
    return metric.measure(model, test, Context(np.random.default_rng(0), 0, Catalogue(()), open_second))


def plan_of(
    backend: Backend,
    *metrics: Metric,
    cache: DiskCache | NoCache | None = None,
    probe: bool = False,
    clock: Clock | None = None,
) -> Plan:
    planner = Planner(cache or NoCache(), clock=clock or Clock())
    model = model_of(backend, Services(cache=cache or NoCache()))
    planner.rehearse(
        "fake",
        lambda _name: model,
        [(metric, TEST) for metric in metrics],
        in_context,
        probe=lambda _name: probe,
    )
    return planner.plan("plan")

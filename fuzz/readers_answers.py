"""The readers of answers: those that files hold, and those that a cache does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from biascore.api.adapters import hookimpl
from biascore.models.pipeline.source import Services
from biascore.models.questions.choosing import by_text
from biascore.models.questions.questions import Choice, Chosen, Masked, Way
from tests.builders.models import Lengths, model_of

from .reader import Reader, engine
from .seeds import Seeds

BOTH = ("the boy", "the girl")


def _asked(given: Any) -> Choice:
    """An item of a file, with the options that it was answered with where these are some."""
    try:
        return Choice("Who?", given.options, item=given.item)
    except ValueError:
        return Choice("Who?", BOTH, item=given.item)


def answers(
    file: str, made: Callable[[], Seeds], *ask: str, language: str | None = None, **options: Any
) -> Reader:
    """A file of precomputed answers: opened, and asked."""

    def read(folder: Path) -> None:
        more = {"language": language} if language else {}
        with engine().model(f"answers:{folder / file}", **more, **options) as model:
            if "translate" in model.capabilities:
                model.translate(["I am."], "en", "sk")
            if "score" in model.capabilities and model.identity.quantities:
                model.score(["He is."], model.identity.quantities[0])
            if "choose" in model.capabilities:  # of each item with the options that it was answered with
                for given in list(model._backend._answers.values())[:3]:
                    model.choose([_asked(given)], model.identity.ways[0])

    return Reader(file, read, made)


def encoded(folder: Path) -> None:
    """The first line names the encoding, as an option would; the rest is the file."""
    name, _, rest = (folder / "table.csv").read_bytes().partition(b"\n")
    (folder / "table.csv").write_bytes(rest)
    encoding = name.decode("latin-1")[:40]
    engine().model(f"answers:{folder / 'table.csv'}", language="it", encoding=encoding).close()


def numbers(folder: Path) -> None:
    """A file of numbers next to a table of their sentences."""
    options = {"sentences": str(folder / "s.csv"), "quantity": "anger"}
    with engine().model(f"answers:{folder / 'n.txt'}", **options) as model:
        model.score(["He is."], "anger")


class Answering(Lengths):
    """Also chooses, always the first option."""

    def __init__(self, way: Way) -> None:
        super().__init__()
        self.identity = replace(self.identity, ways=(way,))

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        return tuple(by_text(one, one.options[0], (0, 1)) for one in questions)


def answer(folder: Path) -> None:
    """Bytes that a cache gives for whatever is asked: what is no answer is dropped, and asked again."""
    raw = (folder / "answer").read_bytes()

    class Given:
        problem = ""

        def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
            return dict.fromkeys(keys, raw)

        def put(self, answers: object) -> None: ...
        def drop(self, answers: object) -> bool:
            return True

        def close(self) -> None: ...

    model = model_of(Answering("text"), services=Services(cache=Given()))
    model.embed(["he"])
    model.translate(["he"], "en", "de")
    model.mask_logprob([Masked("he is", ((0, 2),))])
    model.score(["he"], "x")
    model.choose([Choice("Who?", ("he", "she"))], "text")

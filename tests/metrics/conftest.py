"""Models whose vectors are a table, and tests of four lists."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from biascore.api.adapters import Backend, Identity, Model, hookimpl
from biascore.api.queries import Familiarity, Level, Text
from biascore.api.stimuli import Test, WordList

from ..builders import models


class VectorBackend(Backend):
    """Embeds from a table; a word that is not in it is out of vocabulary."""

    def __init__(self, vectors: Mapping[str, Sequence[float]], composes_words: bool) -> None:
        self._vectors = {word: np.asarray(v, dtype=np.float32) for word, v in vectors.items()}
        self._width = len(next(iter(self._vectors.values())))
        self.identity = Identity(digest="test:vectors", composes_words=composes_words)

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        unknown = np.full(self._width, np.nan, dtype=np.float32)
        rows = []
        for text in texts:
            words = text.text.split() if self.identity.composes_words else [text.text]
            rows.append(np.mean([self._vectors.get(word, unknown) for word in words], axis=0))
        return np.stack(rows).astype(np.float32)


class RankedBackend(VectorBackend):
    """Says of the frequency of its words what it is told to."""

    def __init__(self, told: Mapping[str, Familiarity], vectors: Mapping[str, Sequence[float]]) -> None:
        super().__init__(vectors, composes_words=True)
        self.told = told

    def familiarity(self, words: Sequence[str]) -> list[Familiarity]:
        return [self.told.get(word, Familiarity()) for word in words]


ModelOf = Callable[..., Model]
TestOf = Callable[..., Test]


@pytest.fixture
def model_of() -> ModelOf:
    def build(vectors: Mapping[str, Sequence[float]], composes_words: bool = True) -> Model:
        return models.model_of(VectorBackend(vectors, composes_words), name="table")

    return build


@pytest.fixture
def test_of() -> TestOf:
    def build(x: Sequence[str], y: Sequence[str], a: Sequence[str], b: Sequence[str]) -> Test:
        roles = {
            role: WordList(f"list {role}", tuple(words))
            for role, words in zip("XYAB", (x, y, a, b), strict=True)
        }
        return Test(id="xx/test", kind="weat", language="xx", roles=roles, file="test.toml", sha256="0" * 64)

    return build

"""A model whose nouns bear a planted grammatical direction, and what the engine lends to a transform of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.queries import Text, Vocabulary
from biascore.api.stimuli import Catalogue
from biascore.api.transforms import FittedTransform, Transform
from biascore.models.model import Model
from biascore.models.pipeline.source import Services
from biascore.models.transforms.prepared import Transforms
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest, NounClass

from ..builders.kinds import KINDS
from ..builders.models import model_of
from ..stats.removal.planted import Planted, nouns

NAMES = ("masculine", "feminine", "neuter")
PAIRS = """schema = 1
[meta]
language = "xx"
title = "Mine"
source = "Me"
licence = "CC0"
[lists]
kept = { words = ["queen"] }
twice = { words = ["m1", "m1", "m0", "m2", "m3"] }
few = { words = ["f1", "m0", "f2", "f3"] }
same = { words = ["m3", "m2"] }
[pairs.gender]
sides = ["female", "male"]
pairs = [["she", "he"], ["woman", "man"], ["girl", "boy"], ["lost", "here"]]
[pairs.alike]
sides = ["female", "male"]
pairs = [["she", "he"], ["same", "equal"]]
[pairs.unknown]
sides = ["female", "male"]
pairs = [["no", "none"]]
"""


class Table(Backend):
    """Answers with the vectors that it was given; a word without one is out of vocabulary."""

    def __init__(
        self, vectors: Mapping[str, npt.ArrayLike], digest: str = "test:table", *, listed: bool = True
    ) -> None:
        self.vectors = {word: np.asarray(row, dtype=np.float32) for word, row in vectors.items()}
        self.identity = Identity(digest=digest)
        self.listed = listed

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
        unknown = np.full(len(next(iter(self.vectors.values()))), np.nan, dtype=np.float32)
        return np.array([self.vectors.get(text.text, unknown) for text in texts], dtype=np.float32)

    def vocabulary(self) -> Vocabulary | None:
        return _Words(self.vectors) if self.listed else None


class _Words(Vocabulary):
    def __init__(self, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        self.vectors = vectors

    def __len__(self) -> int:
        return len(self.vectors)

    def words(self, most: int | None = None) -> Iterator[str]:
        return iter(list(self.vectors)[:most])

    def blocks(
        self, rows: int = 8192, most: int | None = None
    ) -> Iterator[tuple[tuple[str, ...], npt.NDArray[np.float32]]]:
        words = list(self.vectors)[:most]
        for start in range(0, len(words), rows):
            part = words[start : start + rows]
            yield tuple(part), np.array([self.vectors[word] for word in part])


def named(rows: npt.ArrayLike, letter: str, start: int = 0) -> dict[str, npt.NDArray[np.float64]]:
    """``m0``, ``m1`` ... and their vectors."""
    return {f"{letter}{number}": row for number, row in enumerate(np.asarray(rows), start=start)}


def vectors_of(planted: Planted) -> dict[str, npt.NDArray[np.float64]]:
    """Class c of the planted nouns under its letter: training words first, then those held out."""
    found: dict[str, npt.NDArray[np.float64]] = {}
    for part in (planted.train, planted.held_out):
        for code, letter in zip(np.unique(part.labels), "mfn", strict=False):
            taken = sum(word.startswith(letter) for word in found)
            found |= named(part.rows[part.labels == code], letter, taken)
    return found


def model_with_nouns(
    strength: float, *, classes: int = 2, seed: int = 7, train: int = 150, held_out: int = 100, **options: Any
) -> tuple[Model, GenderedNounsTest, Planted]:
    """A model of planted nouns, their test without a split, and what was planted."""
    planted = nouns(np.random.default_rng(seed), strength, train=train, held_out=held_out, classes=classes)
    vectors = vectors_of(planted)
    test = nouns_test({name: [w for w in vectors if w[0] == name[0]] for name in NAMES[:classes]})
    return lent(Table(vectors, **options), [test]), test, planted


def nouns_test(classes: Mapping[str, Sequence[str]], held_out: int = 0) -> GenderedNounsTest:
    """``xx/nouns`` with these words by class; ``held_out``: a fixed split with so many at the end of each."""
    found = [NounClass(name, tuple(words)) for name, words in classes.items()]
    if held_out:
        found = [replace(one, train=one.words[:-held_out], test=one.words[-held_out:]) for one in found]
    return GenderedNounsTest(id="xx/nouns", kind="nouns", language="xx", classes=tuple(found))


def lent(backend: Backend, tests: Sequence[GenderedNounsTest] = (), folder: Path | None = None) -> Model:
    """The backend as a model whose transforms find these tests, and the lists above in ``folder``."""
    catalogue = Catalogue(())
    if folder is not None:
        (folder / "xx").mkdir(parents=True, exist_ok=True)
        (folder / "xx" / "mine.toml").write_text(PAIRS, encoding="utf-8")
        catalogue = Catalogue.from_folders([(folder, "mine")], kinds=KINDS)
    return model_of(backend, services=Services(transforms=Transforms(catalogue.with_tests(tests))))


def fitted(model: Model, transform: Transform) -> FittedTransform:
    """What it learns from the model."""
    found = model.with_transform(transform).fitted("sentence")
    assert found is not None
    return found

"""The vector of every word: its axes first, then a direction of its own, bent by what the world makes of the word.

And how probable a word is after others, which their vectors say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.planting import NOISE_DIMENSIONS, Lexicon, generator, mixed
from biascore.api.queries import Vocabulary
from biascore.api.support import BLOCK_ROWS

Vector = npt.NDArray[np.float64]
SCALE: Final = 20.0
_KEPT: Final = 1024
"""Words whose products with the vocabulary are kept: some kilobytes each."""


class Vectors:
    """Unit vectors of case-folded words, each drawn from the seed and the word alone."""

    def __init__(self, lexicon: Lexicon, seed: int) -> None:
        self._lexicon = lexicon
        self._seed = seed
        self.of = lru_cache(maxsize=100_000)(self._draw)
        self._direction = lru_cache(maxsize=10_000)(self._draw_direction)

    @property
    def width(self) -> int:
        """Their dimensions."""
        return len(self._lexicon.effects) + NOISE_DIMENSIONS

    def _draw(self, word: str) -> Vector:
        rng = generator(self._seed, "vector", word)
        axes = np.zeros(len(self._lexicon.effects))
        noise = rng.standard_normal(NOISE_DIMENSIONS)
        for loading in self._lexicon.words.get(word, ()):
            # A deviate per test and word: a word's places in two tests are independent.
            axis = self._lexicon.axes[loading.axis]
            deviate = generator(self._seed, "loading", axis, word).standard_normal()
            cluster, share = loading.cluster
            if share:
                deviate = mixed(
                    generator(self._seed, "cluster", axis, cluster).standard_normal(), deviate, share
                )
            axes[loading.axis] += loading.mean + loading.spread * np.clip(deviate, -3, 3)
        if self._lexicon.world.values:
            return self._placed(word, axes, noise)
        noise *= math.sqrt(max(0.0, 1 - float(axes @ axes))) / float(np.linalg.norm(noise))
        return np.concatenate([axes, noise])

    def _placed(self, word: str, axes: Vector, noise: Vector) -> Vector:
        """The same in a world: shares of the noise go to a topic and a cluster, some to frequency, and all lean one way."""
        place = self._lexicon.place(word, self._seed)
        (topic, in_topic), (cluster, in_cluster) = place.topic, place.cluster
        own = noise * math.sqrt(1 - in_topic - in_cluster) / float(np.linalg.norm(noise))
        own += math.sqrt(in_topic) * self._direction(f"topic {topic}")
        own += math.sqrt(in_cluster) * self._direction(f"cluster {cluster}")
        room = max(0.0, 1 - float(axes @ axes) - place.frequency**2)
        own *= math.sqrt(room) / float(np.linalg.norm(own))
        own += place.frequency * self._direction("frequency")
        vector = np.concatenate([axes, own])
        common = np.concatenate([np.zeros(len(axes)), self._direction("common")])
        vector = math.sqrt(1 - place.anisotropy) * vector + math.sqrt(place.anisotropy) * common
        return np.asarray(vector / np.linalg.norm(vector))

    def _draw_direction(self, name: str) -> Vector:
        drawn = generator(self._seed, "direction", name).standard_normal(NOISE_DIMENSIONS)
        return np.asarray(drawn / np.linalg.norm(drawn))


class PlantedWords(Vocabulary):
    """The planted words with their vectors, all in memory."""

    def __init__(self, vectors: npt.NDArray[np.float64], words: tuple[str, ...]) -> None:
        self._vectors = vectors
        self._words = words

    def __len__(self) -> int:
        return len(self._words)

    def words(self, most: int | None = None) -> Iterator[str]:
        """In the order of the tests that name them."""
        return iter(self._words[:most])

    def blocks(
        self, rows: int = BLOCK_ROWS, most: int | None = None
    ) -> Iterator[tuple[tuple[str, ...], npt.NDArray[np.float32]]]:
        """Words and their vectors, so many rows at a time."""
        words = self._words[:most]
        for first in range(0, len(words), rows):
            part = words[first : first + rows]
            yield part, self._vectors[first : first + len(part)].astype(np.float32)


class Softmax:
    """A softmax over the planted words, and the word itself, of ``SCALE`` times its products with the words in sight.

    ``word`` gives the vector of any word, ``vectors`` those of the planted ones, which ``vocabulary`` numbers. The products
    are added up word by word, so that each word is multiplied with the vocabulary once.
    """

    def __init__(
        self, word: Callable[[str], Vector], vocabulary: Mapping[str, int], vectors: Callable[[], Vector]
    ) -> None:
        self._word, self._vocabulary = word, vocabulary
        self._products = lru_cache(_KEPT)(lambda other: vectors() @ word(other))

    def logprob(self, word: str, visible: Sequence[str]) -> float:
        """log p(word | visible words), in nats; all in lower case."""
        logits = np.zeros(len(self._vocabulary))
        for other in visible:
            logits += self._products(other)
        logits *= SCALE
        place = self._vocabulary.get(word)
        if place is None:
            own = self._word(word)
            logits = np.append(logits, SCALE * sum(float(own @ self._word(other)) for other in visible))
            place = -1
        logits -= logits.max()  # scipy's log_softmax takes four times as long for so few
        return float(logits[place] - np.log(np.exp(logits).sum()))

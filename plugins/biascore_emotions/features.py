"""What a head is given for a text: tf-idf of its words, or the standardised vector of an encoder."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from biascore.api.queries import Text

if TYPE_CHECKING:
    from biascore.api.adapters import Model

Floats: TypeAlias = npt.NDArray[np.float64]
Matrix: TypeAlias = Floats | sparse.csr_matrix

WORDS: Final = "mean over its known words"
"""How a text is made a vector by a model that knows words only."""


@dataclass(frozen=True)
class TfIdf:
    """Term frequency times inverse document frequency, rows of length 1, as scikit-learn's TfidfVectorizer makes them.

    ``terms`` in the order of the columns, words and runs of words of up to ``longest``, in lower case; ``idf`` of shape
    (terms,).
    """

    terms: tuple[str, ...]
    idf: Floats
    longest: int

    def __call__(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """The features, shape (n, terms); a text without any of the terms is a row of zeros."""
        from sklearn.preprocessing import normalize

        if not len(texts):
            return sparse.csr_matrix((0, len(self.terms)))
        counts = self._counter.transform(texts).astype(np.float64)
        return sparse.csr_matrix(normalize(counts @ sparse.diags(self.idf), copy=False))

    def knows(self, word: str) -> bool:
        """Whether a word is among the terms, as it is read."""
        return any(term in self._counter.vocabulary for term in self._reads(word))

    @cached_property
    def _counter(self) -> Any:
        from sklearn.feature_extraction.text import CountVectorizer

        places = {term: place for place, term in enumerate(self.terms)}
        return CountVectorizer(vocabulary=places, ngram_range=(1, self.longest))

    @cached_property
    def _reads(self) -> Any:
        return self._counter.build_analyzer()


@dataclass(frozen=True)
class Standardised:
    """Vectors less the mean of those trained on, divided by their standard deviation (1 where that is 0); shape (d,)."""

    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, vectors: Floats) -> Standardised:
        """Learnt from vectors of shape (n, d)."""
        deviation = vectors.std(axis=0)
        # What differs by rounding alone is constant.
        constant = deviation <= 1e-12 * np.maximum(1.0, np.abs(vectors).max(axis=0))
        return cls(vectors.mean(axis=0), np.where(constant, 1.0, deviation))

    def __call__(self, vectors: Floats) -> Floats:
        """The features of vectors of shape (n, d)."""
        return np.asarray((vectors - self.mean) / self.scale)


def vectors_of(model: Model, texts: Sequence[str]) -> Floats:
    """Vectors of texts, float64 of shape (n, d); a row of NaN where the model knows no word of a text.

    An encoder reads the whole text. Of a model that knows words only, it is the mean over the words that it knows, as
    they are written or else in lower case.
    """
    if not model.identity.composes_words:
        return model.embed([Text(text) for text in texts]).astype(np.float64)
    read = [_words(text) for text in texts]
    forms = dict.fromkeys(form for words in read for word in words for form in (word, word.lower()))
    found = model.embed([Text.word(form) for form in forms]).astype(np.float64)
    known: Mapping[str, Floats] = {
        form: row for form, row in zip(forms, found, strict=True) if np.isfinite(row).all()
    }
    rows = np.full((len(texts), found.shape[1] if len(found) else 1), np.nan)
    for row, words in zip(rows, read, strict=True):
        own = [known.get(word, known.get(word.lower())) for word in words]
        some = [vector for vector in own if vector is not None]
        if some:
            row[:] = np.mean(some, axis=0)
    return rows


def _words(text: str) -> list[str]:
    """Runs of letters, digits and the marks on them."""
    return ["".join(run) for inside, run in groupby(text, _in_word) if inside]


def _in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM"

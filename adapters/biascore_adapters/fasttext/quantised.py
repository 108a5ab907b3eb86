"""Quantised fastText models (``.ftz``): checked here field by field, decoded by the ``fasttext`` library.

The library trusts every size and index in the file, so a damaged one crashes it or eats the memory;
it is handed a file only after all of them were found consistent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from biascore.errors import MissingExtraError
from biascore_adapters.fasttext.binary import Dictionary, DictionaryWords, word_rows
from biascore_adapters.fasttext.storage import Cursor, ModelFile, corrupt
from biascore_adapters.fasttext.vectors import blank, blocks_of, checked

_CENTROIDS: Final = 256
_COUNT_LIMIT: Final = 10**15  # the library's "infinite" count; beyond it its Huffman tree loops


class QuantisedVectors(DictionaryWords):
    """Word vectors of a product-quantised model, equal to fastText's ``get_word_vector``.

    Raises MissingExtraError where the ``fasttext`` library is not installed.
    """

    def __init__(self, file: ModelFile, dictionary: Dictionary, subwords: bool) -> None:
        header = dictionary.header
        _check_matrices(file, dictionary)
        self._kept = _kept_ngrams(file, dictionary)
        self._library = _load_library(file)
        self._file, self._dictionary, self._compose_unknown = file, dictionary, subwords
        self.dimensions = header.dimensions
        self.facts = header.facts("fastText .ftz (quantised)")
        self.digest_head = dictionary.matrices

    def vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of the words, float32 (n, d); NaN where a word has neither a row nor a kept n-gram."""
        result = blank(len(words), self.dimensions)
        kept = None if self._kept is None else self._kept.get
        for place, word in enumerate(words):
            rows = word_rows(word, self._dictionary, self._file, self._compose_unknown, kept)
            if next(rows, None) is not None:
                vector = np.asarray(self._library.get_word_vector(word), dtype=np.float32)
                result[place] = checked(vector, self._file.path, f"the rows of the word {word!r}")
        return result

    def blocks(self, rows: int) -> Iterator[tuple[list[bytes], npt.NDArray[np.float32]]]:
        """The words of the dictionary with their vectors (n, d), ``rows`` at a time."""
        return blocks_of(self.names(), rows, self.vectors)

    def close(self) -> None:
        """Close the file and let go of the library's copy of the model."""
        self._file.close()
        self._library = None


def _load_library(file: ModelFile) -> Any:
    try:
        import fasttext  # heavy, compiled, and needed for this format only
    except ImportError as error:
        raise MissingExtraError(f"the quantised fastText model {file.path}", "fasttext") from error
    try:
        return fasttext.load_model(str(file.path))
    except (ValueError, RuntimeError, MemoryError) as error:
        raise corrupt(file.path, f"the fasttext library refuses it: {error}") from error


def _kept_ngrams(file: ModelFile, dictionary: Dictionary) -> dict[int, int] | None:
    """The buckets that pruning kept and their rows; None where all are kept."""
    header = dictionary.header
    if header.pruned < 0:
        return None
    pairs = np.frombuffer(file.read(dictionary.prune_start, 8 * header.pruned), dtype="<i4").reshape(-1, 2)
    if np.any((pairs[:, 0] < 0) | (pairs[:, 0] >= header.bucket)) or np.any(
        (pairs[:, 1] < 0) | (pairs[:, 1] >= header.pruned)
    ):
        raise corrupt(file.path, "the index of kept n-grams points outside of the matrix")
    return dict(zip(pairs[:, 0].tolist(), pairs[:, 1].tolist(), strict=True))


def _check_matrices(file: ModelFile, dictionary: Dictionary) -> None:
    header = dictionary.header
    if (total := dictionary.total_count(file)) >= _COUNT_LIMIT:
        raise corrupt(file.path, f"the word counts add up to {total}")
    cursor = Cursor(file, dictionary.matrices)
    _check_quantised(cursor, header.rows, header.dimensions, "input matrix")
    rows = header.labels if header.model == "supervised" else header.words
    if cursor.flag("output quantisation"):
        _check_quantised(cursor, rows, header.dimensions, "output matrix")
    else:
        _expect(cursor, cursor.take("qq"), (rows, header.dimensions), "output matrix")
        cursor.skip(rows * header.dimensions * 4, "output matrix")
    if cursor.offset != file.size:
        raise corrupt(file.path, f"{file.size - cursor.offset} bytes follow the end of the model")


def _check_quantised(cursor: Cursor, rows: int, columns: int, what: str) -> None:
    with_norms = cursor.flag(f"{what}'s norm")
    *shape, code_size = cursor.take("qqi")
    _expect(cursor, tuple(shape), (rows, columns), what)
    cursor.skip(code_size, f"{what}'s codes")
    parts = _check_codebook(cursor, columns, what)
    _expect(cursor, (code_size,), (rows * parts,), f"{what}'s codes")
    if with_norms:
        cursor.skip(rows, f"{what}'s norms")
        _check_codebook(cursor, 1, f"{what}'s norms")


def _check_codebook(cursor: Cursor, columns: int, what: str) -> int:
    """Pass over one product quantiser (Jégou et al. 2011); returns the number of codes per row."""
    dim, parts, width, last = cursor.take("4i")
    if not 0 < width <= columns:
        raise corrupt(cursor.file.path, f"the {what} is cut into parts of {width} of {columns} dimensions")
    expected = (columns, -(-columns // width), width, columns % width or width)
    _expect(cursor, (dim, parts, width, last), expected, f"{what}'s code book")
    cursor.skip(_CENTROIDS * columns * 4, f"{what}'s code book")
    return parts


def _expect(cursor: Cursor, found: tuple[int, ...], expected: tuple[int, ...], what: str) -> None:
    if found != expected:
        raise corrupt(cursor.file.path, f"the {what} has the sizes {found} where {expected} are needed")

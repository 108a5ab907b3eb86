"""fastText's own model format (``.bin``): header, dictionary, and word vectors composed on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.support import BLOCK_ROWS
from biascore_adapters.fasttext.index import MAX_DIMENSIONS, BlockCheck, RecordLayout, WordIndex, scan_records
from biascore_adapters.fasttext.letters import Letters
from biascore_adapters.fasttext.storage import Cursor, ModelFile, corrupt, unusable
from biascore_adapters.fasttext.subwords import buckets_of, ngram_buckets
from biascore_adapters.fasttext.vectors import Facts, blank, blocks_of, checked

MAGIC: Final = 793712314
_MODELS: Final = {1: "cbow", 2: "skipgram", 3: "supervised"}
_LOSSES: Final = {1: "hierarchical softmax", 2: "negative sampling", 3: "softmax", 4: "one vs all"}
AT_ONCE: Final = 1024  # words whose rows are read together: some 30 MiB of 300 dimensions
_WORD_RECORD: Final = 10  # an empty word's NUL, its count, its type


@dataclass(frozen=True, slots=True)
class Header:
    """The training arguments that word vectors depend on, and the sizes of the dictionary."""

    version: int
    dimensions: int
    loss: str
    model: str
    bucket: int
    minn: int
    maxn: int
    words: int
    labels: int
    pruned: int  # n-grams kept by quantisation with a cut-off; -1 where all are

    @property
    def rows(self) -> int:
        """Rows of the input matrix: the words', then the buckets'."""
        return self.words + (self.bucket if self.pruned < 0 else self.pruned)

    @property
    def has_subwords(self) -> bool:
        """Whether words have n-grams at all."""
        return self.maxn >= max(self.minn, 1) and self.pruned != 0

    def facts(self, stored_as: str) -> Facts:
        """What reports show of the model."""
        return {
            "format": stored_as,
            "dimensions": self.dimensions,
            "words": self.words,
            "labels": self.labels,
            "buckets": self.bucket,
            "minn": self.minn,
            "maxn": self.maxn,
            "model": self.model,
            "loss": self.loss,
        }


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The header and the words of a model file, and where its matrices begin."""

    header: Header
    index: WordIndex
    prune_start: int
    matrices: int
    quantised: bool
    letters: Letters

    def total_count(self, file: ModelFile) -> int:
        """Sum of the words' counts, as a Python integer that cannot overflow."""
        start = int(self.index.offsets[0])
        data = np.frombuffer(file.read(start, self.prune_start - start), dtype=np.uint8)
        nexts = np.append(self.index.offsets[1:], self.prune_start) - start
        counts = data[nexts[:, None] + np.arange(1 - _WORD_RECORD, -1)].view("<i8")
        return sum(counts[:, 0].tolist())

    def names(self, file: ModelFile) -> Iterator[bytes]:
        """The words, without the labels, in the order of their rows."""
        count, offsets = self.header.words, self.index.offsets
        for first in range(0, count, BLOCK_ROWS):
            base, last = int(offsets[first]), min(first + BLOCK_ROWS, count)
            end = int(offsets[last]) if last < len(offsets) else self.prune_start
            data = file.read(base, end - base)
            for offset in offsets[first:last].tolist():
                yield data[offset - base : data.index(b"\0", offset - base)]

    def row(self, file: ModelFile, word: bytes) -> int | None:
        """Row of the word, or None; labels are not words. As in fastText, the last of equal words counts."""
        for row in reversed(self.index.candidates(word)):
            start = int(self.index.offsets[row])
            if row < self.header.words and file.read(start, len(word) + 1) == word + b"\0":
                return row
        return None


def read_dictionary(file: ModelFile) -> Dictionary:
    """Read everything before the matrices; raises ModelLoadError where it contradicts itself or the size."""
    cursor = Cursor(file)
    header = _read_header(cursor)
    layout = RecordLayout(header.words + header.labels, b"\0", _WORD_RECORD - 1)
    letters = Letters()

    def seen(words: list[bytes], first: int) -> None:
        letters.see(words[: max(0, header.words - first)])  # labels are no words

    index, prune_start = scan_records(file, cursor.offset, layout, seen, _check_types(file, header.words))
    cursor.offset = prune_start
    cursor.skip(8 * max(header.pruned, 0), "index of kept n-grams")
    quantised = cursor.flag("quantisation")
    return Dictionary(header, index, prune_start, cursor.offset, quantised, letters)


def _read_header(cursor: Cursor) -> Header:
    path = cursor.file.path
    magic, version = cursor.take("ii")
    if magic != MAGIC:
        raise unusable(path, "not a fastText model: its first four bytes differ", "Name a .bin or .ftz file.")
    if version not in (11, 12):
        raise unusable(
            path,
            f"a fastText model of version {version}; versions 11 and 12 are read",
            "Export it with fastText 0.9.",
        )
    # dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn, maxn, lrUpdateRate, t
    dim, *_, loss, model, bucket, minn, maxn, _, _ = cursor.take("12id")
    size, words, labels, tokens, pruned = cursor.take("iiiqq")
    if version == 11 and model == 3:
        maxn = 0  # fastText's own rule: supervised models of that version had no n-grams
    wrong = {
        f"{dim} dimensions": not 0 < dim <= MAX_DIMENSIONS,
        f"loss {loss}": loss not in _LOSSES,
        f"model kind {model}": model not in _MODELS,
        f"n-grams of {minn} to {maxn} characters in {bucket} buckets": min(bucket, minn, maxn) < 0
        or (bucket == 0 and maxn >= max(minn, 1)),
        f"{words} words and {labels} labels in a dictionary of {size}": min(words, labels) < 0
        or words == 0
        or words + labels != size,
        f"{tokens} training tokens": tokens < 0,
        f"{pruned} kept n-grams of {bucket}": not -1 <= pruned <= bucket,
    }
    for claim, is_wrong in wrong.items():
        if is_wrong:
            raise corrupt(path, f"the header claims {claim}, which no model has")
    if size * _WORD_RECORD > cursor.file.size:
        raise corrupt(path, f"the header claims {size} words, too many for {cursor.file.size} bytes")
    return Header(version, dim, _LOSSES[loss], _MODELS[model], bucket, minn, maxn, words, labels, pruned)


def _check_types(file: ModelFile, words: int) -> BlockCheck:
    """Build the check that words come before labels and that no count is negative."""

    def check(data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64], first: int) -> None:
        is_label, sign = data[ends + _WORD_RECORD - 1], data[ends + _WORD_RECORD - 2]
        expected = np.arange(first, first + len(ends)) >= words
        wrong = np.flatnonzero((is_label != expected) | (sign > 127))
        if len(wrong):
            word = first + int(wrong[0]) + 1
            raise corrupt(file.path, f"word {word} of the dictionary has an impossible count or type")

    return check


class DictionaryWords:
    """The words of an opened model of fastText's own formats, as its dictionary has them."""

    _file: ModelFile
    _dictionary: Dictionary

    @property
    def letters(self) -> Letters:
        """Whether the words, without the labels, have upper and lower case."""
        return self._dictionary.letters

    @property
    def size(self) -> int:
        """The number of words."""
        return self._dictionary.header.words

    @property
    def shared(self) -> npt.NDArray[np.bool_] | None:
        """Which rows may hold a word that is in another row too."""
        return self._dictionary.index.shared

    def names(self) -> Iterator[bytes]:
        """The words of the dictionary, in its order."""
        return self._dictionary.names(self._file)

    def rows(self, words: Sequence[str]) -> list[int | None]:
        """The row of each word in the dictionary, or None."""
        return [self._dictionary.row(self._file, word.encode()) for word in words]


class BinaryVectors(DictionaryWords):
    """Word vectors of an unquantised ``.bin``: the float32 mean of the word's row and its n-grams' rows.

    Equal bit for bit to fastText's ``get_word_vector``, which adds the rows in this order and
    multiplies by the reciprocal of their number. Only the rows asked for are read.
    """

    def __init__(self, file: ModelFile, dictionary: Dictionary, subwords: bool) -> None:
        header = dictionary.header
        if header.pruned >= 0:
            raise unusable(
                file.path,
                "a pruned model that is not quantised, which fastText refuses too",
                "Download the updated model from fasttext.cc.",
            )
        self._file, self._dictionary, self._compose_unknown = file, dictionary, subwords
        cursor = Cursor(file, dictionary.matrices)
        self._matrix = _skip_matrix(cursor, header, header.rows, "input matrix")
        cursor.flag("output quantisation")
        _skip_matrix(cursor, header, None, "output matrix")
        if cursor.offset != file.size:
            raise corrupt(file.path, f"{file.size - cursor.offset} bytes follow the end of the model")
        self.dimensions = header.dimensions
        self.facts = header.facts("fastText .bin")
        self.digest_head = dictionary.matrices

    def vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of the words, float32 (n, d); NaN where a word has neither a row nor an n-gram."""
        result = blank(len(words), self.dimensions)
        for place, word in enumerate(words):
            rows = list(word_rows(word, self._dictionary, self._file, self._compose_unknown))
            if rows:
                result[place] = checked(self._mean(rows), self._file.path, f"the rows of the word {word!r}")
        return result

    def _mean(self, rows: list[int]) -> npt.NDArray[np.float32]:
        total = np.zeros(self.dimensions, dtype=np.float32)
        width = 4 * self.dimensions
        with np.errstate(over="ignore", invalid="ignore"):  # the caller refuses what is not finite
            for row in rows:
                total += np.frombuffer(self._file.read(self._matrix + row * width, width), dtype="<f4")
            total *= np.float32(1.0 / len(rows))
        return total

    def blocks(self, rows: int) -> Iterator[tuple[list[bytes], npt.NDArray[np.float32]]]:
        """The words of the dictionary with their vectors (n, d), ``rows`` at a time."""
        return blocks_of(self.names(), rows, self._all_at_once)

    def _all_at_once(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """As ``vectors``, of words of the dictionary: each row is read once for many words that share an n-gram."""
        result = blank(len(words), self.dimensions)
        for first in range(0, len(words), AT_ONCE):
            part = words[first : first + AT_ONCE]
            result[first : first + len(part)] = self._means(part)
        return result

    def _means(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        header = self._dictionary.header
        found = [self._dictionary.row(self._file, word.encode()) for word in words]
        own = np.array([-1 if row is None else row for row in found], dtype=np.int64)
        owner, buckets = np.empty(0, np.int64), np.empty(0, np.int64)
        if header.has_subwords:
            owner, buckets = buckets_of(words, header.minn, header.maxn, header.bucket)
        # A word's own row comes first, then those of its n-grams in their order.
        owner = np.concatenate([np.flatnonzero(own >= 0), owner])
        rows = np.concatenate([own[own >= 0], buckets + header.words])
        order = np.argsort(owner, kind="stable")
        needed, places = np.unique(rows[order], return_inverse=True)
        width = 4 * self.dimensions
        data = b"".join(self._file.read(self._matrix + row * width, width) for row in needed.tolist())
        matrix = np.frombuffer(data, dtype="<f4").reshape(-1, self.dimensions)
        counts = np.bincount(owner, minlength=len(words))
        begins = np.cumsum(counts) - counts
        total = np.zeros((len(words), self.dimensions), dtype=np.float32)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            for step in range(int(counts.max(initial=0))):  # in the order in which fastText adds them
                here = np.flatnonzero(counts > step)
                total[here] += matrix[places[begins[here] + step]]
            known = counts > 0
            total[known] *= (1.0 / counts[known]).astype(np.float32)[:, None]
        total[~known] = np.nan
        bad = np.flatnonzero(known & ~np.isfinite(total).all(axis=1))
        if len(bad):
            checked(total[bad[0]], self._file.path, f"the rows of the word {words[int(bad[0])]!r}")
        return total

    def close(self) -> None:
        self._file.close()


def _skip_matrix(cursor: Cursor, header: Header, needed: int | None, what: str) -> int:
    """Pass over a matrix, of ``needed`` rows if given; returns the byte where its values begin."""
    rows, columns = cursor.take("qq")
    if columns != header.dimensions or rows < 0 or needed not in (None, rows):
        raise corrupt(
            cursor.file.path,
            f"the {what} is {rows} x {columns}, but the header claims {header.words} words, "
            f"{header.bucket} buckets and {header.dimensions} dimensions",
        )
    start = cursor.offset
    cursor.skip(rows * columns * 4, what)
    return start


def word_rows(
    word: str,
    dictionary: Dictionary,
    file: ModelFile,
    compose_unknown: bool,
    kept: Callable[[int], int | None] | None = None,
) -> Iterator[int]:
    """Yield the matrix rows that make up the word, in fastText's order: its own, then its n-grams'."""
    header = dictionary.header
    row = dictionary.row(file, word.encode())
    if row is not None:
        yield row
    elif not compose_unknown:
        return
    if header.has_subwords:
        for bucket in ngram_buckets(word, header.minn, header.maxn, header.bucket):
            place = bucket if kept is None else kept(bucket)
            if place is not None:
                yield header.words + place

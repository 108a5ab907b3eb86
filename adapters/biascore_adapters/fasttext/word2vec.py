"""Binary files of the original word2vec tool: ``n d``, then per word its bytes, a space, and d float32."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from biascore.api.support import BLOCK_ROWS
from biascore_adapters.fasttext.index import MAX_DIMENSIONS, RecordLayout, scan_records
from biascore_adapters.fasttext.letters import Letters
from biascore_adapters.fasttext.storage import HEAD_BYTES, ModelFile, corrupt, unusable
from biascore_adapters.fasttext.textvec import parse_header
from biascore_adapters.fasttext.vectors import Facts, blank, checked


class Word2VecVectors:
    """Word vectors of a word2vec binary file, read row by row as they are asked for.

    Both dialects are read: with a newline after each vector (the C tool) and without (gensim). Of
    equal words the first counts, as in gensim.
    """

    def __init__(self, file: ModelFile) -> None:
        line, newline, _ = file.head(64).partition(b"\n")
        header = parse_header(line)
        if not newline or header is None:
            raise unusable(
                file.path,
                "not a word2vec binary: its first line is not the two numbers of words and dimensions",
                "Set the option format=auto to open it by its content.",
            )
        words, self.dimensions = header
        width = 4 * self.dimensions
        if not (0 < self.dimensions <= MAX_DIMENSIONS and 0 < words <= file.size // (width + 1)):
            raise corrupt(
                file.path,
                f"the header claims {words} words of {self.dimensions} dimensions, "
                f"which a file of {file.size} bytes cannot hold",
            )
        self._file = file
        self.letters = Letters()
        layout = RecordLayout(words, b" ", width, newlines=True)
        self._index, end = scan_records(file, len(line) + 1, layout, lambda some, _: self.letters.see(some))
        left = file.size - end
        if left > 1 or file.read(end, left) not in (b"", b"\n"):
            raise corrupt(
                file.path, f"{left} bytes follow the last of the {words} words that the header claims"
            )
        self.facts: Facts = {
            "format": "word2vec binary",
            "dimensions": self.dimensions,
            "words": words,
            "repeated words": self._index.repeated,
        }
        self.digest_head = HEAD_BYTES

    def vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of the words, float32 (n, d); NaN where the file does not have the word."""
        result = blank(len(words), self.dimensions)
        for place, (word, row) in enumerate(zip(words, self.rows(words), strict=True)):
            if row is not None:
                start = int(self._index.offsets[row]) + len(word.encode()) + 1
                vector = np.frombuffer(self._file.read(start, 4 * self.dimensions), dtype="<f4")
                result[place] = checked(vector, self._file.path, f"the values of the word {word!r}")
        return result

    @property
    def size(self) -> int:
        """The number of distinct words."""
        return len(self._index) - self._index.repeated

    @property
    def shared(self) -> npt.NDArray[np.bool_] | None:
        """Which rows may hold a word that is in another row too."""
        return self._index.shared

    def names(self) -> Iterator[bytes]:
        """The words of all records, in their order."""
        return (name for name, _ in self._records(BLOCK_ROWS))

    def blocks(self, rows: int) -> Iterator[tuple[list[bytes], npt.NDArray[np.float32]]]:
        """The words of all records with their vectors (n, d), ``rows`` at a time."""
        records = self._records(rows)
        while block := list(islice(records, rows)):
            names = [name for name, _ in block]
            values = np.stack([values for _, values in block]).astype(np.float32, copy=False)
            if not np.isfinite(values).all():
                wrong = names[int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])]
                checked(values, self._file.path, f"the values of the word {wrong.decode(errors='replace')!r}")
            yield names, values

    def _records(self, rows: int) -> Iterator[tuple[bytes, npt.NDArray[np.float32]]]:
        offsets, size = self._index.offsets, self._file.size
        for first in range(0, len(offsets), rows):
            base = int(offsets[first])
            end = int(offsets[first + rows]) if first + rows < len(offsets) else size
            data = self._file.read(base, end - base)
            for offset in offsets[first : first + rows].tolist():
                start = offset - base
                space = data.index(b" ", start)
                yield data[start:space], np.frombuffer(data, "<f4", self.dimensions, space + 1)

    def rows(self, words: Sequence[str]) -> list[int | None]:
        """The row of each word, or None; of equal words the first."""
        return [self._row(word.encode()) for word in words]

    def _row(self, name: bytes) -> int | None:
        for row in self._index.candidates(name):
            if self._file.read(int(self._index.offsets[row]), len(name) + 1) == name + b" ":
                return row
        return None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

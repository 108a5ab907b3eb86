"""Binary files of the original word2vec tool: ``n d``, then per word its bytes, a space, and d float32."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from biascore_adapters.fasttext.index import MAX_DIMENSIONS, RecordLayout, scan_records
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
        self._index, end = scan_records(file, len(line) + 1, RecordLayout(words, b" ", width, newlines=True))
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
        for place, word in enumerate(words):
            name = word.encode()
            for row in self._index.candidates(name):
                start = int(self._index.offsets[row])
                record = self._file.read(start, len(name) + 1 + 4 * self.dimensions)
                if record.startswith(name + b" "):
                    vector = np.frombuffer(record, dtype="<f4", offset=len(name) + 1)
                    result[place] = checked(vector, self._file.path, f"the values of the word {word!r}")
                    break
        return result

    def known(self, words: Sequence[str]) -> list[bool]:
        """Whether the file has each word."""
        return [not np.isnan(vector).any() for vector in self.vectors(words)]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

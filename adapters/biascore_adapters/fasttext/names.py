"""The words of a text file of vectors as those of tests: UTF-8 with composed accents (NFC), whatever the file has."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from biascore_adapters.fasttext.options import UTF_8
from biascore_adapters.fasttext.storage import unusable
from biascore_adapters.fasttext.vectors import Facts


class Names:
    """Counts, while a file is read, how its words with letters beyond ASCII are written, and recodes them.

    A file most of whose such words are not in its encoding is refused; a few are damage that large files have. Where most
    have decomposed accents (NFD), all are composed. Everything else is left as it is.
    """

    def __init__(self, path: Path, encoding: str) -> None:
        self._path, self._encoding = path, encoding
        self._every = self._foreign = self._decomposed = 0
        self._first = ""
        self._composes = self._settled = False

    def recode(self, word: bytes, number: int) -> bytes:
        """The word in UTF-8, composed where the file is decomposed; as it is where it is not in the encoding."""
        try:
            text = word.decode(self._encoding)
        except UnicodeDecodeError as error:
            if not self._settled:
                self._every, self._foreign = self._every + 1, self._foreign + 1
                self._first = self._first or f"line {number}, byte 0x{word[error.start]:02x}"
            return word
        if not self._settled:
            self._every += 1
            self._decomposed += not unicodedata.is_normalized("NFC", text)
        if self._composes:
            return unicodedata.normalize("NFC", text).encode()
        return word if self._encoding == UTF_8 else text.encode()

    def settled(self) -> bool:
        """Whether the words have to be read again, now composed; raises ModelLoadError for another encoding."""
        if 2 * self._foreign > self._every:
            raise unusable(
                self._path,
                f"{self._foreign:,} of {self._every:,} words with letters beyond ASCII are not in the encoding "
                f"{self._encoding} (the first in {self._first})",
                "Name its encoding, as in -o model.encoding=latin-1 (or cp1252).",
            )
        self._composes = 2 * self._decomposed > self._every
        self._settled = True
        return self._composes

    @property
    def facts(self) -> Facts:
        """What was not as usual."""
        found: Facts = {} if self._encoding == UTF_8 else {"encoding": self._encoding}
        return (
            {**found, "accents": "decomposed in the file (NFD), composed here"} if self._composes else found
        )

"""Answers ``embed`` from word vectors: a word as it is, a phrase as the mean of its words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.queries import Familiarity, Level, Text, Vocabulary
from biascore.api.support import BLOCK_ROWS
from biascore.errors import QuestionError
from biascore_adapters.fasttext.marks import Marks, letters_of
from biascore_adapters.fasttext.options import Case
from biascore_adapters.fasttext.storage import ModelFile
from biascore_adapters.fasttext.vectors import SEPARATORS, WordVectors, blank

SENTENCE_VECTOR: Final = (
    "plain mean of the word vectors (words separated by ASCII white space, {}), unless the file has the words joined by _ "
    "as one; out of vocabulary as soon as one word is"
)

"""In which case words are asked: as they are, in lower case, or so where the vocabulary has no other."""

LOWER_CASE: Final = {"case of the words": "lower case"}
"""The convention of such a model; one that takes words as they are states none."""

NO_MARKS: Final = Marks()

ALPHABETICAL: Final = 20
"""So many first words in the order of the alphabet say that the file is not in order of frequency."""


class FileVocabulary(Vocabulary):
    """The words of one file; where words are equal, the one that ``embed`` answers with.

    ``lowers``: words are asked in lower case, so nobody can ask for one with upper case. ``marks`` stand around each word
    in the file; one without them nobody can ask for.
    """

    def __init__(self, vectors: WordVectors, marks: Marks, *, lowers: bool = False) -> None:
        self._vectors = vectors
        self._lowers = lowers
        self._marks = marks

    def __len__(self) -> int:
        return self._vectors.size

    def words(self, most: int | None = None) -> Iterator[str]:
        """The first ``most`` words, or all; of vectors, nothing is parsed."""
        found = self._distinct(self._vectors.names())
        return islice((word for word in found if word is not None), most)

    def blocks(
        self, rows: int = BLOCK_ROWS, most: int | None = None
    ) -> Iterator[tuple[tuple[str, ...], npt.NDArray[np.float32]]]:
        """The words with their vectors (n, d); see ``Vocabulary``."""
        if rows < 1:
            raise ValueError(f"rows is {rows}; pass at least 1")
        left = len(self) if most is None else most
        seen: set[bytes] = set()
        row = 0
        for names, vectors in self._vectors.blocks(max(1, min(rows, left))):
            words = list(self._distinct(names, row, seen))
            row += len(names)
            kept = [place for place, word in enumerate(words) if word is not None][: max(left, 0)]
            left -= len(kept)
            if kept:
                found = tuple(word for word in words[: kept[-1] + 1] if word is not None)
                yield found, vectors if len(kept) == len(names) else vectors[kept]
            if left <= 0:
                return

    def _distinct(
        self, names: Iterable[bytes], start: int = 0, seen: set[bytes] | None = None
    ) -> Iterator[str | None]:
        """Each word, or None where an earlier row has it or nobody can ask for it; few are remembered."""
        seen = set() if seen is None else seen
        shared = self._vectors.shared
        for row, name in enumerate(names, start):
            if shared is not None and shared[row]:
                if name in seen:
                    yield None
                    continue
                seen.add(name)
            try:
                word = name.decode()
            except UnicodeDecodeError:
                yield None
                continue
            bare = self._marks.bare(word) if self._marks else word
            hidden = bare is None or SEPARATORS.search(bare) or (self._lowers and bare != bare.lower())
            yield None if hidden else bare


class FastTextBackend(Backend):
    """Word vectors of one file.

    At both levels the text (at ``level="token"`` the part under the span) is looked up as a word; with white
    space in it, it is the mean of its words' vectors, unnormalised as in the WEAT literature (fastText's
    ``get_sentence_vector`` divides each by its norm first), unless the file has these words as one, joined by _ as
    word2vec joins phrases. The mean is taken in float64 and rounded once. ``marks`` stand around every word of the file.
    ``case``: "lower" asks each word in lower case, "auto" does where no word of the file has upper case.
    """

    batch = 16_384

    def __init__(
        self, file: ModelFile, vectors: WordVectors, digest: str, case: Case = "auto", marks: Marks = NO_MARKS
    ) -> None:
        self._file = file
        self._vectors = vectors
        self._marks = marks
        uncased = letters_of(vectors, marks).uncased
        self._lowers = case == "lower" or (case == "auto" and uncased)
        facts = {**vectors.facts, **marks.facts}
        if self._lowers:
            why = "the vocabulary has no upper case" if uncased else "the option case=lower"
            facts["words asked"] = f"in lower case ({why})"
        self.identity = Identity(
            digest=digest,
            composes_words=True,
            sentence_vector=SENTENCE_VECTOR.format(
                "in lower case, accents as given" if self._lowers else "case and accents as given"
            ),
            facts=facts,
            asking=LOWER_CASE if self._lowers else {},
        )

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        """Embed the texts: float32 (n, d); NaN where a word is out of vocabulary or the text has none.

        Raises QuestionError where ``level="token"`` comes without a span or a text is not valid Unicode,
        and ModelLoadError where the file turns out to be damaged at a vector that is asked for.
        """
        phrases = self._in_the_file([self._words(text, level) for text in texts])
        distinct = list(dict.fromkeys(word for words in phrases for word in words))
        places = {word: place for place, word in enumerate(distinct)}
        known = self._vectors.vectors(distinct)
        answer = blank(len(texts), self._vectors.dimensions)
        for row, words in zip(answer, phrases, strict=True):
            if len(words) == 1:
                row[:] = known[places[words[0]]]
            elif words:
                row[:] = known[[places[word] for word in words]].mean(axis=0, dtype=np.float64)
        return answer

    def familiarity(self, words: Sequence[str]) -> list[Familiarity]:
        """Whether the file has each word, of a phrase each of its words, as it is asked or in another spelling.

        A phrase that the file has as one word is spelt as this one. The rank is that of the rarest word, and None where
        the file is not in order of frequency.
        """
        spellings = {word: self._spellings(word) for word in dict.fromkeys(words)}
        every = list(dict.fromkeys(spelling for some in spellings.values() for spelling in some))
        written = self._in_the_file([self._words(Text(spelling), "sentence") for spelling in every])
        parts = dict(zip(every, written, strict=True))
        distinct = list(dict.fromkeys(part for some in parts.values() for part in some))
        rows = dict(zip(distinct, self._vectors.rows(distinct), strict=True))
        last = self._vectors.size
        ranks = {part: 1 + (last if row is None else row) for part, row in rows.items()}
        found = {
            word: [one for one in some if parts[one] and all(rows[part] is not None for part in parts[one])]
            for word, some in spellings.items()
        }
        return [
            Familiarity(
                seen=word in found[word],
                spelling=self._joined(word, parts[word])
                if word in found[word]
                else next(iter(found[word]), ""),
                rank=max((ranks[part] for part in parts[word]), default=None) if self._by_frequency else None,
            )
            for word in words
        ]

    def vocabulary(self) -> Vocabulary:
        """All words of the file, in its order; of ``.bin`` and ``.ftz`` those of the dictionary."""
        return FileVocabulary(self._vectors, lowers=self._lowers, marks=self._marks)

    @cached_property
    def _by_frequency(self) -> bool:
        """Whether the order of the file may be that of frequency: not where it is that of the alphabet."""
        first = list(islice(self._vectors.names(), ALPHABETICAL))
        return len(first) < ALPHABETICAL or first != sorted(first)

    def close(self) -> None:
        self._vectors.close()
        self._file.close()

    def _spellings(self, word: str) -> list[str]:
        """The word as it is, then in composed form and in the cases that can be asked, each once."""
        composed = unicodedata.normalize("NFC", word)
        cases = (str.lower,) if self._lowers else (str.lower, str.capitalize, str.upper)
        return list(
            dict.fromkeys([word, composed, *(case(some) for some in (word, composed) for case in cases)])
        )

    def _joined(self, text: str, written: Sequence[str]) -> str:
        """A phrase as the one word that the file has for it; empty for a word, and for the mean of several."""
        words = self._words(Text(text), "sentence")
        return "_".join(words) if len(words) > 1 == len(written) else ""

    def _in_the_file(self, phrases: Sequence[list[str]]) -> list[list[str]]:
        """The words of each phrase as the file writes them; those that it has as one word, as this one."""
        joined = {tuple(words): self._marks.forms("_".join(words)) for words in phrases if len(words) > 1}
        single = {word: self._marks.forms(word) for words in phrases for word in words}
        unsure = [
            form
            for forms in (*joined.values(), *(some for some in single.values() if len(some) > 1))
            for form in forms
        ]
        rows = dict(zip(unsure, self._vectors.rows(unsure), strict=True))
        whole = {
            words: next((f for f in forms if rows[f] is not None), "") for words, forms in joined.items()
        }
        found = {
            word: next((f for f in forms if rows.get(f) is not None), forms[0])
            for word, forms in single.items()
        }
        return [
            [whole[tuple(words)]] if whole.get(tuple(words)) else [found[word] for word in words]
            for words in phrases
        ]

    def _words(self, text: Text, level: Level) -> list[str]:
        words = _words(text, level)
        return [word.lower() for word in words] if self._lowers else words


def _words(text: Text, level: Level) -> list[str]:
    part = text.text
    if level == "token" and part:
        if text.span is None:
            raise QuestionError(
                f"{text.text!r} comes without the span of the word that is meant. "
                f"Give one, or ask for the text as a whole with level='sentence'."
            )
        part = part[slice(*text.span)]
    try:
        part.encode()
    except UnicodeEncodeError as error:
        raise QuestionError(
            f"{part!r} is not valid Unicode ({error.reason}). "
            f"Correct the character at position {error.start}."
        ) from error
    return [word for word in SEPARATORS.split(part) if word]

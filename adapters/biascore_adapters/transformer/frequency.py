"""What a tokenizer tells of the frequency of a word: in how many pieces it reads it, and where in its vocabulary that is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import Final

from biascore.api.queries import Familiarity
from biascore_adapters.transformer.tokens import Reader, Tokens

ALPHABETICAL: Final = 20
"""So many first words in the order of the alphabet say that the vocabulary is not in order of frequency."""
_OPENING: Final = ("\u0120", "\u2581")
"""What begins a word in byte-level (G with a dot) and SentencePiece vocabularies (a low line)."""
_INNER: Final = "##"
"""What begins a piece within a word in WordPiece vocabularies."""


class WordRanks:
    """Words by the order of a tokenizer's vocabulary, which its training writes from frequent to rare.

    That holds of WordPiece, byte-level BPE and SentencePiece as their trainers write them. Entries that begin no word and
    single characters, which are in front whatever their frequency, are not counted.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def of(self, words: Sequence[str]) -> list[Familiarity]:
        """The pieces and the rank of each word, alone or behind a space, whichever is read in fewer pieces.

        A word of several pieces is no entry, so that it stands behind all of them; a phrase has the pieces of all its
        words and the rank of the rarest. Raises QuestionError for half of a surrogate pair.
        """
        parts = list(dict.fromkeys(part for word in words for part in word.split()))
        read = iter(self._reader.tokenise([text for part in parts for text in (part, f" {part}")]))
        known = {part: self._familiarity(next(read), next(read)) for part in parts}
        return [_joined([known[part] for part in word.split()]) for word in words]

    def _familiarity(self, *read: Tokens) -> Familiarity:
        ids = [[tokens.ids[i] for i in tokens.content()] for tokens in read]
        known = [some for some, tokens in zip(ids, read, strict=True) if some and tokens.unknown not in some]
        if not known:
            return Familiarity(
                seen=not all(tokens.unknown in some for some, tokens in zip(ids, read, strict=True))
            )
        pieces = min(map(len, known))
        if pieces > 1:
            return Familiarity(tokens=pieces, rank=len(self._ranks) + 1 if self._ranks else None)
        ranks = [self._ranks[some[0]] for some in known if len(some) == 1 and some[0] in self._ranks]
        return Familiarity(tokens=1, rank=min(ranks, default=None))

    @cached_property
    def _ranks(self) -> dict[int, int]:
        """The rank of each entry that is a word, by its id; empty where they are not in order of frequency."""
        special = set(self._reader.tokenizer.all_special_ids)
        entries = sorted(self._reader.tokenizer.get_vocab().items(), key=lambda entry: entry[1])
        marked = any(entry.startswith(_OPENING) for entry, _ in entries)
        words = {}
        for entry, id_ in entries:
            word = entry.lstrip("".join(_OPENING))
            opens = entry.startswith(_OPENING) if marked else not entry.startswith(_INNER)
            if opens and id_ not in special and len(word) > 1 and word[0] not in "[<":
                words[id_] = word
        first = list(islice(words.values(), ALPHABETICAL))
        if len(first) == ALPHABETICAL and first == sorted(first):
            return {}
        return {id_: rank for rank, id_ in enumerate(words, 1)}


def _joined(parts: Sequence[Familiarity]) -> Familiarity:
    """Of a phrase: all pieces of its words, and the rank of the rarest; nothing where that of one is not known."""
    ranks = [part.rank for part in parts if part.rank is not None]
    pieces = [part.tokens for part in parts if part.tokens is not None]
    return Familiarity(
        seen=not parts or any(part.seen for part in parts),
        rank=max(ranks) if parts and len(ranks) == len(parts) else None,
        tokens=sum(pieces) if parts and len(pieces) == len(parts) else None,
    )

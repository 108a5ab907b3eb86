"""What a tokenizer tells of the frequency of words, on vocabularies made here."""

from __future__ import annotations

import pytest

from biascore.api.queries import Familiarity
from biascore.errors import QuestionError

transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")
tokenizers = pytest.importorskip("tokenizers", reason="needs biascore[hf]")

from biascore_adapters.transformer.frequency import WordRanks  # noqa: E402
from biascore_adapters.transformer.tokens import Reader  # noqa: E402


def ranks(vocabulary: list[str], *, byte_level: bool = False) -> WordRanks:
    """Of a tokenizer with these entries, in this order; "[UNK]" is in front."""
    ids = {entry: id_ for id_, entry in enumerate(["[UNK]", *vocabulary])}
    if byte_level:
        made = tokenizers.Tokenizer(tokenizers.models.WordLevel(ids, unk_token="[UNK]"))
        made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    else:
        made = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids, unk_token="[UNK]"))
        made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=made, unk_token="[UNK]")
    return WordRanks(Reader(fast, None, len(ids)))


PIECES = ["a", "x", "the", "nurse", "##s", "##ing", "doctor", "new"]


def test_a_word_has_its_place_among_the_entries_that_are_words():
    found = ranks(PIECES).of(["the", "doctor", "nurses", "new nurses", "x", "zzz", "the zzz", ""])
    unknown = Familiarity(seen=False)
    assert found == [
        Familiarity(rank=1, tokens=1),
        Familiarity(rank=3, tokens=1),  # neither single characters nor pieces within a word count
        Familiarity(rank=5, tokens=2),  # of several pieces: behind all entries
        Familiarity(rank=5, tokens=3),
        Familiarity(rank=None, tokens=1),  # the alphabet stands in front, whatever the frequency
        unknown,
        Familiarity(),  # the model reads something of it
        Familiarity(),
    ]


def test_a_word_is_looked_up_as_it_stands_within_a_text():
    found = ranks(["The", "nurse", "\u0120nurse", "\u0120the", "the"], byte_level=True).of(
        ["nurse", "the", "The"]
    )
    assert [one.rank for one in found] == [1, 2, None]


def test_a_vocabulary_in_the_order_of_the_alphabet_tells_no_frequency():
    words = sorted(f"w{letter}" for letter in "abcdefghijklmnopqrstuv")
    assert ranks(words).of(["wb"]) == [Familiarity(tokens=1)]
    assert ranks(words[::-1]).of(["wu"]) == [Familiarity(rank=2, tokens=1)]


def test_half_a_character_is_refused_by_name():
    with pytest.raises(QuestionError, match="surrogate"):
        ranks(PIECES).of(["\ud83d"])

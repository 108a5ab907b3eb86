"""Readers of what a model wrote: whom a text is about, numbers, words of a list, and a model with its own gap."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.readers.characters import CHARACTERS as CHARACTERS
    from biascore.readers.characters import CharacterReader as CharacterReader
    from biascore.readers.characters import character_reader as character_reader
    from biascore.readers.lexicon import LEXICON as LEXICON
    from biascore.readers.lexicon import LexiconReader as LexiconReader
    from biascore.readers.lexicon import LexiconReading as LexiconReading
    from biascore.readers.lexicon import read_ratings as read_ratings
    from biascore.readers.model import ModelReader as ModelReader
    from biascore.readers.model import OwnGap as OwnGap
    from biascore.readers.model import ScoreReading as ScoreReading
    from biascore.readers.numbers import NUMBERS as NUMBERS
    from biascore.readers.numbers import NumberReader as NumberReader
    from biascore.readers.numbers import NumberReading as NumberReading
    from biascore.readers.numbers import number_reader as number_reader
    from biascore.readers.reading import Evidence as Evidence
    from biascore.readers.reading import Reading as Reading
    from biascore.readers.reading import outcome_counts as outcome_counts
    from biascore.readers.words import ReaderWords as ReaderWords
    from biascore.readers.words import load_reader_words as load_reader_words
    from biascore.readers.words import reader_words as reader_words
else:
    __getattr__, __dir__ = lazily(__name__)

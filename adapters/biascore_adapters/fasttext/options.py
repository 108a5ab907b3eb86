"""How to open a file of word vectors."""

from __future__ import annotations

import codecs
from typing import Final, Literal

from pydantic import field_validator

from biascore.api.adapters import Options

Case = Literal["auto", "keep", "lower"]
DigestMode = Literal["auto", "full", "sampled"]
Format = Literal["auto", "vec", "word2vec", "bin", "ftz"]
UTF_8: Final = "utf-8"


class FastTextOptions(Options):
    """How to open a file of word vectors.

    ``format``: ``auto`` tells it by the content. ``digest``: ``auto`` hashes the whole file up to 1 GiB and
    a sample of it beyond. ``subwords``: whether a fastText model composes words that are not in its
    dictionary from their n-grams; without, they are out of vocabulary. Text and word2vec files have no
    n-grams, so there it changes nothing. ``encoding``: of the words of a text file. ``case``: ``auto`` asks
    words in lower case where no word of the file has upper case, ``lower`` always, ``keep`` never. ``prefix`` and
    ``suffix``: what stands before and after the words that are meant, such as "/c/en/" and "_NOUN" (of several suffixes,
    separated by commas, the first counts that a word has); what all words of a file have is seen without them.
    """

    format: Format = "auto"
    digest: DigestMode = "auto"
    subwords: bool = True
    encoding: str = UTF_8
    case: Case = "auto"
    prefix: str = ""
    suffix: str = ""

    @field_validator("encoding")
    @classmethod
    def _is_known(cls, name: str) -> str:
        try:
            return codecs.lookup(name).name
        except LookupError as error:
            raise ValueError(f"there is no encoding {name!r}; such as utf-8, latin-1, cp1252") from error

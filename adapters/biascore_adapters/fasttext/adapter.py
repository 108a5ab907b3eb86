"""The ``fasttext:`` adapter: static word vectors from fastText, word2vec and GloVe files."""

from __future__ import annotations

import codecs
from typing import ClassVar

from pydantic import field_validator

from biascore.api.adapters import Adapter, LoadContext, ModelRef, Options
from biascore_adapters.fasttext.backend import Case, FastTextBackend
from biascore_adapters.fasttext.detect import Format, open_vectors
from biascore_adapters.fasttext.marks import Marks, marks_of
from biascore_adapters.fasttext.names import UTF_8
from biascore_adapters.fasttext.storage import DigestMode, ModelFile, locate

__all__ = ["FastTextAdapter", "FastTextBackend", "FastTextOptions"]


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


class FastTextAdapter(Adapter[FastTextOptions]):
    """Opens fastText ``.bin`` and ``.ftz``, ``.vec`` and ``.vec.gz`` or GloVe text, and word2vec binaries."""

    id: ClassVar[str] = "fasttext"
    summary: ClassVar[str] = "Static word vectors: fastText .bin/.ftz, .vec(.gz), GloVe text, word2vec binary"
    example: ClassVar[str] = "fasttext:/models/cc.it.300.bin"
    answers_version: ClassVar[str | None] = "2"
    capabilities: ClassVar[frozenset[str]] = frozenset({"embed"})
    extra: ClassVar[str | None] = "fasttext"  # for quantised models only

    def check(self, ref: ModelRef, options: FastTextOptions, context: LoadContext) -> None:  # noqa: ARG002
        """Raise ModelLoadError where the path names no file, with similar names near it."""
        locate(ref.locator)

    def load(self, ref: ModelRef, options: FastTextOptions, context: LoadContext) -> FastTextBackend:  # noqa: ARG002
        """Open the file; the words are indexed, the vectors stay on disk.

        Raises ModelLoadError where the file is missing, foreign, truncated or contradicts itself, and
        MissingExtraError for a quantised model without the ``fasttext`` library.
        """
        file = ModelFile(locate(ref.locator))
        try:
            vectors = open_vectors(file, options.format, options.subwords, options.encoding)
            digest = file.digest(options.digest, vectors.digest_head)
            stated = Marks.stated(options.prefix, options.suffix)
            return FastTextBackend(
                file, vectors, digest, options.case, stated or marks_of(vectors, file.path)
            )
        except BaseException:
            file.close()
            raise

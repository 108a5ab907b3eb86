"""The ``fasttext:`` adapter: static word vectors from fastText, word2vec and GloVe files."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from biascore.api.adapters import Adapter, LoadContext, ModelRef
from biascore_adapters.fasttext.options import FastTextOptions

if TYPE_CHECKING:
    from biascore_adapters.fasttext.backend import FastTextBackend


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
        from biascore_adapters.fasttext.storage import locate

        locate(ref.locator)

    def load(self, ref: ModelRef, options: FastTextOptions, context: LoadContext) -> FastTextBackend:  # noqa: ARG002
        """Open the file; the words are indexed, the vectors stay on disk.

        Raises ModelLoadError where the file is missing, foreign, truncated or contradicts itself, and
        MissingExtraError for a quantised model without the ``fasttext`` library.
        """
        from biascore_adapters.fasttext.backend import FastTextBackend
        from biascore_adapters.fasttext.detect import open_vectors
        from biascore_adapters.fasttext.marks import Marks, marks_of
        from biascore_adapters.fasttext.storage import ModelFile, locate

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

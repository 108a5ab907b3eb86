"""The vector of a sentence: which rule holds for a model, and its questions read by that rule."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from biascore.api.queries import Level, Text
from biascore.api.support import quoted
from biascore.errors import ModelLoadError, OptionsError, QuestionError
from biascore_adapters.transformer.folder import MODULES, ModelFolder, modules_of
from biascore_adapters.transformer.options import LongTexts, Pooling
from biascore_adapters.transformer.pipeline import Pipeline
from biascore_adapters.transformer.pooling import (
    Mode,
    Pool,
    Question,
    pool,
    word_positions,
)
from biascore_adapters.transformer.tokens import Reader, Tokens

_MODES: Final[dict[Pooling, Mode]] = {"cls": "cls", "last": "lasttoken", "mean": "mean"}


@dataclass(frozen=True, slots=True)
class SentenceVector:
    """The rule for ``level="sentence"`` and, in words, what it is and who chose it.

    ``width`` is that of the vectors. ``long_texts``: what becomes of a text that ``encode()`` would cut; None where
    no ``encode()`` is followed.
    """

    pipeline: Pipeline
    described: str
    width: int
    long_texts: Literal["error", "cut"] | None = None

    @classmethod
    def choose(
        cls,
        folder: ModelFolder,
        *,
        causal: bool,
        decoder: bool,
        hidden: int,
        asked: Pooling | None,
        long_texts: LongTexts | None = None,
        allow_pickle: bool = False,
    ) -> SentenceVector:
        """What the user asks for, else what the folder declares, else the custom of the architecture.

        The custom is the last token for a ``decoder``, also for one that sees to both sides, and [CLS] for an
        encoder. Raises ModelLoadError where the rule that is declared or asked for cannot be followed.
        """
        if asked == "cls" and causal:
            raise ModelLoadError(
                f"{folder.path} is a decoder, whose first token sees none of the others, so that "
                "sentence='cls' says nothing of the sentence. Use sentence='last' or 'mean'"
            )
        declared = None if asked else declared_pipeline(folder, allow_pickle=allow_pickle)
        if long_texts == "cut" and (declared is None or not folder.modules):
            raise OptionsError(
                f"{folder.path} is not read as a sentence-transformers folder, so that long_texts='cut' would mean nothing. "
                "Leave it out"
            )
        cuts: Literal["error", "cut"] = "cut" if long_texts == "cut" else "error"
        if declared:
            words = f"{declared.described}, as the sentence-transformers folder declares"
            width = declared.width(folder, hidden)
            return cls(declared, words, width, cuts if folder.modules else None)
        custom: Pooling = asked or ("last" if decoder else "cls")
        plain = Pipeline((_MODES[custom],))
        return cls(plain, f"{plain.described}, {'as asked' if asked else 'by architecture'}", hidden)

    @property
    def facts(self) -> dict[str, str | int]:
        """What of the rule belongs among the facts of a model."""
        names = {mode: name for name, mode in _MODES.items()}
        found: dict[str, str | int] = {
            "sentence": ", ".join(
                [
                    *(names.get(mode, mode) for mode in self.pipeline.modes),
                    *(step.described for step in self.pipeline.steps),
                ]
            )
        }
        if self.long_texts:
            found["long_texts"] = self.long_texts
        if self.pipeline.limit is not None:
            found["sentence_tokens"] = self.pipeline.limit
        return found

    def lower_case(self, reader: Reader) -> None:
        """Make the tokenizer read everything in lower case where the folder asks for it, offsets unmoved."""
        if not self.pipeline.lower_case:
            return
        from tokenizers import normalizers

        tokenizer = reader.tokenizer.backend_tokenizer
        own = [tokenizer.normalizer] if tokenizer.normalizer is not None else []
        tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), *own])

    def questions(self, reader: Reader, texts: Sequence[Text], level: Level | str) -> list[Question]:
        """The texts as the model reads them, with the pools of their vectors.

        Raises QuestionError for a text that the model cannot take, that ``encode()`` would cut, without a span at
        level "token", or of which the tokenizer leaves nothing.
        """
        if level == "token":
            read = reader.read([text.text for text in texts])
            places = [word_positions(text, tokens) for text, tokens in zip(texts, read, strict=True)]
            pools: list[tuple[Pool, ...]] = [(Pool.mean(own),) if own else () for own in places]
        else:
            read = self._read(reader, [text.text for text in texts])
            skipped = 0 if self.pipeline.prompt_counts else self._prompt_length(reader)
            pools = [self._pools(text, tokens, skipped) for text, tokens in zip(texts, read, strict=True)]
        return [
            Question(tokens.input(text.text), own)
            for text, tokens, own in zip(texts, read, pools, strict=True)
        ]

    def _read(self, reader: Reader, texts: Sequence[str]) -> list[Tokens]:
        prompt = self.pipeline.prompt
        read = reader.tokenise(texts, before=prompt)
        limit = min((n for n in (self.pipeline.limit, reader.limit) if n is not None), default=None)
        long = [row for row, tokens in enumerate(read) if limit is not None and len(tokens.ids) > limit]
        if long and self.long_texts == "cut":
            cut = reader.tokenise([texts[row] for row in long], before=prompt, cut=limit)
            for row, tokens in zip(long, cut, strict=True):
                read[row] = tokens
            named = ", ".join(quoted(texts[row]) for row in long[:5]) + (", ..." if len(long) > 5 else "")
            warnings.warn(
                f"{len(long)} of {len(texts)} texts are longer than {limit} tokens and were cut there, as encode() of the "
                f"model does: {named}",
                stacklevel=2,
            )
        elif long and self.long_texts:
            alone = f", and sentence='mean' reads the transformer alone, which takes {reader.limit}"
            raise QuestionError(
                f"the text {quoted(texts[long[0]])} is {len(read[long[0]].ids)} tokens long, special ones"
                f"{' and the prompt' * bool(prompt)} included, and encode() of the model would cut it at {limit}. Shorten "
                "or split the text; the option long_texts='cut' cuts as encode() does"
                f"{alone if reader.limit != limit else ''}"
            )
        for text, tokens in zip(texts, read, strict=True):
            reader.check(text, tokens)
        return read

    def _prompt_length(self, reader: Reader) -> int:
        """How many tokens of a text are its prompt's, as the library counts: those of the prompt alone, but its end."""
        if not self.pipeline.prompt:
            return 0
        (alone,) = reader.tokenise([self.pipeline.prompt])
        return len(alone.ids) - (alone.ids[-1] in reader.tokenizer.all_special_ids)

    def _pools(self, text: Text, tokens: Tokens, skipped: int) -> tuple[Pool, ...]:
        start = len(self.pipeline.prompt)
        content = tokens.content((start, start + len(text.text)) if start else None)
        if not content:
            raise QuestionError(
                f"the tokenizer leaves nothing of the text {quoted(text.text)}. Leave the text out"
            )
        if tokens.unknown_at(content):
            return ()
        positions = range(min(skipped, len(tokens.ids) - 1), len(tokens.ids))
        return tuple(pool(mode, positions) for mode in self.pipeline.modes)


def declared_pipeline(folder: ModelFolder, *, allow_pickle: bool) -> Pipeline | None:
    """The pipeline of a sentence-transformers folder, None for any other.

    Raises ModelLoadError where it is not computed here, and for the transformer's own folder inside of one, which
    would give other vectors than the folder that people use.
    """
    if folder.gguf:
        return None
    outer = folder.path.parent
    if not folder.modules and folder.path.name in (module.path for module in modules_of(outer)):
        raise ModelLoadError(
            f"{folder.path} is the transformer inside the sentence-transformers folder {outer}, whose {MODULES} says how "
            f"its states become a sentence vector. Name that folder: {outer}; or set the option sentence='cls', 'last' or "
            "'mean', which reads the transformer alone"
        )
    return Pipeline.read(folder, allow_pickle=allow_pickle)

"""The backend for a model: the questions that it can answer, combined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from biascore.api.adapters import Backend, Cost, hookimpl
from biascore.api.writing import Prompt, Settings, Written, as_written
from biascore_adapters.transformer.backends import (
    Embedder,
    HeadScorer,
    MaskFiller,
    Opened,
    TextScorer,
    TransformerBackend,
)
from biascore_adapters.transformer.exported import Kind


class TextWriter(TextScorer):
    """A causal language model that writes, where its runtime generates."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        assert opened.generate is not None, "a runtime that does not generate writes nothing"
        self._generate = opened.generate

    def close(self) -> None:
        """Let go of the model, whatever holds it."""
        del self._generate
        super().close()

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:
        """The most probable text, or one that is drawn for each sample; raises QuestionError as prompts and runtime do."""
        seeds = [one.draw if settings.drawn else None for one in prompts]
        said = self._generate.write(self._put(prompts), seeds, settings)
        return tuple(as_written(prompt, *one) for prompt, one in zip(prompts, said, strict=True))

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, Any]) -> Cost:
        """The tokens of the prompts, and of the texts at most; how many passes these take is not known."""
        known = super().cost(hook, questions, params)
        if hook != "generate":
            return known
        most = params["settings"].max_tokens
        read = self._generate.lengths(self._put(questions), most)
        return known.model_copy(update={"tokens": sum(read), "tokens_out": most * len(read), "requests": 0})

    def _put(self, prompts: Sequence[Prompt]) -> list[str]:
        return [self._prompts.put(one.text, one.system) for one in prompts]


class EmbeddingMaskFiller(Embedder, MaskFiller):
    """A masked language model that also gives its states."""


class EmbeddingTextScorer(Embedder, TextScorer):
    """A causal language model that also gives its states."""


class EmbeddingTextWriter(Embedder, TextWriter):
    """A causal language model that writes, and also gives its states."""


class EmbeddingHeadScorer(Embedder, HeadScorer):
    """A classifier or regressor that also gives its states."""


_HEADS: Final[dict[Kind, tuple[type[TransformerBackend], type[TransformerBackend]]]] = {
    "masked": (MaskFiller, EmbeddingMaskFiller),
    "causal": (TextScorer, EmbeddingTextScorer),
    "head": (HeadScorer, EmbeddingHeadScorer),
}


def backend_of(opened: Opened) -> Backend:
    """The backend that answers what the model has to answer with, and nothing else.

    Raises ModelLoadError for a masked language model without a mask token.
    """
    alone, embedding = _HEADS.get(opened.kind, (Embedder, Embedder))
    if opened.kind == "causal" and opened.generate is not None:
        alone, embedding = TextWriter, EmbeddingTextWriter
    return (alone if opened.sentence is None else embedding)(opened)

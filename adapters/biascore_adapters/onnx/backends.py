"""What an ONNX model answers, one class for each question, combined as the graph's outputs allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime

from biascore.errors import AnswerError, ModelLoadError
from biascore.plugins_api import Backend, Cost, Identity, Level, Masked, Text, TokenLogprobs, hookimpl
from biascore_adapters.onnx.graph import HIDDEN, LOGITS, log_probabilities, numbered
from biascore_adapters.onnx.model import OnnxModel, has_states
from biascore_adapters.transformer.batching import batches
from biascore_adapters.transformer.causal import LOG_LIKELIHOOD, CausalReader
from biascore_adapters.transformer.exported import Kind
from biascore_adapters.transformer.masked import MaskedPlan
from biascore_adapters.transformer.outputs import HeadOutputs
from biascore_adapters.transformer.pooling import Pool, outside, shares
from biascore_adapters.transformer.sentence import SentenceVector
from biascore_adapters.transformer.tokens import Tokens, shown

MAX_LOGITS: Final = 2**25
"""Logits held at once (128 MiB): positions times the size of the vocabulary."""

CPU_TOKENS: Final = 2048
ACCELERATOR_TOKENS: Final = 16384


class OnnxBackend(Backend):
    """An open model and how its questions are cut into batches; subclasses answer them."""

    batch = 1024  # enough texts at once that those of like length meet

    def __init__(self, model: OnnxModel) -> None:
        self._graph, self._reader = model.graph, model.reader
        quantised = model.folder.stated.dynamically_quantised
        on_cpu = model.graph.provider == "CPUExecutionProvider"
        known, usual = model.known, CPU_TOKENS if on_cpu else ACCELERATOR_TOKENS
        self._budget = model.options.batch_tokens or (1 if quantised else usual)
        if known.pad is None:
            self._budget = 1  # one text a run, and so no padding
        self._equal = not model.padding
        self.lacks = model.facts.get("head", "")
        self.identity = Identity(
            digest=model.folder.files.digest(),
            facts={
                "architecture": model.architecture,
                "kind": known.kind,
                "max_tokens": "none stated" if known.max_tokens is None else known.max_tokens,
                "precision": "dynamically quantised" if quantised else "as exported",
                "opset": model.folder.stated.opset,
                "exported_by": "biascore" if model.folder.exported else "another program",
                "provider": model.graph.provider,
                **model.facts,
                **({"threads": model.graph.threads} if on_cpu else {}),
                "onnxruntime": onnxruntime.__version__,
            },
        )

    def close(self) -> None:
        """Let go of the session."""
        del self._graph

    def _types(self, tokens: Tokens) -> Sequence[int] | None:
        return tokens.types if self._graph.takes_types else None

    def _batches(self, lengths: Mapping[int, int], asked: Mapping[int, int]) -> Iterator[list[int]]:
        """Batches under the token budget whose logits, at ``asked`` positions a text, fit into memory."""
        width = self._graph.widths[LOGITS]

        def fits(rows: Sequence[int]) -> bool:
            everywhere = len(rows) * max(lengths[row] for row in rows)
            places = sum(asked[row] for row in rows) if self._graph.takes_positions else everywhere
            return places * width <= MAX_LOGITS

        for rows in batches(lengths, self._budget, equal=self._equal):
            yield from _in_halves(rows, fits)


class Embedder(OnnxBackend):
    """Word and sentence vectors."""

    def __init__(self, model: OnnxModel) -> None:
        super().__init__(model)
        self._sentence = SentenceVector.choose(
            model.folder.files,
            causal=model.known.causal,
            decoder=model.decoder,
            hidden=self._graph.widths[HIDDEN],
            asked=model.options.sentence,
            long_texts=model.options.long_texts,
        )
        self._sentence.lower_case(model.reader)
        facts = {"hidden_size": self._graph.widths[HIDDEN], **self._sentence.facts}
        self.identity = replace(
            self.identity, sentence_vector=self._sentence.described, facts={**self.identity.facts, **facts}
        )

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        """Embed the texts: float32 of shape (n, d), the means of the states that ``hf:`` takes the means of.

        A row is NaN where every sub-token is the tokenizer's unknown token. Raises QuestionError for a text
        that the model cannot take, AnswerError where the model computes something that is not a number.
        """
        read = self._sentence.questions(self._reader, texts, level)
        width = self._graph.widths[HIDDEN] if level == "token" else self._sentence.width
        vectors = np.full((len(texts), width), np.nan, dtype=np.float32)
        lengths = {row: len(question.tokens.ids) for row, question in enumerate(read) if question.pools}
        for rows in batches(lengths, self._budget, equal=self._equal):
            some = [read[row] for row in rows]
            hidden = self._graph.run(
                HIDDEN,
                [question.tokens.ids for question in some],
                [self._types(question.tokens) for question in some],
                [question.text for question in some],
            )
            together = zip(*(question.pools for question in some), strict=True)
            found = np.concatenate([_pooled(hidden, pools) for pools in together], axis=1)
            _check_finite(found, [question.text for question in some])
            vectors[rows] = found if level == "token" else self._sentence.pipeline.finish(found)
        return vectors

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text that is not out of vocabulary; ``hook`` is "embed" unless another class answers it."""
        if hook != "embed":
            return super().cost(hook, questions, params)
        read = self._sentence.questions(self._reader, questions, params["level"])
        return Cost.of_passes(questions, [len(one.tokens.ids) for one in read if one.pools])


def _pooled(hidden: npt.NDArray[np.float32], pools: Sequence[Pool]) -> npt.NDArray[np.float32]:
    """One pool of each text, of states (n, t, width): (n, width)."""
    weights = shares(pools, hidden.shape[1])
    if weights is not None:
        return np.asarray((weights[:, None, :] @ hidden)[:, 0])
    elsewhere = outside(pools, hidden.shape[1])
    return np.asarray(np.where(elsewhere[:, :, None], -np.inf, hidden).max(axis=1), dtype=np.float32)


class MaskFiller(OnnxBackend):
    """Log-probabilities of a masked language model."""

    def __init__(self, model: OnnxModel) -> None:
        super().__init__(model)
        mask = self._reader.tokenizer.mask_token_id
        if mask is None:
            raise ModelLoadError(
                f"{model.folder.path} is a masked language model whose tokenizer has no mask token. Save the "
                "tokenizer that it was trained with next to it"
            )
        self._mask = int(mask)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        """log p, in nats, of the hidden tokens; a word of several sub-tokens has as many log-probabilities.

        Raises QuestionError for a text that the model cannot take, AnswerError naming the text where
        the model computes no number.
        """
        plan = self._plan(queries)
        cells = plan.cells_by_pass()
        logprobs = np.full(len(plan.cells), np.nan)
        asked = {number: len(own) for number, own in enumerate(cells)}
        for rows in self._batches(plan.lengths(), asked):
            passes = [plan.passes[row] for row in rows]
            here = [number for row in rows for number in cells[row]]
            row_of = {row: number for number, row in enumerate(rows)}
            places = [(row_of[plan.cells[number].pass_], plan.cells[number].position) for number in here]
            found = numbered(places)
            types = [one.types if self._graph.takes_types else None for one in passes]
            logits = self._graph.run(
                LOGITS, [one.ids for one in passes], types, [one.text for one in passes], list(found)
            )
            wanted = [
                (found[place], plan.cells[number].token) for place, number in zip(places, here, strict=True)
            ]
            logprobs[here] = log_probabilities(logits, wanted)
        return plan.answers(logprobs)

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each distinct masked text."""
        if hook != "mask_logprob":
            return super().cost(hook, questions, params)
        plan = self._plan(questions)
        return Cost.of_passes(questions, [len(one.ids) for one in plan.passes], plan.naive_passes)

    def _plan(self, queries: Sequence[Masked]) -> MaskedPlan:
        return MaskedPlan(queries, self._reader.read([query.text for query in queries]), self._mask)


class TextScorer(OnnxBackend):
    """Log-likelihoods of a causal language model, scored given the beginning-of-text token where there is one."""

    def __init__(self, model: OnnxModel) -> None:
        super().__init__(model)
        self._texts = CausalReader(self._reader)
        self.identity = replace(
            self.identity,
            quantities=(LOG_LIKELIHOOD,),
            facts={**self.identity.facts, "bos": self._texts.policy},
        )

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """Log-likelihood of each text: the sum over its tokens, in nats, float64 of shape (n,).

        Raises QuestionError for any other quantity and for a text with nothing to score, AnswerError naming
        the text where the model computes no number.
        """
        work = self._texts.read(texts, quantity)
        scores = np.empty(len(texts))
        lengths = {row: len(one.ids) for row, one in enumerate(work)}
        asked = {row: len(one.scored) for row, one in enumerate(work)}
        for rows in self._batches(lengths, asked):
            some = [work[row] for row in rows]
            places = [(number, i - 1) for number, one in enumerate(some) for i in one.scored]
            ids, names = [one.ids for one in some], [one.text for one in some]
            logits = self._graph.run(LOGITS, ids, [None] * len(some), names, places)
            wanted = [(place, ids[row][before + 1]) for place, (row, before) in enumerate(places)]
            found = iter(log_probabilities(logits, wanted))
            scores[rows] = [sum(next(found) for _ in one.scored) for one in some]
        _check_finite(scores[:, None], texts)
        return scores

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text, with the beginning-of-text token that it is scored given."""
        if hook != "score":
            return super().cost(hook, questions, params)
        work = self._texts.read(questions, params["quantity"])
        return Cost.of_passes(questions, [len(one.ids) for one in work])


class HeadScorer(OnnxBackend):
    """The named outputs of a classifier or regressor; ``Identity.facts["outputs"]`` says their unit."""

    def __init__(self, model: OnnxModel) -> None:
        super().__init__(model)
        self._outputs = HeadOutputs.of(model.folder.files.config, self._graph.widths[LOGITS])
        self.identity = replace(
            self.identity,
            quantities=self._outputs.labels,
            facts={**self.identity.facts, "outputs": self._outputs.described},
        )

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """The output named ``quantity`` for each text: float64 of shape (n,).

        Raises QuestionError for a name that the head does not have, AnswerError naming the text where the
        model computes no number.
        """
        column = self._outputs.column(quantity)
        read = self._reader.read(texts)
        scores = np.empty(len(texts))
        for rows in batches(
            {row: len(tokens.ids) for row, tokens in enumerate(read)}, self._budget, equal=self._equal
        ):
            some = [read[row] for row in rows]
            ids, types = [tokens.ids for tokens in some], [self._types(tokens) for tokens in some]
            logits = self._graph.run(LOGITS, ids, types, [texts[row] for row in rows])
            scores[rows] = self._outputs.values(logits.astype(np.float64))[:, column]
        _check_finite(scores[:, None], texts)
        return scores

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text."""
        if hook != "score":
            return super().cost(hook, questions, params)
        self._outputs.column(params["quantity"])
        return Cost.of_passes(questions, [len(tokens.ids) for tokens in self._reader.read(questions)])


class EmbeddingMaskFiller(Embedder, MaskFiller):
    """A masked language model whose graph also gives its states."""


class EmbeddingTextScorer(Embedder, TextScorer):
    """A causal language model whose graph also gives its states."""


class EmbeddingHeadScorer(Embedder, HeadScorer):
    """A classifier or regressor whose graph also gives its states."""


_HEADS: Final[dict[Kind, tuple[type[OnnxBackend], type[OnnxBackend]]]] = {
    "masked": (MaskFiller, EmbeddingMaskFiller),
    "causal": (TextScorer, EmbeddingTextScorer),
    "head": (HeadScorer, EmbeddingHeadScorer),
}


def backend_of(model: OnnxModel) -> Backend:
    """The backend that answers what the graph's outputs allow, and nothing else.

    Raises ModelLoadError where they allow nothing.
    """
    kind = model.known.kind
    usable = LOGITS in model.graph.widths and (kind == "head") == model.graph.per_text
    if usable and kind in _HEADS:
        return _HEADS[kind][has_states(model)](model)
    if has_states(model):
        return Embedder(model)
    if "head" in model.facts:
        raise ModelLoadError(
            f"{model.folder.graph} gives only logits, which are {model.facts['head']}. Export it with the output "
            f"{HIDDEN!r}"
        )
    raise ModelLoadError(
        f"{model.folder.graph} gives only logits, and config.json names no model whose logits are known here (its "
        f"architecture is {model.architecture}). Export it with the output {HIDDEN!r}, or copy the configuration of "
        "the masked or causal language model, classifier or regressor that it is"
    )


def _in_halves(rows: list[int], fits: Callable[[Sequence[int]], bool]) -> Iterator[list[int]]:
    if len(rows) == 1 or fits(rows):
        yield rows
        return
    middle = len(rows) // 2
    yield from _in_halves(rows[:middle], fits)
    yield from _in_halves(rows[middle:], fits)


def _check_finite(rows: npt.NDArray[np.floating[Any]], texts: Sequence[str]) -> None:
    """Raise AnswerError naming the first text that the model computes no number for; rows of shape (n, d)."""
    broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(broken):
        raise AnswerError(
            f"the model computes no number for the text {shown(texts[broken[0]])}. The weights are damaged, or too "
            "large for the precision that they were exported in: export the model again"
        )

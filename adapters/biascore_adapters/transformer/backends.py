"""The questions that a transformer answers, one class for each, whatever runs it; combined as the model allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import (
    Backend,
    Checkpoints,
    Cost,
    Identity,
    Progress,
    Told,
    Trained,
    Training,
    hookimpl,
)
from biascore.api.queries import (
    Choice,
    Chosen,
    Continuation,
    Familiarity,
    Level,
    Masked,
    Text,
    TokenLogprobs,
    Way,
)
from biascore.api.support import quoted
from biascore.errors import AnswerError, ModelLoadError
from biascore_adapters.transformer.batching import A_WRITTEN, TEXTS, by_texts
from biascore_adapters.transformer.causal import (
    MEAN_LOG_LIKELIHOOD,
    QUANTITIES,
    START_ONCE,
    TOKEN_COUNT,
    AfterPrompts,
    CausalReader,
    ScoredText,
)
from biascore_adapters.transformer.chooser import Chooser, Generate
from biascore_adapters.transformer.exported import Kind
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.frequency import WordRanks
from biascore_adapters.transformer.masked import MaskedPlan
from biascore_adapters.transformer.options import LongTextOptions
from biascore_adapters.transformer.outputs import HeadOutputs
from biascore_adapters.transformer.prompts import Prompts
from biascore_adapters.transformer.runtime import Runtime
from biascore_adapters.transformer.scoring import Scoring
from biascore_adapters.transformer.sentence import SentenceVector
from biascore_adapters.transformer.tokens import Input, Reader, asked_text, check_known
from biascore_adapters.transformer.windows import Windows

FineTune: TypeAlias = Callable[[Path, Sequence[str], Training, Checkpoints, Progress], Trained]


@dataclass(frozen=True, slots=True)
class Opened:
    """A model open in a runtime: what reads its texts, what it answers with, and what is known of it.

    ``kind`` says which head is asked; none for an "encoder" or "decoder". ``sentence`` is the rule for sentence vectors,
    if the runtime gives states. ``outputs`` names those of a sequence head ("head"). ``facts`` become those of the
    identity, whose digest is the ``folder``'s. ``export`` writes the model into a folder (int8 or not) and returns the
    adapter that opens it there, or None; ``fine_tune`` is ``Backend.fine_tune`` for a masked language model.
    ``conventions`` are those of every measurement on it. ``prompts`` says how a causal language model is given prompts
    and long texts, ``after_prompts`` what it makes of a prompt computed once, and ``generate`` what it says after one,
    where these are. ``trees``: the runtime also takes rows of a tree of prefixes. ``told``: facts for readers.
    """

    folder: ModelFolder
    runtime: Runtime
    reader: Reader
    kind: Kind
    sentence: SentenceVector | None = None
    outputs: HeadOutputs | None = None
    facts: Mapping[str, str | int | float] = field(default_factory=dict)
    export: Callable[[Path, bool], str] | None = None
    fine_tune: FineTune | None = None
    conventions: Mapping[str, str] = field(default_factory=dict)
    prompts: LongTextOptions = field(default_factory=LongTextOptions)
    after_prompts: AfterPrompts | None = None
    generate: Generate | None = None
    trees: bool = False
    told: Mapping[str, str] = field(default_factory=dict)
    batch: int = TEXTS


class TransformerBackend(Backend):
    """An open model; subclasses answer questions with it."""

    def __init__(self, opened: Opened) -> None:
        self._runtime, self._reader, self._export = opened.runtime, opened.reader, opened.export
        self._ranks, self._told = WordRanks(opened.reader), opened.told
        self.batch = opened.batch
        self.lacks = f"its head: {opened.facts['head']}" if "head" in opened.facts else ""
        self.identity = Identity(
            opened.folder.digest(), opened.folder.revision, facts=opened.facts, conventions=opened.conventions
        )

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> Iterable[int]:
        """As many as ``batch``; raises QuestionError where the tokenizer reads half of the words or more as unknown."""
        asked = [asked_text(one) for one in questions]
        check_known(self._reader.tokenizer, asked, out_of_vocabulary=hook == "embed")
        return super().batch_sizes(hook, questions)

    def familiarity(self, words: Sequence[str]) -> list[Familiarity]:
        """In how many pieces the tokenizer reads each word, and how far down its vocabulary that is."""
        return self._ranks.of(words)

    def export(self, folder: Path, *, int8: bool = False) -> str:
        """Write the model into a folder, where its runtime can."""
        return self._export(folder, int8) if self._export else super().export(folder, int8=int8)

    def told(self) -> Told:
        """What opening showed that no answer depends on."""
        return Told(self._told)

    def close(self) -> None:
        """Let go of the model, whatever holds it."""
        runtime, self._export = self._runtime, None
        del self._runtime
        runtime.close()

    def _log_probabilities(
        self, inputs: Sequence[Input], wanted: Sequence[Sequence[tuple[int, int]]]
    ) -> list[Sequence[float]]:
        """As the runtime gives them for the texts of one batch, for any number of texts."""
        found: list[Sequence[float]] = [()] * len(inputs)
        for rows in self._runtime.batches(_lengths(inputs)):
            answers = self._runtime.log_probabilities(
                [inputs[row] for row in rows], [wanted[row] for row in rows]
            )
            for row, answer in zip(rows, answers, strict=True):
                found[row] = answer
        return found

    def _check_finite(self, rows: npt.NDArray[np.floating[Any]], texts: Sequence[str]) -> None:
        """Raise AnswerError naming the first text that the model computes no number for; rows of shape (n, d)."""
        broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(broken):
            raise no_number(texts[broken[0]], self._runtime.advice)


class Embedder(TransformerBackend):
    """Word and sentence vectors."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        assert opened.sentence is not None, "a model without states embeds nothing"
        self._sentence = opened.sentence
        self._sentence.lower_case(opened.reader)
        facts = {**self.identity.facts, "hidden_size": opened.runtime.width, **self._sentence.facts}
        self.identity = replace(self.identity, sentence_vector=self._sentence.described, facts=facts)

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        """Embed the texts: float32 of shape (n, d).

        A row is NaN where every sub-token of the word (of the text, at level "sentence") is the tokenizer's
        unknown token. Raises QuestionError for a text that the model cannot take, AnswerError where the model
        computes something that is not a number.
        """
        questions = self._sentence.questions(self._reader, texts, level)
        width = self._runtime.width if level == "token" else self._sentence.width
        vectors = np.full((len(texts), width), np.nan, dtype=np.float32)
        lengths = {row: len(question.input.ids) for row, question in enumerate(questions) if question.pools}
        for rows in self._runtime.batches(lengths):
            some = [questions[row] for row in rows]
            pooled = self._runtime.pooled([one.input for one in some], [one.pools for one in some])
            self._check_finite(pooled, [one.input.text for one in some])
            vectors[rows] = pooled if level == "token" else self._sentence.pipeline.finish(pooled)
        return vectors

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text that is not out of vocabulary; another class answers any other hook."""
        if hook != "embed":
            return super().cost(hook, questions, params)
        read = self._sentence.questions(self._reader, questions, params["level"])
        return Cost.of_passes(questions, [len(one.input.ids) for one in read if one.pools])


class MaskFiller(TransformerBackend):
    """Log-probabilities of a masked language model, each distinct masked text in one pass."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        mask = self._reader.tokenizer.mask_token_id
        if mask is None:
            raise ModelLoadError(
                f"{opened.folder.path} is a masked language model whose tokenizer has no mask token. Save the "
                "tokenizer that it was trained with next to it"
            )
        self._mask = int(mask)
        self._fine_tune = opened.fine_tune

    def fine_tune(
        self,
        folder: Path,
        texts: Sequence[str],
        training: Training,
        checkpoints: Checkpoints,
        progress: Progress,
    ) -> Trained:
        """Train a copy of the model further, where its runtime can."""
        return (self._fine_tune or super().fine_tune)(folder, texts, training, checkpoints, progress)

    def close(self) -> None:
        """Let go of the model, whatever holds it."""
        self._fine_tune = None
        super().close()

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        """log p, in nats, of the hidden tokens; a word of several sub-tokens has as many log-probabilities.

        Raises QuestionError for a text that the model cannot take, AnswerError naming the text where
        the model computes no number.
        """
        plan = self._plan(queries)
        found = self._log_probabilities(plan.passes, plan.wanted())
        return plan.answers(found, self._runtime.advice)

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each distinct masked text."""
        if hook != "mask_logprob":
            return super().cost(hook, questions, params)
        plan = self._plan(questions)
        return Cost.of_passes(questions, [len(one.ids) for one in plan.passes], plan.naive_passes)

    def _plan(self, queries: Sequence[Masked]) -> MaskedPlan:
        return MaskedPlan(queries, self._reader.read([query.text for query in queries]), self._mask)


class TextScorer(TransformerBackend):
    """Log-likelihoods of a causal language model.

    Where the tokenizer has a beginning-of-text token, the text is scored given it, whether or not the
    tokenizer puts it in front by itself; where it has none, the first token has nothing to be scored
    given and is left out. ``Identity.facts["bos"]`` says which.
    """

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._prompts = prompts = Prompts(self._reader, opened.prompts, opened.folder.path)
        windows = Windows.chosen(opened.prompts, self._reader.limit, opened.folder.path)
        self._texts = CausalReader(self._reader, prompts, any_length=windows is not None)
        self._scored = Scoring(self._log_probabilities, opened.after_prompts, windows, trees=opened.trees)
        self._chooser = Chooser(self._texts, prompts, self._scored, opened.generate)
        long = {"long texts": windows.described} if windows else {}
        facts = {**self.identity.facts, "bos": self._texts.policy, **prompts.facts, **long}
        self.identity = replace(
            self.identity,
            # Without a token that begins a text, there is none to stand before the first one alone.
            quantities=tuple(one for one in QUANTITIES if one != START_ONCE or self._texts.begins),
            facts=facts,
            conventions={**self.identity.conventions, **long},
            continues=True,
            ways=self._chooser.ways,
            prompting=prompts.told,
        )

    def close(self) -> None:
        """Let go of the model, whatever holds it."""
        del self._scored, self._chooser
        super().close()

    @hookimpl
    def score(self, texts: tuple[str | Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:
        """Log-likelihood of each text, the sum over its tokens or the mean, in nats, or their number; float64 of shape (n,).

        Of a text after a prompt, the tokens that follow the prompt. What several texts begin with is computed once.
        Raises QuestionError for any other quantity and for a text with nothing to score, AnswerError naming
        the text where the model computes no number.
        """
        read = self._texts.read(texts, quantity)
        if quantity == TOKEN_COUNT:
            return np.array([len(one.scored) for one in read], dtype=np.float64)
        parts = self._parts(read, quantity)
        values = iter(self._scored([part for some in parts for part in some]))
        found = [[value for _ in some for value in next(values)] for some in parts]
        scores = np.array([sum(own) for own in found], dtype=np.float64)
        if quantity == MEAN_LOG_LIKELIHOOD:
            scores /= [len(own) for own in found]
        self._check_finite(scores[:, None], [one.input.text for one in read])
        return scores

    def _parts(self, read: Sequence[ScoredText], quantity: str) -> list[list[ScoredText]]:
        # Without a beginning-of-text token the first token is not scored, and there is nothing to take away.
        return [one.start_once() if quantity == START_ONCE and self._texts.begins else [one] for one in read]

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> Iterable[int]:
        """As any, with options and written texts counted as the texts to score that they cost: an option is one.

        So an interrupted run of them has kept as many answers as one that scores texts.
        """
        sizes = super().batch_sizes(hook, questions)
        if hook == "choose":
            return by_texts([len(one.options) for one in questions], self.batch)
        return by_texts([A_WRITTEN] * len(questions), self.batch) if hook == "generate" else sizes

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        """By the likelihood of the options, of their letters, or by what the model says; raises as `Chooser` does."""
        return self._chooser.choose(questions, way)

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text, with the token that it is scored given, or row of a tree; none to count tokens.

        A prompt of several texts is a pass of its own, and then these are. Of generated text, only the limit is known.
        """
        if hook not in ("score", "choose"):
            return super().cost(hook, questions, params)
        if params.get("way") == "text":
            return self._chooser.cost_by_text(questions, super().cost(hook, questions, params))
        if params.get("quantity") == TOKEN_COUNT:
            return Cost.none()
        if hook == "choose":
            groups = self._chooser.read(questions, cast("Way", params["way"]))
            read = [text for some in groups for one in some for text in one]
        else:
            parts = self._parts(self._texts.read(questions, params["quantity"]), params["quantity"])
            read = [part for some in parts for part in some]
        lengths, naive = self._scored.passes(read)
        return Cost.of_passes(questions, lengths, naive_passes=naive)


class HeadScorer(TransformerBackend):
    """The named outputs of a classifier or regressor.

    A regressor (or a single output) gives its raw value; several labels of which one holds, softmax
    probabilities; labels that may hold together (``multi_label_classification``), sigmoids.
    ``Identity.facts["outputs"]`` says what there is.
    """

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        assert opened.outputs is not None, "a sequence head has named outputs"
        self._outputs = opened.outputs
        facts = {**self.identity.facts, "outputs": self._outputs.described}
        self.identity = replace(self.identity, quantities=self._outputs.labels, facts=facts)

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """The output named ``quantity`` for each text: float64 of shape (n,).

        Raises QuestionError for a name that the head does not have, AnswerError naming the text where the
        model computes no number.
        """
        column = self._outputs.column(quantity)
        inputs = self._inputs(texts)
        scores = np.empty(len(texts))
        for rows in self._runtime.batches(_lengths(inputs)):
            logits = self._runtime.logits([inputs[row] for row in rows])
            scores[rows] = self._outputs.values(logits)[:, column]
        self._check_finite(scores[:, None], texts)
        return scores

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text."""
        if hook != "score":
            return super().cost(hook, questions, params)
        self._outputs.column(params["quantity"])
        return Cost.of_passes(questions, [len(one.ids) for one in self._inputs(questions)])

    def _inputs(self, texts: Sequence[str]) -> list[Input]:
        return [tokens.input(text) for text, tokens in zip(texts, self._reader.read(texts), strict=True)]


def no_number(text: str, advice: str) -> AnswerError:
    """The error for a text that the model computes no number for."""
    return AnswerError(f"the model computes no number for the text {quoted(text)}. {advice}")


def _lengths(inputs: Sequence[Input]) -> dict[int, int]:
    return {row: len(one.ids) for row, one in enumerate(inputs)}

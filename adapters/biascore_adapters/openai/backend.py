"""A chat model behind a server as a backend: it chooses by text and by letters, writes, and translates."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import SecretStr

from biascore.api.adapters import Backend, Cost, Identity, Told, hookimpl
from biascore.api.languages import Language, find_language
from biascore.api.queries import (
    LETTERS,
    Choice,
    Chosen,
    Continuation,
    Way,
    by_letters,
    by_text,
    check_text,
    order_of,
    refused,
    refuses,
    rotations,
    without_reasoning,
    written_out,
)
from biascore.api.writing import Finish, Prompt, Settings, Written, as_written
from biascore.errors import AnswerError, QuestionError
from biascore_adapters.openai.client import ChatClient, Reply
from biascore_adapters.openai.costs import cost_of
from biascore_adapters.openai.echo import Echo
from biascore_adapters.openai.forced import Forced
from biascore_adapters.openai.likelihood import Every, Likelihood, Scored
from biascore_adapters.openai.options import OpenAIOptions

QUANTITIES: Final[Mapping[str, Callable[[Scored], float]]] = MappingProxyType(
    {
        "log_likelihood": lambda one: one.total,
        "mean_log_likelihood": lambda one: one.total / one.tokens,
        "token_count": lambda one: one.tokens,
    }
)
TOP: Final = 20
"""The most likely first tokens, as many as servers tell."""
TRANSLATE: Final = (
    "Translate the following text from {source} to {target}. Answer with the translation alone.\n\n{text}"
)
_PREAMBLES: Final = ("here is", "here's", "sure", "certainly", "of course", "translation:", "the translation")
Q = TypeVar("Q", bound=Hashable)
A = TypeVar("A")


class ChatBackend(Backend):
    """A question is a batch of its own, so that ``concurrency`` of them are asked at a time; only questions that have
    requests in common, one after the other, are asked together. What was answered is not asked again where another of
    its batch fails."""

    batch = 8

    def __init__(
        self, model: str, key: SecretStr, options: OpenAIOptions, languages: Mapping[str, Language]
    ) -> None:
        self._client = ChatClient(model, key, options)
        self._options, self._languages = options, languages
        self._answered: dict[tuple[Callable[..., Any], Hashable], Any] = {}
        self._told: set[str] = set()
        self.in_flight = options.concurrency
        system = (
            "" if options.system_prompt is None else f", after the system prompt {options.system_prompt!r}"
        )
        self.identity = Identity(
            digest=f"service:{self._client.server} {model}",
            facts={"server": self._client.server, "translation_prompt": TRANSLATE},
            ways=("letters", "text"),
            prompting={"prompt put": f"as a user's message to a server of the OpenAI API{system}"},
            writing={"temperature": "of the server; none is sent"} if options.temperature == "server" else {},
        )

    def told(self) -> Told:
        """The names that answered: those of a model with and without a date may be two models."""
        names = ", ".join(self._client.answered_as)
        several = f"the server answered as {names}, which may be several models" if "," in names else ""
        return Told({"answered as": names} if names else {}, (several,) if several else ())

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        """By the most probable letter in all cyclic orders, a request each, or by what the model says.

        Raises QuestionError where letters are asked of a server that tells no log-probabilities, and as the client does.
        """
        if way == "text":
            most = self._options.max_answer_tokens
            asked = [(written_out(one, order_of(one)), most, 0, one.seed) for one in questions]
            return tuple(map(_said, questions, self._all(asked, self._reply)))
        orders = [written_out(one, order) for one in questions for order in rotations(one)]
        replies = iter(self._all([(prompt, 1, TOP, None) for prompt in orders], self._reply))
        return tuple(
            by_letters(one, [self._letters(one, next(replies)) for _ in one.options]) for one in questions
        )

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:
        """What the model writes, each with the seed of its sample; raises QuestionError for two temperatures or system
        prompts, and as the client does."""
        self._check(prompts, settings)
        asked = [(one.text, one.system, one.draw, settings) for one in prompts]
        return tuple(map(_written, prompts, self._all(asked, self._text)))

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        """Translations by a fixed prompt; what is refused, or is more than a translation, is none, and a warning tells
        of the first."""
        prompts = self._prompts(texts, source, target)
        asked = [(prompt, self._options.max_new_tokens, 0, None) for prompt in prompts]
        replies = self._all(asked, self._reply)
        problems = [_no_translation(text, reply) for text, reply in zip(texts, replies, strict=True)]
        for text, problem in zip(texts, problems, strict=True):
            if problem and problem not in self._told:
                self._told.add(problem)
                warnings.warn(
                    f"openai: an answer of {self._client.model} {problem}, and counts as no translation (of {text!r}). "
                    "Further ones like it count so too: the measurement tells how many texts are lost",
                    stacklevel=2,
                )
        return tuple(
            "" if problem else without_reasoning(reply.text).text.strip()
            for problem, reply in zip(problems, replies, strict=True)
        )

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> Iterable[int]:
        """One each, or up to ``batch`` in a row with common requests; raises QuestionError as ``check_text``."""
        for question in questions:
            check_text(_text_of(question), "openai")
        runs = (list(run) for _, run in groupby(questions, self._in_common))
        return [size for run in runs for size in super(ChatBackend, self).batch_sizes(hook, run)]

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, Any]) -> Cost:
        """Requests, and bounds of the tokens, which a server reads in pieces that are not known here."""
        asked = self._prompts(questions, **params) if hook == "translate" else questions
        sent = cost_of(hook, asked, params, self._options)
        return sent.model_copy(update={"characters": super().cost(hook, questions, params).characters})

    def close(self) -> None:
        self._client.close()

    def _in_common(self, question: Any) -> Hashable:
        """What questions share that have requests in common: here all that is sent."""
        return replace(question, item="") if isinstance(question, Choice | Prompt) else question

    def _prompts(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        names = {"source": self._name(source), "target": self._name(target)}
        return [TRANSLATE.format(**names, text=text) for text in texts]

    def _reply(self, asked: tuple[str, int, int, int | None]) -> Reply:
        prompt, tokens, top, seed = asked
        return self._client.ask(prompt, tokens, top=top, seed=seed)

    def _text(self, asked: tuple[str, str | None, int, Settings]) -> Reply:
        prompt, system, seed, settings = asked
        return self._client.ask(prompt, settings.max_tokens, seed=seed, system=system, settings=settings)

    def _check(self, prompts: Sequence[Prompt], settings: Settings) -> None:
        """Raise QuestionError where options contradict what is asked."""
        given = self._options.temperature
        stated = "temperature" in self._options.model_fields_set and given != "server"
        if stated and given != settings.temperature:
            raise QuestionError(
                f"openai: texts are asked with {settings.told}, and the option temperature is {given}. Leave the option "
                "out: the temperature of texts is that of their test"
            )
        if self._options.system_prompt is not None and any(one.system is not None for one in prompts):
            raise QuestionError(
                "openai: the prompts have a system prompt of their own. Leave the option system_prompt out"
            )

    def _all(self, questions: Sequence[Q], ask: Callable[[Q], A]) -> list[A]:
        """The answers in the order of the questions; those that came are kept where another fails."""
        found: dict[Q, A] = {}
        try:
            for one in dict.fromkeys(questions):
                kept = self._answered.pop((ask, one), None)
                found[one] = ask(one) if kept is None else kept
        except BaseException:
            self._answered.update({(ask, one): answer for one, answer in found.items()})
            raise
        return [found[one] for one in questions]

    def _letters(self, question: Choice, reply: Reply) -> list[float]:
        if reply.first is None:
            raise QuestionError(
                f"openai: {self._client.server} tells no log-probabilities of tokens, so that letters cannot be asked. Ask "
                "by text"
            )
        found = dict.fromkeys(LETTERS[: len(question.options)], 0.0)
        for token, value in reply.first.items():
            if token.strip() in found:  # with and without a space before it
                found[token.strip()] += math.exp(value)
        return [math.log(value) if value else -math.inf for value in found.values()]

    def _name(self, tag: str) -> str:
        known = find_language(self._languages, tag)
        return tag if known is None else f"{known.name} ({tag})"


class ScoringBackend(ChatBackend):
    """A server that tells the log-probabilities of given texts, which are sent to it without a chat template."""

    def __init__(
        self, model: str, key: SecretStr, options: OpenAIOptions, languages: Mapping[str, Language]
    ) -> None:
        super().__init__(model, key, options, languages)
        self._likelihood, how = _likelihood(self._client, self._all, options)
        start = (
            f"after {options.text_start!r}" if options.text_start else "after the start token of the model"
        )
        told = self.identity.prompting["prompt put"]
        self.identity = replace(
            self.identity,
            ways=("likelihood", *self.identity.ways),
            continues=True,
            quantities=tuple(QUANTITIES),
            facts={**self.identity.facts, "texts scored": f"{how}, {start}"},
            prompting={"prompt put": f"by likelihood as it is, without a chat template, {how}; else {told}"},
        )

    def _in_common(self, question: Any) -> Hashable:
        """Those after one prompt ask for it once."""
        if isinstance(question, Prompt):
            return super()._in_common(question)
        before = self._options.text_start if isinstance(question, str) else question.prompt
        return before or question

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        """By likelihood too, as ``score`` does."""
        return self._likelihood.choose(questions) if way == "likelihood" else super().choose(questions, way)

    @hookimpl
    def score(self, texts: tuple[str | Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:
        """Log-likelihoods in nats, their means by token, or numbers of tokens; raises QuestionError for another quantity,
        and AnswerError where the server does not tell the log-probabilities of a prompt's tokens."""
        if quantity not in QUANTITIES:
            raise QuestionError(
                f"openai: there is no quantity {quantity!r}. Ask for {', '.join(map(repr, QUANTITIES))}"
            )
        return np.array(
            [QUANTITIES[quantity](one) for one in self._likelihood.score(texts)], dtype=np.float64
        )


def _likelihood(client: ChatClient, every: Every, options: OpenAIOptions) -> tuple[Likelihood, str]:
    """What scores texts, and how in words."""
    if options.prompt_logprobs == "grammar":
        return Forced(client, every, options.text_start), "forced by a grammar of the server's token ids"
    if options.prompt_logprobs == "echo":
        echo = Echo(client, every, options.text_start, as_text=False)
        return echo, "by the echo of the server, in its token ids"
    return Echo(
        client, every, options.text_start, as_text=True
    ), "by the echo of the server, which reads them in its own tokens"


def _text_of(question: str | Choice | Continuation | Prompt) -> str:
    """What a model reads of a question."""
    if isinstance(question, str):
        return question
    if isinstance(question, Choice):
        return question.prompt + "".join(question.options)
    before = question.prompt if isinstance(question, Continuation) else question.system
    return (before or "") + question.text


def _written(prompt: Prompt, reply: Reply) -> Written:
    declined = bool(reply.refusal)
    return as_written(prompt, reply.refusal or reply.text, _finish(reply), reply.tokens, declined=declined)


def _finish(reply: Reply) -> Finish:
    known: Mapping[str, Finish] = {"stop": "stop", "length": "length", "content_filter": "filter"}
    return known.get(reply.finish, "unknown")


def _said(question: Choice, reply: Reply) -> Chosen:
    if reply.refusal or reply.finish == "content_filter":
        return refused(question, reply.refusal or reply.text)
    return by_text(question, reply.text, order_of(question))


def _no_translation(text: str, reply: Reply) -> str:
    """Why an answer is no translation of the text alone, or an empty string."""
    said, cut_off = without_reasoning(reply.text)
    said = said.strip()
    if reply.refusal or reply.finish == "content_filter" or (refuses(said) and not refuses(text)):
        return "refuses"
    if reply.finish == "length" or cut_off:
        raise AnswerError(
            f"openai: the translation of {text[:60]!r} does not end. Raise the option max_new_tokens"
        )
    if not said:
        return "is empty"
    more = said.casefold().startswith(_PREAMBLES) and not text.casefold().startswith(_PREAMBLES)
    return "is more than a translation" if more or ("\n" in said and "\n" not in text.strip()) else ""

"""Log-probabilities of given texts, of servers that echo the tokens of a prompt; and what shows that they are right."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from biascore.api.queries import Choice, Chosen, Continuation, by_likelihood
from biascore.errors import AnswerError, QuestionError
from biascore_adapters.openai.client import ChatClient, Completed

PROBES: Final = (
    "The weather today is",
    "Two and two make",
    "She opened the door and",
    "The capital of France is",
    "He said that the",
    "In the morning they",
)
WANTED: Final = 3
TOLERANCE: Final = 0.05
"""Nats by which a token's log-probability may differ when it is generated and when it is echoed."""
WITHOUT: Final = "Ask by text or letters, or name a server that gives them, such as vLLM"


@dataclass(frozen=True, slots=True)
class Scored:
    """A sum of log-probabilities in nats, and of how many tokens."""

    total: float
    tokens: int


class Echo:
    """Scores texts by what the server echoes; ``all`` asks several at a time.

    Nothing is scored before three probes have shown that the server means by an echo what it says.
    """

    def __init__(
        self,
        client: ChatClient,
        every: Callable[[Sequence[str], Callable[[str], Completed]], list[Completed]],
        start: str,
    ) -> None:
        self._client, self._every, self._start = client, every, start
        self._checked = False
        self._known: dict[str | Continuation, Scored] = {}

    def score(self, texts: Sequence[str | Continuation]) -> list[Scored]:
        """The texts, each after the start or after its prompt; raises AnswerError, QuestionError, and as the client does."""
        self._check()
        new = [one for one in dict.fromkeys(texts) if one not in self._known]
        groups = [(self._before(one), (one if isinstance(one, str) else one.text,)) for one in new]
        self._known |= {one: some[0] for one, some in zip(new, self._after(groups), strict=True)}
        return [self._known[one] for one in texts]

    def choose(self, questions: Sequence[Choice]) -> tuple[Chosen, ...]:
        """By the likelihood of each option after the prompt, all scored from the first token that any of them changes."""
        self._check()
        groups = [(one.prompt, tuple(_answer(one.prompt, text) for text in one.options)) for one in questions]
        return tuple(
            by_likelihood([one.total for one in some], [one.tokens for one in some])
            for some in self._after(groups)
        )

    def _before(self, question: str | Continuation) -> str:
        return self._start if isinstance(question, str) else question.prompt

    def _after(self, groups: Sequence[tuple[str, Sequence[str]]]) -> list[list[Scored]]:
        """Texts after each prompt; where there is none, after the start token of the server's model."""
        asked = [
            text for prompt, some in groups for text in (prompt, *(prompt + one for one in some)) if text
        ]
        unique = list(dict.fromkeys(asked))
        answers = self._every(unique, lambda text: self._client.complete(text, echo=True))
        told = {text: self._of_prompt(text, one) for text, one in zip(unique, answers, strict=True)}
        return [self._scored(prompt, some, told) for prompt, some in groups]

    def _of_prompt(self, text: str, completed: Completed) -> Completed:
        """Without the token that was generated; raises AnswerError for an echo that is not whole."""
        counted, entries = completed.prompt_tokens, len(completed.tokens)
        if counted is not None and entries not in (counted, counted + 1):
            raise AnswerError(
                f"openai: {self._client.server} counts {counted} tokens in {text[:60]!r}, and tells of {entries - 1}. "
                f"{WITHOUT}"
            )
        return Completed(completed.tokens[:-1], completed.logprobs[:-1], counted)

    def _scored(self, prompt: str, texts: Sequence[str], told: dict[str, Completed]) -> list[Scored]:
        own = [told[prompt + text] for text in texts]
        if prompt:
            start = min(_first_other(told[prompt].tokens, one.tokens) for one in own)
        else:
            start = 1
            if any(_begins(text, one.tokens[0]) for text, one in zip(texts, own, strict=True)):
                raise QuestionError(
                    f"openai: the model of {self._client.server} reads no start token, or the server does not tell it, so "
                    f"that the first word of {texts[0][:60]!r} has no log-probability. Name a text to put before each with "
                    'the option text_start, such as text_start="<|endoftext|>" or text_start="."'
                )
        found = []
        for text, one in zip(texts, own, strict=True):
            values = one.logprobs[start:]
            known = [value for value in values if value is not None and math.isfinite(value)]
            if not known or len(known) < len(values) or not start:
                raise QuestionError(
                    f"openai: {self._client.server} tells no log-probability of a token of {text[:60]!r} after "
                    f"{prompt[-60:]!r}. Use a longer prompt or another text"
                )
            found.append(Scored(math.fsum(known), len(known)))
        return found

    def _check(self) -> None:
        """Raise AnswerError where the server's echoes are not the log-probabilities of the prompt's tokens.

        Some servers echo only what they generate, and some pair each token with the next one's log-probability; both give
        numbers that look right.
        """
        if self._checked:
            return
        agreed = 0
        for prompt in PROBES:
            made = self._client.complete(prompt, echo=False)
            token, value = (made.tokens or ("",))[-1], (made.logprobs or (None,))[-1]
            if value is None:
                raise self._no_echo("tells no log-probabilities")
            if not token.strip():
                continue
            echoed = self._client.complete(prompt + token, echo=True)
            if echoed.prompt_tokens is None:
                raise self._no_echo(
                    "does not count the tokens of a prompt (usage), so that an echo cannot be checked"
                )
            entries, counted = len(echoed.tokens), echoed.prompt_tokens
            if entries not in (counted, counted + 1) or all(one is None for one in echoed.logprobs[:-1]):
                kept = sum(one is not None for one in echoed.logprobs)
                raise self._no_echo(
                    f"tells {kept} log-probabilities for a prompt of {counted} tokens and one generated: it leaves those of "
                    "the prompt out"
                )
            again = echoed.logprobs[-2]
            if echoed.tokens[-2].strip() != token.strip() or again is None:
                continue  # read in other tokens together
            if not abs(again - value) <= TOLERANCE:
                raise self._no_echo(
                    f"gives {token!r} after {prompt!r} the log-probability {value:.3f} when it generates it and {again:.3f} "
                    "when it echoes it: they are misaligned"
                )
            agreed += 1
            if agreed == WANTED:
                self._checked = True
                return
        raise self._no_echo(
            f"lets an echo be compared with what is generated on {agreed} of {len(PROBES)} prompts"
        )

    def _no_echo(self, what: str) -> AnswerError:
        return AnswerError(f"openai: {self._client.server} {what}. {WITHOUT}, and leave prompt_logprobs out")


def _first_other(tokens: Sequence[str], longer: Sequence[str]) -> int:
    same = (i for i, both in enumerate(zip(tokens, longer, strict=False)) if both[0] != both[1])
    return next(same, min(len(tokens), len(longer)))


def _begins(text: str, token: str) -> bool:
    """Whether a token is the text's own first one, and not one that starts any text."""
    plain = token.replace("▁", " ").replace("Ġ", " ").strip()
    return text.strip().startswith(plain)


def _answer(prompt: str, option: str) -> str:
    return option.strip() if prompt[-1:].isspace() else f" {option.strip()}"

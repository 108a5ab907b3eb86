"""Log-probabilities of given texts, of servers that echo the tokens of a prompt; and what shows that they are right."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from biascore.errors import AnswerError
from biascore_adapters.openai.client import ChatClient, Completed, Prompt
from biascore_adapters.openai.likelihood import (
    PROBES,
    TOLERANCE,
    WANTED,
    Every,
    Likelihood,
    Scored,
    ServerTokens,
    first_other,
    told_apart,
)

TAIL: Final = " in the end"
"""Stands after the token of a probe, so that values of either neighbour are seen."""
WITHOUT: Final = "Ask by text or letters, or name a server that gives them, such as vLLM"
AS_TEXT: Final = (
    'Set prompt_logprobs to "echo-text" for a server that takes texts only, such as llama-cpp-python, or to "grammar" for '
    "llama.cpp's own"
)


@dataclass(frozen=True, slots=True)
class Echoed:
    """The tokens of a text, ids where the server takes them, and their log-probabilities."""

    tokens: Sequence[Hashable]
    logprobs: tuple[float | None, ...]


class Echo(Likelihood):
    """Scores texts by what the server echoes; they are sent as its own token ids, or as text where ``as_text``."""

    def __init__(self, client: ChatClient, every: Every, start: str, *, as_text: bool) -> None:
        super().__init__(client, every, start)
        self._ids = None if as_text else ServerTokens(client, every, AS_TEXT)
        self._left_out = 0

    def probe(self) -> None:
        """Raise AnswerError where the server's echoes are not the log-probabilities of the prompt's tokens.

        Some servers echo only what they generate, and some pair each token with the next one's log-probability; both give
        numbers that look right.
        """
        if self._ids is not None:
            self._ids.check()
        agreed = 0
        for prompt in PROBES:
            made = self._probe(self._put([prompt])[0])
            token, value = (made.tokens or ("",))[-1], (made.logprobs or (None,))[-1]
            if value is None:
                raise self._no_echo("tells no log-probabilities")
            if not token.strip():
                continue
            (put,) = self._put([prompt + token + TAIL])
            echoed = self._probe(put, echo=True)
            entries, counted = len(echoed.tokens), echoed.prompt_tokens
            if counted is None or made.prompt_tokens is None:
                raise self._no_echo(
                    "does not count the tokens of a prompt (usage), so that an echo cannot be checked"
                )
            if not isinstance(put, str) and counted != len(put):
                raise self._no_echo(f"is given {len(put)} token ids and reads {counted}")
            left_out = counted + 1 - entries  # the start token, by servers that are given texts
            if not 0 <= left_out <= (self._ids is None) or all(one is None for one in echoed.logprobs[:-1]):
                kept = sum(one is not None for one in echoed.logprobs)
                raise self._no_echo(
                    f"tells {kept} log-probabilities for a prompt of {counted} tokens and one generated: it leaves those of "
                    "the prompt out"
                )
            after = made.prompt_tokens
            # Two places where the token stands before itself: then a shift would not be seen.
            places = [i for i in (after - 1, after) if _same(echoed.tokens[i : i + 1], token)]
            if len(places) != 1 or (again := echoed.logprobs[places[0]]) is None:
                continue  # read in other tokens together
            (place,) = places
            if not abs(again - value) <= TOLERANCE or place != after - left_out:
                raise self._no_echo(
                    f"gives {token!r} after {prompt!r} the log-probability {value:.3f} when it generates it and {again:.3f} "
                    f"when it echoes it, as number {place + 1} of {entries} for {counted} tokens: they are misaligned"
                )
            self._left_out = left_out
            agreed += told_apart(again, echoed.logprobs[place - 1 : place] + echoed.logprobs[place + 1 :][:1])
            if agreed == WANTED:
                return
        raise self._no_echo(
            f"lets an echo be compared with what is generated, and distinguished from its neighbours, on {agreed} of "
            f"{len(PROBES)} prompts"
        )

    def _after(self, groups: Sequence[tuple[str, Sequence[str]]]) -> list[list[Scored]]:
        asked = [
            text for prompt, some in groups for text in (prompt, *(prompt + one for one in some)) if text
        ]
        unique = list(dict.fromkeys(asked))
        put = self._put(unique)
        answers = self._every(put, self._echoed)
        told = {
            text: self._of_prompt(text, one, answer)
            for text, one, answer in zip(unique, put, answers, strict=True)
        }
        return [self._scored(prompt, some, told) for prompt, some in groups]

    def _put(self, texts: Sequence[str]) -> list[Prompt]:
        if self._ids is None:
            return list(texts)
        ids = self._ids.of(texts)
        return [ids[one] for one in texts]

    def _echoed(self, prompt: Prompt) -> Completed:
        return self._client.complete(prompt, echo=True)

    def _of_prompt(self, text: str, put: Prompt, answer: Completed) -> Echoed:
        """Without the token that was generated; raises AnswerError for an echo that is not whole."""
        entries, counted = len(answer.tokens), answer.prompt_tokens
        wanted = counted if isinstance(put, str) else len(put)
        if counted is None or counted != wanted or entries != counted + 1 - self._left_out:
            raise AnswerError(
                f"openai: {self._client.server} counts {counted} tokens in {text[:60]!r}, and tells of {entries - 1}. "
                f"{WITHOUT}"
            )
        return Echoed(answer.tokens[:-1] if isinstance(put, str) else put, answer.logprobs[:-1])

    def _scored(self, prompt: str, texts: Sequence[str], told: dict[str, Echoed]) -> list[Scored]:
        own = [told[prompt + text] for text in texts]
        if prompt:
            start = first_other(told[prompt].tokens, [one.tokens for one in own])
        elif self._ids is not None:
            start = len(self._ids.start)
        else:
            start = int(
                not any(_begins(text, str(one.tokens[0])) for text, one in zip(texts, own, strict=True))
            )
        if not start:
            raise self._no_start(texts[0])
        return [self._sum(one.logprobs[start:], text, prompt) for text, one in zip(texts, own, strict=True)]

    def _no_echo(self, what: str) -> AnswerError:
        return AnswerError(f"openai: {self._client.server} {what}. {WITHOUT}, and leave prompt_logprobs out")


def _same(tokens: Sequence[str], token: str) -> bool:
    return [one.strip() for one in tokens] == [token.strip()]


def _begins(text: str, token: str) -> bool:
    """Whether a token is the text's own first one, and not one that starts any text."""
    plain = token.replace("▁", " ").replace("Ġ", " ").strip()
    return text.strip().startswith(plain)

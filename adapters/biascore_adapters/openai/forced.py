"""Log-probabilities of given texts, of llama.cpp's own server: it is made to generate them, token by token.

It tells nothing of a prompt's tokens, but what it generates has the log-probabilities of the model itself, before the
grammar rules tokens out (https://github.com/ggml-org/llama.cpp/pull/10783). A grammar of token ids
(https://github.com/ggml-org/llama.cpp/pull/17816) leaves it one token at each place. A grammar of letters would not do: the
model would spell the text in any of its tokenisations, and the sum would be that of another sequence. The server
tells nothing of tokens that are parts of a letter, so texts with such tokens are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from biascore.errors import AnswerError, QuestionError
from biascore_adapters.openai.client import ChatClient, Completed
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

TOP: Final = 5
WITHOUT: Final = (
    "Ask by text or letters, or name a llama.cpp server of 2026 or later, and leave prompt_logprobs out"
)
Ids = tuple[int, ...]


class Forced(Likelihood):
    """Scores texts by a grammar of the ids of their tokens, after the ids of what stands before them."""

    lowest = -87.0
    """The server tells logarithms of probabilities in single precision, which has none below this."""

    def __init__(self, client: ChatClient, every: Every, start: str) -> None:
        super().__init__(client, every, start)
        self._ids = ServerTokens(client, every, WITHOUT)

    def probe(self) -> None:
        """Raise AnswerError where a forced token has another log-probability than when it is free.

        Two tokens are forced that are not the likeliest: reported after sampling, their probability would be 1.
        """
        self._ids.check()
        agreed = 0
        for prompt in PROBES:
            ids = self._ids.of([prompt])[prompt]
            first = self._less_likely(ids)
            second = first and self._less_likely((*ids, first[0]))
            if first is None or second is None:
                continue
            wanted, free = (first[0], second[0]), (first[1], second[1])
            try:
                forced = self._read(ids, wanted, self._probe(ids, forced=wanted))
            except QuestionError as error:
                raise self._not_forced(f"takes no grammar of token ids ({error})") from error
            for one, value in zip(free, forced, strict=True):
                if not abs(one - value) <= TOLERANCE:
                    raise self._not_forced(
                        f"gives a token after {prompt!r} the log-probability {one:.3f} when it is free and {value:.3f} when "
                        "it is forced: it reports what is left after that"
                    )
            agreed += told_apart(free[0], free[1:])
            if agreed == WANTED:
                return
        raise self._not_forced(
            f"lets what a grammar forces be compared with what is free, and distinguished from its neighbour, on "
            f"{agreed} of {len(PROBES)} prompts{'' if agreed else ': it may tell no log-probabilities'}"
        )

    def _after(self, groups: Sequence[tuple[str, Sequence[str]]]) -> list[list[Scored]]:
        ids = self._ids.of(
            [text for prompt, some in groups for text in (prompt, *(prompt + one for one in some)) if text]
        )
        asked = [self._split(prompt, some, ids) for prompt, some in groups]
        answers = iter(self._every([one for some in asked for one in some], self._forced))
        return [[self._sum(next(answers), text, prompt) for text in some] for prompt, some in groups]

    def _split(self, prompt: str, texts: Sequence[str], ids: Mapping[str, Ids]) -> list[tuple[Ids, Ids]]:
        """The tokens that stand before, and those to force: from the first that any of the texts changes."""
        own = [ids[prompt + text] for text in texts]
        start = first_other(ids[prompt], own) if prompt else len(self._ids.start)
        if not start:
            raise self._no_start(texts[0])
        for text, one in zip(texts, own, strict=True):
            if self._ids.parts.intersection(one[start:]):
                raise QuestionError(
                    f"openai: the model of {self._client.server} reads a letter of {text[:60]!r} in several tokens, and "
                    "llama.cpp tells the log-probabilities of whole letters only. Ask by text or letters, leave the text "
                    "out, or use another server"
                )
        return [(one[:start], one[start:]) for one in own]

    def _forced(self, both: tuple[Ids, Ids]) -> tuple[float, ...]:
        before, forced = both
        return self._read(before, forced, self._client.complete(before, forced=forced)) if forced else ()

    def _read(self, before: Ids, forced: Ids, answer: Completed) -> tuple[float, ...]:
        """The log-probabilities of the tokens that were forced; raises AnswerError where others came."""
        self._check_read(before, answer)
        values = tuple(one for one in answer.logprobs if one is not None)
        if answer.ids != forced or len(values) != len(forced):
            raise self._not_forced(
                f"was to generate {len(forced)} tokens, and tells of {len(answer.tokens)}, or of others"
            )
        return values

    def _less_likely(self, before: Ids) -> tuple[int, float] | None:
        """The likeliest token but one, and its log-probability; None where it is no text."""
        answer = self._probe(before, top=TOP)
        self._check_read(before, answer)
        if not answer.logprobs:
            return None  # the likeliest is a part of a letter, or nothing is told
        if len(answer.top) < 2 or not answer.top[1][2] > self.lowest:
            raise self._not_forced(
                "tells of no token but the one that it takes: its probabilities are those after sampling"
            )
        return next(((one, value) for one, text, value in answer.top[1:] if text.strip()), None)

    def _check_read(self, before: Ids, answer: Completed) -> None:
        if answer.prompt_tokens != len(before):
            raise self._not_forced(
                f"is given {len(before)} token ids and counts {answer.prompt_tokens} in the prompt"
            )

    def _not_forced(self, what: str) -> AnswerError:
        return AnswerError(f"openai: {self._client.server} {what}. {WITHOUT}")

"""What servers of several kinds tell of the tokens of a text and of a completion, by a model of the last two tokens."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

TOKENS = re.compile(r"\s?\w+|\s?[^\w\s]|\s")
WORDS = (" and", " late", " here", ".")
START = "<s>"
STARTLESS = ("no start", "shifted")
GRAMMAR = re.compile(r"root ::= ((<\[\d+\]> ?)+)")
LOWEST = -3.4e38

Body = dict[str, Any]


def logprob(before: Sequence[str], token: str) -> float:
    """Of a token after others: the same in every run."""
    return -(1 + int(hashlib.sha256(f"{before[-2:]}{token}".encode()).hexdigest(), 16) % 400 / 100)


def likeliest(before: Sequence[str]) -> list[str]:
    return sorted(WORDS, key=lambda word: -logprob(before, word))


class Completions:
    """Speaks ``dialect``: what is echoed ("echo" and its faults), or what a grammar forces ("llama" and its faults).

    ``tokenizer``: whether the ids of tokens are told and taken.
    """

    def __init__(self) -> None:
        self.dialect, self.tokenizer = "echo", False
        self._vocabulary = [START]

    def tokenize(self, asked: Body) -> Body | None:
        llama = self.dialect.startswith("llama")
        if not (self.tokenizer or llama):
            return None
        text, special = (
            (asked["content"], asked["add_special"])
            if llama
            else (asked["prompt"], asked["add_special_tokens"])
        )
        start = [START] if special and self.dialect not in (*STARTLESS, "llama startless") else []
        own = TOKENS.findall(text)
        if special and self.dialect == "echo rewritten":
            own = [word.strip() for word in own]
        ids = [self._id(word) for word in [*start, *own]]
        if not llama:
            return {"tokens": ids, "count": len(ids), "max_model_len": 512}
        pieces = [word if word.isascii() else [*word.encode()] for word in [*start, *own]]
        return {"tokens": [{"id": one, "piece": piece} for one, piece in zip(ids, pieces, strict=True)]}

    def spelled(self, prompt: str | list[int]) -> str:
        return prompt if isinstance(prompt, str) else "".join(self._vocabulary[one] for one in prompt)

    def complete(self, asked: Body) -> Body | tuple[int, Body, Body]:
        start = [] if self.dialect in STARTLESS else [START]
        put = asked["prompt"]
        if isinstance(put, list):
            own = [self._vocabulary[one] for one in put]
            if self.dialect == "echo doubled":
                own = [START, *own]
        else:
            own = [*start, *TOKENS.findall(put)]
        if self.dialect.startswith("llama"):
            told = self._generated(own, asked)
            if told is None:
                return 400, {}, {"error": {"message": "failed to parse grammar"}}
        else:
            told = self._echoed(own, echo=asked.get("echo", False))
        choice = {"index": 0, "text": "", "finish_reason": "length", "logprobs": told}
        answer: Body = {"object": "text_completion", "choices": [choice]}
        if "uncounted" not in self.dialect:
            answer["usage"] = {"prompt_tokens": len(own), "completion_tokens": 1}
        return answer

    def _echoed(self, own: list[str], *, echo: bool) -> Body | None:
        tokens = [*own, likeliest(own)[0]]
        values: list[float | None] = [
            None if not i else logprob(tokens[:i], one) for i, one in enumerate(tokens)
        ]
        if self.dialect == "constant":
            values = [None, *[-1.5] * (len(own))]
        if not echo or self.dialect == "generated only":
            tokens, values = tokens[-1:], values[-1:]
        elif self.dialect == "shifted":  # each with the log-probability of the one that follows
            values = [None, *values[2:], -0.5]
        elif self.dialect == "middle":  # right at the end alone
            values = [None if one is None else one - 1 for one in values[:-1]] + values[-1:]
        elif self.dialect == "start dropped":
            tokens, values = tokens[1:], [None, *values[2:]]
        elif self.dialect == "one fewer":
            tokens, values = [*tokens[:2], *tokens[3:]], [*values[:2], *values[3:]]
        elif self.dialect == "no generated":
            tokens, values = tokens[:-1], values[:-1]
        elif self.dialect == "nothing":
            values = [None] * len(values)
        elif self.dialect == "one null":
            tokens, values = tokens[:1], [None]
        told: Body = {"tokens": tokens, "token_logprobs": values, "text_offset": [], "top_logprobs": None}
        if self.dialect == "generated only":
            told = {"content": [{"token": tokens[0], "logprob": values[0]}]}
        return None if self.dialect == "silent" else told

    def _generated(self, own: list[str], asked: Body) -> Body | None:
        """As llama.cpp tells what it generates; None where it does not understand the grammar."""
        forced: list[str] = []
        if "grammar" in asked:
            found = GRAMMAR.fullmatch(asked["grammar"])
            if found is None or self.dialect == "llama of 2025":
                return None
            forced = [self._vocabulary[int(one)] for one in re.findall(r"\d+", found[1])]
        content = []
        for i in range(asked["max_tokens"]):
            first, *others = likeliest(own)
            token = forced[i] if forced and self.dialect != "llama free" else first
            top = {word: logprob(own, word) for word in (first, *others)}
            value = logprob(own, token)
            if self.dialect == "llama sampled":
                top, value = {first: 0.0, **dict.fromkeys(others, LOWEST)}, 0.0
            if self.dialect == "llama constrained" and forced:
                value = 0.0
            if self.dialect == "llama constant":
                top, value = dict.fromkeys(top, -1.5), -1.5
            if "rare" in token:
                value = LOWEST
            content.append(
                self._entry(token, value)
                | {"top_logprobs": [self._entry(*one) for one in top.items()][: asked["logprobs"]]}
            )
            own = [*own, token]
        if forced and self.dialect == "llama short":
            content.pop()
        return {"content": [] if self.dialect == "llama silent" else content}

    def _entry(self, token: str, value: float) -> Body:
        return {"id": self._id(token), "token": token, "bytes": [*token.encode()], "logprob": value}

    def _id(self, token: str) -> int:
        if token not in self._vocabulary:
            self._vocabulary.append(token)
        return self._vocabulary.index(token)

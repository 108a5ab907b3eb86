"""Texts, and texts after a prompt, as a causal language model scores them: what it reads, which tokens count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from biascore.api.queries import Continuation
from biascore.api.support import quoted
from biascore.errors import QuestionError
from biascore_adapters.transformer.prompts import Prompts
from biascore_adapters.transformer.tokens import Input, Reader, Tokens

LOG_LIKELIHOOD: Final = "log_likelihood"
MEAN_LOG_LIKELIHOOD: Final = "mean_log_likelihood"
"""Per scored token: minus the loss."""
TOKEN_COUNT: Final = "token_count"
"""How many tokens are scored."""
START_ONCE: Final = "log_likelihood_start_once"
"""The sum where the beginning-of-text token stands before the first token alone, as StereoSet's published code has it."""
WORTH: Final = 16
"""Tokens of a prompt from which on it is computed once for several texts: below, two passes cost more than one."""
QUANTITIES: Final = (LOG_LIKELIHOOD, MEAN_LOG_LIKELIHOOD, TOKEN_COUNT, START_ONCE)
_IN_PARTS: Final = (
    "Shorten or split the text, or set long_texts=windows, which scores it in overlapping windows; "
    "it is never truncated"
)
_WHOLE: Final = "Shorten it: the letter of an option is read after all of its prompt, and never in windows"

AfterPrompts: TypeAlias = Callable[
    [Sequence[Input], Sequence[Sequence[Sequence[int]]]], Sequence[Sequence[Sequence[float]]]
]
"""log p, in nats, of the tokens but the first of each rest of a prompt, read after it; each prompt is computed once."""


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text as the model reads it, and the positions (never 0) of the tokens that are scored.

    ``prompt`` is the one that it follows, if it does: all tokens from the first scored one on are then scored.
    """

    input: Input
    scored: Sequence[int]
    prompt: str | None = None

    def start_once(self) -> list[ScoredText]:
        """The first scored token given the one before it, and the others without that one, where it is not scored itself."""
        first, *others = self.scored
        if first != 1 or not others:
            return [self]
        begun, rest = Input(self.input.ids[:2], None, self.input.text), self.input.ids[1:]
        return [
            ScoredText(begun, [1]),
            ScoredText(Input(rest, None, self.input.text), [i - 1 for i in others]),
        ]

    @property
    def wanted(self) -> list[tuple[int, int]]:
        """The scored tokens with the position that each is predicted at."""
        return [(i - 1, self.input.ids[i]) for i in self.scored]


@dataclass(frozen=True, slots=True)
class NextToken(ScoredText):
    """A prompt as the model reads it, and the ``tokens`` of which each may come next."""

    tokens: Sequence[int] = ()

    @property
    def wanted(self) -> list[tuple[int, int]]:
        """All of the tokens, behind the last one of the prompt."""
        return [(len(self.input.ids) - 1, token) for token in self.tokens]


@dataclass(frozen=True, slots=True)
class SharedPrompt:
    """A prompt that several texts follow: all that they share but the last token, and the rest of each from that one on.

    ``rows`` are their numbers.
    """

    prompt: Input
    rows: Sequence[int]
    rest: Sequence[Sequence[int]]

    @property
    def lengths(self) -> list[int]:
        """The tokens of the passes that answer: the prompt, and each rest."""
        return [len(self.prompt.ids), *map(len, self.rest)]


def shared_prompts(read: Sequence[ScoredText]) -> list[SharedPrompt]:
    """The prompts, in order, that several texts follow, and that are long enough for it to pay to compute them once."""
    groups: dict[str, list[int]] = {}
    for row, one in enumerate(read):
        if one.prompt is not None:
            groups.setdefault(one.prompt, []).append(row)
    found = []
    for rows in groups.values():
        cut = min(read[row].scored[0] for row in rows) - 1
        if len(rows) > 1 and cut >= WORTH:
            first = read[rows[0]].input
            rest = [read[row].input.ids[cut:] for row in rows]
            found.append(SharedPrompt(Input(first.ids[:cut], None, first.text), rows, rest))
    return found


class CausalReader:
    """Puts the beginning-of-text token in front, where the tokenizer has one and puts nothing there by itself.

    ``policy`` says in words what the first token of a text is scored given. ``any_length``: texts may be longer than the
    model takes.
    """

    def __init__(self, reader: Reader, prompts: Prompts, *, any_length: bool = False) -> None:
        self._reader, self._prompts, self._any_length = reader, prompts, any_length
        self._bos = reader.tokenizer.bos_token_id
        front = reader.tokens_in_front()
        self.begins = self._bos is not None or bool(front)
        if front:
            begin = f"{' '.join(front)!r}, which the tokenizer adds before the text"
        else:
            begin = f"{reader.tokenizer.bos_token!r}, added before the text"
        self.policy = (
            "no beginning-of-text token: the first token of a text is not scored"
            if self._bos is None and not front
            else f"every token of a text is scored, the first given {begin} of a text that does not begin with it"
        )

    def read(self, texts: Sequence[str | Continuation], quantity: str) -> list[ScoredText]:
        """The texts as they are scored, a continuation after its prompt.

        Raises QuestionError for any other quantity than ``QUANTITIES``, for a text with nothing to
        score, and for what the reader refuses.
        """
        if quantity not in QUANTITIES:
            raise QuestionError(
                f"a causal language model has no output {quantity!r}. Ask for "
                f"{', '.join(map(repr, QUANTITIES))}"
            )
        alone = [one for one in texts if isinstance(one, str)]
        if quantity == START_ONCE and len(alone) < len(texts):
            raise QuestionError(f"{START_ONCE} is of whole texts. Ask for {LOG_LIKELIHOOD} after a prompt")
        after = [one for one in texts if isinstance(one, Continuation)]
        whole = iter([self._scored(*one) for one in zip(alone, self._reader.tokenise(alone), strict=True)])
        parts = iter(self._continued(after))
        return [next(whole if isinstance(one, str) else parts) for one in texts]

    def spelt(self, letters: str) -> list[list[int]]:
        """The tokens that are each of these letters."""
        return self._reader.spelt(letters)

    def next_tokens(self, prompts: Sequence[str], tokens: Sequence[int]) -> list[NextToken]:
        """Prompts, none longer than the model takes, with the tokens that may come next."""
        put = [self._put(prompt) for prompt in prompts]
        found = []
        for text, read in zip(put, self._tokens(put), strict=True):
            ids = self._ids(read)
            self._check(text, read, len(ids), whole=True)
            found.append(NextToken(Input(ids, None, text), (), tokens=tokens))
        return found

    def alternatives(self, groups: Sequence[tuple[str, Sequence[str]]]) -> list[list[ScoredText]]:
        """Several texts after each prompt, all scored from the first token that any of them changes, so that they
        compare."""
        asked = [Continuation(prompt, text) for prompt, some in groups for text in some]
        read = iter(self._continued(asked))
        found = []
        for _, some in groups:
            own = [next(read) for _ in some]
            start = min(one.scored[0] for one in own)
            found.append([replace(one, scored=range(start, len(one.input.ids))) for one in own])
        return found

    def _put(self, prompt: str) -> str:
        text = self._prompts.put(prompt)
        self._prompts.check_answers_at_once(text)
        return text

    def _continued(self, questions: Sequence[Continuation]) -> list[ScoredText]:
        """Read as one text, and scored from the first token that differs from those of the prompt alone."""
        put = {prompt: self._put(prompt) for prompt in dict.fromkeys(one.prompt for one in questions)}
        prompts = dict(zip(put, map(self._ids, self._tokens(list(put.values()))), strict=True))
        texts = [put[one.prompt] + one.text for one in questions]
        found = []
        for question, text, tokens in zip(questions, texts, self._tokens(texts), strict=True):
            self._reader.check_plain(question.text)
            ids, before = self._ids(tokens), prompts[question.prompt]
            self._check(text, tokens, len(ids))
            same = (i for i, both in enumerate(zip(ids, before, strict=False)) if both[0] != both[1])
            start = next(same, min(len(ids), len(before)))
            if start == len(ids) or not start:
                raise QuestionError(
                    f"the text {quoted(question.text)} after {quoted(question.prompt)} adds no token that can be scored: "
                    "the tokenizer drops it, or joins it with all of the prompt. Use another text"
                )
            found.append(ScoredText(Input(ids, None, text), range(start, len(ids)), question.prompt))
        return found

    def _check(self, text: str, tokens: Tokens, length: int, *, whole: bool = False) -> None:
        self._reader.check_ids(text, tokens)
        if whole or not self._any_length:
            self._reader.check_length(text, length, _WHOLE if whole else _IN_PARTS)

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        return self._reader.tokenise(texts, special=not self._prompts.chat)

    def _ids(self, tokens: Tokens) -> list[int]:
        """Without special tokens at the end; begun as a text alone, but where a template has put the prompt."""
        ids = list(tokens.ids[: max(tokens.pieces(), default=-1) + 1])
        begun = bool(ids) and (bool(tokens.special[0]) or ids[0] == self._bos)
        return ids if self._prompts.chat or self._bos is None or begun else [self._bos, *ids]

    def _scored(self, text: str, tokens: Tokens) -> ScoredText:
        self._reader.check_plain(text, tokens)
        ids, own = list(tokens.ids), tokens.pieces()
        begins = bool(ids) and (bool(tokens.special[0]) or ids[0] == self._bos)
        if self._bos is not None and not begins:
            ids, own = [self._bos, *ids], [i + 1 for i in own]
        self._check(text, tokens, len(ids))
        scored = [i for i in own if i > 0]
        if not scored:
            raise QuestionError(
                f"the text {quoted(text)} is one token, and this tokenizer has no beginning-of-text token to score it "
                "given. Use a longer text"
            )
        return ScoredText(Input(ids, None, text), scored)

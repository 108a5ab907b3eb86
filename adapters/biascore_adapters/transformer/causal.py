"""Texts as a causal language model scores them: what it reads, which tokens count, and given what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from biascore.errors import QuestionError
from biascore_adapters.transformer.tokens import Input, Reader, Tokens, shown

LOG_LIKELIHOOD: Final = "log_likelihood"
MEAN_LOG_LIKELIHOOD: Final = "mean_log_likelihood"
"""Per scored token: minus the loss."""
TOKEN_COUNT: Final = "token_count"
"""How many tokens are scored."""
QUANTITIES: Final = (LOG_LIKELIHOOD, MEAN_LOG_LIKELIHOOD, TOKEN_COUNT)


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text as the model reads it, and the positions (never 0) of the tokens that are scored."""

    input: Input
    scored: Sequence[int]


class CausalReader:
    """Puts the beginning-of-text token in front, where the tokenizer has one and puts nothing there by itself.

    ``policy`` says in words what the first token of a text is scored given.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._bos = reader.tokenizer.bos_token_id
        front = reader.tokens_in_front()
        if front:
            begin = f"{' '.join(front)!r}, which the tokenizer adds before the text"
        else:
            begin = f"{reader.tokenizer.bos_token!r}, added before the text"
        self.policy = (
            "no beginning-of-text token: the first token of a text is not scored"
            if self._bos is None and not front
            else f"every token of a text is scored, the first given {begin} of a text that does not begin with it"
        )

    def read(self, texts: Sequence[str], quantity: str) -> list[ScoredText]:
        """The texts as they are scored.

        Raises QuestionError for any other quantity than ``QUANTITIES``, for a text with nothing to
        score, and for what the reader refuses.
        """
        if quantity not in QUANTITIES:
            raise QuestionError(
                f"a causal language model has no output {quantity!r}. Ask for "
                f"{', '.join(map(repr, QUANTITIES))}"
            )
        return [self._scored(*one) for one in zip(texts, self._reader.read(texts), strict=True)]

    def _scored(self, text: str, tokens: Tokens) -> ScoredText:
        ids, own = list(tokens.ids), tokens.pieces()
        begins = bool(ids) and (bool(tokens.special[0]) or ids[0] == self._bos)
        if self._bos is not None and not begins:
            ids, own = [self._bos, *ids], [i + 1 for i in own]
            self._reader.check_length(text, len(ids))
        scored = [i for i in own if i > 0]
        if not scored:
            raise QuestionError(
                f"the text {shown(text)} is one token, and this tokenizer has no beginning-of-text token to score it "
                "given. Use a longer text"
            )
        return ScoredText(Input(ids, None, text), scored)

"""What a causal language model says after a prompt, token by token, in whatever runs it."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from biascore.api.support import is_mark, opened_by, quoted
from biascore.api.writing import Settings
from biascore.errors import AnswerError, QuestionError
from biascore_adapters.transformer.chooser import Said
from biascore_adapters.transformer.options import PromptOptions
from biascore_adapters.transformer.tokens import Input, Reader

MAX_ANSWER_TOKENS: Final = 64


class Generating(ABC):
    """What a model says after a prompt, up to its end or a number of tokens: for answers that choose ``max_answer_tokens``.

    Without a seed it is token by token the most probable one, with a seed it is drawn. Of the generation settings in the
    model's folder, only the tokens that end an answer hold (``ends``): penalties and cut tails would make it the answer of
    another model. ``facts`` names those tokens.
    """

    def __init__(self, reader: Reader, options: PromptOptions, ends: object) -> None:
        tokens = reader.tokenizer
        self._reader = reader
        self._special = not tokens.chat_template or options.chat_template == "off"
        self.most = options.max_answer_tokens or MAX_ANSWER_TOKENS
        known, others = ends_of(ends, reader.rows)
        self._ends = frozenset(known)
        added = {
            *tokens.all_special_ids,
            *(id_ for id_, one in tokens.added_tokens_decoder.items() if one.special),
        }
        # Marks of thoughts are special tokens of some families, and without them thoughts read like an answer.
        self._dropped = {id_ for id_ in added if not is_mark(str(tokens.convert_ids_to_tokens(id_)))}
        named = tokens.convert_ids_to_tokens(known)
        said = f"at {', '.join(map(repr, named))}" if known else "nowhere: no token is stated"
        unknown = f"; not at {', '.join(map(quoted, others))}, which is no token" if others else ""
        self.facts = {"answer_ends": said + unknown}

    def write(self, prompts: Sequence[str], seeds: Sequence[int | None], settings: Settings) -> list[Said]:
        """The texts, one for one; raises QuestionError where a prompt leaves no room for one.

        Prompts go together as ``_batches`` says, and what is asked twice is generated once.
        """
        asked = list(dict.fromkeys(zip(prompts, seeds, strict=True)))
        read = self._read([prompt for prompt, _ in asked], settings.max_tokens)
        found: dict[tuple[str, int | None], Said] = {}
        for rows in self._batches({row: len(ids) + settings.max_tokens for row, ids in enumerate(read)}):
            inputs = [Input(read[row], text=asked[row][0]) for row in rows]
            ids = self._ids(inputs, [asked[row][1] for row in rows], settings)
            for row, own in zip(rows, ids, strict=True):
                found[asked[row]] = self._answer(asked[row][0], own)
        return [found[one] for one in zip(prompts, seeds, strict=True)]

    def lengths(self, prompts: Sequence[str], most: int) -> list[int]:
        """The tokens of each prompt; raises as ``write`` does."""
        return [len(ids) for ids in self._read(prompts, most)]

    @abstractmethod
    def _batches(self, lengths: Mapping[int, int]) -> Iterable[Sequence[int]]:
        """The keys of texts of these lengths, generated tokens included, in batches that change no answer."""

    @abstractmethod
    def _ids(
        self, inputs: Sequence[Input], seeds: Sequence[int | None], settings: Settings
    ) -> list[list[int]]:
        """The tokens that follow each prompt of a batch, ``max_tokens`` at most, perhaps beyond their end."""

    def _read(self, prompts: Sequence[str], most: int) -> list[list[int]]:
        read = self._reader.tokenise(prompts, special=self._special)
        # Without what a tokenizer adds at the end: behind its end a text does not go on.
        found = [list(tokens.ids[: max(tokens.pieces(), default=-1) + 1]) for tokens in read]
        for text, tokens, ids in zip(prompts, read, found, strict=True):
            self._reader.check_length(text, len(tokens.ids))
            self._reader.check_ids(text, tokens)  # its special tokens are those of a chat template
            limit = self._reader.limit
            if limit is not None and len(ids) + most > limit:
                raise QuestionError(
                    f"the text {quoted(text)} is {len(ids)} tokens long, and the model takes {limit}, which leaves no "
                    f"room for an answer of {most}. Shorten the text, or lower max_answer_tokens (of texts max_tokens)"
                )
        return found

    def _answer(self, prompt: str, ids: Sequence[int]) -> Said:
        """An answer, up to the token that ends it, behind which a batch with longer answers goes on."""
        end = next((at for at, token in enumerate(ids) if token in self._ends), len(ids))
        own = [token for token in ids[: end + 1] if token not in self._dropped]
        said = self._reader.tokenizer.decode(own, skip_special_tokens=False)
        if not isinstance(said, str):
            raise AnswerError(f"the model's answer to {quoted(prompt)} is no text. Check its tokenizer")
        return Said(opened_by(prompt) + said, "length" if end == len(ids) else "stop", end)


def ends_of(stated: object, rows: int) -> tuple[list[int], list[object]]:
    """The tokens that end what a model says, as its generation settings state them, and what of these is no token."""
    given = stated if isinstance(stated, list) else [] if stated is None else [stated]
    ends = [one for one in given if type(one) is int and 0 <= one < rows]
    return ends, [one for one in given if one not in ends]


def noise_of(seed: int, prompt: str) -> np.random.Generator:
    """What draws the text of a prompt: it depends on seed and prompt alone, not on the batch or what else draws numbers."""
    text = f"{seed}\0{prompt}".encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.blake2b(text, digest_size=16).digest())
    return np.random.Generator(np.random.PCG64(number))

"""Texts as the model reads them, or a QuestionError that says why it cannot; nothing is ever truncated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from biascore.api.queries import Choice, Continuation, Masked, Span, Text, check_text
from biascore.api.support import quoted
from biascore.api.writing import Prompt
from biascore.errors import BiascoreError, ModelLoadError, QuestionError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

SHORTEN: Final = "Shorten or split the text; it is never truncated"

_SPACES: Final = "ĠĊĉč▁ \t\r\n"
"""White space as tokenizers write it in their vocabularies."""
_BYTE: Final = re.compile(r"<0x[45][0-9A-F]>")
_FEW = 10
_SAMPLE = 1000


@dataclass(frozen=True, slots=True)
class Input:
    """A text as the model reads it: t token ids, and as many token types where its tokenizer gives them.

    ``text`` is a text that asks for it, for error messages.
    """

    ids: Sequence[int]
    types: Sequence[int] | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tokens:
    """One text as token ids, special tokens included, with their character offsets in the caller's text.

    ``types`` are the token type ids where the model takes them; ``special`` is 1 for the tokens that the
    tokenizer adds; ``unknown`` and ``boundary`` are the ids of its unknown token and of its bare word
    boundary ("▁"), if it has them. ``words`` numbers the word that each token belongs to, as the tokenizer
    splits them, and ``strings`` are the tokens themselves.
    """

    ids: Sequence[int]
    types: Sequence[int] | None
    offsets: Sequence[Span]
    special: Sequence[int]
    words: Sequence[int | None]
    strings: Sequence[str]
    unknown: int | None
    boundary: int | None

    def input(self, text: str) -> Input:
        """The text, which these are the tokens of, as a model is given it."""
        return Input(self.ids, self.types, text)

    def content(self, span: Span | None = None) -> list[int]:
        """The positions of the tokens of the text itself, those that share a character with the span.

        Special tokens are none of these, nor is a bare word boundary: at the beginning of a text tokenizers
        give it the offsets of the first character, and it would count for a word there and nowhere else.
        """
        own = [i for i, id_ in enumerate(self.ids) if not self.special[i] and id_ != self.boundary]
        if span is None:
            return own
        start, end = span
        return [i for i in own if max(self.offsets[i][0], start) < min(self.offsets[i][1], end)]

    def pieces(self, span: Span | None = None) -> list[int]:
        """As ``content``, with the bare word boundaries: to hide a word is to hide the boundary that opens it."""
        if span is None:
            return [i for i in range(len(self.ids)) if not self.special[i]]
        inside = set(self.content(span))
        opening = {
            i - 1 for i in inside if i and self.ids[i - 1] == self.boundary and self.boundary is not None
        }
        return sorted(inside | opening)

    def in_front(self) -> int:
        """How many special tokens the tokenizer added before the text."""
        return next((i for i, special in enumerate(self.special) if not special), len(self.ids))

    def begun_once(self) -> Tokens:
        """Without what the tokenizer added before a text that begins with it by itself.

        Texts that a chat template has rendered do; the text's own count for special then.
        """
        front = self.in_front()
        if not front or list(self.ids[:front]) != list(self.ids[front : 2 * front]):
            return self
        return replace(
            self,
            ids=self.ids[front:],
            types=None if self.types is None else self.types[front:],
            offsets=self.offsets[front:],
            special=[1] * front + list(self.special[2 * front :]),
            words=[None] * front + list(self.words[2 * front :]),
            strings=self.strings[front:],
        )

    def unknown_at(self, positions: Iterable[int]) -> bool:
        """Whether every token at these positions is the tokenizer's unknown token."""
        return self.unknown is not None and all(self.ids[i] == self.unknown for i in positions)


@contextmanager
def errors_of_libraries(what: str, remedy: str = "") -> Iterator[None]:
    """ModelLoadError for whatever ``what`` makes a library raise, also for a panic of one in Rust, which is no Exception."""
    try:
        yield
    except BiascoreError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__module__ != "pyo3_runtime":
            raise
        reason = " ".join(str(error).split())[:300]
        remedy = remedy or "The files may be damaged or incomplete: fetch or save the model again"
        raise ModelLoadError(f"{what} cannot be read ({type(error).__name__}: {reason}). {remedy}") from error


@dataclass(frozen=True, slots=True)
class Reader:
    """A tokenizer and what its model takes: ``limit`` tokens a text (None: any), ids below ``rows``."""

    tokenizer: PreTrainedTokenizerFast
    limit: int | None
    rows: int

    @property
    def pad(self) -> int:
        """An id that fills up shorter texts: the tokenizer's own, where the model has a vector for it."""
        pads = (self.tokenizer.pad_token_id, self.tokenizer.eos_token_id, 0)
        return next(int(pad) for pad in pads if pad is not None and pad < self.rows)

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        """Tokenise the texts in one call.

        Raises QuestionError for an empty text, one that is not valid Unicode, one longer than the model
        takes, and one with a token that the model has no vector for.
        """
        read = self.tokenise(texts)
        for text, tokens in zip(texts, read, strict=True):
            self.check(text, tokens)
        return read

    def tokenise(
        self, texts: Sequence[str], *, before: str = "", cut: int | None = None, special: bool = True
    ) -> list[Tokens]:
        """As ``read``, without looking whether the model takes the tokens.

        ``before`` is added before each text; with ``cut``, no text has more tokens than that; without ``special`` the
        tokenizer adds no special tokens, as to a text that a chat template has rendered.
        """
        for text in texts:
            check_text(text)
        if not texts:
            return []
        with errors_of_libraries(f"the tokenizer in {self.tokenizer.name_or_path}"):
            # verbose: the tokenizer would log that a text is too long, which is an error below
            encoded = self.tokenizer(
                [before + text for text in texts],
                truncation=cut is not None,
                max_length=cut,
                padding=False,
                return_attention_mask=False,
                return_offsets_mapping=True,
                return_special_tokens_mask=True,
                add_special_tokens=special,
                verbose=False,
            )
        types = encoded.get("token_type_ids") or [None] * len(texts)
        unknown = self.tokenizer.unk_token_id
        boundary = self.tokenizer.backend_tokenizer.token_to_id("▁")
        return [
            Tokens(
                ids=encoded["input_ids"][row],
                types=types[row],
                offsets=encoded["offset_mapping"][row],
                special=encoded["special_tokens_mask"][row],
                words=encoded.word_ids(row),
                # Not encoded.tokens(): that of a unigram gives an unknown token's text, and two of those are one token.
                strings=self.tokenizer.convert_ids_to_tokens(encoded["input_ids"][row]),
                unknown=unknown,
                boundary=boundary,
            ).begun_once()
            for row in range(len(texts))
        ]

    def tokens_in_front(self) -> list[str]:
        """The special tokens that the tokenizer adds before a text."""
        (tokens,) = self.tokenise(["The nurse"])
        return list(tokens.strings[: tokens.in_front()])

    def ordinary_ids(self, count: int, config: Mapping[str, object]) -> list[int]:
        """Different ids of tokens of ordinary text, spread over the vocabulary; as many as there are up to ``count``.

        None that the tokenizer or the model's configuration calls special.
        """
        special = [id_ for key, id_ in config.items() if "_token_i" in key and isinstance(id_, int)]
        avoided = {*self._special_tokens().values(), *special}
        own = [i for i in range(min(self.rows, len(self.tokenizer))) if i not in avoided]
        own = own or list(range(self.rows))
        return [own[i * len(own) // count] for i in range(count)] if len(own) > count else own

    def spelt(self, letters: str) -> list[list[int]]:
        """The tokens that are each of these letters, white space around it aside; special ones are none."""
        special = {*self.tokenizer.all_special_ids}
        found: dict[str, list[int]] = {letter: [] for letter in letters}
        for token, id_ in self.tokenizer.get_vocab().items():
            if (
                id_ >= self.rows
                or id_ in special
                or not (token.strip(_SPACES) in found or _BYTE.fullmatch(token))
            ):
                continue
            text = str(self.tokenizer.decode([id_])).strip()
            if text in found:
                found[text].append(id_)
        return [sorted(ids) for ids in found.values()]

    def check_length(self, text: str, length: int, advice: str = SHORTEN) -> None:
        """Raise QuestionError where the model does not take that many tokens, special ones included."""
        check_length(text, length, self.limit, advice)

    def check(self, text: str, tokens: Tokens) -> None:
        """Raise QuestionError where the model does not take these tokens of the text."""
        self.check_length(text, len(tokens.ids))
        self.check_ids(text, tokens)
        self.check_plain(text, tokens)

    def check_plain(self, text: str, tokens: Tokens | None = None) -> None:
        """Raise QuestionError where characters of the text are read as a special token, such as [MASK] or <|endoftext|>.

        Not those but a mask that it begins with, as a rendered chat template does. ``tokens`` are those of the text, where
        it has been read already.
        """
        if "[" not in text and "<" not in text:
            return
        special = self._special_tokens()
        written = [name for name in special if name[0] in "[<" and len(name) > 2 and name in text]
        if not written:
            return
        (read,) = [tokens] if tokens is not None else self.tokenise([text], special=False)
        known = {*special.values()} - {self.tokenizer.mask_token_id}
        text_ids = [i for i, ends in enumerate(read.offsets) if ends[0] < ends[1]]
        begun = next((i for i in text_ids if read.ids[i] not in known), 0)
        inside = {one for one, (a, b) in zip(read.ids[begun:], read.offsets[begun:], strict=True) if a < b}
        for name in written:
            if special[name] in inside:
                raise QuestionError(
                    f"the text {quoted(text)} has {name} in it, which this tokenizer reads as its special token and not as "
                    "these characters. Write the word that is meant in its place, or leave the text out"
                )

    def _special_tokens(self) -> dict[str, int]:
        """Those that the tokenizer names, and those that it marks as special, such as the marks of a chat template."""
        named = dict(zip(self.tokenizer.all_special_tokens, self.tokenizer.all_special_ids, strict=True))
        marked = {one.content: i for i, one in self.tokenizer.added_tokens_decoder.items() if one.special}
        return named | marked

    def check_ids(self, text: str, tokens: Tokens) -> None:
        """Raise QuestionError where the model has no vector for one of these tokens of the text."""
        check_ids(text, tokens.ids, self.rows)


def check_length(text: str, length: int, limit: int | None, advice: str = SHORTEN) -> None:
    """Raise QuestionError where a text has more tokens, special ones included, than the limit."""
    if limit is not None and length > limit:
        raise QuestionError(
            f"the text {quoted(text)} is {length} tokens long, special ones included, and the model takes {limit}. {advice}"
        )


def check_ids(text: str, ids: Sequence[int], rows: int) -> None:
    """Raise QuestionError where a model with that many vectors has none for a token of the text."""
    if max(ids, default=0) >= rows:
        raise QuestionError(
            f"the text {quoted(text)} has token number {max(ids)}, and the model has vectors for {rows} only. "
            "Leave the text out, or use the tokenizer that the model was trained with"
        )


def check_known(
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    *,
    few: int = _FEW,
    out_of_vocabulary: bool = False,
) -> None:
    """Raise QuestionError, with the share, where a tokenizer reads half or more of the words of texts as unknown.

    A word is what the tokenizer makes it, or a token but a bare space where it does not tell. Of more than 1,000 texts
    so many are read, evenly spread; nothing is said of fewer than ``few``. With ``out_of_vocabulary``, texts of unknown
    words alone are not counted: they have no vector, and the test loses them.
    """
    unknown = tokenizer.unk_token_id
    if unknown is None or len(texts) < few:
        return
    # Half a surrogate pair is an error where its text is read.
    some = [text for text in texts[:: -(-len(texts) // _SAMPLE)] if text.isascii() or _is_unicode(text)]
    read = tokenizer(list(some), add_special_tokens=False, truncation=False, padding=False, verbose=False)
    unread = []
    for row, ids in enumerate(read["input_ids"]):
        if not read.is_fast:
            ids = [
                one
                for one, token in zip(ids, tokenizer.convert_ids_to_tokens(ids), strict=True)
                if token != "▁"
            ]
        words = read.word_ids(row) if read.is_fast else range(len(ids))
        unread.append(
            (len({word for word, one in zip(words, ids, strict=True) if one == unknown}), len({*words}))
        )
    counted = [(many, total) for many, total in unread if many < total or not out_of_vocabulary]
    many, total = sum(many for many, _ in counted), sum(total for _, total in counted)
    if many and 2 * many >= total:
        example = next(text for text, (own, of) in zip(some, unread, strict=True) if 2 * own >= of)
        raise QuestionError(
            f"the tokenizer reads {100 * many / total:.0f} % of the words of these {len(texts):,} texts as unknown "
            f"({tokenizer.unk_token}), as in {quoted(example)}, and half or more is too much to say anything of them. "
            "Use a model of their language and script, with the tokenizer that it was trained with"
        )


def asked_text(question: Text | Masked | Continuation | Choice | Prompt | str) -> str:
    """The text of a question; of masked words, these alone."""
    if isinstance(question, Choice):
        return question.prompt
    if isinstance(question, Masked) and question.spans:
        return " ".join(question.text[start:end] for start, end in question.spans)
    return question if isinstance(question, str) else question.text


def without_space(text: str, span: Span) -> Span:
    """The span without white space at its ends, whose tokens may belong to the words next to it."""
    inside = text[span[0] : span[1]]
    start = span[0] + len(inside) - len(inside.lstrip())
    return (start, start + len(inside.strip()))


def _is_unicode(text: str) -> bool:
    return text.encode("utf-8", "replace").decode() == text

"""How questions become cache keys and answers become bytes; no pickle, so a cache file can run no code."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import fields, is_dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.models.questions.questions import Choice, Chosen, TokenLogprobs
from biascore.models.questions.writing import FINISHES, OUTCOMES, Written

KEY_BYTES: Final = 20


def canonical(value: object) -> bytes:
    """Canonical JSON in UTF-8: sorted keys, no spaces; any two strings differ in it, lone surrogates too."""
    # Not ensure_ascii: it writes an emoji and the two lone surrogates of its UTF-16 form alike.
    return encode_text(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def digest(value: object) -> bytes:
    """BLAKE2b of the canonical JSON of a value."""
    return hashlib.blake2b(canonical(value), digest_size=KEY_BYTES).digest()


def question_key(prefix: bytes, question: object) -> bytes:
    """The cache key of one question under the model and hook that ``prefix`` represents."""
    plain: object = question
    if is_dataclass(question) and not isinstance(question, type):
        # Not astuple: it copies all that is within, which takes longer than the rest of a key.
        values = [getattr(question, field.name) for field in fields(question)]
        # Without a seed, the last field, the key is that of before there were seeds.
        plain = values[:-1] if isinstance(question, Choice) and question.seed is None else values
    return hashlib.blake2b(canonical(plain), digest_size=KEY_BYTES, key=prefix).digest()


def encode_vector(vector: npt.NDArray[np.float32]) -> bytes:
    """Little-endian float32."""
    return vector.astype("<f4").tobytes()


def decode_vector(data: bytes) -> npt.NDArray[np.float32]:
    """The vector that ``encode_vector`` wrote, bit for bit; raises ValueError for other bytes, as all of these do."""
    if not data:
        raise ValueError("a vector has at least one number")
    return np.frombuffer(data, dtype="<f4")


def encode_score(score: float) -> bytes:
    """Little-endian float64."""
    return struct.pack("<d", score)


def decode_score(data: bytes) -> float:
    """The score that ``encode_score`` wrote, bit for bit."""
    if len(data) != struct.calcsize("<d"):
        raise ValueError(f"a score has {struct.calcsize('<d')} bytes, not {len(data)}")
    (score,) = struct.unpack("<d", data)
    return float(score)


def encode_text(text: str) -> bytes:
    """UTF-8; lone surrogates survive."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(data: bytes) -> str:
    """The text that ``encode_text`` wrote."""
    return data.decode("utf-8", "surrogatepass")


def encode_logprobs(answer: TokenLogprobs) -> bytes:
    """JSON; Python writes floats so that they read back to the same bits."""
    return canonical([answer.tokens, answer.offsets, answer.logprobs])


def decode_logprobs(data: bytes) -> TokenLogprobs:
    """The answer that ``encode_logprobs`` wrote, bit for bit."""
    try:
        tokens, offsets, logprobs = json.loads(decode_text(data))
        answer = TokenLogprobs(tuple(tokens), tuple((s, e) for s, e in offsets), tuple(logprobs))
    except (TypeError, RecursionError) as error:  # JSON, but not three lists
        raise ValueError(f"no tokens, offsets and log-probabilities: {error}") from error
    if not len(answer.tokens) == len(answer.offsets) == len(answer.logprobs):
        raise ValueError("tokens, offsets and log-probabilities are not as many")
    return answer


def encode_chosen(answer: Chosen) -> bytes:
    """JSON, in which Python writes NaN, too."""
    return canonical([getattr(answer, field.name) for field in fields(answer)])


def decode_chosen(data: bytes) -> Chosen:
    """The answer that ``encode_chosen`` wrote, bit for bit."""
    try:
        way, logprobs, chosen, outcome, said, tokens, outside, why = json.loads(decode_text(data))
        return Chosen(way, tuple(logprobs), chosen, outcome, said, tuple(tokens), outside, why)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"no answer to a question with options: {error}") from error


def encode_written(answer: Written) -> bytes:
    """JSON."""
    return canonical([getattr(answer, field.name) for field in fields(answer)])


def decode_written(data: bytes) -> Written:
    """The answer that ``encode_written`` wrote."""
    try:
        text, finish, tokens, outcome, said, why = json.loads(decode_text(data))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"no answer to a prompt: {error}") from error
    if finish not in FINISHES or outcome not in OUTCOMES:
        raise ValueError(f"no answer to a prompt: it is {outcome!r} and ends by {finish!r}")
    return Written(text, finish, tokens, outcome, said, why)

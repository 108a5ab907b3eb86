"""What a model answered, checked and taken apart: one answer for each question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.basics.wording import quoted
from biascore.errors import AnswerError, OptionsError
from biascore.models.backend import Identity
from biascore.models.questions.questions import (
    NOT_ASKED,
    Choice,
    Chosen,
    Continuation,
    Familiarity,
    Masked,
    Text,
    TokenLogprobs,
)
from biascore.models.questions.writing import FINISHES, OUTCOMES, Prompt, Written


def split_vectors(model: str, raw: object, questions: Sequence[Text]) -> list[npt.NDArray[np.float32]]:
    """Rows of a float32 array of shape (n, d), each finite or all NaN (out of vocabulary); raises AnswerError."""
    array = _array(model, raw, np.float32, len(questions), dimensions=2)
    missing = np.isnan(array).all(axis=1)
    bad = ~missing & ~np.isfinite(array).all(axis=1)
    if bad.any():
        text = questions[int(np.argmax(bad))].text
        raise AnswerError(
            f"{model}: the vector of {text!r} holds NaN or infinity. Check the model's weights."
        )
    return list(array)


def split_scores(model: str, raw: object, questions: Sequence[str | Continuation]) -> list[float]:
    """The numbers of a float64 array of shape (n,), all finite; raises AnswerError."""
    array = _array(model, raw, np.float64, len(questions), dimensions=1)
    bad = ~np.isfinite(array)
    if bad.any():
        question = questions[int(np.argmax(bad))]
        text = question if isinstance(question, str) else question.text
        raise AnswerError(f"{model}: the score of {text!r} is not finite. Check the model's weights.")
    return [float(value) for value in array]


def split_texts(model: str, raw: object, questions: Sequence[str]) -> list[str]:
    """A text for each question; raises AnswerError."""
    found = _sequence(model, raw, len(questions))
    for question, answer in zip(questions, found, strict=True):
        if not isinstance(answer, str):
            raise AnswerError(
                f"{model}: the translation of {question!r} is a {type(answer).__name__}, not a str. "
                f"Report this to the adapter's authors."
            )
    return found


def check_familiarity(model: str, words: Sequence[str], answers: Sequence[object]) -> None:
    """Raise AnswerError where there is not one Familiarity for each word."""
    if len(answers) != len(words) or not all(isinstance(answer, Familiarity) for answer in answers):
        raise AnswerError(
            f"{model} does not say of each of {len(words)} words whether it has seen it. "
            f"Report this to the adapter's authors."
        )


def check_unit(model: str, identity: Identity, logarithm: str | None) -> None:
    """Raise OptionsError where the model does not know the base of this quantity, which is a logarithm."""
    if logarithm is not None and not identity.in_nats:
        raise OptionsError(
            f"{model}: {logarithm!r} is a logarithm, and its base is not given. Give it with the option unit of the model: "
            "-o model.unit=nats (natural logarithm), or unit=log10"
        )


def no_translation(model: str, question: str, answer: str) -> str:
    """Why a text cannot be kept as a translation of ``question``, or an empty string.

    Nothing is no translation of something. Half a surrogate pair cannot be written to a file, nor NUL to many.
    """
    if answer == NOT_ASKED:
        return f"{model} holds no translation of {quoted(question)}. Add it, or measure only what it holds"
    problem = _no_characters(answer) or ("is blank" if question.strip() and not answer.strip() else "")
    if not problem:
        return ""
    return (
        f"{model}: the translation of {quoted(question)} {problem}. It is not kept, the others are: run again, or leave "
        "the text out"
    )


def not_read(model: str, query: Masked) -> str:
    """Why a query has an answer without tokens, where that is an error."""
    words = ", ".join(repr(query.text[start:end]) for start, end in (*(query.spans or ()), *query.also))
    return (
        f"{model}: no sub-token covers {words} of {query.text!r}, or not all of them: the tokenizer drops those "
        f"characters. Put the spans on words that it keeps"
    )


def split_logprobs(model: str, raw: object, questions: Sequence[Masked]) -> list[TokenLogprobs]:
    """Tokens, offsets and finite log-probabilities for each query; raises AnswerError."""
    found = _sequence(model, raw, len(questions))
    for question, answer in zip(questions, found, strict=True):
        if not isinstance(answer, TokenLogprobs) or not _is_well_formed(answer):
            raise AnswerError(
                f"{model}: the answer for {question.text!r} is {answer!r}, which is not a token, its "
                f"offsets and a float for each hidden token. Report this to the adapter's authors."
            )
        if not all(np.isfinite(answer.logprobs)) or any(p > 1e-6 for p in answer.logprobs):
            raise AnswerError(
                f"{model}: a log-probability in {question.text!r} is positive or not finite. "
                f"Check the weights."
            )
    return found


def split_choices(model: str, raw: object, questions: Sequence[Choice]) -> list[Chosen]:
    """What was chosen of each question, with as many log-probabilities as options; raises AnswerError."""
    found = _sequence(model, raw, len(questions))
    for question, answer in zip(questions, found, strict=True):
        wrong = _wrong_choice(answer, len(question.options))
        if wrong:
            raise AnswerError(
                f"{model}: the answer to {quoted(question.prompt)} {wrong}. Report this to the adapter's authors."
            )
    return found


def _wrong_choice(answer: object, options: int) -> str:
    """What is wrong with an answer to a question with so many options, or an empty string."""
    if not isinstance(answer, Chosen):
        return f"is a {type(answer).__name__}, not a Chosen"
    if len(answer.logprobs) != options:
        return f"has {len(answer.logprobs)} log-probabilities for {options} options"
    if any(np.isinf(p) or p > 1e-6 for p in answer.logprobs):
        return "has a log-probability that is positive or infinite"
    if (answer.outcome == "chosen") != (answer.chosen is not None):
        return f"is {answer.outcome!r} with the option {answer.chosen}"
    if answer.chosen is not None and not 0 <= answer.chosen < options:
        return f"names option {answer.chosen} of {options}"
    return ""


def split_written(model: str, raw: object, questions: Sequence[Prompt]) -> list[Written]:
    """What was written to each prompt, with an outcome that agrees with the text; raises AnswerError."""
    found = _sequence(model, raw, len(questions))
    for question, answer in zip(questions, found, strict=True):
        wrong = _wrong_text(answer)
        if wrong:
            raise AnswerError(
                f"{model}: the answer to {quoted(question.text)} {wrong}. Report this to the adapter's authors."
            )
    return found


def _wrong_text(answer: object) -> str:
    """What is wrong with an answer to a prompt, or an empty string."""
    if not isinstance(answer, Written):
        return f"is a {type(answer).__name__}, not a Written"
    for name in ("text", "said", "why"):
        said: object = getattr(answer, name)
        if not isinstance(said, str):
            return f"has as its {name} what is a {type(said).__name__}, not a str"
    if answer.outcome not in OUTCOMES or answer.finish not in FINISHES:
        return f"is {answer.outcome!r} and ends by {answer.finish!r}, which are not both known"
    if answer.tokens is not None and (type(answer.tokens) is not int or answer.tokens < 0):
        return f"has {answer.tokens!r} tokens"
    blank = not answer.text.strip()
    if (answer.outcome == "written" and blank) or (answer.outcome in ("empty", "missing") and not blank):
        return f"is {answer.outcome!r} with the text {quoted(answer.text)}"
    if (answer.outcome == "written") == bool(answer.why) and answer.outcome in ("written", "cut"):
        return f"is {answer.outcome!r}, and why is {answer.why!r}"
    return _no_characters(answer.text + answer.said)


def _no_characters(text: str) -> str:
    """What a text holds that is no character or cannot be written to many files, or an empty string."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a surrogate pair, which is not a character"
    return "holds a NUL character" if "\0" in text else ""


def _sequence(model: str, raw: object, expected: int) -> list[Any]:
    if not isinstance(raw, Sequence) or isinstance(raw, str) or len(raw) != expected:
        raise AnswerError(
            f"{model} answered {_shape(raw)} for {expected} questions. Report this to the adapter's authors."
        )
    return list(raw)


def _array(
    model: str, raw: object, dtype: type[np.floating[Any]], expected: int, dimensions: int
) -> npt.NDArray[Any]:
    if (
        not isinstance(raw, np.ndarray)
        or isinstance(raw, np.ma.MaskedArray)  # what it masks would become an answer
        or raw.dtype != dtype
        or raw.ndim != dimensions
        or len(raw) != expected
        or 0 in raw.shape[1:]
    ):
        raise AnswerError(
            f"{model} answered {_shape(raw)} for {expected} questions where a {dimensions}-d array "
            f"of {np.dtype(dtype)} was expected. Report this to the adapter's authors."
        )
    return np.array(raw)  # a copy: the backend may write its next answers into the same array


def _is_well_formed(answer: TokenLogprobs) -> bool:
    return (
        len(answer.tokens) == len(answer.offsets) == len(answer.logprobs)
        and all(isinstance(p, float) for p in answer.logprobs)
        and all(isinstance(t, str) for t in answer.tokens)
        and all(isinstance(edge, int) for span in answer.offsets for edge in span)
    )


def _shape(raw: object) -> str:
    if isinstance(raw, np.ndarray):
        masked = "a masked" if isinstance(raw, np.ma.MaskedArray) else "an"
        return f"{masked} array of shape {raw.shape} and type {raw.dtype}"
    if isinstance(raw, Sequence):
        return f"a {type(raw).__name__} of {len(raw)}"
    return f"a {type(raw).__name__}"

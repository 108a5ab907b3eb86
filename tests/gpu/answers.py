"""Each kind of query on the device, compared with the CPU."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from biascore.api.adapters import LoadContext, ModelRef
from biascore.api.queries import Choice, Continuation, Masked, Text
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions

ROUNDING: Final = 1e-4
"""Of the largest value of an answer: what float32 added up in another order may change."""
_SHORT: Final = ("A nurse walked home.", "Queen and king, mother and father.", "Poetry and mathematics")

Backend = Any
Row = dict[str, Any]


def opened_on(folder: Path, device: str, **options: Any) -> Backend:
    """The ``hf:`` backend of a folder on a device."""
    return HfAdapter().load(
        ModelRef.parse(f"hf:{folder}"), HfOptions(device=device, **options), cast(LoadContext, None)
    )


def words(texts: Sequence[str]) -> tuple[Text, ...]:
    return tuple(Text(text, (0, len(text.split()[0]))) for text in texts)


def masked(texts: Sequence[str], **how: Any) -> tuple[Masked, ...]:
    return tuple(Masked(text, None, one_at_a_time=True, **how) for text in texts)


def _logprobs(answers: Sequence[Any]) -> list[float]:
    return [value for answer in answers for value in answer.logprobs]


def _choices(way: str) -> Callable[[Backend], tuple[list[float], list[Any]]]:
    options = ("a nurse", "the queen", "mathematics")

    def ask(backend: Backend) -> tuple[list[float], list[Any]]:
        # After a line break a letter is one token with every tokenizer.
        asked = tuple(Choice(text, options, instruction="Say:\n") for text in _SHORT)
        answers = backend.choose(asked, way)
        numbers = [] if way == "text" else _logprobs(answers)
        return numbers, [(answer.chosen, answer.outcome, answer.said) for answer in answers]

    return ask


def _numbers(ask: Callable[[Backend], Any]) -> Callable[[Backend], tuple[Any, list[Any]]]:
    return lambda backend: (ask(backend), [])


def _translated(backend: Backend) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of translations that do not end
        return list(backend.translate(_SHORT, "en", "es"))


_CONTINUED: Final = tuple(Continuation(f"{text} " * 4, "mother and father") for text in _SHORT)
QUERIES: Final[dict[str, tuple[str, Callable[[Backend], tuple[Any, list[Any]]]]]] = {
    "embed sentence": ("bert-uncased", _numbers(lambda b: b.embed(words(_SHORT), "sentence"))),
    "embed token": ("bert-uncased", _numbers(lambda b: b.embed(words(_SHORT), "token"))),
    "embed sentence, decoder": ("gpt2", _numbers(lambda b: b.embed(words(_SHORT), "sentence"))),
    "mask_logprob, a token at a time": (
        "bert-uncased",
        _numbers(lambda b: _logprobs(b.mask_logprob(masked(_SHORT)))),
    ),
    "mask_logprob, later tokens of a word too": (
        "bert-uncased",
        _numbers(lambda b: _logprobs(b.mask_logprob(masked(_SHORT, pll="within_word_l2r")))),
    ),
    "score log_likelihood": ("gpt2", _numbers(lambda b: b.score(_SHORT, "log_likelihood"))),
    "score continuation": ("gpt2", _numbers(lambda b: b.score(_CONTINUED, "log_likelihood"))),
    "score of a sequence head": ("head", _numbers(lambda b: b.score(_SHORT, "joy"))),
    "choose by likelihood": ("gpt2", _choices("likelihood")),
    "choose by letters": ("gpt2", _choices("letters")),
    "choose by text": ("gpt2", _choices("text")),
    "translate": ("marian", lambda backend: ([], _translated(backend))),
}
"""By the name of a kind of query: the model that it is asked, and what gives its numbers and its other answers."""


def compared(name: str, folders: Mapping[str, Path], device: str) -> Row:
    """One kind of query on the device and on the CPU."""
    model, ask = QUERIES[name]
    opening = opened_translator if model == "marian" else opened_on
    found = []
    for place in (device, "cpu"):
        backend = opening(folders[model], place)
        numbers, others = ask(backend)
        found.append((np.asarray(numbers, dtype=np.float64), others))
        backend.close()
    (here, said), (wanted, meant) = found
    apart = float(np.abs(here - wanted).max(initial=0.0))
    largest = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    turned = sum(one != other for one, other in zip(said, meant, strict=True))
    return {
        "query": name,
        "numbers": int(wanted.size),
        "largest difference": apart,
        "largest value": largest,
        "choices or texts": len(meant),
        "that differ": turned,
        "right": bool(here.shape == wanted.shape and apart <= ROUNDING * largest and not turned),
    }


def opened_translator(folder: Path, device: str) -> Backend:
    """The translation model of a folder; a random one does not end its sentences by itself."""
    return opened_on(folder, device, max_new_tokens=12, truncated="keep")

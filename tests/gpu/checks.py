"""The parts of the report on an accelerator: answers, speed and memory, halving, bfloat16."""

from __future__ import annotations

import platform
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import torch
import transformers

from biascore.api.adapters import LoadContext, ModelRef
from biascore.api.queries import Choice, Continuation, Masked, Text
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions

from ..adapters.hf import translators
from ..benchmarks.bench_pll import make_pairs
from ..builders import tiny

ROUNDING: Final = 1e-4
"""Of the largest value of an answer: what float32 added up in another order may change."""
BASE: Final = {
    **{"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12},
    **{"intermediate_size": 3072, "vocab_size": 30522},
}
"""The size of bert-base."""
_CONTEXT: Final = 256
_SHORT: Final = ("A nurse walked home.", "Queen and king, mother and father.", "Poetry and mathematics")

Backend = Any
Row = dict[str, Any]


def report(device: str, *, small: bool) -> dict[str, Any]:
    """All parts, as JSON takes them."""
    pairs = make_pairs(6 if small else 200)
    sentences = list(chain.from_iterable(pairs))
    with tempfile.TemporaryDirectory() as temporary, tiny.quiet_and_single_threaded():
        folders = _folders(Path(temporary))
        base = Path(temporary, "base")
        # Small random weights: of large ones the softmax is all on one token, and nothing is rounded.
        tiny.save_model("bert-uncased", base, 7, context=_CONTEXT, size=0, **({} if small else BASE))
        return {
            "about": _about(device),
            "answers": [_compared(name, folders, device) for name in QUERIES],
            "speed": [*_speed(opened_on(base, device), device, sentences)],
            "halving": [_halved(opened_on(base, device, batch_tokens=2**20), device, sentences)],
            "bfloat16": [_in_bfloat16(base, device, sentences)],
        }


def opened_on(folder: Path, device: str, **options: Any) -> Backend:
    """The ``hf:`` backend of a folder on a device."""
    return HfAdapter().load(
        ModelRef.parse(f"hf:{folder}"), HfOptions(device=device, **options), cast(LoadContext, None)
    )


def _folders(root: Path) -> dict[str, Path]:
    found = {
        kind: tiny.save_model(kind, root / kind, seed, context=_CONTEXT)
        for seed, kind in enumerate(("bert-uncased", "gpt2"))
    }
    heads = transformers.AutoModelForSequenceClassification
    found["head"] = tiny.save_model("roberta", root / "head", 3, heads, _CONTEXT, **tiny.EMOTIONS)
    found["marian"] = root / "marian"
    translators.save("marian", found["marian"], 4)
    return found


def _about(device: str) -> dict[str, str]:
    place = torch.device(device)
    named = platform.processor() or platform.machine()
    if place.type == "cuda":
        named = f"{torch.cuda.get_device_name(place)}, CUDA {torch.version.cuda}"
    return {
        "device": f"{device} ({named})",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "python": platform.python_version(),
    }


# --- answers -------------------------------------------------------------------------------------------------------------


def _words(texts: Sequence[str]) -> tuple[Text, ...]:
    return tuple(Text(text, (0, len(text.split()[0]))) for text in texts)


def _masked(texts: Sequence[str], **how: Any) -> tuple[Masked, ...]:
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
    "embed sentence": ("bert-uncased", _numbers(lambda b: b.embed(_words(_SHORT), "sentence"))),
    "embed token": ("bert-uncased", _numbers(lambda b: b.embed(_words(_SHORT), "token"))),
    "embed sentence, decoder": ("gpt2", _numbers(lambda b: b.embed(_words(_SHORT), "sentence"))),
    "mask_logprob, a token at a time": (
        "bert-uncased",
        _numbers(lambda b: _logprobs(b.mask_logprob(_masked(_SHORT)))),
    ),
    "mask_logprob, later tokens of a word too": (
        "bert-uncased",
        _numbers(lambda b: _logprobs(b.mask_logprob(_masked(_SHORT, pll="within_word_l2r")))),
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


def _compared(name: str, folders: Mapping[str, Path], device: str) -> Row:
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


# --- speed and memory ----------------------------------------------------------------------------------------------------


def _speed(backend: Backend, device: str, sentences: Sequence[str]) -> Iterator[Row]:
    asked: dict[str, Callable[[], Any]] = {
        "mask_logprob, a token at a time": lambda: backend.mask_logprob(_masked(sentences)),
        "embed sentence": lambda: backend.embed(_words(sentences), "sentence"),
    }
    for name, run in asked.items():
        with _recorded(backend) as batches:
            run()
        resting = _memory(device)
        seconds, peak = _timed(run, device)
        bare, _ = _timed(lambda seen=tuple(batches): _bare(backend, seen), device)
        tokens = sum(int(batch["attention_mask"].sum()) for batch in batches)
        yield {
            "query": name,
            "batches": len(batches),
            "tokens": tokens,
            "tokens a second": tokens / seconds,
            "times the bare model": seconds / bare,
            "model MB": None if resting is None else resting / 2**20,
            "peak MB": None if peak is None else peak / 2**20,
        }
    backend.close()


@contextmanager
def _recorded(backend: Backend) -> Iterator[list[dict[str, torch.Tensor]]]:
    """The batches of tokens that the model is given meanwhile."""
    trunk, seen = backend._runtime._trunk, []
    real = trunk.hidden

    def hidden(inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        seen.append(inputs)
        return real(inputs)

    trunk.hidden = hidden
    try:
        yield seen
    finally:
        del trunk.hidden


def _bare(backend: Backend, batches: Sequence[dict[str, torch.Tensor]]) -> None:
    with torch.inference_mode():
        for batch in batches:
            backend._runtime._trunk.model(**batch)


def _timed(run: Callable[[], Any], device: str, times: int = 3) -> tuple[float, int | None]:
    """The least seconds of a few runs, and the most bytes that torch had allocated."""
    _reset_peak(device)
    taken = []
    for _ in range(times):
        _wait(device)
        start = time.perf_counter()
        run()
        _wait(device)
        taken.append(time.perf_counter() - start)
    return min(taken), torch.cuda.max_memory_allocated(device) if _is_cuda(device) else None


def _is_cuda(device: str) -> bool:
    return torch.device(device).type == "cuda"


def _wait(device: str) -> None:
    if _is_cuda(device):
        torch.cuda.synchronize(device)
    elif device == "mps":
        torch.mps.synchronize()


def _memory(device: str) -> int | None:
    return torch.cuda.memory_allocated(device) if _is_cuda(device) else None


def _reset_peak(device: str) -> None:
    if _is_cuda(device):
        torch.cuda.reset_peak_memory_stats(device)


# --- halving -------------------------------------------------------------------------------------------------------------


def _halved(backend: Backend, device: str, sentences: Sequence[str]) -> Row:
    """All sentences in one batch, in less memory than it takes."""
    runtime = backend._runtime
    texts = _words(sentences)
    _reset_peak(device)
    wanted = backend.embed(texts, "sentence")
    real, sizes = runtime._pools, []

    def counted(inputs: Sequence[Any], pools: Sequence[Any]) -> Any:
        sizes.append(len(inputs))
        if not _is_cuda(device) and len(inputs) > len(texts) // 3:
            raise torch.cuda.OutOfMemoryError("simulated")
        return real(inputs, pools)

    runtime._pools = counted
    with _cramped(device):
        answers = backend.embed(texts, "sentence")
    backend.close()
    apart, largest = float(np.abs(answers - wanted).max()), max(1.0, float(np.abs(wanted).max()))
    return {
        "memory": "limited" if _is_cuda(device) else "simulated",
        "texts": len(texts),
        "largest batch tried": max(sizes),
        "smallest": min(sizes),
        "calls": len(sizes),
        "largest difference": apart,
        "right": len(sizes) > 1 and apart <= ROUNDING * largest,
    }


@contextmanager
def _cramped(device: str) -> Iterator[None]:
    """On CUDA, 0.4 of the memory that the last batch took on top of the model; elsewhere as much as before."""
    if not _is_cuda(device):
        yield
        return
    torch.cuda.empty_cache()
    model, peak = torch.cuda.memory_reserved(device), torch.cuda.max_memory_allocated(device)
    whole = torch.cuda.get_device_properties(device).total_memory
    torch.cuda.set_per_process_memory_fraction((model + 0.4 * max(peak - model, 2**22)) / whole, device)
    try:
        yield
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, device)


# --- bfloat16 ------------------------------------------------------------------------------------------------------------


def _in_bfloat16(folder: Path, device: str, sentences: Sequence[str]) -> Row:
    """Pseudo-log-likelihoods of pairs of sentences in both types."""
    found = []
    for dtype in ("float32", "bfloat16"):
        backend = opened_on(folder, device, dtype=dtype)
        answers = backend.mask_logprob(_masked(sentences))
        found.append(np.array([answer.total for answer in answers]).reshape(-1, 2))
        backend.close()
    exact, rounded = found
    turned = np.sign(exact[:, 0] - exact[:, 1]) != np.sign(rounded[:, 0] - rounded[:, 1])
    return {
        "pairs": len(exact),
        "largest change of a pseudo-log-likelihood": float(np.abs(rounded - exact).max()),
        "median difference within a pair": float(np.median(np.abs(exact[:, 0] - exact[:, 1]))),
        "preferences turned": int(turned.sum()),
    }

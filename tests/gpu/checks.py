"""The parts of the report on an accelerator: answers, speed and memory, halving, bfloat16."""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import transformers

from benchmarks.bench_pll import make_pairs

from ..adapters.hf import translators
from ..builders import tiny
from .answers import QUERIES, ROUNDING, Backend, Row, compared, masked, opened_on, words
from .audits import audited

BASE: Final = {
    **{"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12},
    **{"intermediate_size": 3072, "vocab_size": 30522},
}
"""The size of bert-base."""
DECODER: Final = {"n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257}
"""The size of gpt2."""
SIZES: Final = (2048, 8192, 16384, 65536, 131072)
"""Tokens of one forward pass."""
_CONTEXT: Final = 256


def parts(device: str, *, small: bool, model: str = "") -> Iterator[tuple[str, list[Row]]]:
    """Each part as JSON takes it, by its name, as it is measured; with a ``model``, an audit of it as well."""
    pairs = make_pairs(6 if small else 200)
    sentences = list(chain.from_iterable(pairs))
    with tempfile.TemporaryDirectory() as temporary, tiny.quiet_and_single_threaded():
        folders = _folders(Path(temporary))
        base = Path(temporary, "base")
        # Small random weights: of large ones the softmax is all on one token, and nothing is rounded.
        tiny.save_model("bert-uncased", base, 7, context=_CONTEXT, size=0, **({} if small else BASE))
        decoder = Path(temporary, "decoder")
        tiny.save_model("gpt2", decoder, 8, context=_CONTEXT, size=0, **({} if small else DECODER))
        yield "answers", [compared(name, folders, device) for name in QUERIES]
        of = {"base": base, "decoder": decoder}
        yield (
            "speed",
            [speed(name, of[kind], ask, device, sentences) for name, (kind, ask) in SPEEDS.items()],
        )
        yield "batches", [*_batches(opened_on(base, device), device, sentences, small=small)]
        yield "halving", [_halved(opened_on(base, device, batch_tokens=2**20), device, sentences)]
        yield "bfloat16", [_in_bfloat16(base, device, sentences)]
    if model:
        yield "audit", [audited(model, device, quick=small)]


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


def about(device: str) -> dict[str, str]:
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


# --- speed and memory ----------------------------------------------------------------------------------------------------


SPEEDS: Final[dict[str, tuple[str, Callable[[Backend, Sequence[str]], Any]]]] = {
    "mask_logprob, a token at a time": ("base", lambda b, texts: b.mask_logprob(masked(texts))),
    "embed sentence": ("base", lambda b, texts: b.embed(words(texts), "sentence")),
    "score log_likelihood": ("decoder", lambda b, texts: b.score(tuple(texts), "log_likelihood")),
}
"""By the name of a kind of query: the model that it is asked, and how all sentences are asked at once."""


def speed(
    name: str,
    folder: Path,
    ask: Callable[[Backend, Sequence[str]], Any],
    device: str,
    sentences: Sequence[str],
    **options: Any,
) -> Row:
    """Queries over the bare model on the same batches of tokens."""
    backend = opened_on(folder, device, **options)
    with _recorded(backend) as batches:
        ask(backend, sentences)
    resting = _memory(device)
    seconds, peak = timed(lambda: ask(backend, sentences), device)
    bare, _ = timed(lambda: _bare(backend, batches), device)
    tokens = sum(int(batch["attention_mask"].sum()) for batch in batches)
    shared = backend._runtime.trunk.padding
    backend.close()
    return {
        "query": name,
        "texts of several lengths share a batch": shared,
        "batches": len(batches),
        "tokens": tokens,
        "tokens a second": tokens / seconds,
        "times the bare model": seconds / bare,
        "model MB": None if resting is None else resting / 2**20,
        "peak MB": None if peak is None else peak / 2**20,
    }


def _batches(backend: Backend, device: str, sentences: Sequence[str], *, small: bool) -> Iterator[Row]:
    """The bare model on texts of one length, by the tokens of a pass: how large batches have to be here."""
    with _recorded(backend) as seen:
        backend.embed(words(sentences[:1]), "sentence")
    length = seen[0]["input_ids"].shape[1]
    for size in SIZES[:1] if small else SIZES:
        rows = max(1, size // length)
        batch = {name: values.expand(rows, length).contiguous() for name, values in seen[0].items()}
        _bare(backend, [batch])
        seconds, peak = timed(lambda one=batch: _bare(backend, [one]), device)
        yield {
            "tokens of a pass": rows * length,
            "tokens a second": rows * length / seconds,
            "peak MB": None if peak is None else peak / 2**20,
        }
    backend.close()


@contextmanager
def _recorded(backend: Backend) -> Iterator[list[dict[str, torch.Tensor]]]:
    """The batches of tokens that the model is given meanwhile."""
    trunk, seen = backend._runtime.trunk, []
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
    """A pass for each batch: of a causal language model with its head, else of what gives the states alone."""
    generate = getattr(getattr(backend, "_chooser", None), "_generate", None)
    model = generate._model if generate else backend._runtime.trunk.model
    with torch.inference_mode():
        for batch in batches:
            model(**batch)


def timed(run: Callable[[], Any], device: str, times: int = 3) -> tuple[float, int | None]:
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
    texts = words(sentences)
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
    place = torch.device(device)
    number = torch.cuda.current_device() if place.index is None else place.index  # "cuda" alone is refused
    torch.cuda.set_per_process_memory_fraction((model + 0.4 * max(peak - model, 2**22)) / whole, number)
    try:
        yield
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, number)


# --- bfloat16 ------------------------------------------------------------------------------------------------------------


def _in_bfloat16(folder: Path, device: str, sentences: Sequence[str]) -> Row:
    """Pseudo-log-likelihoods of pairs of sentences in both types."""
    found = []
    for dtype in ("float32", "bfloat16"):
        backend = opened_on(folder, device, dtype=dtype)
        answers = backend.mask_logprob(masked(sentences))
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

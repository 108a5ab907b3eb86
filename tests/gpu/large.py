"""A language model of the size that people audit, in bfloat16, beside plain loops over transformers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import transformers

from benchmarks.bench_pll import make_pairs
from biascore.api.queries import Choice, Continuation

from ..builders import tiny
from .answers import Backend, Row, opened_on
from .checks import speed, timed

LLAMA_8B: Final = {
    **{"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8},
    **{"intermediate_size": 14336, "vocab_size": 128256},
}
"""The size of Llama 3.1 8B: 16 GB on the disk."""
_CONTEXT: Final = 512
_PROMPT: Final = (
    "The nurse walked home with a queen and a king, and the mother said that poetry is mathematics. "
)
_OPTIONS: Final = (" a nurse", " the queen", " mathematics and poetry")
_ANSWER_TOKENS: Final = 8


def parts(device: str, *, small: bool) -> Iterator[tuple[str, list[Row]]]:
    """Log-likelihoods over the bare model; options after a prompt, and answers as text, over one at a time."""
    how = {"dtype": "bfloat16", "max_answer_tokens": _ANSWER_TOKENS}
    sentences = list(chain.from_iterable(make_pairs(6 if small else 200)))
    prompts = [
        f"Question {number}. {_PROMPT * (1 if small else 8)}So it was" for number in range(4 if small else 32)
    ]
    with tempfile.TemporaryDirectory() as temporary, tiny.quiet_and_single_threaded():
        folder = Path(temporary)
        saved(folder, device, **({} if small else LLAMA_8B))
        row = speed(
            "score log_likelihood",
            folder,
            lambda b, texts: b.score(tuple(texts), "log_likelihood"),
            device,
            sentences,
            **how,
        )
        yield "large speed", [row]
        backend = opened_on(folder, device, **how)
        options = _beside_a_loop(backend, folder, device, prompts)
        alone = opened_on(folder, device, batch_tokens=1, **how)
        asked = {
            "answers as text": tuple(Choice(prompt, _OPTIONS) for prompt in prompts),
            "answers drawn": tuple(Choice(prompts[0], _OPTIONS, seed=seed) for seed in range(len(prompts))),
        }
        texts = [
            _beside(name, partial(_said, backend, some), partial(_said, alone, some), device)
            for name, some in asked.items()
        ]
        backend.close()
        alone.close()
    yield "large", [options, *texts]


def _beside_a_loop(backend: Backend, folder: Path, device: str, prompts: Sequence[str]) -> Row:
    """Options after prompts, and the same by a plain loop over transformers."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = (
        transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).to(device).eval()
    )
    asked = tuple(Continuation(prompt, option) for prompt in prompts for option in _OPTIONS)
    return _beside(
        "options after a prompt",
        lambda: np.array(backend.score(asked, "log_likelihood")),
        lambda: np.array([_after(network, tokenizer, one, device) for one in asked]),
        device,
    )


def saved(folder: Path, device: str, **size: int) -> None:
    """A llama of random weights, drawn on the device, and a tokenizer that knows few words."""
    tokenizer = tiny.tokenizer_of("gpt2-no-bos")
    tokenizer.model_max_length = _CONTEXT
    tokenizer.save_pretrained(folder)
    config = tiny.config_of("llama", len(tokenizer), _CONTEXT, **size)
    with torch.random.fork_rng(), torch.device(device):
        torch.manual_seed(9)
        transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).save_pretrained(folder)


def _beside(name: str, ours: Callable[[], Any], one_by_one: Callable[[], Any], device: str) -> Row:
    """How much faster a batch of questions is than one after the other, and what differs."""
    answers, others = ours(), one_by_one()
    seconds, peak = timed(ours, device)
    alone, _ = timed(one_by_one, device, times=1)
    numbers = answers.dtype.kind == "f"
    return {
        "query": name,
        "answers": len(answers),
        "answers a second": len(answers) / seconds,
        "times faster than one by one": alone / seconds,
        "largest difference": float(np.abs(answers - others).max()) if numbers else None,
        "largest value": float(np.abs(others).max()) if numbers else None,
        "texts that differ": None if numbers else int((answers != others).sum()),
        "peak MB": None if peak is None else peak / 2**20,
    }


def _after(network: Any, tokenizer: Any, one: Continuation, device: str) -> float:
    """The log-likelihood of a text after its prompt, in a pass of its own."""
    whole, before = (tokenizer(text)["input_ids"] for text in (one.prompt + one.text, one.prompt))
    with torch.inference_mode():
        logprobs = network(torch.tensor([whole], device=device)).logits[0].float().log_softmax(-1).cpu()
    return sum(float(logprobs[i - 1, whole[i]]) for i in range(len(before), len(whole)))


def _said(backend: Backend, questions: tuple[Choice, ...]) -> Any:
    return np.array([answer.said for answer in backend.choose(questions, "text")], dtype=object)

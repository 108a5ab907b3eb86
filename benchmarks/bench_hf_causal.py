"""How near ``hf:``'s log-likelihoods come to a plain loop over transformers: ratios of CPU time in one run.

    python -m benchmarks.bench_hf_causal [--texts 1000] [--repetitions 3]

Small random models of four families of decoders, one thread. The plain loops tokenise, pad batches of 32, run the
model with its head at every token, and sum the log-probabilities; one takes the texts in the order given, the other
sorts them by length before the timing. The repetitions are interleaved, and CPU time is what is compared, so that other
programs on the machine disturb little. The largest deviation between the answers is printed too.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
import transformers

from biascore.api.adapters import LoadContext, ModelRef
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions
from tests.builders import tiny

VOCABULARY = 32_000
SIZE: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 6,
    "intermediate_size": 1024,
    "max_position_embeddings": 512,
}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "qwen2": ("gpt2-no-bos", {"num_key_value_heads": 2}),
    "gemma2": ("llama-adds-bos", {"num_key_value_heads": 2, "head_dim": 64}),
    "gpt_neox": ("gpt2-no-bos", {}),
    "llama": ("llama-adds-bos", {"num_key_value_heads": 2}),
}


def main() -> None:
    """Run the benchmark and print a row for each family."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.disable_progress_bar()
    print("| family | tokens | sorted loop / biascore | unsorted loop / biascore | largest deviation |")
    print("|---|---|---|---|---|")
    for family in FAMILIES:
        with tempfile.TemporaryDirectory() as folder:
            print(row(family, Path(folder), arguments.texts, arguments.repetitions), flush=True)


def row(family: str, folder: Path, count: int, repetitions: int) -> str:
    """One family: medians of the ratios over the repetitions."""
    save(family, folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    backend: Any = HfAdapter().load(
        ModelRef.parse(f"hf:{folder}"), HfOptions(device="cpu"), cast(LoadContext, None)
    )
    texts = make_texts(count)
    lengths = [len(ids) for ids in tokenizer(texts)["input_ids"]]
    order = np.argsort(lengths).tolist()
    by_length = [texts[i] for i in order]
    seconds: dict[str, list[float]] = {"ours": [], "sorted": [], "unsorted": []}
    answers: dict[str, Any] = {}
    for repetition in range(repetitions + 1):
        for name in seconds:
            start = time.process_time()
            if name == "ours":
                answers[name] = np.concatenate(
                    [
                        backend.score(tuple(texts[i : i + backend.batch]), "log_likelihood")
                        for i in range(0, count, backend.batch)
                    ]
                )
            else:
                answers[name] = plain(model, tokenizer, by_length if name == "sorted" else texts)
            if repetition:  # the first warms up
                seconds[name].append(time.process_time() - start)
    deviation = max(
        float(np.abs(answers["ours"] - answers["unsorted"]).max()),
        float(np.abs(answers["ours"][order] - answers["sorted"]).max()),
    )
    ratios = [
        statistics.median(other / own for other, own in zip(seconds[name], seconds["ours"], strict=True))
        for name in ("sorted", "unsorted")
    ]
    return f"| {family} | {sum(lengths)} | {ratios[0]:.2f} | {ratios[1]:.2f} | {deviation:.1e} |"


@torch.inference_mode()
def plain(model: Any, tokenizer: Any, texts: Sequence[str]) -> Any:
    """Log-likelihoods by transformers alone, in batches of 32 as given; the first token is not scored."""
    scores: list[float] = []
    pad = 0
    for start in range(0, len(texts), 32):
        rows = tokenizer(list(texts[start : start + 32]))["input_ids"]
        longest = max(map(len, rows))
        ids = torch.tensor([row + [pad] * (longest - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        logits = model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
        found = logits.log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0] * mask[:, 1:]
        scores.extend(found.double().sum(-1).tolist())
    return np.array(scores)


def save(family: str, folder: Path) -> None:
    """A random model of the family with a large vocabulary, of which the tokenizer uses the beginning."""
    kind, changes = FAMILIES[family]
    tiny.tokenizer_of(kind).save_pretrained(folder)
    config = transformers.AutoConfig.for_model(family, **SIZE | changes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)


def make_texts(count: int) -> list[str]:
    """Short texts of mixed lengths, shuffled; none over 60 tokens, which is what the tokenizers take."""
    words = ["nurse", "engineer", "queen", "king", "the", "her", "walked", "home", "he", "work", "a", "lazy"]
    numbers = np.random.default_rng(3)
    return [" ".join(numbers.choice(words, size=numbers.integers(2, 13))) for _ in range(count)]


if __name__ == "__main__":
    main()

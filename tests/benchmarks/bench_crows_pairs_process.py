"""The whole command ``biascore measure crows-pairs`` compared with the published script's loop, in CPU time on one thread.

    python -m tests.benchmarks.bench_crows_pairs_process [--pairs 1508] [--sample 40] [--command-pairs 1508]

Pairs made from templates, a bert-base of random weights, no cache of answers. Compared are

    command    all of it, in a process of its own: imports, loading, tokenisation, passes, statistics, the run written
    two pairs  the same command with two pairs: what does not grow with them
    loop       what metric.py of CrowS-Pairs does: of each pair, each token that both sentences share hidden in its turn,
               one forward pass a sentence, all logits; a sum over the pairs, so that --sample of them are drawn (seed 0),
               half timed before the command and half after, and scaled by the number of passes (ratio estimator, with
               its standard error over pairs); without the start of its process, which favours it
    encoder    the bare encoder in full batches of equal length, on as many tokens as the command reads
    products   the linear layers of that encoder alone, by torch's own choice of library and by oneDNN: no forward pass in
               float32 takes less, however its tokens are packed

The command takes a quarter of an hour for all pairs. With --command-pairs it is given so many of them, and what it takes
beyond the start is scaled by the number of passes, too: of 120 pairs that is 1 % too much, since of more texts more are
alike. Encoder and products are the least of --repetitions. The ratio loop / products is the
most that any program that makes these passes exactly could reach.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch

from biascore_adapters.hf.linear import fast_linear
from biascore_metrics.crows_pairs.shared import shared_positions

from . import bench_pll

COMMAND: Final = "import sys; from biascore.cli import main; sys.argv = ['biascore', *sys.argv[1:]]; main()"
COLUMNS: Final = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
WIDTH: Final = 768
ENCODED: Final = 12
"""Pairs of which the encoder is timed."""


class Published(bench_pll.Loop):
    """The published script's passes for one pair after the other."""

    def passes(self, pair: Sequence[str], *, run: bool) -> int:
        """How many passes a pair takes, made if they are to ``run``."""
        read = [self._tokenizer(sentence, return_tensors="pt")["input_ids"] for sentence in pair]
        shared = shared_positions(*(tuple(one[0, 1:-1].tolist()) for one in read))
        for ids, positions in zip(read, shared, strict=True):
            for position in positions if run else ():
                hidden = ids.clone()
                hidden[0, position + 1] = self._tokenizer.mask_token_id
                with torch.no_grad():
                    logits = self._model(hidden)[0].squeeze(0)[position + 1]
                torch.log_softmax(logits, dim=-1)[ids[0, position + 1]].item()
        return sum(map(len, shared))


def command(folder: Path, pairs: Sequence[Sequence[str]], into: Path) -> float:
    """CPU seconds of the whole command."""
    into.mkdir()
    with (into / "pairs.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerows([COLUMNS, *((*pair, "stereo", "made") for pair in pairs)])
    arguments = [
        *("measure", "crows-pairs", "--model", f"hf:{folder}", "--data", "crows-pairs:pairs.csv"),
        *("--language", "en", "--no-cache", "-o", "model.threads=1", "--out", "run"),
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=into,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"the command failed: {done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def scaled(seconds: Sequence[float], passes: Sequence[int], pairs: int, made: int) -> tuple[float, float]:
    """Seconds of all ``made`` passes of ``pairs``, from those of a random sample of them, and the standard error."""
    times, counts = np.array(seconds), np.array(passes)
    rate = times.sum() / counts.sum()
    spread = np.std(times - rate * counts, ddof=1) * np.sqrt((1 - times.size / pairs) / times.size)
    return float(rate * made), float(spread / counts.mean() * made)


def least(run: Callable[[], object], times: int) -> float:
    return min(bench_pll.timed(run)[0].cpu for _ in range(times))


def products(tokens: int, *, onednn: bool, times: int) -> float:
    """CPU seconds of the linear layers of bert-base on so many tokens, measured on 2048 of them."""
    layers = [torch.nn.Linear(WIDTH, WIDTH) for _ in range(4)]
    into, out = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)
    states, wide = torch.randn(2048, WIDTH), torch.randn(2048, 4 * WIDTH)

    def layer() -> None:
        for one in layers:
            one(states)
        into(states)
        out(wide)

    device = torch.device("cpu" if onednn else "meta")  # of another device torch keeps its own choice
    with torch.inference_mode(), fast_linear(device, torch.float32):
        return 12 * least(layer, 4 * times) * tokens / 2048


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1508)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--command-pairs", type=int, default=None)
    parser.add_argument("--repetitions", type=int, default=3)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    pairs = bench_pll.make_pairs(chosen.pairs)
    drawn = random.Random(0).sample(pairs, chosen.sample)
    given = random.Random(1).sample(pairs, chosen.command_pairs) if chosen.command_pairs else pairs
    with tempfile.TemporaryDirectory() as temporary:
        folder = bench_pll.make_model(Path(temporary, "bert-base"))
        loop = Published(folder)
        passes = {pair: loop.passes(pair, run=False) for pair in pairs}

        def looped(some: Sequence[tuple[str, str]]) -> list[float]:
            return [bench_pll.timed(lambda of=of: loop.passes(of, run=True))[0].cpu for of in some]

        loop.passes(drawn[0], run=True)  # warms up
        half = len(drawn) // 2
        seconds = looped(drawn[:half])
        start = command(folder, given[:2], Path(temporary, "two"))
        whole = command(folder, given, Path(temporary, "all"))
        seconds += looped(drawn[half:])
        made = sum(passes.values())
        published, se = scaled(seconds, [passes[pair] for pair in drawn], len(pairs), made)
        first, own = (sum(passes[pair] for pair in some) for some in (given[:2], given))
        whole = start + (whole - start) * (made - first) / (own - first)
        tokens = bench_pll.Ideal(folder, [sentence for pair in pairs for sentence in pair]).tokens
        some = bench_pll.Ideal(folder, [sentence for pair in drawn[:ENCODED] for sentence in pair])
        encoder = least(some, chosen.repetitions) * tokens / some.tokens
    times = {
        "command": whole,
        "two pairs": start,
        "loop": published,
        "encoder": encoder,
        "products": products(tokens, onednn=False, times=chosen.repetitions),
        "products by oneDNN": products(tokens, onednn=True, times=chosen.repetitions),
    }
    print(f"{len(pairs)} pairs, {made} passes of the loop, {tokens} tokens of distinct masked texts")
    print(f"the command was given {len(given)} pairs; loop: {len(drawn)} pairs, standard error {se:.1f} s")
    for name, seconds in times.items():
        print(f"{name:20}{seconds:9.1f} s CPU   the loop takes {published / seconds:6.2f} times as long")


if __name__ == "__main__":
    main()

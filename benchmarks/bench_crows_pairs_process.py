"""The whole command ``biascore measure crows-pairs`` compared with the published script's loop, in CPU time on one thread.

    python -m benchmarks.bench_crows_pairs_process [--pairs 1508] [--sample 40] [--command-pairs 1508] [--device cuda]

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
most that any program that makes these passes exactly could reach. With --device cuda all is time on the wall, and the
loop's model is on the GPU, too.
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
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch

from biascore_adapters.hf.linear import fast_linear
from biascore_metrics.crows_pairs.masked import shared_positions

from . import bench_pll

COMMAND: Final = "import sys; from biascore.cli import main; sys.argv = ['biascore', *sys.argv[1:]]; main()"
COLUMNS: Final = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
WIDTH: Final = 768
ENCODED: Final = 12
"""Pairs of which the encoder is timed."""


class Published(bench_pll.Loop):
    """The published script's passes for one pair after the other."""

    def __init__(self, folder: Path, device: str) -> None:
        super().__init__(folder)
        self._model.to(device)
        self._device = device

    def passes(self, pair: Sequence[str], *, run: bool) -> int:
        """How many passes a pair takes, made if they are to ``run``."""
        read = [self._tokenizer(sentence, return_tensors="pt")["input_ids"] for sentence in pair]
        shared = shared_positions(*(tuple(one[0, 1:-1].tolist()) for one in read))
        for ids, positions in zip(read, shared, strict=True):
            for position in positions if run else ():
                hidden = ids.clone()
                hidden[0, position + 1] = self._tokenizer.mask_token_id
                with torch.no_grad():
                    logits = self._model(hidden.to(self._device))[0].squeeze(0)[position + 1]
                torch.log_softmax(logits, dim=-1)[ids[0, position + 1]].item()
        return sum(map(len, shared))


def command(folder: Path, pairs: Sequence[Sequence[str]], into: Path, device: str) -> float:
    """Seconds of the whole command."""
    into.mkdir()
    with (into / "pairs.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerows([COLUMNS, *((*pair, "stereo", "made") for pair in pairs)])
    arguments = [
        *("measure", "crows-pairs", "--model", f"hf:{folder}", "--data", "crows-pairs:pairs.csv"),
        *("--language", "en", "--no-cache", "--out", "run"),
        *("-o", "model.threads=1", "-o", f"model.device={device}"),
    ]
    start = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=into,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"the command failed: {done.stderr[-2000:]}")
    return wall if device != "cpu" else after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def scaled(seconds: Sequence[float], passes: Sequence[int], pairs: int, made: int) -> tuple[float, float]:
    """Seconds of all ``made`` passes of ``pairs``, from those of a random sample of them, and the standard error."""
    times, counts = np.array(seconds), np.array(passes)
    rate = times.sum() / counts.sum()
    spread = np.std(times - rate * counts, ddof=1) * np.sqrt((1 - times.size / pairs) / times.size)
    return float(rate * made), float(spread / counts.mean() * made)


def least(run: Callable[[], object], times: int, device: str) -> float:
    return min(bench_pll.seconds_of(run, device) for _ in range(times))


def products(tokens: int, device: str, *, onednn: bool, times: int) -> float:
    """Seconds of the linear layers of bert-base on so many tokens, measured on a few of them."""
    some = 2048 if device == "cpu" else 65536
    layers = [torch.nn.Linear(WIDTH, WIDTH, device=device) for _ in range(4)]
    into, out = (torch.nn.Linear(*size, device=device) for size in ((WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)))
    states = torch.randn(some, WIDTH, device=device)
    wide = torch.randn(some, 4 * WIDTH, device=device)

    def layer() -> None:
        for one in layers:
            one(states)
        into(states)
        out(wide)

    taken = torch.device("cpu" if onednn else "meta")  # of another device torch keeps its own choice
    with torch.inference_mode(), fast_linear(taken, torch.float32):
        layer()
        return 12 * least(layer, 4 * times, device) * tokens / some


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1508)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--command-pairs", type=int, default=None)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    pairs = bench_pll.make_pairs(chosen.pairs)
    drawn = random.Random(0).sample(pairs, chosen.sample)
    given = random.Random(1).sample(pairs, chosen.command_pairs) if chosen.command_pairs else pairs
    with tempfile.TemporaryDirectory() as temporary:
        folder = bench_pll.make_model(Path(temporary, "bert-base"))
        device = chosen.device
        loop = Published(folder, device)
        passes = {pair: loop.passes(pair, run=False) for pair in pairs}

        def looped(some: Sequence[tuple[str, str]]) -> list[float]:
            return [bench_pll.seconds_of(lambda of=of: loop.passes(of, run=True), device) for of in some]

        loop.passes(drawn[0], run=True)  # warms up
        half = len(drawn) // 2
        seconds = looped(drawn[:half])
        start = command(folder, given[:2], Path(temporary, "two"), device)
        whole = command(folder, given, Path(temporary, "all"), device)
        seconds += looped(drawn[half:])
        made = sum(passes.values())
        published, se = scaled(seconds, [passes[pair] for pair in drawn], len(pairs), made)
        first, own = (sum(passes[pair] for pair in some) for some in (given[:2], given))
        whole = start + (whole - start) * (made - first) / (own - first)
        tokens = bench_pll.Ideal(folder, [sentence for pair in pairs for sentence in pair]).tokens
        encoded = drawn if device != "cpu" else drawn[:ENCODED]
        some = bench_pll.Ideal(folder, [sentence for pair in encoded for sentence in pair], device)
        encoder = least(some, chosen.repetitions, device) * tokens / some.tokens
    times = {
        "command": whole,
        "two pairs": start,
        "loop": published,
        "encoder": encoder,
        "products": products(tokens, device, onednn=False, times=chosen.repetitions),
    }
    if device == "cpu":
        times["products by oneDNN"] = products(tokens, device, onednn=True, times=chosen.repetitions)
    clock = "CPU" if device == "cpu" else "wall"
    print(f"{len(pairs)} pairs, {made} passes of the loop, {tokens} tokens of distinct masked texts")
    print(f"the command was given {len(given)} pairs; loop: {len(drawn)} pairs, standard error {se:.1f} s")
    for name, seconds in times.items():
        print(f"{name:20}{seconds:9.1f} s {clock}   the loop takes {published / seconds:6.2f} times as long")


if __name__ == "__main__":
    main()

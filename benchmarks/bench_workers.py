"""How much faster two workers are than one and than no workers, and what a batch costs on its way.

    python -m benchmarks.bench_workers [--repetitions 3] [--sentences 1500]

A masked model (BERT, random weights, 6 layers of 256) of one thread answers the tokens of made sentences, each of them once:
in this process, on one worker process and on two. The repetitions are interleaved, each with other sentences, and the
fastest counts, since other work on the machine only adds. Then calls that wait 0.2 s, as a model on a card does, which
need no free core; and 500 calls of nothing, one by one and 8 at once.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from biascore import Engine
from biascore.api.executors import Cluster
from biascore.api.queries import Masked
from biascore_adapters.dask import DaskExecutor
from tests.builders import tiny

LARGE = {"hidden_size": 256, "num_hidden_layers": 6, "intermediate_size": 1024}
WORDS = [
    "the",
    "engineer",
    "finished",
    "her",
    "work",
    "before",
    "she",
    "left",
    "office",
    "queen",
    "king",
    "mother",
    "father",
]


def main() -> None:
    """Run the benchmark and print the fastest of each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=1500)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "bert"
        tiny.save_model("bert-uncased", folder, 3, **LARGE)
        ways: dict[str, Any] = {"no workers": None}
        for count in (1, 2):
            executor = DaskExecutor.connect(Cluster(workers=count))
            stack.callback(executor.close)
            ways[f"{count} worker(s)"] = executor
        models = {
            name: stack.enter_context(
                Engine(cache=None, executor=executor).model(f"hf:{folder}", threads=1, batch_tokens=1024)
            )
            for name, executor in ways.items()
        }
        seconds: dict[str, list[float]] = {name: [] for name in models}
        for number in range(arguments.repetitions):
            queries = made(arguments.sentences, number)
            answers = []
            for name, model in models.items():
                started = time.perf_counter()
                answers.append(model.mask_logprob(queries))
                seconds[name].append(time.perf_counter() - started)
            assert answers[0] == answers[1] == answers[2]
        alone = min(seconds["no workers"])
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {arguments.sentences} queries")
        for name, taken in seconds.items():
            print(f"{name:>12}: {min(taken):6.2f} s, {alone / min(taken):.2f} times the speed of no workers")
        print(f"1 to 2 workers: {min(seconds['1 worker(s)']) / min(seconds['2 worker(s)']):.2f}")
        waited = {name: waiting(executor) for name, executor in ways.items() if executor is not None}
        print(f"calls that wait, 1 to 2 workers: {waited['1 worker(s)'] / waited['2 worker(s)']:.2f}")
        on_its_way(ways["2 worker(s)"])


def made(count: int, seed: int) -> list[Masked]:
    """Sentences of 6 to 14 words, of which the third is hidden."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        words = rng.choices(WORDS, k=rng.randint(6, 14))
        start = len(" ".join(words[:2])) + 1
        found.append(Masked(" ".join(words), ((start, start + len(words[2])),)))
    return found


def waiting(executor: DaskExecutor, count: int = 60, seconds: float = 0.2) -> float:
    """Seconds that so many calls take which wait so long each, two under way for each worker as in a run."""
    with ThreadPoolExecutor(2 * executor.slots) as pool:
        started = time.perf_counter()
        list(pool.map(lambda _: executor.submit(partial(time.sleep, seconds)), range(count)))
        return time.perf_counter() - started


def on_its_way(executor: DaskExecutor) -> None:
    """Print what a call costs that does nothing, and how many bytes a batch is."""
    executor.submit(os.getpid)
    for at_once in (1, 8):
        with ThreadPoolExecutor(at_once) as pool:
            started = time.perf_counter()
            cpu = time.process_time()
            list(pool.map(lambda _: executor.submit(os.getpid), range(500)))
            wall, cpu = time.perf_counter() - started, time.process_time() - cpu
        print(
            f"a call of nothing, {at_once} at once: {wall * 2:.2f} ms, of which {cpu * 2:.2f} ms of processor time here"
        )
    batch = tuple(made(512, 0))
    print(f"512 masked queries are {len(pickle.dumps(batch)) / 1024:.0f} KiB")


if __name__ == "__main__":
    main()

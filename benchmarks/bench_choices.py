"""Choices by likelihood: ``hf:`` and lm-evaluation-harness on the same model and items, each a whole process.

    python -m benchmarks.bench_choices --harness VENV/bin/python [--items 1000] [--options 3] [--tokens 60]
        [--size 384] [--layers 6] [--batch 32] [--repetitions 3] [--no-cache]

VENV has ``lm-eval`` and ``accelerate``. A random GPT-2 is made here; both read it with a start token (``add_bos_token``
of the harness), as ``hf:`` does by itself. One thread, no network. The runs alternate; CPU time is what is compared,
because other programs disturb it less, and the clock is printed too. Both begin with an interpreter and end with the
log-likelihoods in a file. The largest difference of a log-likelihood has to be 1e-4 nats or less.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from biascore import Engine
from biascore.api.queries import Choice

TOLERANCE: Final = 1e-4
CONTEXT: Final = 512
WORDS: Final = (
    "the",
    "nurse",
    "said",
    "that",
    "he",
    "and",
    "she",
    "left",
    "office",
    "with",
    "an",
    "engineer",
    "mother",
)
TASK: Final = """
task: choices
dataset_path: json
dataset_kwargs: {{data_files: {{test: {items}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{prompt}}}}"
doc_to_choice: "{{{{options}}}}"
doc_to_target: 0
metric_list: [{{metric: acc}}]
"""
OURS: Final = """
import json, sys
from biascore import Engine
from biascore.api.queries import Choice
rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
engine = Engine(cache=sys.argv[4] or None)
model = engine.model("hf:" + sys.argv[1])
found = model.choose([Choice(row["prompt"], tuple(row["options"])) for row in rows], "likelihood")
json.dump([one.logprobs for one in found], open(sys.argv[3], "w"))
engine.close()
"""


def main() -> None:
    """Run both by turns, and print seconds, choices per second, their ratio and the largest difference."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--harness", type=Path, required=True, help="the interpreter that has lm-eval")
    for name, value in (("items", 1000), ("options", 3), ("tokens", 60), ("size", 384), ("layers", 6)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--batch", type=int, default=32, help="the batch size of lm-eval")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--no-cache", action="store_true", help="keep no answers")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = made(folder, given)
        ours, theirs = [], []
        for turn in range(given.repetitions):
            kept = "" if given.no_cache else str(folder / f"cache{turn}")
            mine = [sys.executable, "-c", OURS, str(folder / "model"), str(folder / "items.jsonl")]
            ours.append(timed([*mine, str(folder / "ours.json"), kept], {}))
            out = folder / f"out{turn}"
            theirs.append(timed(harness(given.harness, folder, out, given.batch), offline(folder)))
        (samples,) = out.rglob("samples_*.jsonl")
        told(len(rows), ours, theirs, difference(rows, folder / "ours.json", samples))


def made(folder: Path, given: argparse.Namespace) -> list[dict[str, object]]:
    """A model, the items and the harness's task, in the folder; returns the items."""
    from tests.builders import tiny

    config = {"n_embd": given.size, "n_layer": given.layers, "n_head": max(1, given.size // 64)}
    tiny.save_model("gpt2", folder / "model", 1, context=CONTEXT, size=0.01, **config)
    tokenizer = tiny.tokenizer_of("gpt2")
    rows: list[dict[str, object]] = []
    for number in range(given.items):
        prompt = f"Item {number}:"
        while len(tokenizer(prompt)["input_ids"]) < given.tokens:
            prompt += f" {WORDS[(len(prompt) * 7 + number) % len(WORDS)]}"
        options = [f"the {WORDS[(number + 3 * i) % len(WORDS)]} {i}" for i in range(given.options)]
        rows.append({"number": number, "prompt": prompt, "options": options})
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "task").mkdir()
    (folder / "task" / "choices.yaml").write_text(TASK.format(items=folder / "items.jsonl"), encoding="utf-8")
    return rows


def harness(python: Path, folder: Path, out: Path, batch: int) -> list[str]:
    """The command of lm-evaluation-harness."""
    model = f"pretrained={folder / 'model'},add_bos_token=True,dtype=float32"
    return [
        *(str(python), "-m", "lm_eval", "--model", "hf", "--model_args", model, "--device", "cpu"),
        *("--tasks", "choices", "--include_path", str(folder / "task"), "--batch_size", str(batch)),
        *("--output_path", str(out), "--log_samples"),
    ]


def offline(folder: Path) -> dict[str, str]:
    """What keeps the harness off the network, and its files in the folder."""
    return {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "home")}


def timed(command: Sequence[str], more: Mapping[str, str]) -> tuple[float, float]:
    """CPU seconds and seconds by the clock of a process on one thread."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", **more}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])} failed:\n{done.stderr[-3000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def difference(rows: Sequence[Mapping[str, object]], ours: Path, samples: Path) -> float:
    """The largest difference between two log-likelihoods of the same option, in nats."""
    asked = [
        Choice(str(row["prompt"]), tuple(map(str, row["options"])), item=str(row["number"]))  # type: ignore[call-overload]
        for row in rows
    ]
    with Engine(cache=None).model(f"answers:{samples}", item=["doc.number"]) as model:
        theirs = [one.logprobs for one in model.choose(asked)]
    mine = json.loads(ours.read_text(encoding="utf-8"))
    pairs = [pair for one, other in zip(mine, theirs, strict=True) for pair in zip(one, other, strict=True)]
    return max(abs(one - other) for one, other in pairs)


def told(
    items: int, ours: Sequence[tuple[float, float]], theirs: Sequence[tuple[float, float]], largest: float
) -> None:
    """Print the table, and stop with an error where the numbers differ."""
    print("| | CPU seconds | by the clock | choices per CPU second |")
    print("|---|---|---|---|")
    medians = []
    for name, runs in (("biascore", ours), ("lm-evaluation-harness", theirs)):
        cpu, clock = (statistics.median(values) for values in zip(*runs, strict=True))
        medians.append((cpu, clock))
        print(f"| {name} | {cpu:.1f} | {clock:.1f} | {items / cpu:.0f} |")
    (mine, mine_clock), (other, other_clock) = medians
    print(
        f"lm-evaluation-harness / biascore: {other / mine:.2f} (CPU), {other_clock / mine_clock:.2f} (clock)"
    )
    print(f"largest difference of a log-likelihood: {largest:.1e} nats")
    if not largest <= TOLERANCE:
        sys.exit(f"the log-likelihoods differ by more than {TOLERANCE} nats")


if __name__ == "__main__":
    main()

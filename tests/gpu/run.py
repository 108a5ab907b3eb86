"""What ``hf:`` does on an accelerator: right, how fast, in how much memory; run it once and keep the two files.

    python -m tests.gpu.run [--device cuda] [--out gpu-report] [--model REF] [--large] [--small]

Writes ``gpu.md`` and ``gpu.json`` into the folder of ``--out``, a part as soon as it is measured:

    answers     each kind of query on random models made here: largest difference from the same model on the CPU
    speed       queries of a bert-base and a gpt2 of random weights, over the bare model on the same batches of tokens
    memory      the most that torch allocated meanwhile, over what the model itself takes
    batches     the bare model by the number of tokens in one forward pass
    halving     a batch that does not fit is halved until it does: how often, and whether the answers stay
    bfloat16    pseudo-log-likelihoods in bfloat16: largest change, and how many preferences between two sentences turn
    audit       with --model hf:FOLDER: its audit on the CPU and here, and which verdicts differ
    large       with --large: a llama of 8 billion random weights in bfloat16, beside plain loops over transformers

Needs a checkout, biascore[hf] and an accelerator; elsewhere it says so in a line and exits with 0. ``--device cpu --small``
tests the script itself: its figures say nothing. The exit code is 1 where an answer differs by more than rounding.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything on the device and write the tables; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda", help="as the option device of hf:, such as cuda:1")
    parser.add_argument("--out", type=Path, default=Path("gpu-report"), help="folder of the two files")
    parser.add_argument("--model", default="", help="a model to audit as well, such as hf:FOLDER")
    parser.add_argument(
        "--large",
        action="store_true",
        help="8 billion parameters too: 17 GB on the disk, 60 GB of the device",
    )
    parser.add_argument("--small", action="store_true", help="tiny models only, to test the script")
    chosen = parser.parse_args(arguments)
    reason = why_not(chosen.device)
    if reason:
        print(f"skipped: {reason}")
        return 0
    from . import checks, large  # import torch

    found: dict[str, Any] = {"about": checks.about(chosen.device)}
    texts = [title(found["about"])]
    chosen.out.mkdir(parents=True, exist_ok=True)
    measured = checks.parts(chosen.device, small=chosen.small, model=chosen.model)
    if chosen.large:
        measured = chain(measured, large.parts(chosen.device, small=chosen.small))
    print(texts[0])
    for name, rows in measured:
        found[name] = rows
        texts.append(table(name, rows))
        print(texts[-1], flush=True)
        (chosen.out / "gpu.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        (chosen.out / "gpu.md").write_text("\n".join(texts), encoding="utf-8")
    return 0 if all(row["right"] for row in (*found["answers"], *found["halving"])) else 1


def why_not(device: str) -> str:
    """Why nothing can be measured on this device, as a clause with the next step; empty where it can."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        return "torch or transformers is not installed. Install them with: pip install '.[hf]'"
    import torch

    kind = device.partition(":")[0]
    there = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available, "cpu": lambda: True}
    if kind not in there:
        return f"{device!r} is no device that hf: takes. Use cuda, cuda:1 or mps"
    if not there[kind]():
        return (
            f"torch {torch.__version__} finds no {kind} device here. Run this on a machine with one, with the torch that "
            "supports it; --device cpu --small tests the script alone"
        )
    return ""


def title(about: dict[str, str]) -> str:
    """What it ran on, as Markdown."""
    facts = "; ".join(f"{name} {value}" for name, value in about.items())
    return f"# hf: on {about['device']}\n\n{facts}\n"


def table(name: str, rows: list[dict[str, Any]]) -> str:
    """A part as Markdown."""
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *([_shown(row[column]) for column in head] for row in rows)]
    return f"## {name}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    return "-" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())

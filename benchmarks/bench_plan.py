"""Processor time of the plan of an audit as a share of that of the run: vectors, a causal and a masked model.

Run: python -m benchmarks.bench_plan [NAME ...]
Prints the seconds of both, with opening the model and without what a process imports, their ratio, and the queries. The plan
is that of ``biascore plan`` (probed, and not --exact). The models are made here, of random numbers: small ones, so that
what a plan does weighs most. From `LEAST` seconds on, a plan should take at most `SHARE` of its run.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from biascore import Engine
from tests.builders import tiny

from .bench_start import vectors

LEAST: Final = 30.0
SHARE: Final = 0.1


def saved(kind: str) -> Callable[[Path], str]:
    return lambda folder: f"hf:{tiny.save_model(kind, folder / kind, 1, context=256)}"


def file_of_vectors(folder: Path) -> str:
    vectors(folder / "words.vec")
    return f"fasttext:{folder / 'words.vec'}"


ROWS: Final[Mapping[str, tuple[Callable[[Path], str], Mapping[str, Any]]]] = {
    "vectors": (file_of_vectors, {}),
    "causal": (saved("llama"), {"grounds": "age", "design": "small"}),
    "masked": (saved("bert-cased"), {"grounds": "age", "design": "small"}),
}
"""By name, what makes the model, and of which audit."""


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Of all threads of this process, and what the work returns."""
    start = time.process_time()
    done = work()
    return time.process_time() - start, done


def main(names: list[str]) -> None:
    engine = Engine(cache=None)
    engine.measure("weat", "planted:gender=1", "en/weat6")  # what a process imports
    print(f"{'audit':<10} {'plan':>7} {'run':>7}  plan / run  queries")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or ROWS:
            make, options = ROWS[name]
            ref = make(Path(folder))
            engine.model(ref).close()
            audit = engine.audit(ref, **options)
            plan, _ = seconds(partial(engine.plan, audit, whole=False))
            run, done = seconds(partial(engine.run, audit))
            asked = sum(counts.asked for model in done.models for counts in [model.questions])
            verdict = "" if run < LEAST or plan <= SHARE * run else "  too much"
            print(
                f"{name:<10} {plan:>7.2f} {run:>7.2f}  {plan / run:>10.3f} {asked:>8,}{verdict}", flush=True
            )


if __name__ == "__main__":
    main(sys.argv[1:])

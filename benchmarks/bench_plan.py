"""Processor time of ``biascore plan`` as a share of that of the run: vectors, a causal and a masked model.

Run: python -m benchmarks.bench_plan [NAME ...]
Prints the seconds of both processes, their ratio, and that without what looking up a test takes.
The models are planted, and made here with random weights: small ones, so that what a plan does weighs most.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from biascore import Engine
from tests.builders import tiny

LEAST: Final = 30.0
"""Seconds of a run from which on a plan should take at most `SHARE` of it."""
SHARE: Final = 0.1


def _saved(kind: str) -> Callable[[Path], str]:
    return lambda folder: f"hf:{tiny.save_model(kind, folder / kind, 1, context=256)}"


ROWS: Final[Mapping[str, tuple[Callable[[Path], str], Mapping[str, Any]]]] = {
    "vectors": (lambda _: "planted:gender=1", {}),
    "causal": (_saved("llama"), {"grounds": "age", "design": "small"}),
    "masked": (_saved("bert"), {"grounds": "gender"}),
}
"""By name, what makes the model, and of which audit."""


def seconds(*arguments: str | Path) -> float:
    """Of user and system, of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "biascore", *map(str, arguments)], capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(names: list[str]) -> None:
    engine = Engine(cache=None)
    print(f"{'audit':<10} {'start':>7} {'plan':>7} {'run':>7}  plan / run, both with the start, and without")
    with tempfile.TemporaryDirectory() as text:
        for name in names or ROWS:
            make, options = ROWS[name]
            ref = make(Path(text))
            file = Path(text, f"{name}.toml")
            file.write_text(engine.audit(ref, **options).to_toml())
            start = seconds("show", "en/weat6")
            plan = seconds("plan", file, "--no-cache")
            run = seconds("run", file, "--no-cache", "--out", Path(text, f"{name}-run"))
            print(
                f"{name:<10} {start:>7.2f} {plan:>7.2f} {run:>7.2f}  {plan / run:.2f}, "
                f"{(plan - start) / (run - start):.2f}{'' if run < LEAST or plan <= SHARE * run else '  too much'}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])

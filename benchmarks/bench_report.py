"""Size of a report and the CPU it takes, by how many measurements the run has: made-up ones of 32 items, or a stored run.

Run: python -m benchmarks.bench_report [COUNT ...] [--run FOLDER]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Final

import numpy as np

from biascore import Run
from biascore.report.page import render
from tests.builders.runs import measurement, random_items, run_of

COUNTS: Final = (100, 1_000, 3_000)
MODELS: Final = 4
ITEMS: Final = 32


def made(count: int) -> Run:
    """A run of so many measurements, on four models."""
    rng = np.random.default_rng(1)
    return run_of(
        *(
            measurement(
                test=f"en/t{place // MODELS}",
                title=f"Test {place // MODELS}: male and female names, career and family",
                model=f"hf:some/model-{place % MODELS}",
                value=float(rng.normal(0.4, 0.5)),
                p=float(rng.uniform(0.0001, 0.5)),
                items=random_items(rng, ITEMS),
            )
            for place in range(count)
        )
    )


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", type=int, nargs="*", default=COUNTS)
    parser.add_argument("--run", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, help="a folder to write the pages to")
    given = parser.parse_args()
    for run in [*map(Run.load, given.run), *map(made, given.counts if not given.run else [])]:
        before = time.process_time()
        page = render(run).encode()
        took = time.process_time() - before
        print(f"{len(run):6,} measurements  {len(page) / 1e6:6.2f} MB  {took:6.1f} s CPU", flush=True)
        if given.out:
            (given.out / f"report-{len(run)}.html").write_bytes(page)


if __name__ == "__main__":
    main()

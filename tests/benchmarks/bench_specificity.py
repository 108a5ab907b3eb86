"""Tests of harmless topics on a real encoder: how many are associated, and how many are called specific.

    python tests/benchmarks/bench_specificity.py 240

Topics are others than ship (tests/metrics/harmless.py). Associated: p <= .05 by itself. Specific: at most 5 % of the pairs
of shipped topics reach the effect; that should be so in 5 % of these tests. One standard error is 1.4 points at 240 tests.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.metrics.harmless import ENCODER, harmless_tests, input_vectors, measure_harmless, share_specific


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 240
    print("| vectors | words a list | associated | specific | both | mean share |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, ref in (("of the text", ENCODER), ("input", input_vectors(Path(folder)))):
            for size in (4, 8, 16):
                found = measure_harmless(ref, harmless_tests(count, size), Path(folder) / name)
                associated = [one.p_value is not None and one.p_value <= 0.05 for one in found]
                both = sum(
                    ok and one.specificity is not None and one.specificity.specific
                    for ok, one in zip(associated, found, strict=True)
                )
                shares = [one.specificity.share for one in found if one.specificity]
                print(
                    f"| {name} | {size} | {100 * sum(associated) / count:.1f} | {100 * share_specific(found):.1f} | "
                    f"{100 * both / count:.1f} | {sum(shares) / len(shares):.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()

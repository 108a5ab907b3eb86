"""Every number of this project as it is now, so that a change of a rule moves only what it names.

    python -m tests.frozen.freeze --write                  # measure all groups, and write tests/frozen/values
    python -m tests.frozen.freeze --diff                   # what moved since it was written
    python -m tests.frozen.freeze --diff '*en/weat6*'      # of these measurements alone
    python -m tests.frozen.freeze --diff --only weat demo  # measure these groups alone

Run it in the root of the repository. It measures the shipped tests on planted models, the demo and the studies
(tests/frozen/groups.py). A group that needs what is not installed is left out, with the reason.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .differences import CLOSE, CLOSE_IN_FLOAT32, Difference, differences, table
from .groups import GROUPS, LeftOutError
from .records import Record, read, write

VALUES = Path(__file__).with_name("values")


def measured(group: str) -> list[Record]:
    """The records of a group, measured now; raises LeftOutError where something is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        return list(GROUPS[group](Path(folder)))


def close_of(group: str) -> tuple[float, float]:
    """Relative and absolute: within these two numbers of a group are equal."""
    return CLOSE_IN_FLOAT32 if group in ("demo", "study-italian") else CLOSE


def frozen(group: str) -> list[Record]:
    """The records of a group as they were written; none where it was not."""
    path = VALUES / f"{group}.jsonl"
    return read(path) if path.exists() else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Write, or compare; the exit status is 1 where anything moved."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="write the frozen values")
    what.add_argument("--diff", nargs="?", const="*", metavar="GLOB", help="print what moved")
    parser.add_argument(
        "--only", nargs="+", choices=sorted(GROUPS), help="these groups alone", metavar="GROUP"
    )
    asked = parser.parse_args(arguments)
    moved: list[Difference] = []
    for group in asked.only or GROUPS:
        start = time.process_time()
        try:
            found = measured(group)
        except LeftOutError as reason:
            print(f"{group}: left out: {reason}", file=sys.stderr)
            continue
        if asked.write:
            write(VALUES / f"{group}.jsonl", found)
        else:
            moved += differences(frozen(group), found, asked.diff, close_of(group))
        print(f"{group}: {len(found)} records, {time.process_time() - start:.0f} s", file=sys.stderr)
    if not asked.write:
        print(table(moved))
    return bool(moved)


if __name__ == "__main__":
    raise SystemExit(main())

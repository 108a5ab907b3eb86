"""A program that kills a run of an audit at a random call, and runs it again: ``killing.py FOLDER AUDIT SEEDS``.

Each run is a child forked from one process that has imported everything. A kill is SIGKILL to itself, as the child enters
or leaves the n-th function, compiled ones such as a commit or a rename included; n is drawn from those of a whole run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet  # noqa: F401  # once, and not in every child

from biascore import Audit, Engine, Run
from biascore.models.pipeline.cache import DiskCache
from biascore_adapters.planted.backend import PlantedBackend


def child(work: Callable[[], None]) -> int:
    """Do the work in a child; what ``os.waitstatus_to_exitcode`` says of its end."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Calls:
    """Counts the calls of a run, and kills it at one of them."""

    def __init__(self, last: int = -1) -> None:
        self.seen, self.last = 0, last

    def __call__(self, *_: object) -> None:
        self.seen += 1
        if self.seen == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


def main(folder: Path, audit: Audit, seeds: int) -> None:
    """Leaves the runs ``whole`` and, of each seed, ``N/run``, and what was there when it went on in ``N/killed.json``."""
    PlantedBackend.batch = 8
    engine = Engine(cache=None)
    engine.run(audit)

    def run(cache: Path, target: Path, calls: Calls | None = None) -> None:
        engine._services = replace(engine._services, cache=DiskCache(cache))
        sys.setprofile(calls)
        with closing(engine):
            engine.run(audit).save(target, overwrite=True)
        sys.setprofile(None)

    def count() -> None:
        run(folder / "cache", folder / "whole", calls := Calls())
        (folder / "calls").write_text(str(calls.seen), encoding="utf-8")

    def resume(own: Path, killed_at: int) -> None:
        there = (own / "run").exists()
        known: dict[str, Any] = {
            "at": killed_at,
            "digest": Run.load(own / "run").results_digest() if there else "",
            "kept": DiskCache(own).info().answers,
        }
        (own / "killed.json").write_text(json.dumps(known), encoding="utf-8")
        run(own, own / "run")

    assert child(count) == 0
    calls = int((folder / "calls").read_text(encoding="utf-8"))
    for seed in range(seeds):
        own = folder / str(seed)
        own.mkdir()
        at = random.Random(seed).randrange(1, calls)
        assert child(lambda own=own, at=at: run(own, own / "run", Calls(at))) == -signal.SIGKILL
        assert child(lambda own=own, at=at: resume(own, at)) == 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), Audit.from_parts(**json.loads(sys.argv[2])), int(sys.argv[3]))

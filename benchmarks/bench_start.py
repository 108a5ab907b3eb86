"""Processor time of starting, compared with importing numpy, typer, rich and pydantic, and how many files that imports.

Run: python -m benchmarks.bench_start [REPEATS]
Prints the least of REPEATS runs each (default 9), in seconds of user and system time of a process of its own; how many
times that is what the imports take; and how many modules are imported, those of biascore and its plugins and all. Byte code
is kept in a folder of its own, as an installation has it, whatever PYTHONDONTWRITEBYTECODE says; a first run of each
writes it and does not count.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

COUNT = """
import atexit, sys
def count():
    own = sum(name.partition(".")[0].startswith("biascore") for name in sys.modules)
    print(own, len(sys.modules), file=sys.stderr)
atexit.register(count)
"""
COMMAND = "import sys; from biascore.cli import main; sys.argv = ['biascore', *sys.argv[1:]]; main()"
PROGRAMS = {
    "import numpy, typer, rich, pydantic": ["import numpy, typer, rich, pydantic"],
    "biascore --version": [COMMAND, "--version"],
    "biascore list tests": [COMMAND, "list", "tests"],
    "biascore list metrics": [COMMAND, "list", "metrics"],
    "biascore show en/weat6": [COMMAND, "show", "en/weat6"],
    "Engine()": ["from biascore import Engine; Engine(cache=None)"],
    "biascore measure weat": [COMMAND, "measure", "weat", "planted:gender=1", "en/weat6", "--no-cache"],
}


def run(code: str, arguments: list[str], environment: dict[str, str]) -> str:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stderr


def seconds(code: str, arguments: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(code, arguments, environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(repeats: int) -> None:
    taken = dict.fromkeys(PROGRAMS, float("inf"))
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        for name, (code, *arguments) in PROGRAMS.items():
            counts[name] = run(COUNT + code, arguments, environment).split()[-2:]
        for _ in range(repeats):  # in turn, so that a busy moment of the machine meets all of them
            for name, (code, *arguments) in PROGRAMS.items():
                taken[name] = min(taken[name], seconds(code, arguments, environment))
    base = next(iter(taken.values()))
    print("   CPU s  x base  modules: own, all")
    for name, least in taken.items():
        own, every = counts[name]
        print(f"{least:8.3f} {least / base:7.2f} {own:>12} {every:>5}  {name}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)

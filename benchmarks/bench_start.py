"""Processor time of starting: ``biascore --help`` and lists, compared with importing what they cannot do without.

Run: python -m benchmarks.bench_start [REPEATS]
Prints the least of REPEATS runs each (default 9), in seconds of user and system time of a process of its own, and
how many times that is what the imports take that ``list tests`` cannot do without: Python and the libraries that it
calls, with what pydantic imports late, at its first model and type. The smallest program of these libraries, one command
with one option and one model, is there for comparison. Byte code is kept in a folder of its own, as an installation has
it, whatever PYTHONDONTWRITEBYTECODE says; a first run of each writes it and does not count.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

IMPORTS = """
import importlib.metadata
import pluggy, pydantic, rich.console, rich.table, tomli, typer, typer.main
pydantic.BaseModel, pydantic.TypeAdapter
"""
SMALLEST = (
    IMPORTS
    + """
from typing import Annotated
class Model(pydantic.BaseModel):
    name: str
Model(**tomli.loads("name = 'x'"))
app = typer.Typer(add_completion=False)
@app.command()
def command(long: Annotated[bool, typer.Option("--long")] = False) -> None:
    rich.console.Console().print(importlib.metadata.entry_points(group="biascore").names)
app([])
"""
)
COMMAND = "import sys; from biascore.cli import main; sys.argv = ['biascore', *sys.argv[1:]]; main()"
PROGRAMS = {
    "the imports": [IMPORTS],
    "the smallest program": [SMALLEST],
    "biascore --help": [COMMAND, "--help"],
    "biascore list tests": [COMMAND, "list", "tests"],
    "biascore list metrics": [COMMAND, "list", "metrics"],
}


def seconds(program: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", *program], stdout=subprocess.DEVNULL, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(repeats: int) -> None:
    taken = dict.fromkeys(PROGRAMS, float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        for program in PROGRAMS.values():
            seconds(program, environment)
        for _ in range(repeats):  # in turn, so that a busy moment of the machine meets all of them
            for name, program in PROGRAMS.items():
                taken[name] = min(taken[name], seconds(program, environment))
    base = taken["the imports"]
    for name, least in taken.items():
        print(f"{least:7.3f} s {least / base:6.2f} x  {name}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)

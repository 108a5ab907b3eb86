"""Processor time of starting, compared with importing numpy, typer, rich and pydantic, and how many files that imports.

Run: python -m benchmarks.bench_start [REPEATS] [FOLDER ...]
Prints the least of REPEATS runs each (default 9), in seconds of user and system time of a process of its own; how many
times that is what the imports take, and what a script of one WEAT takes; and how many modules are imported, those of
biascore and its plugins and all. Byte code and the index of stimuli are kept in a folder of their own, as an installation
and a user have them, whatever PYTHONDONTWRITEBYTECODE says; a first run of each writes them and does not count. Further
checkouts in FOLDERs are measured in the same run, each program of each in turn.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from biascore import Engine

COUNT = """
import atexit, sys
def count():
    own = sum(name.partition(".")[0].startswith("biascore") for name in sys.modules)
    print(own, len(sys.modules), file=sys.stderr)
atexit.register(count)
"""
COMMAND = "import sys; from biascore.cli import main; sys.argv = ['biascore', *sys.argv[1:]]; main()"
SCRIPT = """
import itertools, sys
import numpy as np
lists = {
    "X": "executive management professional corporation salary office business career",
    "Y": "home parents children family cousins marriage wedding relatives",
    "A": "John Paul Mike Kevin Steve Greg Jeff Bill",
    "B": "Amy Joan Lisa Sarah Diana Kate Ann Donna",
}
wanted, found = {word for words in lists.values() for word in words.split()}, {}
with open(sys.argv[1], encoding="utf-8") as file:
    next(file)
    for line in file:
        word, _, rest = line.partition(" ")
        if word in wanted:
            vector = np.array(rest.split(), float)
            found[word] = vector / np.linalg.norm(vector)
x, y, a, b = (np.array([found[word] for word in words.split()]) for words in lists.values())
s = (np.concatenate([x, y]) @ a.T).mean(1) - (np.concatenate([x, y]) @ b.T).mean(1)
sums = np.array([s[list(some)].sum() for some in itertools.combinations(range(16), 8)])
print((s[:8].mean() - s[8:].mean()) / s.std(ddof=1), np.mean(sums >= s[:8].sum() - 1e-12))
"""
"""WEAT 6 with its exact p, as one writes it down."""
WORDS, DIMENSIONS = 20_000, 50
PROGRAMS = {
    "import numpy, typer, rich, pydantic": ["import numpy, typer, rich, pydantic"],
    "biascore --version": [COMMAND, "--version"],
    "biascore list tests": [COMMAND, "list", "tests"],
    "biascore list metrics": [COMMAND, "list", "metrics"],
    "biascore show en/weat6": [COMMAND, "show", "en/weat6"],
    "Engine()": ["from biascore import Engine; Engine(cache=None)"],
    "biascore measure weat, planted": [
        *(COMMAND, "measure", "weat", "planted:gender=1", "en/weat6", "--no-cache")
    ],
    "script of one WEAT, .vec": [SCRIPT, "words.vec"],
    "biascore measure weat, .vec": [
        COMMAND,
        "measure",
        "weat",
        "fasttext:words.vec",
        "en/weat6",
        "--no-cache",
    ],
}
"""By name, the code and its arguments; ``words.vec`` has the words of the test and its harmless groups."""
SCRIPTS = "script of one WEAT, .vec"


def vectors(path: Path) -> None:
    """Random vectors of all English words of WEAT, and of others, in a text file."""
    tests = Engine(cache=None).tests("weat", ["en/*"], {})
    every = (word for test in tests for one in test.roles.values() for word in one.words if " " not in word)
    words = list(dict.fromkeys(spelt for word in every for spelt in (word, word.lower())))
    words += [f"other{number}" for number in range(WORDS - len(words))]
    rng = np.random.default_rng(0)
    rng.shuffle(words)
    rows = rng.normal(size=(WORDS, DIMENSIONS))
    lines = (f"{word} {' '.join(f'{x:.4f}' for x in row)}\n" for word, row in zip(words, rows, strict=True))
    path.write_text("".join([f"{WORDS} {DIMENSIONS}\n", *lines]), encoding="utf-8")


def run(code: str, arguments: list[str], environment: dict[str, str]) -> str:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment, cwd=environment["HERE"]
    )
    return done.stderr


def seconds(code: str, arguments: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(code, arguments, environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def environment_of(checkout: str, folder: str) -> dict[str, str]:
    """In which a checkout runs; that of this process for an empty one."""
    own = Path(folder, str(abs(hash(checkout))))
    own.mkdir()
    found = {
        **os.environ,
        "PYTHONPYCACHEPREFIX": str(own / "code"),
        "PYTHONDONTWRITEBYTECODE": "",
        "HERE": folder,
    }
    found["BIASCORE_CACHE_DIR"] = str(own / "cache")
    if checkout:
        root = Path(checkout).resolve()
        found["PYTHONPATH"] = os.pathsep.join(
            str(root / one) for one in (".", "adapters", "plugins", "wordlists")
        )
    return found


def main(repeats: int, checkouts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vectors(Path(folder, "words.vec"))
        environments = {checkout: environment_of(checkout, folder) for checkout in ("", *checkouts)}
        taken = {(one, name): float("inf") for one in environments for name in PROGRAMS}
        counts = {}
        for (one, name), _ in taken.items():
            code, *arguments = PROGRAMS[name]
            run(code, arguments, environments[one])  # which keeps what the next one finds
            counts[one, name] = run(COUNT + code, arguments, environments[one]).split()[-2:]
        for _ in range(repeats):  # in turn, so that a busy moment of the machine meets all of them
            for one, name in taken:
                code, *arguments = PROGRAMS[name]
                taken[one, name] = min(taken[one, name], seconds(code, arguments, environments[one]))
    base, script = taken["", next(iter(PROGRAMS))], taken["", SCRIPTS]
    print("   CPU s  x base x script  modules: own, all")
    for (one, name), least in taken.items():
        own, every = counts[one, name]
        where = f"  ({one})" if one else ""
        print(f"{least:8.3f} {least / base:7.2f} {least / script:8.2f} {own:>12} {every:>5}  {name}{where}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9, sys.argv[2:])

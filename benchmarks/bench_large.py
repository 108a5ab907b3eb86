"""Peak memory and time of large inputs: real commands, each at two sizes, so that growth can be seen.

    python -m benchmarks.bench_large [CASE ...] [--small]

Cases: ``eec`` (1 million own sentences, scored by a trained tf-idf scorer), ``outcomes`` (1 million people, scored from
their table), ``pairs`` (500,000 pairs of sentences, scored from a table), ``weat`` and ``fise`` (100,000 target words in a
file of fastText vectors of 100 dimensions), ``lists`` (10,000 words in each of the four lists of WEAT). Each is also run
with a tenth, and with ``--small`` with a tenth and a hundredth. Each prints the size of the files read, of the item table
that was stored and of the cache; the peak of resident memory, less that of the same command with next to nothing, by
item; and seconds of clock and processor. Everything is written into a temporary folder, 1 GB at most.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

DIMENSIONS = 100
ATTRIBUTES = 25
META = '[meta]\nlanguage = "en"\ntitle = "Made"\nsource = "Made"\nlicence = "CC0-1.0"\n'
BIASCORE = (
    sys.executable,
    "-c",
    "import sys; from biascore.cli import main; sys.argv[0] = 'biascore'; main()",
)


class Taken(NamedTuple):
    """What a command took: megabytes at the peak, seconds of clock and of processor."""

    peak: float
    clock: float
    cpu: float


def taken(command: Sequence[str], folder: Path) -> Taken:
    """Run biascore in the folder, with a cache of its own."""
    environment = {**os.environ, "BIASCORE_CACHE_DIR": str(folder / "cache")}
    start = time.perf_counter()
    child = subprocess.Popen(
        [*BIASCORE, *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    told = child.stderr.read()  # to its end
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise SystemExit(f"biascore {' '.join(command)} ended with {child.returncode}\n{told}")
    return Taken(used.ru_maxrss / 1e3, time.perf_counter() - start, used.ru_utime + used.ru_stime)


def _words(count: int, name: str = "w") -> list[str]:
    """Words of letters alone, so that no two are spellings of one."""
    letters = np.array(list("abcdefghij"))
    return [name + "".join(letters[list(map(int, f"{number:06d}"))]) for number in range(count)]


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


def _vectors(folder: Path, words: Sequence[str]) -> None:
    rng = np.random.default_rng(7)
    with (folder / "v.vec").open("w", encoding="utf-8") as out:
        out.write(f"{len(words)} {DIMENSIONS}\n")
        for word in words:
            out.write(f"{word} {' '.join(f'{x:.3f}' for x in rng.normal(size=DIMENSIONS))}\n")


def _stimuli(folder: Path, text: str) -> None:
    (folder / "en").mkdir()
    (folder / "en" / "made.toml").write_text(f"schema = 1\n{META}{text}", encoding="utf-8")


def _lists(lists: dict[str, Sequence[str]]) -> str:
    return "".join(f"[lists.{name}]\nwords = [{_quoted(words)}]\n" for name, words in lists.items())


def eec(folder: Path, count: int) -> list[str]:
    """Names x templates x words."""
    words = _words(50)
    names = [name.capitalize() for name in _words(max(8, min(400, count // 500)), "n")]
    templates = count // len(words) // len(names)
    groups = [names[place::4] for place in range(4)]
    levels = [(one, other) for one in "ab" for other in "cd"]
    cells = "".join(
        f'[[persons.people.cells]]\nlevels = {{ one = "{one}", other = "{other}" }}\npersons = [{_quoted(group)}]\n'
        for (one, other), group in zip(levels, groups, strict=True)
    )
    said = "".join(
        f'{i} = "{{person}} said {word} and felt {{state}}"\n'
        for i, word in enumerate(_words(templates, "t"))
    )
    _stimuli(
        folder,
        '[persons.people]\nkind = "name"\nsource = "Made"\n' + cells
        + f'[emotion_words.emotions]\nsource = "Made"\n[emotion_words.emotions.slots.state]\nanger = [{_quoted(words)}]\n'
        + f'[equity_templates.sentences]\nsource = "Made"\n[equity_templates.sentences.of]\n{said}'
        + '[grammars.plain]\nsource = "Made"\nlicence = "CC0-1.0"\ncapital = true\nfinal = "."\n'
        + '[tests.made]\nkind = "equity"\ntitle = "Made"\nconcept = "made"\ntemplates = "sentences"\npersons = ["people"]\n'
        + 'words = "emotions"\ngrammar = "plain"\nfactors = { one = ["a", "b"], other = ["c", "d"] }\n',
    )  # fmt: skip
    rng = np.random.default_rng(1)
    texts = [f"{name} felt {word}" for name in names[:200] for word in words[:5]]
    rows = [
        f"{text},anger,{value:.3f}\n"
        for text, value in zip(texts, rng.uniform(0.1, 0.9, len(texts)), strict=True)
    ]
    (folder / "labelled.csv").write_text("text,emotion,score\n" + "".join(rows), encoding="utf-8")
    taken(["train-scorer", "labelled.csv", "--head", "ridge", "--out", "scorer"], folder)
    return ["measure", "eec", "-m", "scorer:scorer", "--stimuli", ".", "-t", "en/made"]


def outcomes(folder: Path, count: int) -> list[str]:
    """People of two groups of three and two categories."""
    rng = np.random.default_rng(1)
    sex, race, hired = rng.integers(2, size=count), rng.integers(3, size=count), rng.integers(2, size=count)
    with (folder / "people.csv").open("w", encoding="utf-8") as out:
        out.write("text,sex,race,selected\n")
        for i in range(count):
            out.write(f"person {i} of the table,s{sex[i]},r{race[i]},{hired[i]}\n")
    data = ["--data", "outcomes:people.csv", "--language", "en", "-o", 'data.groups=["sex", "race"]']
    return ["measure", "impact-ratio", "-m", "answers:people.csv", *data]


def pairs(folder: Path, count: int) -> list[str]:
    """Half as many pairs, and the log-likelihood of each sentence."""
    rng = np.random.default_rng(1)
    with (
        (folder / "pairs.csv").open("w", encoding="utf-8") as out,
        (folder / "said.csv").open("w", encoding="utf-8") as said,
    ):
        out.write(",sent_more,sent_less,stereo_antistereo,bias_type\n")
        said.write("sentence,log_likelihood,token_count\n")
        for i, word in enumerate(_words(count // 2)):
            both = [f"The {who} of {word} went home early today" for who in ("men", "women")]
            out.write(f"{i},{both[0]},{both[1]},stereo,{('gender', 'age', 'religion')[i % 3]}\n")
            said.writelines(f"{one},{rng.normal(-20, 2):.4f},9\n" for one in both)
    data = ["--data", "crows-pairs:pairs.csv", "--language", "en", "-o", "model_kind=causal"]
    return ["measure", "crows-pairs", "-m", "answers:said.csv", "-o", "model.unit=nats", *data]


def weat(folder: Path, count: int) -> list[str]:
    """Half of the words in each target list."""
    return _weat(folder, count // 2, ATTRIBUTES)


def lists(folder: Path, count: int) -> list[str]:
    """As many words in each of the four lists."""
    return _weat(folder, count, count)


def _weat(folder: Path, targets: int, attributes: int) -> list[str]:
    words = _words(2 * (targets + attributes))
    ends = np.cumsum([targets, targets, attributes])
    four = {name: part.tolist() for name, part in zip("xyab", np.split(np.array(words), ends), strict=True)}
    _vectors(folder, words)
    text = (
        '[tests.made]\nkind = "weat"\ntitle = "Made"\nconcept = "made"\nX = "x"\nY = "y"\nA = "a"\nB = "b"\n'
    )
    _stimuli(folder, _lists(four) + text + 'positive_means = "x with a, y with b"\n')
    return ["measure", "weat", "-m", "fasttext:v.vec", "--stimuli", ".", "-t", "en/made"]


def fise(folder: Path, count: int) -> list[str]:
    """Targets on two dimensions."""
    words = _words(count)
    four = {name: _words(ATTRIBUTES, name) for name in ("ka", "kb", "kc", "kd")}
    _vectors(folder, [*words, *(word for some in four.values() for word in some)])
    dimensions = "".join(
        f'[[tests.made.dimensions]]\nname = "{name}"\nA = "{a}"\nB = "{b}"\n'
        for name, a, b in (("one", "ka", "kb"), ("other", "kc", "kd"))
    )
    text = '[tests.made]\nkind = "fise"\ntitle = "Made"\nconcept = "made"\ntargets = "w"\n'
    _stimuli(folder, _lists({"w": words, **four}) + text + dimensions)
    return ["measure", "fise", "-m", "fasttext:v.vec", "--stimuli", ".", "-t", "en/made"]


CASES: dict[str, tuple[Callable[[Path, int], list[str]], int]] = {
    "eec": (eec, 1_000_000),
    "outcomes": (outcomes, 1_000_000),
    "pairs": (pairs, 1_000_000),
    "weat": (weat, 100_000),
    "fise": (fise, 100_000),
    "lists": (lists, 10_000),
}
LEAST = 500
"""So few items show what the command itself takes."""


def measured(case: str, count: int) -> tuple[Taken, dict[str, float]]:
    """What the command took, and megabytes of what it read, of its item table and of its cache."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = CASES[case][0](folder, count)
        read = _megabytes(folder.rglob("*"))
        found = taken([*command, "--out", "run"], folder)
        sizes = {"read": read, "items": _megabytes(folder.glob("run/items/*"))}
        return found, {**sizes, "run.json": _megabytes(folder.glob("run/run.json")),
                       "cache": _megabytes(folder.glob("cache/*"))}  # fmt: skip


def _megabytes(paths: Iterator[Path]) -> float:
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> None:
    """Print a line for each case and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    parser.add_argument("--small", action="store_true")
    asked = parser.parse_args()
    print(
        "| case | items | read MB | items MB | run.json MB | cache MB | peak MB | bytes an item | clock s | processor s |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for case in asked.cases:
        largest = CASES[case][1] // (10 if asked.small else 1)
        base = measured(case, LEAST)[0].peak
        for count in (largest // 10, largest):
            found, sizes = measured(case, count)
            told = " | ".join(f"{size:.1f}" for size in sizes.values())
            each = (found.peak - base) * 1e6 / count
            print(f"| {case} | {count:,} | {told} | {found.peak:,.0f} | {each:,.0f} | {found.clock:.0f} | {found.cpu:.0f} |",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()

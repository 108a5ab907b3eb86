"""Fuzz the readers: ``python -m fuzz.run [READER ...] --minutes 60 --jobs 2 --folder DIR``.

Needs atheris (``pip install atheris``; Linux, Python 3.11 to 3.13), which is no dependency of biascore. The readers take
turns of ``--slice`` seconds: the parser with the least processor time first, and of its readers the one with the least.
``DIR`` keeps what continues the work: a corpus for each reader, ``times.json`` (seconds of processor time by reader), and
in ``finds`` an input for each thing that should not have come of one, with what it was in ``finds.txt``.
``--replay FILE`` shows what comes of one input.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import json
import os
import random
import resource
import sys
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.readers import Reader

PACKAGES = [
    "biascore",
    "biascore_adapters",
    "biascore_emotions",
    "biascore_metrics",
    "biascore_training",
    "biascore_transforms",
]
MODULES = [
    *(
        "biascore.archive.verify",
        "biascore.calibration.calibration",
        "biascore.audits.scenarios",
        "biascore.languages.gender_rules",
    ),
    *(
        "biascore_training.corpus",
        "biascore.models.pipeline.cache",
        "biascore.models.questions.codecs",
        "biascore.models.training",
    ),
    *(
        "biascore.engine.planner",
        "biascore_emotions.folder",
        "biascore_emotions.labelled",
        "biascore.results.run",
    ),
    *(
        "biascore_adapters.hf.locate",
        "biascore_adapters.hf.kinds",
        "biascore_adapters.onnx.locate",
        "biascore_adapters.transformer.pipeline",
    ),
    *(
        "biascore_adapters.fasttext.backend",
        "biascore_adapters.answers.choices",
        "biascore_adapters.openai.backend",
    ),
    *(
        "biascore_adapters.mt.deepl",
        "biascore_adapters.mt.amazon",
        "biascore_adapters.mt.google",
        "biascore_transforms.linear",
    ),
]
"""What readers import only as they run, for it to be instrumented too."""
ADDRESS_SPACE = 8 << 30
OWN = (*(f"/{name}/" for name in PACKAGES),)


def where(error: BaseException) -> str:
    """What names a find: the error, and the last lines of our own code that it went through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if any(own in f.filename for own in OWN)]
    place = " < ".join(f"{Path(f.filename).name}:{f.name}" for f in reversed(frames[-2:]))
    words = str(error).split(":")[0] if type(error).__name__ == "Wrong" else ""
    return f"{type(error).__name__} {''.join(c for c in words if not c.isdigit())[:60]}at {place}"


def limits() -> None:
    """What a file may take, smaller than by default so that a large one is soon found; and no cache of the user's."""
    os.environ |= {"BIASCORE_MAX_FILE_MB": "2", "BIASCORE_CACHE_DIR": "/nonexistent"}


def loaded() -> dict[str, Reader]:
    """The readers, with the code that they run instrumented for atheris, each module once for all turns."""
    import atheris

    with atheris.instrument_imports(include=PACKAGES):
        from fuzz import readers

        for module in MODULES:
            importlib.import_module(module)
        _ = readers.engine().plugins
    return readers.READERS


def fuzz(name: str, reader: Reader, seconds: int, folder: Path) -> None:
    """One turn of one reader, in a process of its own; atheris ends it."""
    import atheris

    from fuzz import mutate, oracle, packing

    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    corpus, finds = folder / "corpus" / name, folder / "finds"
    corpus.mkdir(parents=True, exist_ok=True)
    finds.mkdir(exist_ok=True)
    if not any(corpus.iterdir()):
        for seed in reader.seeds():
            (corpus / f"seed-{hashlib.sha256(seed).hexdigest()[:8]}").write_bytes(seed)
    room = oracle.Room()
    log = folder / "finds.txt"

    def one(data: bytes) -> None:
        files = packing.unpacked(data, reader.file)
        if not files:
            return
        try:
            oracle.ask(reader.read, files, room, names=reader.names)
        except (Exception, oracle.TooLong) as error:
            told = f"{name}: {where(error)}"
            key = hashlib.sha256(told.encode()).hexdigest()[:12]
            place = finds / f"{name}-{key}"
            if not place.exists():
                place.write_bytes(data)
                with log.open("a", encoding="utf-8") as stream:
                    stream.write(f"{key} {told} | {type(error).__name__}: {ascii(str(error))[:300]}\n")

    def mutated(data: bytes, largest: int, seed: int) -> bytes:
        def plain(raw: bytes) -> bytes:
            return bytes(atheris.Mutate(raw, max(len(raw) + 64, 64)))

        made = mutate.mutated(data, reader.file, random.Random(seed), plain)
        return made if len(made) <= largest else data

    options = [
        f"-max_total_time={seconds}",
        "-timeout=120",
        "-rss_limit_mb=4000",
        f"-max_len={oracle.LARGEST}",
        "-print_final_stats=0",
    ]
    options += ["-close_fd_mask=1", f"-artifact_prefix={finds}/{name}-died-", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=mutated)
    atheris.Fuzz()


def turns(names: list[str], folder: Path, minutes: float, seconds: int, jobs: int) -> None:
    """Let the readers take turns until the time is over, each in a process forked for it; count what each took."""
    readers = loaded()
    folder.mkdir(parents=True, exist_ok=True)
    times_file, finds = folder / "times.json", folder / "finds.txt"
    names = names or [*readers]
    times: dict[str, float] = dict.fromkeys(names, 0.0)
    with contextlib.suppress(OSError, ValueError):
        times |= json.loads(times_file.read_text(encoding="utf-8"))
    end, running = time.monotonic() + 60 * minutes, dict[int, str]()
    while True:
        left = end - time.monotonic()
        while left > 30 and len(running) < min(jobs, len(names)):
            name = least((one for one in names if one not in running.values()), times)
            if (pid := os.fork()) == 0:
                with (folder / f"{name}.log").open("wb") as stream:
                    os.dup2(stream.fileno(), 1)
                    os.dup2(stream.fileno(), 2)
                try:
                    fuzz(name, readers[name], int(min(seconds, left)), folder)
                except BaseException:
                    traceback.print_exc()
                finally:
                    sys.stderr.flush()
                    os._exit(1)
            running[pid] = name
        if not running:
            return
        pid, status, used = os.wait4(-1, 0)
        name = running.pop(pid)
        times[name] = round(times[name] + used.ru_utime + used.ru_stime, 1)
        if status:
            with finds.open("a", encoding="utf-8") as stream:
                stream.write(f"{name}: ended with {status}; see {name}.log and finds/{name}-died-*\n")
        new = times_file.with_suffix(".new")
        new.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        new.replace(times_file)


def least(names: Iterable[str], times: dict[str, float]) -> str:
    """The reader whose turn it is."""
    from fuzz.readers import PARSERS

    of = {name: sum(times.get(one, 0) for one in some) for some in PARSERS.values() for name in some}
    return min(names, key=lambda name: (of[name], times[name]))


def table(folder: Path) -> None:
    """Print the minutes by parser and the seconds by reader as docs/safety.md has them."""
    from fuzz.readers import PARSERS

    times = json.loads((folder / "times.json").read_text(encoding="utf-8"))
    print("| what takes the bytes apart | minutes | readers, with their seconds |\n|---|---|---|")
    for parser, names in PARSERS.items():
        some = {name: times.get(name, 0) for name in names}
        each = ", ".join(f"`{name}` {seconds:.0f}" for name, seconds in some.items())
        print(f"| {parser} | {sum(some.values()) / 60:.0f} | {each} |")
    print(f"\nIn all {sum(times.values()) / 3600:.1f} hours.")


def replay(name: str, file: Path) -> None:
    """Show what comes of one input."""
    from fuzz import oracle, packing
    from fuzz.readers import READERS

    reader = READERS[name]
    files = packing.unpacked(file.read_bytes(), reader.file)
    print({one: raw[:500] for one, raw in files.items()})
    print("refused:", oracle.ask(reader.read, files, oracle.Room(), names=reader.names))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--slice", type=int, default=180)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("fuzzed"))
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--table", action="store_true", help="the seconds by reader, as Markdown")
    given = parser.parse_args()
    limits()
    if given.replay:
        replay(given.readers[0], given.replay)
    elif given.table:
        table(given.folder)
    else:
        turns(given.readers, given.folder.resolve(), given.minutes, given.slice, given.jobs)


if __name__ == "__main__":
    main()

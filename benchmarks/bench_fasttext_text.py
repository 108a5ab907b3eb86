"""Time and memory of a WEAT's words from a .vec and a .vec.gz, against gensim, which loads all of it."""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast


def write_text(folder: Path, words: int, dimensions: int) -> None:
    import numpy as np

    rng = np.random.default_rng(7)
    with (
        (folder / "a.vec").open("wb") as plain,
        gzip.open(folder / "a.vec.gz", "wb", compresslevel=6) as packed,
    ):
        for out in (plain, packed):
            out.write(b"%d %d\n" % (words, dimensions))
        # a hundred different rows, so that writing does not take longer than what is measured
        rows = [" ".join(f"{x:.4f}" for x in row).encode() for row in rng.normal(size=(100, dimensions))]
        for word in range(words):
            line = b"parola%d %b \n" % (word, rows[word % 100])
            plain.write(line)
            packed.write(line)


def ours(path: Path, words: list[str]) -> tuple[float, Any]:
    from biascore.api.adapters import LoadContext, ModelRef
    from biascore.api.queries import Text
    from biascore_adapters.fasttext.adapter import FastTextAdapter, FastTextOptions

    start = time.perf_counter()
    ref, options = ModelRef.parse(f"fasttext:{path}"), FastTextOptions()
    backend = FastTextAdapter().load(ref, options, cast(LoadContext, None))
    opened = time.perf_counter() - start
    return opened, backend.embed(tuple(Text.word(word) for word in words), "token")


def gensim(path: Path, words: list[str]) -> tuple[float, Any]:
    import numpy as np
    from gensim.models import KeyedVectors

    start = time.perf_counter()
    vectors = KeyedVectors.load_word2vec_format(str(path))
    opened = time.perf_counter() - start
    return opened, np.stack([vectors[word] for word in words])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--role", choices=["write", "ours", "gensim"], help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.role == "write":
        write_text(arguments.path, arguments.words, arguments.dim)
    elif arguments.role:
        words = [f"parola{i * (arguments.words - 1) // 99}" for i in range(100)]
        start = time.perf_counter()
        opened, vectors = {"ours": ours, "gensim": gensim}[arguments.role](arguments.path, words)
        total = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([opened, total, peak, float(vectors.astype("f8").sum())]))
    else:
        sizes = [f"--words={arguments.words}", f"--dim={arguments.dim}"]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, __file__, "--role=write", f"--path={folder}", *sizes], check=True)
            for name in ("a.vec", "a.vec.gz"):
                path = Path(folder) / name
                print(f"{name}: {path.stat().st_size / 1e6:.0f} MB, {arguments.words} words")
                for role in ("ours", "gensim"):
                    command = [sys.executable, __file__, f"--role={role}", f"--path={path}", *sizes]
                    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                    opened, total, peak, checksum = json.loads(done.stdout)
                    print(
                        f"  {role:7} open {opened:6.2f} s, all {total:6.2f} s, {peak:6.0f} MiB peak, "
                        f"sum {checksum:.4f}"
                    )


if __name__ == "__main__":
    main()

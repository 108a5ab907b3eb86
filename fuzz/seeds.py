"""Valid inputs of the readers, from the builders of the tests; each is made in a folder that is thrown away."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.reading.files import GOOD

from .packing import packed

Seeds = list[bytes]
WORDS: Final = ("he", "she", "work", "home", "città", "врач", "no", "a", "the", "cook", "nurse", "pilot")


def good(*names: str) -> Callable[[], Seeds]:
    return lambda: [GOOD[name][1].encode() for name in names]


def texts(*some: str) -> Callable[[], Seeds]:
    return lambda: [one.encode() for one in some]


def parquet(rows: list[dict[str, Any]]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


def lines(rows: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def folder(write: Callable[[Path], object], *, whole: bool = True) -> Seeds:
    """What ``write`` leaves in an empty folder, as one input; or, not ``whole``, each of its files."""
    with tempfile.TemporaryDirectory() as made:
        write(Path(made))
        return [packed_folder(Path(made))] if whole else [*files_of(Path(made)).values()]


def safetensors(tensors: Mapping[str, Any]) -> bytes:
    from safetensors.numpy import save

    return save({name: np.asarray(value, dtype=np.float32) for name, value in tensors.items()})


def files_of(made: Path) -> dict[str, bytes]:
    return {
        path.relative_to(made).as_posix(): path.read_bytes()
        for path in sorted(made.rglob("*"))
        if path.is_file()
    }


def packed_folder(made: Path) -> bytes:
    return packed(files_of(made))


def gest_parquet() -> Seeds:
    rows = [{"sentence": "I am tired.", "stereotype": 1}, {"sentence": "I like it.", "stereotype": 2}]
    return [parquet(rows), parquet([{**row, "stereotype": str(row["stereotype"])} for row in rows])]


def encoded() -> Seeds:
    import gzip

    text = "text,translation\nDie Köchin.,La cuoca.\nЯ.,Io.\n"
    names = ("utf-8", "utf-16", "utf-32", "gb18030", "utf-8-sig", "utf-7")
    plain = [name.encode() + b"\n" + text.encode(name, "replace") for name in names]
    return [*plain, b"utf-8\n" + gzip.compress(text.encode(), mtime=0)]


def equity() -> Seeds:
    from tests.stimuli import equity_files

    return [
        value.encode()
        for value in vars(equity_files).values()
        if isinstance(value, str) and "[" in value and "=" in value
    ]


def stimuli() -> Seeds:
    import biascore_wordlists

    shipped = sorted(
        Path(biascore_wordlists.__file__).parent.rglob("*.toml"), key=lambda path: path.stat().st_size
    )
    small = [path.read_bytes() for path in shipped if path.stat().st_size < 12_000]
    return [*good("stimuli")(), *small[::2][:12], *equity()]


def grammars() -> Seeds:
    import biascore_grammars

    found = [path.read_bytes() for path in sorted(Path(biascore_grammars.__file__).parent.rglob("*.toml"))]
    return [*good("grammar")(), *(raw for raw in found if len(raw) < 30_000)]


JUDGED: Final = """[[gates]]
name = "g"
measurements = ["en/*"]
fail_on = "detected"
[[scenarios]]
name = "hiring"
group = "women"
ground = "sex"
hazard = "h"
measurements = ["en/*"]
owner = "o"
review = 2030-01-01
"""
AUDIT: Final = """title = "x"
seed = 3
[[models]]
ref = "planted:gender=1"
name = "p"
[[models]]
ref = "answers:scores.csv"
options = { unit = "nats" }
[[models]]
ref = "planted:gender=1"
name = "q"
transforms = [{ name = "top-components", options = { components = 2 } }]
[[data]]
format = "crows-pairs"
source = "pairs.csv"
language = "en"
name = "pairs"
[[measurements]]
metric = "weat"
tests = ["en/weat7", "en/weat[68]"]
models = ["p", "q"]
options = { resamples = 100 }
[[measurements]]
metric = "crows-pairs"
tests = ["en/pairs"]
models = ["answers:scores.csv"]
"""


def audits() -> Seeds:
    own = {"scores.csv": GOOD["scores"][1].encode(), "pairs.csv": GOOD["crows-pairs"][1].encode()}
    return [packed({"audit.toml": text.encode(), **own}) for text in (GOOD["audit"][1], AUDIT + JUDGED)]


def bbq() -> Seeds:
    from tests.metrics.bbq.written import bbq_row

    unknown, black = ["Not known", "unknown"], ["Black", "African American"]
    genders = [["the Black woman", "F-Black"], ["the white man", "M-White"], unknown]
    classes = [["the cleaner", "lowSES-Black"], ["the banker", "highSES-White"], unknown]
    return [
        lines(bbq_row(number) for number in range(2)),
        lines([bbq_row(0, category="Race_x_gender", infos=genders, groups=black)]),
        lines([bbq_row(0, category="Race_x_SES", infos=classes, groups=black)]),
    ]


def family(name: str) -> Callable[[], Seeds]:
    def made() -> Seeds:
        from tests.metrics.bbq import written

        row = getattr(written, f"{name}_row")
        return [lines([row(), row("age-004a-001-dis-bsd")] if name == "kobbq" else [row(0), row(1)])]

    return made


def winobias() -> Seeds:
    from tests.metrics.coreference.made import write_winobias

    return folder(write_winobias)


def winogender() -> Seeds:
    from tests.metrics.coreference.made import write_winogender

    return folder(write_winogender)


def stereoset() -> Seeds:
    from tests.metrics.stereoset.made import TERMS, example

    parts = {
        part: [example(number, target, part) for number, target in enumerate(TERMS)]
        for part in ("intrasentence", "intersentence")
    }
    return [json.dumps({"version": "1", "data": parts}).encode()]


def discrim_eval() -> Seeds:
    from tests.metrics.discrim_eval.test_format import rows

    return [lines(rows()), lines(rows(fill_type="explicit"))]


def eec_parts() -> Seeds:
    from tests.metrics.eec.test_parts import SMALL

    return [SMALL.encode()]


def conllu() -> Seeds:
    from tests.metrics.grammatical_gender.test_formats import BANK

    return ["\n".join(["# sent_id = 1", *BANK, "", ""]).encode()]


def animates() -> Seeds:
    bank = conllu()[0]
    return [packed({"bank.conllu": bank, "a.txt": "médico\nMesa\n\n".encode()})]


def prompts() -> Seeds:
    rows = "prompt,unknown\n{context}\\nQ: {question}\\nA:,알 수 없음\n".encode()
    return [packed({"k.jsonl": family("kobbq")()[0], "p.csv": rows})]


def numbers() -> Seeds:
    return [packed({"n.txt": b"0.5\n-1e-3\n", "s.csv": b"text,id\nHe is.,1\nShe is.,2\n"})]


def geneval() -> Seeds:
    from tests.metrics.mt_geneval.conftest import CONTEXT, SENTENCES

    sentences = {
        f"geneval-sentences-{name.replace('.', '-test.en_it.')}": rows for name, rows in SENTENCES.items()
    }
    contexts = {
        f"geneval-context-wikiprofessions-{name.replace('.', '-test.en_it.')}": rows
        for name, rows in CONTEXT.items()
    }
    return [
        packed({name: "\n".join(rows).encode() + b"\n" for name, rows in some.items()})
        for some in (sentences, contexts)
    ]


def scores() -> Seeds:
    return [*good("scores")(), b"sentence,score,unit\nHe is.,-0.5,x\nShe is.,-0.25,x\n"]


def logs(kind: str) -> Callable[[], Seeds]:
    def made() -> Seeds:
        from tests.adapters.answers import harnesses

        match kind:
            case "lm-eval":
                rows = [harnesses.lm_eval(n, (-1.0, -2.0, -3.0)) for n in range(2)]
                return [
                    lines(rows),
                    lines([harnesses.lm_eval_text(0, "the boy")]),
                ]
            case "every-eval-ever":
                return [lines([harnesses.every_eval_ever(n, "the boy") for n in range(2)])]
            case "inspect":
                samples = [harnesses.inspect(n, "A") for n in range(2)]
                return folder(lambda at: harnesses.log(at / "x", samples), whole=False)
        samples = [harnesses.inspect(n, "A") for n in range(2)]
        return [
            raw
            for form in ("deflate", "zstandard")
            for raw in folder(lambda at, form=form: harnesses.archive(at / "x", samples, form), whole=False)  # type: ignore[misc]
        ]

    return made


def labelled() -> Seeds:
    return texts(
        "text,anger,joy\nI rage.,0.9,0.1\nI sing.,0.1,0.9\n",
        "text,emotion,score\nI rage.,anger,0.5\nI sing.,joy,0.75\n",
    )()


def http(*bodies: Any) -> Callable[[], Seeds]:
    return lambda: [
        *(b"200\n" + json.dumps(body).encode() for body in bodies),
        *(
            b"%d\n" % status
            + json.dumps({"error": {"message": "m", "code": status}, "message": "m"}).encode()
            for status in (400, 429)
        ),
    ]

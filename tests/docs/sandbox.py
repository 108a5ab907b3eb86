"""A folder with small stand-ins for what the pages speak of: models, vectors, data files."""

from __future__ import annotations

import csv
import json
import runpy
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from biascore import Engine
from biascore.designs.pairs.test import SentencePairsTest
from biascore_metrics.bbq.items import ChoicesTest
from biascore_metrics.eec.items import EquityTest
from biascore_metrics.gest.kind import SamplesTest

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "docs" / "studies"
STAND_INS = {
    "fasttext:cc.it.300.bin": "fasttext:it/vectors.vec",
    "fasttext:cc.en.300.bin": "fasttext:en/vectors.vec",
    "fasttext:cc.es.300.bin": "fasttext:es.vec",
    "fasttext:es.vec.gz": "fasttext:es.vec",
    "fasttext:glove.6B.50d.txt": "fasttext:en/vectors.vec",
    "fasttext:vectors.bin": "fasttext:en/vectors.vec",
    "hf:dbmdz/bert-base-italian-uncased": "hf:it/bert",
    "hf:bert-base-uncased": "hf:en/bert",
    "hf:roberta-base": "hf:en/bert",
    "hf:./my-new-bert": "hf:en/bert",
    "hf:./my-bert --tests it/IT4": "hf:it/bert --tests it/IT4",
    "hf:./my-bert --tests 'it/*'": "hf:it/bert --tests 'it/IT[45]'",
    "hf:./my-bert": "hf:en/bert",
    "hf:./bert": "hf:en/bert",
    "hf:./my-gpt2": "hf:en/gpt2",
    "hf:gpt2": "hf:en/gpt2",
    "target=sk": "target=es",
    "language=sk": "language=es",
}
"""What a reader has, and what stands for it here; longer ones before those that they hold."""

AUDIT = """
[[models]]
name = "bert"
ref = "planted:gender=1.6"
[[measurements]]
metric = "weat"
tests = ["en/weat[67]"]
"""


def build(folder: Path) -> None:
    """Write all of them; what is drawn has a fixed seed."""
    for script, arguments in (
        ("small_models", ("it", "it")),
        ("small_models", ("en", "en")),
        ("gendered_vectors", ("es", "es.vec")),
    ):
        subprocess.run([sys.executable, str(STUDIES / f"{script}.py"), *arguments], cwd=folder, check=True)
    catalogue = Engine(cache=None).catalogue
    rng = np.random.default_rng(1)

    gest = catalogue.test("en/gest_own")
    assert isinstance(gest, SamplesTest)
    samples = [(one.sentence, one.stereotype) for one in gest.samples.rows]
    write_table(folder / "gest.csv", ("sentence", "stereotype"), samples)
    for name in ("bert_scores.txt", "bert-base-uncased_template-0.txt"):
        (folder / name).write_text("".join(f"{rng.normal():.3f}\n" for _ in samples), encoding="utf-8")
    said = [(text, rng.choice(["Estoy cansada.", "Estoy cansado."])) for text, _ in samples]
    write_table(folder / "outputs.csv", ("sentence_en", "translation"), said)

    pairs = catalogue.test("en/crows_own")
    assert isinstance(pairs, SentencePairsTest)
    write_table(
        folder / "crows_pairs_anonymized.csv",
        ("sent_more", "sent_less", "stereo_antistereo", "bias_type"),
        [(pair.sent_more, pair.sent_less, "stereo", "gender") for pair in pairs.pairs.rows],
    )

    sentences: list[str] = []
    for language in ("en", "es", "ar"):
        corpus = catalogue.test(f"{language}/eec")
        assert isinstance(corpus, EquityTest)
        sentences += list(corpus.rows()["sentence"])
    emotions = ("anger", "fear", "joy", "sadness")
    answers = [(one, *rng.uniform(0.1, 0.9, len(emotions)).round(4)) for one in dict.fromkeys(sentences)]
    write_table(folder / "answers.csv", ("sentence", *emotions), answers)

    words = [line.split()[0] for line in (folder / "es.vec").read_text(encoding="utf-8").splitlines()[1:400]]
    lists = {
        "cooks": "cook chef baker grill",
        "smiths": "smith forge anvil hammer",
        "calm": "calm still quiet mild",
    }
    lists["loud"] = "loud harsh noisy shrill"
    write_table(
        folder / "mine.csv",
        ("list", "word"),
        [(name, word) for name, some in lists.items() for word in some.split()],
    )
    write_table(folder / "norms.csv", ("word", "score"), [(word, rng.normal()) for word in words[:60]])
    lines = [": family", *(" ".join(words[at : at + 4]) for at in range(0, 80, 4))]
    (folder / "questions.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    kinds = ("same", "different")
    drawn = [(words[at], words[at + 1], kinds[at % 4 // 2]) for at in range(0, 160, 2)]
    write_table(folder / "pairs.csv", ("first", "second", "genders"), drawn)

    runpy.run_path(str(ROOT / "docs" / "made_data.py"))["write"](folder)
    write_choices(folder)
    (folder / "audit.toml").write_text(AUDIT, encoding="utf-8")
    (folder / "my.txt").write_text("She said that he was late.\n" * 60, encoding="utf-8")


def write_choices(folder: Path) -> None:
    """Own questions as a file of BBQ, and what lm-evaluation-harness would have logged of them."""
    test = Engine(cache=None).catalogue.test("en/choices-age")
    assert isinstance(test, ChoicesTest)
    rng = np.random.default_rng(2)
    templates = list(dict.fromkeys(one.template for one in test.questions.rows))
    rows, logged = [], []
    for number, one in enumerate(test.questions.rows):
        texts = {f"ans{i}": option.text for i, option in enumerate(one.options)}
        groups = {"old": "old", "young": "nonOld", "unknown": "unknown"}
        row = {
            "example_id": number,
            "question_index": str(1 + templates.index(one.template)),
            "question_polarity": "neg" if one.negative else "nonneg",
            "context_condition": "ambig" if one.ambiguous else "disambig",
            "category": "Age",
            "answer_info": {f"ans{i}": [o.text, groups[o.group]] for i, o in enumerate(one.options)},
            "additional_metadata": {"stereotyped_groups": ["old"]},
            "context": one.context,
            "question": one.question,
            **texts,
            "label": one.label,
        }
        rows.append(row)
        logliks = [[f"{value:.4f}", "False"] for value in -rng.uniform(1, 9, 3)]
        asked = {
            f"gen_args_{i}": {"arg_0": one.context, "arg_1": f" {o.text}"} for i, o in enumerate(one.options)
        }
        logged.append({"doc_id": number, "doc": row, "arguments": asked, "filtered_resps": logliks})
    for name, some in (("Age.jsonl", rows), ("samples_bbq.jsonl", logged)):
        (folder / name).write_text("".join(f"{json.dumps(one)}\n" for one in some), encoding="utf-8")


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)

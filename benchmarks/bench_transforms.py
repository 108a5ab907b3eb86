"""What docs/transforms.md reports: what each transform removes from Spanish vectors, and what it destroys.

Run: python -m benchmarks.bench_transforms FOLDER   (the folder gg of the reference data)
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import pearsonr

from biascore import Engine
from biascore.models.model import Model
from biascore.stats import ZeroVarianceError, association, cosine_matrix, effect_size

LISTS = """schema = 1
[meta]
language = "es"
title = "Pairs"
source = "written for this benchmark"
licence = "Apache-2.0"
[pairs.gender]
sides = ["female", "male"]
pairs = [
  ["niña", "niño"], ["tía", "tío"], ["hija", "hijo"], ["mujer", "hombre"], ["madre", "padre"],
  ["abuela", "abuelo"], ["esposa", "esposo"], ["hermana", "hermano"],
]
"""
NOUNS = {"nouns": "es/gsd"}
TRANSFORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "grammatical-gender": ("grammatical-gender", NOUNS),
    "grammatical-gender, LDA": ("grammatical-gender", {**NOUNS, "classifier": "lda"}),
    "grammatical-gender, raw rows": ("grammatical-gender", {**NOUNS, "rows": "raw"}),
    "inlp": ("inlp", NOUNS),
    "leace": ("leace", NOUNS),
    "top-components": ("top-components", {}),
    "hard-debias": ("hard-debias", {"pairs": "es/mine/gender"}),
}
TESTS = {
    "GG, held-out nouns": ("masculine", "feminine", "man_words", "woman_words"),
    "GG, 9 + 9 nouns": ("masc_nouns", "fem_nouns", "man_words", "woman_words"),
    "career-family": ("career", "family", "boy_names", "girl_names"),
    "flowers-insects": ("flowers", "insects", "pleasant", "unpleasant"),
}


def weat(model: Model, sets: dict[str, list[str]], test: str) -> float:
    x, y, a, b = (model.embed(sets[name]) for name in TESTS[test])
    scores = (association(cosine_matrix(part, a), cosine_matrix(part, b)) for part in (x, y))
    return effect_size(*scores)


def valnorm(model: Model, norms: dict[str, float], reference: dict[str, Any]) -> float:
    """The correlation of human valence with the association of each word with pleasant and unpleasant words."""
    poles = [model.embed(reference["valnorm"][side]) for side in ("pleasant", "unpleasant")]
    cosines = [cosine_matrix(model.embed(list(norms)), pole) for pole in poles]
    found = [effect_size(a, b) for a, b in zip(*cosines, strict=True)]
    return float(pearsonr(list(norms.values()), found).statistic)


def read_norms(folder: Path, model: Model) -> dict[str, float]:
    """Words that the model knows, composed and in lower case, the first of duplicates."""
    norms: dict[str, float] = {}
    with (folder / "authors_eval" / "valnorm_es.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            norms.setdefault(unicodedata.normalize("NFC", row["word"]).lower(), float(row["score"]))
    known = ~np.isnan(model.embed(list(norms))).any(axis=1)
    return {word: score for (word, score), there in zip(norms.items(), known, strict=True) if there}


def main(folder: Path) -> None:
    reference = json.loads((folder / "es_reference.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "es").mkdir()
        (Path(scratch) / "es" / "mine.toml").write_text(LISTS, encoding="utf-8")
        engine = Engine(stimuli=[scratch], cache=None)
        nouns = engine.data("nouns", folder / "es_nouns.tsv", language="es", name="gsd")
        engine.add_tests([nouns])
        held_out = {one.name: list(one.test) for one in getattr(nouns, "classes", ())}
        sets = {**reference["word_sets"], **held_out}
        with engine.model(f"fasttext:{folder / 'es_eltec_50d.vec.gz'}") as model:
            norms = read_norms(folder, model)
            print(
                "transform | directions | held-out accuracy |",
                " | ".join(TESTS),
                "| neighbours | variance | ValNorm",
            )
            for name, (transform, options) in {"none": ("", {}), **TRANSFORMS}.items():
                after = model.with_transform(transform, **options) if transform else model
                fitted = after.fitted("sentence")
                facts = dict(fitted.facts) if fitted else {}
                effects = []
                for test in TESTS:
                    try:
                        effects.append(f"{weat(after, sets, test):.2f}")
                    except ZeroVarianceError:
                        effects.append("-")
                accuracy = [facts.get(f"held-out accuracy {when}", "-") for when in ("before", "after")]
                interval = facts.get("held-out accuracy after, 95% interval", "")
                directions = facts.get("directions", facts.get("components", "-"))
                kept, gone = (
                    facts.get(key, "-") for key in ("neighbours kept of the 10 nearest", "variance removed")
                )
                print(
                    f"{name} | {directions} | {accuracy[0]} -> {accuracy[1]} ({interval}) |", " | ".join(effects),
                    f"| {kept} | {gone} | {valnorm(after, norms, reference):.3f} (n {len(norms)})", flush=True,
                )  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Texts of others with a stated gender, where they are at hand: sentences of MT-GenEval and Winogender."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from biascore.readers.characters import CharacterReader


def lines(path: Path) -> list[str]:
    if not path.exists():
        pytest.skip(f"needs {path.name}")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tag", "pair", "precision", "read"),
    [("en", "en_es", 0.99, 0.9), ("es", "en_es", 0.97, 0.6), ("it", "en_it", 0.96, 0.5)],
)
def test_sentences_of_wikipedia(
    tag: str, pair: str, precision: float, read: float, shared_data: Path, readers: dict[str, CharacterReader]
) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for gender in ("feminine", "masculine"):
        for text in lines(shared_data / "choices" / "mtgeneval" / f"sentences-{gender}-test.{pair}.{tag}.gz"):
            found[gender, readers[tag].read(text).outcome] += 1
    right = found["feminine", "feminine"] + found["masculine", "masculine"]
    wrong = found["feminine", "masculine"] + found["masculine", "feminine"]
    print(f"{tag}: {right} right, {wrong} wrong, {found.total() - right - wrong} of {found.total()} unread")
    assert right / (right + wrong) >= precision
    assert (right + wrong) / found.total() >= read


@pytest.mark.slow
def test_a_pronoun_that_may_be_somebody_elses_is_not_read(
    shared_data: Path, readers: dict[str, CharacterReader]
) -> None:
    rows = [
        line.split("\t")
        for line in lines(shared_data / "choices" / "winogender" / "all_sentences.tsv.gz")[1:]
    ]
    found = Counter(readers["en"].read(text, [id.split(".")[0]]).outcome for id, text in rows)
    assert found["feminine"] + found["masculine"] <= 0.02 * len(rows)

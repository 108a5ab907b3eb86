"""Word vectors with a grammatical and a social direction planted: to try the audit without downloads.

Usage: python docs/studies/gendered_vectors.py LANGUAGE FILE

Writes FILE (word vectors for fasttext:) with every word of the language's nouns, GG-WEAT, Gender-WEAT and baselines. On one
direction, which is grammatical, lie masculine and feminine nouns, and words for men and women; on another, which is social,
men and women and what they are associated with; on a third, flowers and insects. All else is noise. So the grammatical
direction should be found and removed, and the other two stay.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from biascore import Engine
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest

DIMENSIONS = 60
GRAMMATICAL, SOCIAL, PLEASANT = range(3)
MOVED = {GRAMMATICAL: (0.5, 0.1), SOCIAL: (0.2, 0.2), PLEASANT: (0.2, 0.2)}
"""Mean and spread of the places on a direction, of vectors whose noise has length 1."""
SIDES = {"X": 1, "Y": -1, "A": 1, "B": -1}


def loadings(language: str) -> dict[str, dict[int, int]]:
    """Of each word the directions on which it lies, with +1 or -1."""
    catalogue = Engine(cache=None).catalogue
    found: dict[str, dict[int, int]] = {}
    nouns = catalogue.test(f"{language}/nouns")
    assert isinstance(nouns, GenderedNounsTest)
    for one in nouns.classes:
        for word in one.words:
            found.setdefault(word, {})[GRAMMATICAL] = {"masculine": 1, "feminine": -1}.get(one.name, 0)
    for test, direction in (
        ("gg-weat", GRAMMATICAL),
        ("weat1", PLEASANT),
        ("weat2", PLEASANT),
        ("GenS", SOCIAL),
        ("GenC", SOCIAL),
    ):
        for role, words in catalogue.test(f"{language}/{test}").roles.items():
            for word in words.words:
                found.setdefault(word, {}).setdefault(direction, SIDES[role])
    return found


def main(language: str, path: Path) -> None:
    """Write the vectors of one language."""
    rng = np.random.default_rng(12)
    placed = loadings(language)
    vectors = rng.normal(size=(len(placed), DIMENSIONS)) / np.sqrt(DIMENSIONS)
    for row, directions in zip(vectors, placed.values(), strict=True):
        for direction, side in directions.items():
            mean, spread = MOVED[direction]
            row[direction] = side * mean + spread * rng.normal()
    lines = [f"{len(placed)} {DIMENSIONS}"]
    lines += [
        f"{word} {' '.join(f'{x:.4f}' for x in row)}" for word, row in zip(placed, vectors, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]))

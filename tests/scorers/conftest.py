"""A labelled table small enough to train on within a test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

GLAD = ["glad", "happy", "delighted", "cheerful", "bright", "sunny"]
ANGRY = ["angry", "furious", "cross", "bitter", "raging", "mad"]
PLAIN = ["table", "window", "street", "paper", "train", "lamp"]


def rows(count: int = 60, seed: int = 1) -> list[tuple[str, float, float]]:
    """Texts of eight words, each with its share of angry and of glad ones."""
    rng = np.random.default_rng(seed)
    made = []
    for angry, glad in rng.dirichlet([1, 1, 1], count)[:, :2]:
        kinds = [ANGRY if x < angry else GLAD if x < angry + glad else PLAIN for x in rng.random(8)]
        words = [str(rng.choice(kind)) for kind in kinds]
        made.append((" ".join(words), *(sum(w in kind for w in words) / 8 for kind in (ANGRY, GLAD))))
    return made


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of sixty texts with columns of anger and joy."""
    path = tmp_path / "labelled.csv"
    lines = [f"{text},{anger},{joy}" for text, anger, joy in rows()]
    path.write_text("\n".join(["text,anger,joy", *lines]) + "\n", encoding="utf-8")
    return path

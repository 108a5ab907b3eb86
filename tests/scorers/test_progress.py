"""Training tells what it is at, since one search of a grid may take minutes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from biascore.basics.progress import Advance
from biascore_emotions.parts import read_data
from biascore_emotions.train import Training, train_scorer


class Told:
    """Keeps the tasks with how far each came."""

    def __init__(self) -> None:
        self.tasks: list[tuple[str, int, int]] = []

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Advance]:
        done = []
        yield done.append
        self.tasks.append((label, total, sum(done)))


def test_training_tells_emotion_and_grid(table: Path, tmp_path: Path) -> None:
    told = Told()
    several = Training(tfidf=True, options={"C": [1.0, 10.0], "gamma": 1.0, "kernel": "rbf"})
    data = read_data([str(table)], emotions=["anger", "joy"], chooses=several.chooses)
    train_scorer(data, tmp_path / "scorer", several, progress=told)
    assert told.tasks == [
        ("anger: svr, the best of 2", 1, 1),
        ("joy: svr, the best of 2", 1, 1),
        ("training", 2, 2),
    ]

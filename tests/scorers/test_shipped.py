"""The labelled sets that come with biascore."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore_emotions.labelled import Reading, read_labelled, shipped_sets
from biascore_emotions.parts import read_data
from biascore_emotions.train import Training, train_scorer

EMOTIONS = ("anger", "fear", "joy", "sadness")


def test_there_is_one_for_english_and_one_for_spanish() -> None:
    assert shipped_sets() == ("shipped:en", "shipped:es")


@pytest.mark.parametrize("name", shipped_sets())
def test_every_sentence_is_there_once_with_a_score_of_each_emotion(name: str) -> None:
    rows = read_labelled(name, Reading(), EMOTIONS).rows
    for emotion in EMOTIONS:
        own = [row for row in rows if row.emotion == emotion]
        assert len({row.text for row in own}) == len(own) == len(rows) / 4 > 300
        assert sum(row.score >= 0.5 for row in own) > 60
        assert sum(row.score <= 0.1 for row in own) > 75
        assert all(0 < row.score < 1 for row in own)
    assert not [row.text for row in rows if set(row.text) & set('@#&"|') or row.text != row.text.strip()]


@pytest.mark.parametrize("name", shipped_sets())
def test_what_is_trained_on_one_tells_emotions_apart(name: str, tmp_path: Path) -> None:
    one = Training(tfidf=True, options={"C": 1.0, "gamma": 1.0, "kernel": "rbf"})
    done = train_scorer(read_data([name], emotions=EMOTIONS), tmp_path / "scorer", one)
    for emotion in done.record.emotions:
        assert emotion.test.r is not None
        assert emotion.test.r > 0.2, emotion.name

"""Words that are lost, counted once, or in sentences unlike those of the others, and how SEAT tells it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from biascore.errors import QuestionError
from biascore.stats import Verdict

from .tagged import WORDS, measure, stimuli


def test_a_static_model_needs_every_part_of_a_sentence_with_its_punctuation(
    mine: Path, vectors: Callable[..., str]
) -> None:
    got = measure(mine, vectors("king."))
    assert [(w.word, w.role, w.reason) for w in got.coverage.lost] == [
        ("king", "X", "its sentence 'this is king.': out of vocabulary")
    ]
    assert got.headline.n == {"X": 3, "Y": 4}
    frame = measure(mine, vectors("here."))
    assert frame.headline.value is None
    assert frame.verdict is Verdict.NOT_MEASURED
    assert "X has 1 usable word(s) of 4 and needs 2" in frame.reason
    assert frame.items.num_rows == 0
    assert measure(mine, vectors("here."), level="token").coverage.lost == ()


def test_words_without_a_vector_are_lost_at_either_level(mine: Path, vectors: Callable[..., str]) -> None:
    sentence = measure(mine, vectors("king"))
    assert [(w.word, w.reason) for w in sentence.coverage.lost] == [("king", "out of vocabulary")]
    token = measure(mine, vectors("king"), level="token")
    assert [(w.word, w.reason) for w in token.coverage.lost] == [
        ("king", "in its sentence 'king is here.': out of vocabulary")
    ]
    zero = measure(mine, vectors(zero="king"))  # the mean with the rest of the sentence is not zero
    assert [w.reason for w in zero.coverage.lost] == ["its vector is zero, so it has no direction"]


def test_an_unknown_word_is_lost_though_its_sentence_has_a_vector(
    tmp_path: Path, saved_model: Callable[[str], Path]
) -> None:
    folder, ref = (
        stimuli(tmp_path, {**WORDS, "X": {**WORDS["X"], "漢字": "noun"}}),
        f"hf:{saved_model('bert-uncased')}",
    )
    for level in ("sentence", "token"):
        got = measure(folder, ref, level=level)
        assert [w.word for w in got.coverage.lost] == ["漢字"]
        assert "out of vocabulary" in got.coverage.lost[0].reason
        assert got.headline.n == {"X": 4, "Y": 4}


def test_a_word_that_the_tokenizer_drops_is_an_error_that_names_it(
    tmp_path: Path, saved_model: Callable[[str], Path]
) -> None:
    folder, ref = (
        stimuli(tmp_path, {**WORDS, "X": {**WORDS["X"], "\u200d": "noun"}}),
        f"hf:{saved_model('bert-uncased')}",
    )
    for level in ("sentence", "token"):
        with pytest.raises(QuestionError, match=r"\\u200d"):
            measure(folder, ref, level=level)


def test_a_repeated_word_counts_once(tmp_path: Path, mine: Path, vectors: Callable[..., str]) -> None:
    stimuli(tmp_path, WORDS)
    path = tmp_path / "xx" / "words.toml"
    path.write_text(path.read_text().replace('words = ["he",', 'words = ["he", "he",'))
    plain, repeated = measure(mine, vectors()), measure(tmp_path, vectors())
    assert repeated.headline.value == plain.headline.value
    assert [w.reason for w in repeated.coverage.lost] == ["repeated in its list"]
    assert measure(tmp_path, vectors(), duplicates="keep").headline.n["X"] == 5

"""analogy: the authors' count on the Spanish vectors, a loop over the vocabulary, and intervals that draw pairs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Engine
from biascore.api.metrics import Test
from biascore.api.queries import Vocabulary
from biascore.errors import CapabilityError, DataError
from biascore.models.model import Model
from biascore_metrics.grammatical_gender import analogy
from biascore_metrics.grammatical_gender.analogy import Nearest, accuracy_interval, drawn_accuracies

from ...builders.models import Lengths, model_of
from ...builders.transforms import without
from ...builders.vectors import random_vectors
from .conftest import Opened

AUTHORS: dict[str, Any] = {"rule": "substring", "vectors": "raw", "lowercase": True, "resamples": 200}
GOOGLE = ": family\nking queen man woman\nking queen boy girl\n\n: opposites\nhot cold up down\nhot cold xxxx yyyy\n"


@pytest.fixture(scope="module")
def questions(gg: Path, spanish: Engine) -> Test:
    """The authors' Spanish analogies."""
    return spanish.data("analogies", gg / "authors_eval" / "analogies_es.txt", language="es")


def test_the_authors_rule_counts_what_they_count(
    questions: Test, spanish: Engine, raw: Model, reference: dict[str, Any]
) -> None:
    (found,) = spanish.measure("analogy", raw, questions, **AUTHORS)
    expected = reference["analogies"]["before"]
    assert found.headline.n["questions"] == expected["in_vocab"]
    assert found.headline.value == pytest.approx(expected["correct"] / expected["in_vocab"])
    assert found.estimates[1].value == pytest.approx(expected["correct"] / 800)
    assert len(found.coverage.lost) == 800 - expected["in_vocab"]
    assert found.cautions[0].startswith("452 of 800 questions have a word that the model does not know")


@pytest.mark.slow
def test_ten_rounds_leave_them_as_in_the_reference(
    questions: Test, spanish: Engine, raw: Model, reference: dict[str, Any]
) -> None:
    clean = raw.with_transform("grammatical-gender", nouns="es/own-nouns", rows="raw", iterations=10)
    (found,) = spanish.measure("analogy", clean, questions, **AUTHORS)
    correct = round((found.headline.value or 0) * found.headline.n["questions"])
    assert abs(correct - reference["analogies"]["after_10_raw"]["correct"]) <= 5


def test_answers_are_those_of_a_loop_over_the_vocabulary(
    questions: Test, spanish: Engine, raw: Model, clean: Model
) -> None:
    (found,) = spanish.measure("analogy", clean, questions, lowercase=True, resamples=100)
    words = list(clean.vocabulary().words())
    places = {word: place for place, word in enumerate(words)}
    for model, column in ((clean, "answer"), (raw, "answer before")):
        rows = np.vstack([block for _, block in model.vocabulary().blocks(3000)]).astype(float)
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        for row in found.items.to_pylist()[::23]:
            a, b, c, _ = row["item"].split()
            wanted = unit[places[b]] - unit[places[a]] + unit[places[c]]
            order = (
                word for word in (words[i] for i in np.argsort(-(unit @ wanted))) if word not in (a, b, c)
            )
            assert row[column] == next(order)
    right = [row["answer"] == row["item"].split()[3] for row in found.items.to_pylist()]
    assert found.headline.value == np.mean(right)
    assert found.estimate("accuracy before").value == np.mean(
        [row["before"] for row in found.items.to_pylist()]
    )


class Blocks(Vocabulary):
    """Words w0, w1, … with given vectors."""

    def __init__(self, vectors: npt.NDArray[np.float32]) -> None:
        self.vectors = vectors

    def __len__(self) -> int:
        return len(self.vectors)

    def words(self, most: int | None = None) -> Iterator[str]:
        return (f"w{i}" for i in range(len(self.vectors[:most])))

    def blocks(self, rows: int = 8, most: int | None = None) -> Iterator[tuple[tuple[str, ...], Any]]:
        names = list(self.words(most))
        for first in range(0, len(names), rows):
            part = names[first : first + rows]
            yield tuple(part), self.vectors[first : first + len(part)]


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("ties", [False, True])
def test_the_nearest_of_many_blocks_are_those_of_one_sort(
    count: int, ties: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analogy, "ROWS", 7)
    monkeypatch.setattr(analogy, "AT_ONCE", 3)
    rng = np.random.default_rng(3)
    vectors = rng.integers(-1, 2, size=(60, 3)) if ties else rng.normal(size=(60, 3))
    vectors = vectors.astype(np.float32)
    vectors[10] = 0
    wanted = rng.normal(size=(8, 3)).astype(np.float32)
    barred = [[f"w{i}", f"w{i + 20}"] for i in range(8)]
    found = Nearest(wanted, count, barred)
    found.scan(Blocks(vectors))
    norms = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.where(norms, norms, 1)[:, None]
    for place, words in enumerate(found.words()):
        cosines = (wanted[place] / np.linalg.norm(wanted[place])) @ unit.T
        cosines[[10, place, place + 20]] = -np.inf
        got = [float(cosines[int(word[1:])]) for word in words]
        assert got == pytest.approx(np.sort(cosines)[::-1][:count].tolist(), abs=1e-6)
        if not ties:
            assert list(words) == [f"w{i}" for i in np.argsort(-cosines)[:count]]
    assert found.scanned == 60


def test_sections_unknown_words_and_steps(opened: Opened, tmp_path: Path) -> None:
    engine = Engine(cache=None)
    path = tmp_path / "questions-words.txt"
    path.write_text(GOOGLE, encoding="utf-8")
    test = engine.data("analogies", path, language="en")
    vectors = random_vectors(
        ["king", "queen", "man", "woman", "boy", "girl", "hot", "cold", "up", "down", "other"], 12, 0
    )
    for one, other in (("man", "woman"), ("boy", "girl")):
        vectors[other] = vectors[one] + vectors["queen"] - vectors["king"]
    plain = opened(engine, vectors)
    (found,) = engine.measure("analogy", plain, test, vectors="raw", resamples=200)
    assert found.estimate("accuracy, family").value == 1.0
    interval = found.estimate("accuracy, family").interval
    assert interval is not None
    assert (interval.high, interval.method) == (1.0, "Wilson, of as many trials as pairs of words")
    assert found.headline.n["questions"] == 3
    (lost,) = found.coverage.lost
    assert (lost.word, lost.reason) == ("hot cold xxxx yyyy", "out of vocabulary: xxxx, yyyy")
    # Without what tells queen from king, nothing is left to answer by.
    clean = plain.with_transform(without(vectors["queen"] - vectors["king"], np.eye(12)[0]))
    (found,) = engine.measure("analogy", clean, test, vectors="raw", resamples=200, trace=True)
    values = [row["value"] for row in found.items.to_pylist() if row["group"] == "accuracy of analogies"]
    assert values[0] == found.estimate("accuracy before").value
    assert values[-1] == found.headline.value
    assert found.estimate("change of accuracy").value == pytest.approx(values[-1] - values[0])
    (few,) = engine.measure("analogy", plain, test, most=4, resamples=200)
    assert few.headline.n["questions"] == 1


def test_words_within_words_are_no_answer_by_the_authors_rule(opened: Opened, tmp_path: Path) -> None:
    engine = Engine(cache=None)
    path = tmp_path / "questions.txt"
    path.write_text("uomo donna re Regina\n", encoding="utf-8")
    test = engine.data("analogies", path, language="it")
    vectors = {
        "uomo": [1, 0, 0.1],
        "donna": [0, 1, 0.1],
        "re": [1, 0, 1],
        "Regina": [0, 1, 1],
        "altro": [0.3, 0.5, 1],
    }
    model = opened(engine, vectors)
    (found,) = engine.measure("analogy", model, test, vectors="raw")
    assert (found.headline.value, found.items["answer"].to_pylist()) == (1.0, ["Regina"])
    (found,) = engine.measure("analogy", model, test, vectors="raw", rule="substring")
    assert (found.headline.value, found.items["answer"].to_pylist()) == (0.0, ["altro"])


def test_pairs_are_drawn_and_not_questions() -> None:
    """Two pairs decide all 90 questions: what many questions seem to settle, ten pairs do not."""
    pairs = np.array([(i, j) for i in range(10) for j in range(10) if i != j])
    right = np.array([float(i < 2 or j < 2) for i, j in pairs])
    drawn = drawn_accuracies(pairs, right[None], 2000, np.random.default_rng(0))[0]
    found = accuracy_interval(drawn, right, pairs, 0.95)
    assert found.low < right.mean() < found.high
    assert found.high - found.low > 3 * 1.96 * 2 * np.sqrt(right.mean() * (1 - right.mean()) / 90) / 2
    # Against a loop of one resample.
    rng = np.random.default_rng(5)
    times = rng.multinomial(10, np.full(10, 0.1))
    once = drawn_accuracies(pairs, right[None], 1, np.random.default_rng(5))[0, 0]
    weights = [times[i] * times[j] for i, j in pairs]
    assert once == pytest.approx(np.average(right, weights=weights))


@pytest.mark.parametrize("right", [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
def test_copies_of_questions_narrow_nothing(right: list[float]) -> None:
    def width(copies: int) -> float:
        pairs = np.repeat([[0, 1], [2, 3], [4, 5]], copies, axis=0)
        answers = np.repeat(right, copies)
        drawn = drawn_accuracies(pairs, answers[None], 2000, np.random.default_rng(0))[0]
        found = accuracy_interval(drawn, answers, pairs, 0.95)
        return found.high - found.low

    assert width(8) == pytest.approx(width(1))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "a b c d\na b c\na b c d e\n",
            r"has 2 line\(s\) that are not four words: line 2 has 3 \('a b c'\); line 3 has 5",
        ),
        (": section\n\n", "has no question"),
    ],
)
def test_a_file_of_other_lines_is_refused(text: str, error: str, engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "questions.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=error):
        engine.data("analogies", path, language="en")


def test_a_model_without_a_vocabulary_and_one_that_knows_nothing(
    engine: Engine, opened: Opened, tmp_path: Path
) -> None:
    path = tmp_path / "questions.txt"
    path.write_text(GOOGLE, encoding="utf-8")
    test = engine.data("analogies", path, language="en")
    with pytest.raises(CapabilityError, match=r"no vocabulary.*biascore list adapters"):
        engine.measure("analogy", model_of(Lengths()), test)
    (found,) = engine.measure("analogy", opened(engine, {"a": [1, 2], "b": [2, 1]}), test)
    assert found.headline.value is None
    assert "the model knows no question whole of 4" in found.warnings[0]

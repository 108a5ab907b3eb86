"""SEAT against loops over single sentences, on static, masked and causal models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from biascore import Engine
from biascore.api.metrics import Model
from biascore.api.queries import Text

from ..loops import cosine, p_of_partitions
from .tagged import FAST, TEMPLATES, WORDS, measure


def by_hand(model: Model, level: str) -> dict[str, dict[str, list[np.ndarray]]]:
    """Role to word to the vectors of its sentences, embedded one by one; the word stands where WORD stood."""
    found: dict[str, dict[str, list[np.ndarray]]] = {}
    for role, tags in WORDS.items():
        for word, tag in tags.items():
            for template in TEMPLATES[tag]:
                text = template.replace("WORD", word)
                start = template.index("WORD")
                vector = model.embed([Text(text, (start, start + len(word)))], level)[0]  # type: ignore[arg-type]
                found.setdefault(role, {}).setdefault(word, []).append(vector)
    return found


def association_of_words(vectors: dict[str, dict[str, list[np.ndarray]]], role: str) -> list[float]:
    s = []
    for sentences in vectors[role].values():
        of_sentences = []
        for target in sentences:
            mean = {}
            for side in "AB":
                of_words = [[cosine(target, other) for other in some] for some in vectors[side].values()]
                mean[side] = sum(sum(one) / len(one) for one in of_words) / len(of_words)
            of_sentences.append(mean["A"] - mean["B"])
        s.append(sum(of_sentences) / len(of_sentences))
    return s


def association_of_sentences(vectors: dict[str, dict[str, list[np.ndarray]]], role: str) -> list[float]:
    """WEAT with every sentence as an element of X, Y, A and B (May et al. 2019)."""
    flat = {side: [v for some in vectors[side].values() for v in some] for side in ("A", "B", role)}
    return [
        sum(cosine(t, a) for a in flat["A"]) / len(flat["A"])
        - sum(cosine(t, b) for b in flat["B"]) / len(flat["B"])
        for t in flat[role]
    ]


def effect_and_p(x: list[float], y: list[float]) -> tuple[float, float, float]:
    """Effect size d, and the two-sided and the one-sided p."""
    return (np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1), *p_of_partitions(x, y)


@pytest.mark.parametrize("level", ["sentence", "token"])
def test_over_words_equals_a_loop_over_single_sentences(ref: str, mine: Path, level: str) -> None:
    with Engine(cache=None).model(ref) as model:
        vectors = by_hand(model, level)
        got = measure(mine, model, level=level)
    x, y = (association_of_words(vectors, role) for role in "XY")
    d, two_sided, one_sided = effect_and_p(x, y)
    assert got.headline.name == "effect size d"
    assert got.headline.value == pytest.approx(d, abs=1e-5)
    assert got.headline.n == {"X": 4, "Y": 4}
    assert (got.headline.p("two-sided").value, got.headline.p("two-sided").n) == (
        pytest.approx(two_sided),
        70,
    )
    assert got.headline.p("one-sided").value == pytest.approx(one_sided)
    assert got.estimate("mean difference of association").value == pytest.approx(
        np.mean(x) - np.mean(y), abs=1e-6
    )
    assert got.items["value"].to_pylist() == pytest.approx(x + y, abs=1e-6)
    assert got.items["item"].to_pylist() == [*WORDS["X"], *WORDS["Y"]]
    assert got.items["n_templates"].to_pylist() == [2, 2, 2, 3] * 2
    assert got.items["tag"].to_pylist() == [*WORDS["X"].values(), *WORDS["Y"].values()]
    over_sentences = effect_and_p(*(association_of_sentences(vectors, role) for role in "XY"))[0]
    assert got.estimate("effect size d over sentences").value == pytest.approx(over_sentences, abs=1e-5)
    assert got.estimate("effect size d over sentences").p_values == ()


@pytest.mark.parametrize("level", ["sentence", "token"])
def test_over_sentences_is_weat_with_sentences_for_words(ref: str, mine: Path, level: str) -> None:
    with Engine(cache=None).model(ref) as model:
        vectors = by_hand(model, level)
        got = measure(mine, model, level=level, unit="sentence")
    x, y = (association_of_sentences(vectors, role) for role in "XY")
    d, two_sided, one_sided = effect_and_p(x, y)
    assert got.headline.value == pytest.approx(d, abs=1e-5)
    assert got.headline.n == {"X": 9, "Y": 9}
    # The vectors by hand differ in their last bits, which turns some of the partitions that are next to the observed one.
    some = 5 / 48620
    assert got.headline.p("two-sided").value == pytest.approx(two_sided, abs=some)
    assert got.headline.p("one-sided").value == pytest.approx(one_sided, abs=some)
    assert got.headline.p("two-sided").n == 48620  # 18 choose 9
    over_words = effect_and_p(*(association_of_words(vectors, role) for role in "XY"))[0]
    assert got.estimate("effect size d over words").value == pytest.approx(over_words, abs=1e-5)
    means = [np.mean(x[:2]), np.mean(x[2:4]), np.mean(x[4:6]), np.mean(x[6:])]
    assert got.items["value"].to_pylist()[:4] == pytest.approx(means, abs=1e-6)
    assert any("take the sentences of one word for independent" in line for line in got.warnings)


def test_what_the_result_says_of_itself(mine: Path, vectors: Callable[..., str]) -> None:
    got = measure(mine, vectors(), unit="sentence", ddof=0)
    assert got.method == "seat (sentence level, ddof=0, resamples=100, unit=sentence)"
    assert measure(mine, vectors(), level="token").method == "seat (token level, resamples=100)"
    assert got.conventions["embedding level"] == "sentence"
    assert got.conventions["templates xx/seat/noun"] == "WORD is here. | this is WORD."
    assert "templates xx/seat/verb" in got.conventions
    assert got.conventions["resampled"] == "target sentences and, apart from them, attribute sentences"


def test_token_level_of_a_static_model_is_weat(mine: Path, vectors: Callable[..., str]) -> None:
    engine = Engine(stimuli=[mine], cache=None)
    with engine.model(vectors()) as model:
        weat = engine.measure("weat", model, "xx/test", **FAST)[0]
        seat = engine.measure("seat", model, "xx/test", level="token", **FAST)[0]
    assert seat.headline.value == pytest.approx(weat.headline.value, abs=1e-9)
    assert seat.headline.p_values[:3] == weat.headline.p_values[:3]
    assert seat.items["value"].to_pylist() == pytest.approx(weat.items["value"].to_pylist(), abs=1e-9)


def test_token_level_of_the_planted_model_is_weat() -> None:
    engine = Engine(cache=None)
    weat, seat = (
        engine.measure(metric, "planted:gender=1", "en/weat7", **FAST, level="token")[0]
        for metric in ("weat", "seat")
    )
    assert seat.headline.value == pytest.approx(weat.headline.value, abs=1e-9)

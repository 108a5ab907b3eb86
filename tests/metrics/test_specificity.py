"""Specificity: the share of pairs of unrelated topics that reach an effect, against a plain loop, and on a real encoder."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from biascore import Engine
from biascore.designs.options import WeatOptions
from biascore.designs.specificity import Compared, Topics
from biascore.errors import OptionsError

from ..builders.word_lists import write_weat
from .harmless import ENCODER, harmless_tests, input_vectors, measure_harmless, share_specific

FAST = {"draws": 200, "resamples": 100}
TOPICS, SIZE, TARGETS = 12, 4, 6


def d(in_a: np.ndarray, in_b: np.ndarray) -> float:
    """|d| of lists whose associations with the targets are the columns of these."""
    s = in_a.mean(axis=1) - in_b.mean(axis=1)
    half = TARGETS // 2
    return float(abs(s[:half].mean() - s[half:].mean()) / s.std(ddof=1))


def compared(scores: np.ndarray, table: np.ndarray) -> Compared:
    words = [f"w{i}" for i in range(scores.shape[1])]
    lists = tuple(tuple(words[i : i + SIZE]) for i in range(0, len(words), SIZE))
    sizes = (TARGETS // 2, table.shape[1] // 2)
    return Compared.of(
        Topics("xx/topics", lists=lists), words, scores, table, sizes, WeatOptions(), np.random.default_rng(0)
    )


def test_the_share_is_a_rank_among_all_pairs_with_a_and_b_as_two_topics_more() -> None:
    """Topics of as many words as A and B are taken whole, so that nothing is drawn."""
    rng = np.random.default_rng(5)
    scores, table = rng.normal(size=(TARGETS, TOPICS * SIZE)), rng.normal(size=(TARGETS, 2 * SIZE))
    lists = [scores[:, i : i + SIZE] for i in range(0, TOPICS * SIZE, SIZE)]
    a, b = table[:, :SIZE], table[:, SIZE:]
    effects = [d(one, other) for one, other in permutations(lists, 2)]
    effects += [d(a, one) for one in lists] + [d(one, b) for one in lists]
    found = compared(scores, table).found
    assert found is not None
    assert (found.pairs, found.topics, found.pool) == (len(effects), TOPICS, "xx/topics")
    reached = sum(one >= d(a, b) - 1e-9 for one in effects)
    assert found.share == pytest.approx((1 + reached) / (1 + len(effects)))


def test_lists_longer_than_topics_are_represented_by_some_of_their_words() -> None:
    rng = np.random.default_rng(6)
    scores, table = rng.normal(size=(TARGETS, TOPICS * SIZE)), rng.normal(size=(TARGETS, 40))
    assert "topics with 8 usable words" in compared(scores, table).problem
    scores = rng.normal(size=(TARGETS, 12 * 12))
    words = [f"w{i}" for i in range(144)]
    lists = tuple(tuple(words[i : i + 12]) for i in range(0, 144, 12))
    of = Topics("xx/topics", lists=lists)
    got = Compared.of(of, words, scores, table, (3, 20), WeatOptions(), np.random.default_rng(0))
    assert "8 + 8 words each, 20 draws" in got.told


@pytest.mark.parametrize("metric", ["weat", "seat", "lpbs"])
def test_a_planted_effect_is_specific_and_says_so(metric: str) -> None:
    (got,) = Engine(cache=None).measure(metric, "planted:gender=1.6", "en/weat7", **FAST)
    assert got.specificity is not None
    assert got.specificity.topics >= 20
    assert got.specificity.specific
    assert got.specificity.told.startswith("larger than ")
    assert f"{got.specificity.pairs} pairs of" in got.conventions["specificity"]
    assert "matched to A and B in nearness to the targets" in got.conventions["specificity"]


def test_topics_that_share_words_with_the_test_are_left_out() -> None:
    engine = Engine(cache=None)
    test, catalogue = engine.catalogue.test("en/weat7"), engine.catalogue
    whole = Topics.of(test, catalogue, WeatOptions())
    two = whole.lists[0][:2]
    roles = {**test.roles, "A": type(test.roles["A"])("A", (*test.roles["A"].words, *two))}
    fewer = Topics.of(replace(test, roles=roles), catalogue, WeatOptions())
    assert len(fewer.lists) == len(whole.lists) - 1
    assert fewer.asked == whole.asked


def test_topics_that_are_not_there_are_an_error_or_told(tmp_path: Path) -> None:
    write_weat(tmp_path / "mine")
    engine = Engine(cache=None, stimuli=[tmp_path / "mine"])
    with pytest.raises(OptionsError, match=r"topics='things': there are no lists en/things\.toml"):
        engine.measure("weat", "planted:pets=1", "en/pets", topics="things")
    (got,) = engine.measure("weat", "planted:pets=1", "en/pets", topics="none", **FAST)
    assert got.specificity is None
    assert got.conventions["specificity"] == "none: topics=none asks for none"


def test_topics_are_asked_once_of_an_opened_model() -> None:
    engine = Engine(cache=None)
    model = engine.model("planted:gender=1")
    first, second = (engine.measure("weat", model, test, **FAST) for test in ("en/weat6", "en/weat7"))
    assert (first.questions.put, second.questions.put) == (32 + 65 * 12, 32)
    anew = engine.measure("weat", "planted:gender=1", "en/weat7", **FAST)
    assert anew[0].specificity == second[0].specificity


@pytest.mark.slow
@pytest.mark.parametrize("vectors", ["of the text", "input"])
def test_harmless_topics_are_specific_in_five_per_cent(vectors: str, tmp_path: Path) -> None:
    ref = ENCODER if vectors == "of the text" else input_vectors(tmp_path)
    found = measure_harmless(ref, harmless_tests(240, 8), tmp_path / "cache")
    assert 0.02 <= share_specific(found) <= 0.08

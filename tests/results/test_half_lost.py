"""A list that lost all, half or more of its items, or more than its test allows: the test is not measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.results.coverage import NO_FURTHER, REPEATED, Coverage, LostWord
from biascore.results.verdicts import State
from biascore.results.words.result import lost_lines

from ..builders.vectors import random_vectors, write_vectors


def coverage(lost: dict[str, int], given: dict[str, int], reason: str = "out of vocabulary") -> Coverage:
    words = tuple(
        LostWord(word=f"w{n}", role=role, reason=reason) for role, many in lost.items() for n in range(many)
    )
    return Coverage(
        given=given, used={role: many - lost.get(role, 0) for role, many in given.items()}, lost=words
    )


@pytest.mark.parametrize(
    ("lost", "needed", "halved"),
    [
        ({"A": 3}, None, ""),
        ({"A": 4}, None, "A lost 4 of 8"),
        ({"A": 4}, ("X",), ""),
        ({"A": 4}, (), ""),
        ({"A": 5, "X": 3}, (), "the test lost 8 of 16"),
    ],
)
def test_half_of_a_list_is_the_limit(lost: dict[str, int], needed: Any, halved: str) -> None:
    assert coverage(lost, {"A": 8, "X": 8}).halved(needed).startswith(halved)
    assert bool(coverage(lost, {"A": 8, "X": 8}).halved(needed)) is bool(halved)


@pytest.mark.parametrize("reason", [REPEATED, f"has the vector of 'b', {NO_FURTHER}"])
def test_a_repeat_is_no_loss(reason: str) -> None:
    assert coverage({"A": 6}, {"A": 8}, reason).halved(None) == ""


@pytest.mark.parametrize(("gone", "state"), [(3, State.DETECTED), (4, State.NOT_MEASURED)])
def test_a_weat_list_without_half_of_its_words_is_not_measured(
    tmp_path: Path, gone: int, state: State
) -> None:
    engine = Engine(cache=None)
    roles = engine.catalogue.test("en/weat7").roles
    own = [word for one in roles.values() for word in one.words]
    people = engine.catalogue.file("en", "people").lists
    words = list(dict.fromkeys([*own, *(word for one in people for word in one.words)]))
    vectors = engine.model("planted:en/weat7=1.6").embed(words)
    without = set(roles["B"].words[:gone])
    known = {word: row for word, row in zip(words, np.asarray(vectors), strict=True) if word not in without}
    run = engine.measure("weat", write_vectors(tmp_path / "x.vec", known), "en/weat7", draws=200)
    assert State.of(run[0], run.verdicts[0]) is state
    if gone == 4:
        assert "B lost 4 of 8" in run[0].reason
        assert run[0].headline.interval is None
        assert run[0].p_value is None
        assert run[0].estimate("effect size d, of what is left").value is not None
        assert run.result_lines[0].endswith(": Nothing was measured.")


LANGUAGES = ("en/audit-religion-muslim-valence", "fr/audit-religion-valence", "es/GenS", "it/IT2")


def vectors_without(
    engine: Engine, folder: Path, test: str, lost: dict[str, int]
) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Random vectors of the words of a test but the first few of some lists, and the words of each list."""
    words = {role: one.words for role, one in engine.catalogue.test(test).roles.items()}
    gone = {word for role, many in lost.items() for word in words[role][:many]}
    every = dict.fromkeys(word for some in words.values() for text in some for word in text.split())
    gone |= {word for text in gone for word in text.split()}
    known = random_vectors((word for word in every if word not in gone), 5, 0)
    # A word that no list has, in upper case, so that words are asked as they are.
    return write_vectors(
        folder / "x.vec", {"the": np.ones(5), "Of": np.ones(5), "to": np.ones(5)} | known
    ), words


@pytest.mark.parametrize("test", LANGUAGES)
def test_one_rule_in_every_language(engine: Engine, tmp_path: Path, test: str) -> None:
    sizes = {role: len(one) for role, one in engine.catalogue.test(test).roles.items()}
    vectors, _ = vectors_without(engine, tmp_path, test, {"A": -(-sizes["A"] // 2)})
    run = engine.measure("weat", vectors, test, draws=200, resamples=100)
    assert State.of(run[0], run.verdicts[0]) is State.NOT_MEASURED
    assert "It was not measured: A lost" in run[0].reason
    assert run[0].estimate("effect size d, of what is left").value is not None


def test_fewer_words_than_the_test_takes_is_not_measured_either(engine: Engine, tmp_path: Path) -> None:
    test = "fr/audit-religion-valence"
    size = len(engine.catalogue.test(test).roles["A"])
    vectors, _ = vectors_without(engine, tmp_path, test, {"A": size // 4 + 1})
    run = engine.measure("weat", vectors, test, draws=200, resamples=100)
    assert State.of(run[0], run.verdicts[0]) is State.NOT_MEASURED
    assert "this test takes 75% of each list" in run[0].reason


def test_a_list_lost_in_whole_says_why_first(engine: Engine, tmp_path: Path) -> None:
    vectors, words = vectors_without(engine, tmp_path, "en/weat7", {"X": 8})
    run = engine.measure("weat", vectors, "en/weat7", draws=200)
    assert State.of(run[0], run.verdicts[0]) is State.NOT_MEASURED
    told = (
        "None of the 8 words of X is in the vocabulary (the vocabulary has: the, Of, to; the list has: "
        f"{', '.join(words['X'][:3])}), so it was not measured."
    )
    assert run[0].reason.startswith(told)
    assert told in next(iter(lost_lines(run, run.answers)))


def test_what_cannot_be_seen_in_the_words_of_a_vocabulary_is_written_out(
    engine: Engine, tmp_path: Path
) -> None:
    every = [word for one in engine.catalogue.test("en/weat7").roles.values() for word in one.words]
    vectors = write_vectors(tmp_path / "x.vec", random_vectors((f"\u200b{word}" for word in every), 5, 0))
    (found,) = engine.measure("weat", vectors, "en/weat7", draws=200)
    assert f"(the vocabulary has: '\\u200b{every[0]}', " in found.reason


def test_a_list_lost_in_whole_is_told_on_the_first_screen_of_the_report(
    engine: Engine, tmp_path: Path
) -> None:
    vectors, _ = vectors_without(engine, tmp_path, "en/weat7", {"X": 8, "Y": 8})
    run = engine.measure("weat", vectors, ["en/weat7", "en/weat8"], draws=200)
    page = run.report(tmp_path / "page.html").read_text(encoding="utf-8")
    screen = page[page.index("was not measured") : page.index("What these words mean")]
    assert "None of the 8 words of X is in the vocabulary, nor any of the 8 of Y" in screen
    assert "of 2 measurements on" in screen


def test_words_that_are_known_in_lower_case_say_how_to_ask_for_them(engine: Engine, tmp_path: Path) -> None:
    words = [w.lower() for one in engine.catalogue.test("en/weat6").roles.values() for w in one.words]
    vectors = write_vectors(tmp_path / "x.vec", random_vectors([*words, "Zulu"], 5, 0))
    run = engine.measure("weat", vectors, "en/weat6", draws=200)
    assert run[0].headline.value is None
    assert "in lower case: of word vectors, ask so with -o model.case=lower." in run[0].reason
    with engine.model(vectors, case="lower") as model:
        run = engine.measure("weat", model, "en/weat6", draws=200)
    assert run[0].headline.value is not None

"""The long tests: they follow from their sources, are matched, and hold what their sources say."""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from biascore import Engine
from biascore.stimuli import Test

SOURCES = Path(__file__).resolve().parents[2] / "wordlists" / "sources"
LANGUAGES = ("de", "en", "es", "fr", "it", "pl")
TESTS = {test.id: test for test in Engine(cache=None).catalogue.select("*/audit-*") if test.roles}


@pytest.fixture(scope="module")
def matched() -> Iterator[ModuleType]:
    """The module wordlists/sources/matched.py."""
    pytest.importorskip("wordfreq", reason="needs biascore[dev]")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SOURCES))
        import matched

        yield matched
    sys.modules.pop("matched", None)


def words(test: Test, role: str) -> tuple[str, ...]:
    return test.roles[role].words


@pytest.mark.slow
def test_the_script_gives_what_ships() -> None:
    pytest.importorskip("wordfreq", reason="needs biascore[dev]")
    done = subprocess.run(
        [sys.executable, SOURCES / "build.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_language_has_a_source() -> None:
    assert {path.stem for path in SOURCES.glob("*.toml")} == set(LANGUAGES)
    assert {test.language for test in TESTS.values()} == set(LANGUAGES)


@pytest.mark.parametrize("id", TESTS)
def test_lists_are_long_and_share_no_word(id: str) -> None:
    test = TESTS[id]
    sizes = {role: len(words(test, role)) for role in "XYAB"}
    assert sizes["X"] == sizes["Y"] >= (80 if test.language == "en" else 66)
    assert sizes["A"] == sizes["B"] >= 13
    every = [word.casefold() for role in "XYAB" for word in words(test, role)]
    assert [word for word, many in Counter(every).items() if many > 1] == []
    assert test.min_used == 0.75
    assert test.asked_in
    assert test.source
    assert test.licence


@pytest.mark.parametrize("id", TESTS)
def test_lists_are_as_frequent_and_as_long(id: str, matched: ModuleType) -> None:
    test = TESTS[id]
    x, y, a, b = (matched.features(words(test, role), test.language) for role in "XYAB")
    frequency, characters, parts = x.mean(axis=0) - y.mean(axis=0)
    assert abs(frequency) <= 0.16
    assert abs(characters) <= 1.5
    assert parts == 0
    named = any(name in id for name in ("names", "race-", "religion"))
    assert not named or abs(a.mean(axis=0)[0] - b.mean(axis=0)[0]) <= 0.35


def test_tests_of_two_groups_compare_the_same_names() -> None:
    race = [test for id, test in TESTS.items() if id.startswith("en/audit-race-")]
    pairs = {test.id.split("-")[2]: set[tuple[str, str]]() for test in race}
    for test in race:
        pairs[test.id.split("-")[2]].add((test.roles["A"].name, test.roles["B"].name))
    assert {group: len(some) for group, some in pairs.items()} == dict.fromkeys(
        ("black", "hispanic", "asian", "arab"), 1
    )


@pytest.mark.parametrize(
    ("group", "first", "family"),
    [
        ("black", "Lakisha", "Booker"),
        ("hispanic", "Guadalupe", "Gonzalez"),
        ("asian", "Priya", "Nguyen"),
        ("arab", "Fatima", "Haddad"),
    ],
)
def test_names_are_first_names_and_family_names(group: str, first: str, family: str) -> None:
    test = TESTS[f"en/audit-race-{group}-valence"]
    assert {first, family} <= set(words(test, "B"))
    assert len(words(test, "B")) >= 60


def test_valence_is_what_raters_said(shared_data: Path) -> None:
    with gzip.open(shared_data / "power" / "vader_lexicon.txt.gz", "rt", encoding="utf-8") as opened:
        rated = {row.split("\t")[0]: float(row.split("\t")[1]) for row in opened if row.strip()}
    test = TESTS["en/audit-gender-valence"]
    assert min(rated[word] for word in words(test, "X")) >= 1.2
    assert max(rated[word] for word in words(test, "Y")) <= -1.2


def test_occupations_are_by_the_share_of_women() -> None:
    with (SOURCES / "occupations_en.tsv").open(encoding="utf-8", newline="") as opened:
        share = {
            row["word"]: float(row["share of women, %"]) for row in csv.DictReader(opened, delimiter="\t")
        }
    test = TESTS["en/audit-gender-occupations"]
    assert max(share[word] for word in words(test, "X")) <= 35
    assert min(share[word] for word in words(test, "Y")) >= 60


class TestMatched:
    """The choice of pairs."""

    COMMON = ("time", "people", "house", "water", "school", "music")
    RARE = ("quiver", "trinket", "gazebo", "locket", "pewter", "tassel")

    def test_both_sides_are_as_frequent(self, matched: ModuleType) -> None:
        first, second = [*self.COMMON, *self.RARE[:3]], [*self.RARE[3:], "money", "story"]
        one, other = matched.matched(first, second, 4, "en")
        assert len(one) == len(other) == 4
        means = [matched.features(side, "en")[:, 0].mean() for side in (one, other)]
        assert abs(means[0] - means[1]) < abs(
            np.subtract(*(matched.features(side, "en")[:, 0].mean() for side in (first, second)))
        )

    def test_pairs_have_as_many_words(self, matched: ModuleType) -> None:
        one, other = matched.matched(
            ["food bank", "water", "house"], ["sports car", "music", "time"], 3, "en"
        )
        assert Counter(len(word.split()) for word in one) == Counter(len(word.split()) for word in other)

    def test_too_few_candidates(self, matched: ModuleType) -> None:
        with pytest.raises(ValueError, match="4 pairs are asked for, of 6 and 2 candidates"):
            matched.matched(self.COMMON, self.RARE[:2], 4, "en")

"""What the shipped tests say for their yardsticks: which lists name people, what the others are about, which test leads."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import biascore_wordlists
from biascore.api.stimuli import Catalogue
from biascore.stimuli.lists import WordList

from ..builders.kinds import KINDS
from ..builders.portuguese import PORTUGUESE as PLUGIN

WORDLISTS = Path(biascore_wordlists.__file__).parent
PORTUGUESE = PLUGIN / "biascore_plugin_portuguese" / "pt"
CATALOGUE = Catalogue.from_folders(
    [(WORDLISTS, "biascore_wordlists")], language_folders=[(PORTUGUESE, "portuguese/pt")], kinds=KINDS
)
TESTS = {test.id: test for test in CATALOGUE.tests if test.kind == "weat"}
LANGUAGES = sorted({test.language for test in TESTS.values()})

VOCABULARY = {
    "animals", "arts", "care", "crime", "family", "food", "games", "home", "law", "leadership", "money",
    "music", "nature", "religion", "science", "sleep", "sport", "technology", "travel", "violence", "words",
    "work",
}  # fmt: skip
"""What `touches` of a test and `about` of a harmless group may say."""

NO_PEOPLE = {
    "*/weat1": "flowers, insects and words of praise or blame",
    "*/weat2": "instruments, weapons and words of praise or blame",
    "en/weat9": "states of health and durations",
    "de/CW1": "business and children: one of the two is no group of people",
}
"""Tests of which neither pair of lists names groups of people, and what the lists hold instead."""

LEADS = {
    "gender": "audit-gender-career-family",
    "race": "audit-ethnicity-names-valence",
    "age": "audit-age-valence",
    "religion": "audit-religion-valence",
    "disability": "audit-disability-valence",
    "sexual orientation": "audit-orientation-valence",
    "nationality": "audit-nationality-valence",
    "body": "audit-body-valence",
    "class": "audit-class-valence",
}
"""The test that stands for each ground, named before any model was measured with it as one."""
ENGLISH_LEADS = {"race": "audit-race-black-valence", "religion": "audit-religion-muslim-valence"}
LEAST_GROUPS = 25
LEAST_WORDS = 10


def is_audit(id: str) -> bool:
    return id.split("/")[1].startswith("audit-")


@pytest.mark.parametrize("id", TESTS)
def test_people_are_named_but_for_known_exceptions(id: str) -> None:
    expected = not any(fnmatchcase(id, pattern) for pattern in NO_PEOPLE)
    assert bool(TESTS[id].of_people) is expected


@pytest.mark.parametrize("pattern", NO_PEOPLE)
def test_every_exception_is_of_a_test(pattern: str) -> None:
    assert any(fnmatchcase(id, pattern) for id in TESTS)


@pytest.mark.parametrize("id", TESTS)
def test_touches_are_of_the_vocabulary(id: str) -> None:
    test = TESTS[id]
    assert set(test.touches) <= VOCABULARY
    assert len(test.touches) == len(set(test.touches))
    assert test.of_people or not test.touches, (
        "touches narrow the groups of people, and none are compared here"
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_ground_of_an_audit_has_one_lead(code: str) -> None:
    audit = [test for id, test in TESTS.items() if test.language == code and is_audit(id)]
    leads = [test for test in audit if test.lead]
    assert Counter(test.concept for test in leads) == dict.fromkeys({test.concept for test in audit}, 1)
    named = LEADS | (ENGLISH_LEADS if code == "en" else {})
    assert {test.id for test in leads} == {f"{code}/{named[test.concept]}" for test in leads}


def test_only_audits_have_leads() -> None:
    assert [id for id, test in TESTS.items() if test.lead and not is_audit(id)] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_enough_harmless_groups_are_left_for_every_test(code: str) -> None:
    folder = PORTUGUESE if code == "pt" else WORDLISTS / code
    if not (folder / "people.toml").exists():
        pytest.skip(f"{folder.parent.name}/{code}/people.toml is not there")
    groups = [one for one in CATALOGUE.file(code, "people").lists if isinstance(one, WordList)]
    assert {tag for group in groups for tag in group.about} <= VOCABULARY
    long = [group for group in groups if len(group.words) >= LEAST_WORDS]
    left = {
        id: sum(not set(group.about) & set(test.touches) for group in long)
        for id, test in TESTS.items()
        if test.language == code and test.of_people
    }
    assert {id: many for id, many in left.items() if many < LEAST_GROUPS} == {}

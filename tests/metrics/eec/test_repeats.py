"""A person who repeats another of their group is no further observation, and the result says how many there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from biascore.api.exporters import Measurement
from biascore_metrics.eec.items import EquityTest, Person
from biascore_metrics.eec.metric import Eec
from biascore_metrics.eec.options import EecOptions

from ..measuring import measured
from .corpora import corpus, drawn, regressor

TEST = corpus()
MODEL = regressor(TEST, drawn(1, {"south": 0.5}))
COPIES = 8


def of(test: EquityTest) -> Measurement:
    return measured(Eec(EecOptions()), MODEL, test)


def with_persons(made: Callable[[Person], tuple[Person, ...]]) -> EquityTest:
    return replace(
        TEST,
        persons=tuple(
            replace(some, rows=tuple(one for person in some.rows for one in made(person)))
            for some in TEST.persons
        ),
    )


@pytest.fixture(scope="module")
def once() -> Measurement:
    return of(TEST)


def test_copies_of_persons_count_once_and_are_counted(once: Measurement) -> None:
    """Eight copies of each name under other ids made the interval .28 times as wide, without a word."""
    test = with_persons(
        lambda person: tuple(replace(person, id=f"{person.id}#{copy}") for copy in range(COPIES))
    )
    found = of(test)
    assert [(one.value, one.interval) for one in found.estimates] == [
        (one.value, one.interval) for one in once.estimates
    ]
    assert found.verdict == once.verdict
    assert any("112 person(s)" in one for one in found.warnings)  # 7 of each of 4 x 4 names
    assert sum(found.coverage.given.values()) - sum(found.coverage.used.values()) == 112
    assert not any(
        "not distinguished" in one or "does not distinguish all names" in one for one in found.warnings
    )


def test_copies_of_templates_words_and_sentences_narrow_nothing(once: Measurement) -> None:
    templates = tuple(
        replace(one, id=f"{one.id}#{copy}") for one in TEST.templates.rows for copy in range(COPIES)
    )
    words = tuple(replace(one, id=f"{one.id}#{copy}") for one in TEST.words.rows for copy in range(COPIES))
    for test in (
        replace(TEST, templates=replace(TEST.templates, rows=templates)),
        replace(TEST, words=replace(TEST.words, rows=words)),
        replace(TEST, given=tuple(row for row in TEST._generated() for _ in range(COPIES))),
    ):
        found, expected = of(test).headline, once.headline
        assert found.name == expected.name
        assert found.interval is not None
        assert expected.interval is not None
        width, own = (one.high - one.low for one in (found.interval, expected.interval))
        assert width == pytest.approx(own)


def test_one_name_in_two_groups_is_no_repeat(once: Measurement) -> None:
    """The same sentences, of a person of the north and of one of the south, say something of both groups."""
    person = TEST.persons[0].rows[0]
    other = replace(person, id="other", levels={**person.levels, "origin": "south"})
    found = of(with_persons(lambda one: (one, other) if one is person else (one,)))
    assert sum(found.coverage.used.values()) == sum(once.coverage.used.values()) + 1

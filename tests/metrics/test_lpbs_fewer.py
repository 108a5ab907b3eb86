"""Fewer words of each list, as the small audit of a language model asks."""

from __future__ import annotations

import numpy as np

from biascore import Engine
from biascore_metrics.lpbs.metric import LpbsOptions


def test_fewer_words_are_spread_over_each_list(engine: Engine) -> None:
    test = engine.catalogue.test("en/audit-gender-occupations")
    words = LpbsOptions(most_words=30).words_of(test)
    for role, own in words.items():
        every = test.roles[role].words
        places = [every.index(word) for word in own]
        assert len(own) == min(30, len(every))
        assert places == sorted(set(places))
        assert max(np.diff([*places, len(every)])) <= -(-len(every) // 30)
    assert LpbsOptions().words_of(test) == {role: test.roles[role].words for role in words}


def test_fewer_words_are_compared_with_all_harmless_groups(engine: Engine) -> None:
    test = "en/audit-disability-competence"
    few = {"draws": 99, "resamples": 100, "most_templates": 1, "most_words": 10}
    (measured,) = engine.measure("lpbs", f"planted:{test}=1.5", test, **few)
    assert measured.coverage is not None
    assert set(measured.coverage.used.values()) == {10}
    assert measured.specificity is not None
    assert measured.specificity.groups >= 25

"""The share of each list that a test takes: counted in words, whatever binary fractions say."""

from __future__ import annotations

import pytest

from biascore.stimuli import Test


@pytest.mark.parametrize(
    ("share", "given", "least"), [(0.55, 100, 55), (0.75, 80, 60), (0.75, 81, 61), (0.0, 9, 0), (0.7, 10, 7)]
)
def test_the_least_number_of_words(share: float, given: int, least: int) -> None:
    assert Test(id="en/t", kind="weat", language="en", min_used=share).least(given) == least

"""The smallest p that a test can give is told beside a p above alpha."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import Attainable, Interval, Verdict, decide, permutation_test
from biascore.stats.attainable import of_draws, of_partitions, of_signs
from biascore.stats.paired import sign_flip_test
from biascore.stats.proportions import binomial_test


@pytest.mark.parametrize(("nx", "ny"), [(2, 2), (3, 3), (2, 3), (4, 1), (5, 5)])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_two_lists_that_lie_apart_attain_it(nx: int, ny: int, alternative: str) -> None:
    found = permutation_test(np.arange(nx) + 100.0, np.arange(ny), rng=np.random.default_rng(0))
    p = (found.greater if alternative == "greater" else found.two_sided).p_value
    attainable = found.attainable(alternative, "words")
    assert attainable.p_value == p
    assert attainable.limited_by == f"{nx} + {ny} words"


def test_draws_have_a_smallest_p_of_their_own() -> None:
    found = permutation_test(
        np.arange(9) + 100.0, np.arange(9), method="monte-carlo", draws=9, rng=np.random.default_rng(0)
    )
    assert found.attainable("two-sided", "words") == Attainable(0.1, "9 draws") == of_draws(9)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_signs_all_one_way_attain_it(n: int) -> None:
    smallest = of_signs(n, "pairs").p_value
    assert smallest == pytest.approx(binomial_test(n, n))
    assert smallest == sign_flip_test(np.arange(n) + 1.0, rng=np.random.default_rng(0)).p_value


def test_no_signs_allow_no_p_below_one() -> None:
    assert of_signs(0, "pairs").p_value == 1.0


def test_the_reason_tells_it_only_where_it_is_above_alpha() -> None:
    ends = Interval(-0.1, 0.9, 0.95, "bca", 1000)
    few = decide(0.667, ends, alpha=0.05, bound=0.2, attainable=of_partitions(2, 2, "stereotypes"))
    assert few.verdict is Verdict.INCONCLUSIVE
    assert few.reason == (
        "The p-value 0.667 is above 0.05 and cannot be below 0.333 with 2 + 2 stereotypes, and the 95 % interval "
        "[-0.1, 0.9] is not inside the bound of 0.2."
    )
    enough = decide(0.667, ends, alpha=0.05, bound=0.2, attainable=of_partitions(4, 4, "stereotypes"))
    assert "cannot" not in enough.reason
    assert Attainable(0.05, "words").told(0.05) == ""  # p = alpha is significant


def test_adjustment_multiplies_it() -> None:
    assert of_partitions(4, 4, "words").adjusted(3, "tests").told(0.05) == (
        "cannot be below 0.0857 with 4 + 4 words, adjusted for 3 tests"
    )
    assert of_partitions(2, 2, "words").adjusted(9, "tests").p_value == 1.0

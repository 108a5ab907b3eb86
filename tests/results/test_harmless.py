"""Harmless audits: what is more than they give, against small cases by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.results.harmless import FEW, HarmlessAudits, Shared


def audits(*found: tuple[int, float]) -> HarmlessAudits:
    return HarmlessAudits(
        model="m", tests=10, counts=[one[0] for one in found], smallest=[one[1] for one in found]
    )


TEN = audits(*([(0, 1.0)] * 6), (1, 0.04), (1, 0.02), (2, 0.03), (3, 0.01))
"""Of ten audits six have nothing detected."""


def test_how_many_audits_have_as_many_and_as_small() -> None:
    assert TEN.mean == pytest.approx(0.7)
    assert [TEN.as_many(count) for count in range(5)] == pytest.approx([1.0, 0.4, 0.2, 0.1, 0.0])
    assert [TEN.as_small(share) for share in (0.005, 0.01, 0.025, 0.04, 1.0)] == pytest.approx(
        [0.0, 0.1, 0.2, 0.4, 1.0]
    )


@pytest.mark.parametrize(
    ("found", "p"),
    [
        (Shared(0), 1.0),
        (Shared(1, 0.045), 5 / 11),  # as many: .4; audits as rare as that: the four with anything
        (Shared(1, 0.025), 4 / 11),  # as small: .2; as rare: (1, .02), (2, .03), (3, .01)
        (Shared(2, 0.045), 4 / 11),  # as many: .2
        (Shared(3, 0.045), 2 / 11),  # as many: .1; as rare: (3, .01)
        (Shared(1, 0.001), 1 / 11),  # as small: 0
        (Shared(4, 0.045), 1 / 11),
    ],
)
def test_the_rarer_of_both_criteria_is_ranked_among_those_of_the_audits(found: Shared, p: float) -> None:
    assert TEN.p_value(found) == pytest.approx(p)


def test_more_than_five_of_a_hundred_audits_do_not_exceed() -> None:
    some = audits(*([(0, 1.0)] * 96), *([(1, 0.04)] * 3), (2, 0.01))
    assert some.exceeds(Shared(1, 0.04))  # (1 + 4) of 101
    more = audits(*([(0, 1.0)] * 95), *([(1, 0.04)] * 4), (2, 0.01))
    assert not more.exceeds(Shared(1, 0.04))  # (1 + 5) of 101
    assert more.exceeds(Shared(2, 0.04))
    assert not more.exceeds(Shared(0))


def test_surely_is_a_share_that_few_audits_have() -> None:
    some = audits(*([(0, 1.0)] * 95), (1, 0.04), (1, 0.03), (1, 0.02), (1, 0.01), (1, 0.01))
    assert some.surely(0.04)  # five of a hundred
    assert not audits(*([(0, 1.0)] * 94), *([(1, 0.04)] * 6)).surely(0.04)
    assert not some.surely(1.0)


def test_what_is_told_names_the_average_and_how_many_audits_have_as_many() -> None:
    assert TEN.told(Shared(3, 0.01)) == (
        "with harmless groups 0.7 of 10 tests are detected on average, 3 or more in 10 of 100 audits; here 3"
    )
    assert TEN.told(Shared(0)) == "with harmless groups 0.7 of 10 tests are detected on average; here 0"
    assert "4 or more in fewer than 1 of 100 audits" in TEN.told(Shared(4))


def test_an_audit_that_is_harmless_too_exceeds_in_at_most_five_of_a_hundred() -> None:
    """400 audits are drawn as the 1,000 are: correlated tests, so that few audits have many detected ones."""
    rng = np.random.default_rng(1)

    def drawn(many: int) -> list[Shared]:
        common = rng.normal(size=(many, 1))
        # Shares are even, and correlated over tests.
        shares = (
            np.argsort(np.argsort(0.6 * common + 0.8 * rng.normal(size=(many, 30)), axis=0), axis=0) / many
            + 1e-6
        )
        least = np.where(shares <= 0.05, shares, 1.0).min(axis=1)
        return [
            Shared(int(some), float(one))
            for some, one in zip((shares <= 0.05).sum(axis=1), least, strict=True)
        ]

    own = audits(*drawn(1000))
    p = np.array([own.p_value(one) for one in drawn(400)])
    for level in (FEW, 0.1, 0.2):
        assert np.mean(p <= level) <= level + 3 * np.sqrt(level * (1 - level) / 400)
    assert np.mean(p <= FEW) >= FEW - 3 * np.sqrt(FEW * (1 - FEW) / 400)


def test_counts_and_shares_are_of_the_same_audits() -> None:
    with pytest.raises(ValueError, match="one count and one smallest share each"):
        HarmlessAudits(model="m", tests=1, counts=(1, 2), smallest=(0.5,))

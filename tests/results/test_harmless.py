"""Harmless audits: how they are drawn, what is more than they give, and what the result of a run says of it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.engine.harmless import AUDITS, harmless_audits
from biascore.engine.measuring import Measured
from biascore.results.harmless import FEW, HarmlessAudits, Shared
from biascore.results.measurement import Measurement
from biascore.results.specificity import Specificity
from biascore.results.verdicts import State, run_verdicts
from biascore.results.words.answers import Answer, answers
from biascore.results.words.result import checks_of
from biascore.results.words.sentence import result_lines
from biascore.stats import Adjustment
from biascore.stats.harmless import HarmlessPairs

from ..builders.runs import decided

HOLM, NONE = Adjustment.HOLM, Adjustment.NONE
NAMES = tuple("abcdefgh")
PEOPLE, OTHERS = (("he",), ("she",)), (("young",), ("old",))
NOTHING = (0, 1.0)


def audits(*found: tuple[int, float], tests: int = 10) -> HarmlessAudits:
    """Of each audit how many tests are detected, and the smallest share."""
    counts, smallest = zip(*found, strict=True)
    return HarmlessAudits(model="m", tests=tests, counts=counts, smallest=smallest)


TEN = audits(*[NOTHING] * 6, (1, 0.04), (1, 0.02), (2, 0.03), (3, 0.01))
"""Of ten audits six have nothing detected."""
RARE = audits(*[NOTHING] * 990, *[(1, 0.01)] * 10, tests=2)
USUAL = audits(*[NOTHING] * 300, *[(1, 0.01)] * 700, tests=2)


# What is more than they give.


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
    some, more = (audits(*[NOTHING] * (99 - few), *[(1, 0.04)] * few, (2, 0.01)) for few in (3, 4))
    assert some.exceeds(Shared(1, 0.04))  # (1 + 4) of 101
    assert not more.exceeds(Shared(1, 0.04))  # (1 + 5) of 101
    assert more.exceeds(Shared(2, 0.04))
    assert not more.exceeds(Shared(0))
    just = audits(*[NOTHING] * 95, *[(1, 0.04)] * 3, (2, 0.01))
    assert (just.p_value(Shared(1, 0.04)), just.exceeds(Shared(1, 0.04))) == (0.05, True)


def test_surely_is_a_share_that_few_audits_have() -> None:
    some, more = (audits(*[NOTHING] * (100 - few), *[(1, 0.04)] * few) for few in (5, 6))
    assert some.exceeds_harmless(0.04)
    assert not more.exceeds_harmless(0.04)
    assert not some.exceeds_harmless(1.0)


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


# How they are drawn.


def among(share: float = 0.01) -> Specificity:
    return Specificity(share=share, pairs=300, groups=25, pool="en/people", kind="people")


def measured(
    test: str,
    p_of_pair: dict[tuple[str, str], float] | float = 0.5,
    *,
    groups: tuple[tuple[str, ...], ...] = PEOPLE,
    names: tuple[str, ...] = NAMES,
    share: float = 0.01,
    **parts: Any,
) -> Measured:
    """A test whose pairs of harmless groups have these p-values, and this share each."""
    one, other = np.triu_indices(len(names), 1)
    pairs = [(names[i], names[j]) for i, j in zip(one, other, strict=True)]
    p_values = [
        p_of_pair
        if isinstance(p_of_pair, float)
        else next(p_of_pair[key] for key in (pair, pair[::-1]) if key in p_of_pair)
        for pair in pairs
    ]
    found = HarmlessPairs(names, one, other, np.full(one.size, share), np.array(p_values))
    return Measured(decided(0.5, test=test, specificity=among(), **parts), lambda: found, groups)


def half_of_pairs(seed: int = 0) -> dict[tuple[str, str], float]:
    """By pair a p-value: far below alpha for half of them."""
    pairs = list(combinations(NAMES, 2))
    chosen = np.random.default_rng(seed).permutation(len(pairs)) < len(pairs) // 2
    return {pair: 1e-6 if low else 0.9 for pair, low in zip(pairs, chosen, strict=True)}


def drawn(*made: Measured, how: Adjustment = HOLM, seed: int = 1) -> HarmlessAudits:
    (found,) = harmless_audits(made, {}, how, seed)
    return found


def test_they_are_the_same_for_the_same_seed() -> None:
    made = [measured("en/t1", half_of_pairs()), measured("en/t2", half_of_pairs(1), groups=OTHERS)]
    one, again, other = (drawn(*made, seed=seed) for seed in (1, 1, 2))
    assert len(one.counts) == AUDITS
    assert (one.counts, one.smallest) == (again.counts, again.smallest)
    assert one.counts != other.counts


@pytest.mark.parametrize("names", [NAMES, NAMES[::-1], (*NAMES[3:], *NAMES[:3])])
def test_one_pair_takes_the_place_of_one_pair_of_groups_in_all_its_tests(names: tuple[str, ...]) -> None:
    """Tests of the same groups are detected together or not at all, in whatever order each has its pairs."""
    low = half_of_pairs()
    together = drawn(measured("en/t1", low), measured("en/t2", low, names=names))
    assert set(together.counts) == {0, 2}
    apart = drawn(measured("en/t1", low), measured("en/t2", low, names=names, groups=OTHERS))
    assert set(apart.counts) == {0, 1, 2}
    assert together.mean == pytest.approx(apart.mean, abs=0.15) == pytest.approx(1.0, abs=0.15)


def test_tests_of_one_pair_of_groups_draw_from_the_groups_that_all_have() -> None:
    low = dict.fromkeys(combinations(NAMES, 2), 1e-6) | {("a", "b"): 0.9}
    some = drawn(measured("en/t1", low), measured("en/t2", low, names=("a", "b")))
    assert set(some.counts) == {0}
    nothing = drawn(measured("en/t1", low), measured("en/t2", 1e-6, names=("y", "z")))
    assert set(nothing.counts) == {1, 2}


def test_p_values_are_adjusted_as_those_of_the_run() -> None:
    two = [measured(f"en/t{number}", 0.03) for number in range(2)]
    assert set(drawn(*two, how=HOLM).counts) == {0}
    assert set(drawn(*two, how=NONE).counts) == {2}
    assert set(drawn(two[0], how=HOLM).counts) == {1}


def test_a_pair_is_detected_only_where_few_pairs_reach_it() -> None:
    few, many = (drawn(measured("en/t", 1e-6, share=share)) for share in (0.05, 0.06))
    assert (set(few.counts), set(few.smallest)) == ({1}, {0.05})
    assert (set(many.counts), set(many.smallest)) == ({0}, {1.0})


def test_what_is_not_compared_is_adjusted_for_and_never_detected() -> None:
    plain = Measured(decided(1e-9, test="en/t9", metric="other"))
    found = drawn(measured("en/t1", 0.03), plain)
    assert found.tests == 1
    assert set(found.counts) == {1}  # .03 is the larger of two p-values, of which the other is tiny
    wide = Measured(decided(0.9, test="en/t9", metric="other"))
    assert set(drawn(measured("en/t1", 0.03), wide).counts) == {0}


def test_only_findings_have_them_one_for_each_model() -> None:
    low = half_of_pairs()
    made = [
        measured("en/t1", low, model="one"),
        measured("en/t1", low, model="two"),
        measured("en/t1", low, model="made"),
        measured("en/t2", low, model="one", concept="baseline"),
        Measured(decided(0.01, test="en/t3", model="three")),
    ]
    found = harmless_audits(made, {"made": {}}, HOLM, 1)
    assert [(one.model, one.tests) for one in found] == [("one", 1), ("two", 1)]


def test_a_run_has_those_of_its_models_in_use(tmp_path: Any) -> None:
    from ..builders.vectors import random_vectors, write_vectors

    engine = Engine(cache=None)
    catalogue = engine.catalogue
    words = [word for role in catalogue.test("en/weat1").roles.values() for word in role.words]
    tests = ["en/weat6", "en/weat7"]
    words += [word for test in tests for role in catalogue.test(test).roles.values() for word in role.words]
    words += [word for some in catalogue.file("en", "people").lists for word in some.words]
    ref = write_vectors(tmp_path / "some.vec", random_vectors(words, 30, 1))
    run = engine.measure("weat", ref, tests, resamples=100, draws=500)
    (found,) = run.harmless
    assert found.tests == 2
    assert found.mean < 0.3  # of two tests, in which 5 of 100 pairs are as small
    assert type(run).load(run.save(tmp_path / "run")).harmless == run.harmless
    assert engine.measure("weat", "planted:gender=1", tests, resamples=100, draws=500).harmless == ()


# What the result says.


def d(p: float, share: float | None, **parts: Any) -> Measurement:
    return decided(p, specificity=None if share is None else among(share), **parts)


def of(*some: Measurement) -> tuple[Answer, ...]:
    return answers(some, run_verdicts(some, {}, HOLM), {})


def test_bias_was_detected_only_where_harmless_groups_give_less() -> None:
    found = of(d(0.001, 0.01), d(0.9, 0.4, test="en/weat7"))
    (more,), (as_much,) = (result_lines(found, harmless=[one]) for one in (RARE, USUAL))
    assert more == "m: Bias detected: gender."
    assert as_much == "m: No clear bias: detected on gender, but 71 of 100 harmless audits show as much."
    assert result_lines(found)[0] == "m: Bias detected: gender."  # with nothing to compare with


def test_the_sentence_says_how_often_harmless_audits_have_as_much_by_what_decides() -> None:
    """Not by their number alone, which would read as 4 of 100 and no more than harmless groups give."""
    found = of(d(1e-6, 0.02), d(1e-6, 0.04, test="en/weat7"))
    some = audits(*[NOTHING] * 930, *[(1, 0.005)] * 30, *[(2, 0.02)] * 40, tests=2)
    assert (some.as_many(2), some.p_value(Shared(2, 0.02))) == (0.04, pytest.approx(0.071, abs=0.001))
    (line,) = result_lines(found, harmless=[some])
    assert line == "m: No clear bias: detected on gender, but 8 of 100 harmless audits show as much."
    assert "2 in 4 of 100 audits" in some.told(Shared(2, 0.02))  # the check names what it counts


def test_sure_are_grounds_whose_share_is_smaller_than_that_of_nearly_all_harmless_audits() -> None:
    """Many tests are detected, which exceeds; of each ground only a share that is rare in an audit is sure."""
    found = of(d(1e-6, 0.002), d(1e-6, 0.04, test="en/weat3", concept="race"))
    some = audits(*[NOTHING] * 900, *[(0, 0.03)] * 60, *[(1, 0.01)] * 40, tests=2)
    assert some.exceeds(Shared(2, 0.002))
    (line,) = result_lines(found, harmless=[some])
    assert line == "m: Bias on both grounds; sure on gender, the rest only test by test."


def test_a_rare_share_is_not_sure_where_the_whole_run_does_not_exceed() -> None:
    """As few audits have such a share as have many detected tests: together they are more than 5 of 100."""
    some = audits(*[NOTHING] * 900, *[(1, 0.01)] * 50, *[(3, 0.04)] * 50, tests=3)
    assert some.exceeds_harmless(0.01)
    assert some.p_value(Shared(1, 0.01)) == 101 / 1001
    found = of(d(1e-6, 0.01), d(0.9, 0.4, test="en/weat7"), d(0.9, 0.4, test="en/weat8"))
    (line,) = result_lines(found, harmless=[some])
    assert line == "m: No clear bias: detected on gender, but 11 of 100 harmless audits show as much."


def test_of_many_models_one_that_a_metric_without_comparison_finds_biased_is_counted() -> None:
    some = [d(1e-6, None, metric="other", model="m0"), *(d(0.001, 0.01, model=f"m{n}") for n in range(1, 5))]
    usual = [USUAL.model_copy(update={"model": f"m{number}"}) for number in range(5)]
    (line,) = result_lines(of(*some), harmless=usual)
    assert line == "Bias in 1 of 5 models: m0."


def test_a_metric_that_compares_with_none_is_sure_by_itself() -> None:
    """Its p-value is none of the comparison, and the others are told as what harmless groups give as much of."""
    found = of(d(1e-6, None, metric="other"), d(1e-6, 0.04, test="en/weat3", concept="race"))
    (line,) = result_lines(found, harmless=[USUAL])
    assert line == "m: Bias on 1 of 2 grounds: gender; no more than harmless groups give on race."
    alone = of(d(1e-6, None, metric="other"), d(0.9, 0.5, test="en/weat3", concept="race"))
    assert result_lines(alone, harmless=[USUAL]) == ("m: Bias on 1 of 2 grounds: gender.",)


def test_many_models_are_counted_where_they_exceed() -> None:
    some = [d(0.001, 0.01, model=f"m{number}") for number in range(5)]
    rare, usual = (
        [one.model_copy(update={"model": f"m{number}"}) for number in range(5)] for one in (RARE, USUAL)
    )
    (line,) = result_lines(of(*some), harmless=[*usual[:3], *rare[3:]])
    assert line == "Bias in 2 of 5 models: m3 and m4."


def test_the_comparison_is_a_check_of_its_own() -> None:
    found = of(d(0.001, 0.01), d(0.9, 0.4, test="en/weat7"))
    (check,) = checks_of(found, [USUAL])
    assert check.passed is None
    assert check.line == (
        "With harmless groups 0.7 of 2 tests are detected on average, 1 or more in 70 of 100 audits; here 1 (m)"
    )
    assert checks_of(found, [USUAL.model_copy(update={"model": "other"})]) == ()
    assert TEN.told(Shared(0)) == "with harmless groups 0.7 of 10 tests are detected on average; here 0"
    assert "4 or more in fewer than 1 of 100 audits" in TEN.told(Shared(4))


def test_the_lead_test_is_what_an_answer_shows() -> None:
    """Where it has the state of the ground; a stronger result of another test is among the others."""
    lead = d(0.004, 0.03, test="en/audit-lead", value=0.4, ends=(0.2, 0.6), lead=True)
    other = d(1e-6, 0.002, test="en/audit-other", value=1.1, ends=(0.9, 1.3))
    (answer,) = of(other, lead)
    assert answer.strongest == 1
    assert answer.size is not None
    assert "d = 0.40" in answer.size.text
    assert answer.lead == "lead test en/audit-lead: detected"
    assert answer.shown_by == ("en/audit-other", "en/audit-lead")
    (against,) = of(other, d(0.9, 0.5, test="en/audit-lead", lead=True))
    assert (against.strongest, against.state) == (0, State.DETECTED)
    assert against.lead == "lead test en/audit-lead: inconclusive"
    assert "lead test en/audit-lead: inconclusive" in against.text
    assert of(lead)[0].lead == ""  # alone it is the answer
    (hint,) = of(other, d(0.001, 0.13, test="en/audit-lead", lead=True))
    assert hint.lead == "lead test en/audit-lead: hint (13 of 100 harmless pairs reach it)"

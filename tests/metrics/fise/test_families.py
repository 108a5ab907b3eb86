"""Words and targets that are forms of one another are exchanged, resampled and counted together."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from biascore.plugins_api import Dimension, WordList
from biascore_metrics.fise.intervals import effective_words
from biascore_metrics.fise.statistics import DISTANCE

from ..loops import cosine
from .axes import GENDER, LISTS, RACE, TARGETS, VECTORS, fise, fise_test, gg_fise, scattered


def inflected(name: str, side: str, families: Sequence[Sequence[int]]) -> WordList:
    """The words of a list with the families of their numbers."""
    named = tuple(tuple(f"{side}{i}" for i in numbers) for numbers in families)
    return WordList(name, tuple(LISTS[side]), families=named)


def test_labels_are_exchanged_by_family(model_of):
    race = Dimension(
        "race", inflected("white", "white", [(0, 1, 2), (3, 4)]), inflected("black", "black", [(5, 4)])
    )
    got = fise(model_of(VECTORS), fise_test(dimensions=(GENDER, race)))
    plain = fise(model_of(VECTORS), fise_test())
    for name in ("mean bias race", "share of men white", "interaction gender x race", "mean bias gender"):
        assert got.estimate(name).value == plain.estimate(name).value
        assert got.estimate(name).interval == plain.estimate(name).interval
    assert got.estimate("mean bias gender").model_dump() == plain.estimate("mean bias gender").model_dump()
    # Three families of A and five of B: all 56 labellings, by hand.
    means = {
        w: np.mean([cosine(VECTORS[t], VECTORS[w]) for t in TARGETS]) for w in race.A.words + race.B.words
    }
    families = [("white0", "white1", "white2"), ("white3", "white4"), ("white5",), ("black4", "black5")]
    families += [(f"black{i}",) for i in range(4)]
    found = []
    for chosen in itertools.combinations(range(8), 3):
        of_a = [means[w] for i, family in enumerate(families) for w in family if i in chosen]
        of_b = [means[w] for i, family in enumerate(families) for w in family if i not in chosen]
        found.append(np.mean(of_a) - np.mean(of_b))
    estimate = got.estimate("mean bias race")
    assert found[0] == pytest.approx(estimate.value, abs=1e-6)
    [p_value] = estimate.p_values
    assert (p_value.kind, p_value.n) == ("exact", 56)
    assert p_value.value == pytest.approx(np.mean(np.abs(found) >= abs(found[0]) - 1e-9))
    assert estimate.n == {"words": 40, "A": 6, "B": 6, "families A": 3, "families B": 5}
    assert plain.estimate("mean bias race").n == {"words": 40, "A": 6, "B": 6}
    told = got.conventions["families of attribute words"]
    assert told == "gender 6 + 6, race 3 + 5 of 6 + 6 words, valence 6 + 6"
    warning = (
        "race.A and race.B hold 3 and 5 independent words (forms of one word count once), whose labels can be "
        "exchanged in 56 ways only: that alone gives no p-value below 0.018"
    )
    assert warning in got.cautions
    assert not any("independent words" in w for w in plain.warnings)


def test_families_are_those_of_the_usable_words(model_of):
    vectors = {w: v for w, v in VECTORS.items() if w not in ("good0", "white0", "white3")}
    race = Dimension("race", inflected("white", "white", [(0, 1, 2), (3, 4)]), RACE.B)
    valence = Dimension("valence", inflected("good", "good", [(0, 1)]), inflected("bad", "bad", [range(6)]))
    got = fise(model_of(vectors), fise_test(dimensions=(GENDER, race), affect=(valence,)))
    told = got.conventions["families of attribute words"]
    assert told == "gender 6 + 6, race 3 + 6 of 4 + 6 words, valence 5 + 1 of 5 + 6 words"
    assert got.estimate("mean bias race").p_values[0].n == math.comb(9, 3)
    assert any(w.startswith("valence.A and valence.B hold 5 and 1 independent words") for w in got.warnings)


def test_a_word_that_is_kept_twice_is_one_family(model_of):
    gender = Dimension("gender", WordList("men", ("men0", "men0", *LISTS["men"][1:])), GENDER.B)
    got = fise(model_of(VECTORS), fise_test(dimensions=(gender, RACE)), duplicates="keep")
    assert got.estimate("mean bias gender").n["families A"] == 6
    assert (
        "families A"
        not in fise(model_of(VECTORS), fise_test(dimensions=(gender, RACE))).estimate("mean bias gender").n
    )


def test_both_forms_of_a_pair_are_resampled_together(model_of):
    pairs = list(zip(TARGETS[::2], TARGETS[1::2], strict=True))
    vectors = VECTORS | {second: VECTORS[first] for first, second in pairs}
    model = model_of(vectors)
    together = fise(model, fise_test(pairs), forms="both", bootstrap="percentile", resamples=20_000)
    once = fise(model, fise_test([first for first, _ in pairs]), bootstrap="percentile", resamples=20_000)
    apart = fise(model, fise_test(TARGETS), bootstrap="percentile", resamples=20_000, duplicates="keep")
    # Forms with one vector say what one of them says, and are taken for twice as much where they are apart.
    for name in ("mean bias gender", "mean bias race", "share of men white", "interaction gender x race"):
        both, single, double = (got.estimate(name) for got in (together, once, apart))
        assert both.value == pytest.approx(single.value, abs=1e-9)
        width = single.interval.high - single.interval.low
        assert both.interval.low == pytest.approx(single.interval.low, abs=0.04 * width)
        assert both.interval.high == pytest.approx(single.interval.high, abs=0.04 * width)
        assert double.interval.high - double.interval.low < 0.85 * width
    high = [one.estimate(DISTANCE).interval.high for one in (together, once)]
    assert high[0] == pytest.approx(high[1], abs=0.02)
    assert together.estimate("log odds ratio gender x race").n == {"words": 40, "pairs": 20}
    assert together.conventions["words of pairs"] == "40 words of 20 pairs"
    assert apart.conventions["words of pairs"] is None
    assert apart.estimate("log odds ratio gender x race").n == {"words": 40}
    assert gg_fise(model, fise_test(pairs)).estimate("log odds ratio gender x race").n == {"words": 20}


def test_families_of_targets_are_resampled_together(model_of):
    targets = WordList("jobs", tuple(TARGETS), families=tuple(zip(TARGETS[::2], TARGETS[1::2], strict=True)))
    got = fise(model_of(VECTORS), replace(fise_test(), targets=targets))
    name = "mean bias gender at equal tightness"
    assert got.estimate("mean bias gender").n == {"words": 40, "families": 20, "A": 6, "B": 6}
    assert got.conventions["words of pairs"] == "40 words of 20 families"
    pairs = fise(
        model_of(VECTORS), fise_test(list(zip(TARGETS[::2], TARGETS[1::2], strict=True))), forms="both"
    )
    assert got.estimate(name).interval == pairs.estimate(name).interval
    alone = fise(model_of(VECTORS), fise_test()).estimate(name)
    assert got.estimate(name).p("t over words") != alone.p("t over words")
    assert got.estimate(name).value == alone.value


def test_counterparts_change_labels_with_each_other(model_of):
    men = WordList("men", GENDER.A.words, counterparts="women")
    test = fise_test(dimensions=(Dimension("gender", men, GENDER.B), RACE))
    got = fise(model_of(VECTORS), test, alpha=0.4)
    labels = got.estimate("mean bias gender").p("label permutation")
    assert (labels.kind, labels.n) == ("exact", 2**6)
    told = got.conventions["families of attribute words"]
    assert told.startswith("gender 6 + 6, 6 pairs of counterparts, race 6 + 6")
    # Six pairs leave too few labellings for a p-value well below .05, so all of their words are exchanged.
    strict = fise(model_of(VECTORS), test)
    assert strict.estimate("mean bias gender").p("label permutation").n == math.comb(12, 6)


def test_pairs_that_share_a_form_are_resampled_together(model_of):
    pairs = [("t0", "t1"), ("t2", "t2"), ("t3", "t4"), ("t5", "t6"), ("t3", "t5"), ("t7", "t8")]
    got = fise(model_of(VECTORS), fise_test(pairs), forms="both")
    assert got.estimate("log odds ratio gender x race").n == {"words": 9, "pairs": 4}
    without = {w: v for w, v in VECTORS.items() if w not in ("t1", "t7", "t8")}
    got = fise(model_of(without), fise_test(pairs), forms="both")
    assert got.estimate("log odds ratio gender x race").n == {"words": 6, "pairs": 3}


def test_wilson_takes_the_effective_number_of_words(model_of):
    from biascore.stats.proportions import wilson_interval

    bent = {w: np.array([1.0, 1, 0, 0, 0, 0, 0, 0]) + v for w, v in scattered(0.05).items()}
    pairs = [*zip(TARGETS[:15], TARGETS[15:30], strict=True), *((w, w) for w in TARGETS[30:])]
    got = fise(model_of(VECTORS | bent), fise_test(pairs), forms="both")
    empty = got.estimate("share of women black")
    effective = 40**2 // (15 * 4 + 10)  # Kish
    assert empty.n == {"words": 40}
    assert empty.interval.high == pytest.approx(wilson_interval(0, effective).high)
    full = got.estimate("share of men white")
    assert full.interval.low == pytest.approx(wilson_interval(effective, effective).low)


@pytest.mark.parametrize(
    ("pairs", "effective"), [([], 0), ([0, 1, 2], 3), ([0, 0, 1, 1], 2), ([0, 0, 1], 1), ([0, 0, 0], 1)]
)
def test_the_effective_number_is_that_of_words_whose_forms_agree(pairs: list[int], effective: int):
    assert effective_words(np.array(pairs, dtype=np.intp)) == effective


def test_near_duplicates_that_no_family_declares_are_told(model_of):
    near = {f"men{i}": VECTORS[f"men{i % 3}"] + 0.01 * i for i in range(6)}
    told = "gender.A: men0 = men3, men1 = men4, men2 = men5 are nearly the same to this model"
    assert any(w.startswith(told) for w in fise(model_of(VECTORS | near), fise_test()).cautions)
    men = WordList("men", GENDER.A.words, families=tuple((f"men{i}", f"men{i + 3}") for i in range(3)))
    declared = fise_test(dimensions=(Dimension("gender", men, GENDER.B), RACE))
    assert not [w for w in fise(model_of(VECTORS | near), declared).warnings if w.startswith(told)]

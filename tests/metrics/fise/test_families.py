"""Words and targets that are forms of one another are exchanged and counted together."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from biascore.api.stimuli import PairList, WordList
from biascore_metrics.fise.items import Dimension

from .axes import GENDER, LISTS, RACE, TARGETS, VECTORS, fise, fise_test, gg_fise

EQUAL = "mean bias gender at equal tightness"


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
    for name in ("mean bias race", "share of men white"):
        assert got.estimate(name).value == plain.estimate(name).value
    estimate = got.estimate("mean bias race at equal tightness")
    labels = estimate.p("label permutation")
    assert (labels.kind, labels.n) == ("exact", math.comb(8, 3))
    assert estimate.n == {"words": 40, "clusters": 6, "A": 6, "B": 6, "families A": 3, "families B": 5}
    told = got.conventions["families of attribute words"]
    assert told == "gender 6 + 6, race 3 + 5 of 6 + 6 words"
    warning = (
        "race.A and race.B hold 3 and 5 independent words (forms of one word count once), whose labels can be "
        "exchanged in 56 ways only: that alone gives no p-value below 0.018"
    )
    assert warning in got.cautions
    assert not any("independent words" in w for w in plain.warnings)


def test_families_are_those_of_the_usable_words(model_of):
    vectors = {w: v for w, v in VECTORS.items() if w not in ("good0", "white0", "white3")}
    race = Dimension("race", inflected("white", "white", [(0, 1, 2), (3, 4)]), RACE.B)
    got = fise(model_of(vectors), fise_test(dimensions=(GENDER, race)))
    told = got.conventions["families of attribute words"]
    assert told == "gender 6 + 6, race 3 + 6 of 4 + 6 words"
    assert got.estimate("mean bias race at equal tightness").p("label permutation").n == math.comb(9, 3)


def test_a_word_that_is_kept_twice_is_one_family(model_of):
    gender = Dimension("gender", WordList("men", ("men0", "men0", *LISTS["men"][1:])), GENDER.B)
    got = fise(model_of(VECTORS), fise_test(dimensions=(gender, RACE)), duplicates="keep")
    assert got.estimate(EQUAL).n["families A"] == 6
    assert "families A" not in fise(model_of(VECTORS), fise_test(dimensions=(gender, RACE))).estimate(EQUAL).n


def test_forms_of_a_pair_and_pairs_that_share_a_form_are_of_one_family(model_of):
    pairs = [
        ("t0", "t1"),
        ("t2", "t2"),
        ("t3", "t4"),
        ("t5", "t6"),
        ("t3", "t5"),
        ("t7", "t8"),
        ("t9", "t10"),
    ]
    declared = PairList("jobs", tuple(pairs), ("masculine", "feminine"), families=(("t0", "t7"),))
    got = fise(model_of(VECTORS), replace(fise_test(), targets=declared), forms="both")
    cluster = got.items_frame().set_index("item")["cluster"]
    kinds = [("t0", "t1", "t7", "t8"), ("t2",), ("t3", "t4", "t5", "t6"), ("t9", "t10")]
    assert {frozenset(rows.index) for _, rows in cluster.groupby(cluster)} == set(map(frozenset, kinds))
    assert got.headline.n["families"] == 4
    assert got.conventions["clusters of target words"] == "11 words of 4 families of the list"
    for metric, name in ((fise, "t0"), (gg_fise, "t0/t1")):
        once = metric(model_of(VECTORS), replace(fise_test(), targets=declared))
        assert once.items["cluster"].to_pylist().count(name) == 2
        assert once.headline.estimator.value(once.items) == pytest.approx(once.headline.value)
    assert fise(model_of(VECTORS), fise_test()).headline.estimator is None


def test_forms_of_a_pair_go_into_one_cluster_where_nothing_is_declared(model_of):
    pairs = list(zip(TARGETS[::2], TARGETS[1::2], strict=True))
    frame = fise(model_of(VECTORS), fise_test(pairs), forms="both").items_frame().set_index("item")
    assert all(frame.loc[one, "cluster"] == frame.loc[other, "cluster"] for one, other in pairs)
    assert frame["cluster"].nunique() == round(20**0.5)


def test_counterparts_change_labels_with_each_other(model_of):
    men = WordList("men", GENDER.A.words, counterparts="women")
    test = fise_test(dimensions=(Dimension("gender", men, GENDER.B), RACE))
    got = fise(model_of(VECTORS), test, alpha=0.4)
    labels = got.estimate(EQUAL).p("label permutation")
    assert (labels.kind, labels.n) == ("exact", 2**6)
    told = got.conventions["families of attribute words"]
    assert told.startswith("gender 6 + 6, 6 pairs of counterparts, race 6 + 6")
    # Six pairs leave too few labellings for a p-value well below .05, so all of their words are exchanged.
    strict = fise(model_of(VECTORS), test, draws=1000)
    assert strict.estimate(EQUAL).p("label permutation").n == math.comb(12, 6)


def test_near_duplicates_that_no_family_declares_are_told(model_of):
    near = {f"men{i}": VECTORS[f"men{i % 3}"] + 0.01 * i for i in range(6)}
    told = "gender.A: men0 = men3, men1 = men4, men2 = men5 are nearly the same to this model"
    assert any(w.startswith(told) for w in fise(model_of(VECTORS | near), fise_test()).cautions)
    men = WordList("men", GENDER.A.words, families=tuple((f"men{i}", f"men{i + 3}") for i in range(3)))
    declared = fise_test(dimensions=(Dimension("gender", men, GENDER.B), RACE))
    assert not [w for w in fise(model_of(VECTORS | near), declared).warnings if w.startswith(told)]

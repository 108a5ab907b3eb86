"""The transform ``grammatical-gender``: planted directions found and removed, and what it says of itself."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.errors import OptionsError, StimuliError
from biascore_transforms.grammatical_gender import GrammaticalGender, GrammaticalGenderOptions
from biascore_transforms.linear import LinearTransform

from .planted_words import Table, fitted, lent, model_with_nouns, nouns_test, vectors_of


def transform(**options: object) -> GrammaticalGender:
    return GrammaticalGender(GrammaticalGenderOptions(**{"nouns": "xx/nouns", **options}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options", [{}, {"classifier": "lda"}, {"rows": "raw"}, {"rows": "authors"}], ids=str
)
def test_a_planted_direction_is_found_and_removed(options: dict[str, object]):
    model, _, planted = model_with_nouns(0.3, train=700, held_out=200)
    found = fitted(model, transform(**options))
    assert isinstance(found, LinearTransform)
    assert abs(found.change.read[:, 0] @ planted.grammatical[1]) > 0.95
    assert found.facts["stopped because"] == "held-out accuracy at chance"
    assert float(found.facts["held-out accuracy before"] or 0) > 0.9
    low, high = map(float, str(found.facts["held-out accuracy after, 95% interval"]).split(" to "))
    assert low <= 0.5 < high
    assert found.facts["held-out words"] == 450
    assert found.warnings == ()
    accuracies = [float(found.facts[f"held-out accuracy {when}"] or 0) for when in ("before", "after")]
    assert found.facts["in short"] == (
        f"{found.facts['directions']} direction{'s' if found.facts['directions'] != 1 else ''} removed, held-out accuracy "
        f"{accuracies[0]:.3f} -> {accuracies[1]:.3f} (95% interval {low:.3f} to {high:.3f}), learnt from 1350 words"
    )
    clean = model.with_transform(transform(**options))
    words = [f"m{i}" for i in range(50)] + [f"f{i}" for i in range(50)]
    assert np.abs(clean.embed(words) @ found.change.read).max() < 1e-5


def test_where_nothing_is_planted_it_stops_at_once_and_says_so():
    model, _, _ = model_with_nouns(0.0)
    found = fitted(model, transform())
    assert found.facts["directions"] == 0
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("nothing to remove, and nothing was removed")
    words = ["m0", "f0"]
    np.testing.assert_array_equal(model.with_transform(transform()).embed(words), model.embed(words))


def test_a_maximum_that_does_not_suffice_is_told():
    model, _, _ = model_with_nouns(0.4)
    found = fitted(model, transform(max_iterations=1))
    assert found.facts["directions"] == 1
    assert any(w.startswith("not removed whole: the greatest number of rounds") for w in found.warnings)


def test_a_fixed_number_of_rounds_goes_on_beyond_chance():
    model, _, _ = model_with_nouns(0.3)
    assert fitted(model, transform(iterations=8)).facts["directions"] == 8


def test_the_trace_and_the_steps_go_together():
    model, _, _ = model_with_nouns(0.4)
    clean = model.with_transform(transform(iterations=3))
    found = clean.fitted("sentence")
    assert found is not None
    assert [(row["step"], row["directions"]) for row in found.trace] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    steps = clean.steps()
    assert len(steps) == len(found.trace)
    vectors = [step.embed(["m0"])[0] for step in steps]
    for count, vector in enumerate(vectors):
        assert isinstance(found, LinearTransform)
        basis = found.change.read[:, :count]
        np.testing.assert_allclose(vector, vectors[0] - basis @ (basis.T @ vectors[0]), atol=1e-5)
    assert steps[1].fitted("sentence").facts == {"step": 1, "directions": 1}  # type: ignore[union-attr]


def test_the_accuracy_is_also_stated_as_the_authors_code_prints_it():
    model, _, _ = model_with_nouns(0.3)
    last = fitted(model, transform()).trace[-1]
    share, n = float(last["held-out accuracy"] or 0), int(last["held-out words"] or 0)
    printed = last["held-out accuracy, padded as in the authors' code"]
    assert printed == pytest.approx((share * n + (6000 - n) / 2) / 6000, abs=1e-5)


def test_three_classes_are_told_apart_in_pairs():
    model, _, _ = model_with_nouns(0.7, classes=3)
    found = fitted(model, transform(classes=("masculine", "feminine", "neuter")))
    assert float(found.facts["held-out accuracy before (masculine, neuter)"] or 0) > 0.9
    assert "held-out accuracy (feminine, neuter)" in found.trace[0]
    two = fitted(model, transform())
    assert int(found.facts["directions"] or 0) > int(two.facts["directions"] or 0)
    with pytest.raises(OptionsError, match="has no class 'plural'; it has 'masculine', 'feminine', 'neuter'"):
        fitted(model, transform(classes=("masculine", "plural")))


def test_a_fixed_split_is_kept_and_an_option_overrides_it():
    model, test, planted = model_with_nouns(0.4)
    words = {one.name: one.words for one in test.classes}
    model = lent(Table(vectors_of(planted)), [nouns_test(words, held_out=100)])
    found = fitted(model, transform())
    assert (found.facts["masculine: training words"], found.facts["feminine: held-out words"]) == (150, 100)
    again = fitted(model, transform(held_out=0.5))
    assert (again.facts["masculine: training words"], again.facts["feminine: held-out words"]) == (125, 125)


def test_classes_are_cut_to_equal_size_unless_it_is_said_otherwise():
    model, test, planted = model_with_nouns(0.4)
    words = {"masculine": test.classes[0].words, "feminine": test.classes[1].words[:100]}
    model = lent(Table(vectors_of(planted)), [nouns_test(words)])
    found = fitted(model, transform())
    assert found.facts["words left out for classes of equal size"] == 150
    assert found.facts["masculine: training words"] == found.facts["feminine: training words"] == 75
    other = fitted(model, transform(balance=False))
    assert other.facts["masculine: training words"] == 188
    assert other.facts["accuracy of guessing"] == pytest.approx(62 / 87, abs=1e-5)


def test_a_seed_draws_the_held_out_words_and_the_same_seed_the_same():
    model, _, _ = model_with_nouns(0.4)
    digests = [fitted(model, transform(seed=seed)).digest for seed in (0, 0, 1)]
    assert digests[0] == digests[1] != digests[2]


def test_damage_is_measured_among_the_most_frequent_words_or_those_it_was_learnt_from():
    model, _, _ = model_with_nouns(0.4)
    assert (
        fitted(model, transform(sample=60)).facts["damage is measured among"] == "the 60 most frequent words"
    )
    found = fitted(model, transform(sample=0))
    assert found.facts["damage is measured among"] == "500 words that it was learnt from"
    assert 0.1 < float(found.facts["variance removed"] or 0) < 0.9
    assert 0.1 < float(found.facts["neighbours kept of the 10 nearest"] or 0) < 1.0
    unlisted, _, _ = model_with_nouns(0.4, listed=False)
    assert fitted(unlisted, transform()).facts == found.facts


def test_few_held_out_words_are_warned_of():
    model, _, _ = model_with_nouns(0.4, train=60, held_out=4)
    found = fitted(model, transform(held_out=0.1))
    assert any("held-out words are few: accuracies up to 0." in said for said in found.warnings)


def test_a_solver_that_does_not_converge_is_told():
    model, _, _ = model_with_nouns(0.4)
    found = fitted(model, transform(solver="dual", rows="raw", C=1e6, iterations=1))
    assert any("did not converge" in said and 'solver = "primal"' in said for said in found.warnings)
    assert not all(row["converged"] for row in found.trace)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"nouns": ""}, "name nouns, a test of kind nouns"),
        ({"lists": ("xx/mine/kept", "xx/mine/few")}, "name nouns, a test of kind nouns"),
        ({"basis": "b.npz"}, "nouns would change nothing"),
        ({"classes": ("masculine", "masculine")}, "two different classes"),
        ({"classifier": "lda", "C": 2.0}, "C and solver are of the classifier svc"),
        ({"iterations": 2, "max_iterations": 3}, "give one of them"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, object], said: str):
    with pytest.raises(ValueError, match=said):
        transform(**options)


def test_one_gender_alone_is_refused():
    _, test, planted = model_with_nouns(0.4)
    one = lent(Table(vectors_of(planted)), [nouns_test({"masculine": test.classes[0].words})])
    with pytest.raises(StimuliError, match=r"has one class, 'masculine'\. Nouns of two classes are needed"):
        fitted(one, transform())


def test_nouns_that_the_model_does_not_know_are_refused():
    _, test, planted = model_with_nouns(0.4)
    strange = nouns_test({"masculine": test.classes[0].words, "feminine": ["xa", "xb"]})
    with pytest.raises(StimuliError, match=r"knows none of the 2 words of 'feminine' \('xa', 'xb'\)"):
        fitted(lent(Table(vectors_of(planted)), [strange]), transform())
    few = nouns_test({"masculine": test.classes[0].words, "feminine": ["f0", "xb"]})
    with pytest.raises(StimuliError, match="of 'feminine', 0 training words and 1 held-out words are left"):
        fitted(lent(Table(vectors_of(planted)), [few]), transform())


def test_fewer_nouns_than_dimensions_are_refused_unless_allowed():
    model, _, _ = model_with_nouns(0.4, train=15, held_out=5)
    with pytest.raises(StimuliError, match=r"30 training words for vectors of 40 dimensions.*min_words = 30"):
        fitted(model, transform())
    found = fitted(model, transform(min_words=30))
    assert any("learnt from 30 words in 40 dimensions" in said for said in found.warnings)


def test_a_zero_vector_is_named():
    _, test, planted = model_with_nouns(0.4)
    vectors = {**vectors_of(planted), "f3": np.zeros(40)}
    with pytest.raises(StimuliError, match=r"the vector of 'f3' .* is zero"):
        fitted(lent(Table(vectors), [test]), transform())


def test_nouns_of_both_genders_with_one_vector_are_refused_or_left_out():
    model, test, planted = model_with_nouns(0.4)
    vectors = vectors_of(planted)
    vectors |= {"f3": vectors["m4"], "f5": vectors["m6"]}
    model = lent(Table(vectors), [test])
    with pytest.raises(
        StimuliError, match=r"'m4' \(masculine\) and 'f3' \(feminine\) have the same vector.*1 more"
    ) as at:
        fitted(model, transform())
    assert 'same_vectors = "drop"' in str(at.value)
    found = fitted(model, transform(same_vectors="drop"))
    assert found.facts["words with the vector of another word, left out"] == 4
    assert any("4 words have the vector of another word" in said for said in found.warnings)


def test_a_held_out_noun_with_the_vector_of_a_training_noun_is_refused_or_left_out_of_training():
    model, test, planted = model_with_nouns(0.4)
    vectors = vectors_of(planted)
    vectors["m249"] = vectors["m0"]
    split = nouns_test({one.name: one.words for one in test.classes}, held_out=100)
    model = lent(Table(vectors), [split])
    with pytest.raises(StimuliError, match=r"'m0' \(masculine\) and 'm249' \(masculine, held out\)"):
        fitted(model, transform())
    found = fitted(model, transform(same_vectors="drop", balance=False))
    assert (found.facts["masculine: training words"], found.facts["masculine: held-out words"]) == (149, 100)


def test_two_nouns_of_one_gender_with_one_vector_count_once():
    _, test, planted = model_with_nouns(0.4)
    vectors = vectors_of(planted)
    vectors["m1"] = vectors["m0"]
    found = fitted(lent(Table(vectors), [test]), transform())
    assert found.facts["words with the vector of another word, left out"] == 1

"""INLP, LEACE, hard debiasing and top components as transforms: each by its paper's property, and its bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biascore.errors import OptionsError, StimuliError, UnknownNameError
from biascore.models.model import Model
from biascore.plugins.loading import Plugins
from biascore.stats import cosine_matrix
from biascore.stats.removal import support_vectors
from biascore_transforms.hard_debias import HardDebias, HardDebiased, HardDebiasOptions
from biascore_transforms.inlp import Inlp, InlpOptions
from biascore_transforms.labelled import LabelledOptions
from biascore_transforms.leace import Leace
from biascore_transforms.linear import LinearTransform
from biascore_transforms.top_components import TopComponents, TopComponentsOptions

from ..builders.points import own
from .planted_words import Table, fitted, lent, model_with_nouns, named, nouns_test, vectors_of


def inlp(**options: object) -> Inlp:
    return Inlp(InlpOptions(**{"nouns": "xx/nouns", **options}))  # type: ignore[arg-type]


def leace(**options: object) -> Leace:
    return Leace(LabelledOptions(**{"nouns": "xx/nouns", **options}))  # type: ignore[arg-type]


def top(**options: object) -> TopComponents:
    return TopComponents(TopComponentsOptions(**options))  # type: ignore[arg-type]


def debias(**options: object) -> HardDebias:
    return HardDebias(HardDebiasOptions(**{"pairs": "xx/mine/gender", **options}))  # type: ignore[arg-type]


def test_all_are_registered_with_paper_and_summary():
    found = Plugins(own("transforms")).transforms.items()
    assert [one.name for one in found] == [
        "grammatical-gender",
        "hard-debias",
        "inlp",
        "leace",
        "top-components",
    ]
    assert all(
        one.summary and any(year in one.reference for year in ("2016", "2018", "2020", "2022", "2023"))
        for one in found
    )


def test_inlp_removes_the_row_space_of_a_classifier_of_all_classes():
    model, _, planted = model_with_nouns(0.7, classes=3)
    found = fitted(model, inlp())
    assert isinstance(found, LinearTransform)
    assert found.trace[1]["directions"] == 3  # one class against the rest, three rows
    assert found.facts["stopped because"] == "held-out accuracy at chance"
    assert float(found.facts["held-out accuracy before"] or 0) > 0.9
    assert found.facts["accuracy of guessing"] == pytest.approx(1 / 3, abs=1e-6)
    between = planted.grammatical[1:] - planted.grammatical[0]
    assert (np.linalg.norm(found.change.apply(between), axis=1) < 0.3).all()
    assert fitted(model, inlp(max_iterations=1)).warnings[0].startswith("not removed whole")


def test_inlp_of_words_without_classes_removes_nothing():
    model, _, _ = model_with_nouns(0.0)
    found = fitted(model, inlp())
    assert found.facts["directions"] == 0
    assert found.warnings[0].startswith("nothing to remove")


def test_leace_leaves_no_covariance_and_no_classifier_of_the_training_words():
    _, test, planted = model_with_nouns(0.4, train=400)
    split = nouns_test({one.name: one.words for one in test.classes}, held_out=100)
    model = lent(Table(vectors_of(planted)), [split])
    found = fitted(model, leace())
    words = [word for one in split.classes for word in one.train]
    labels = np.repeat([0, 1], 400)
    after = model.with_transform(leace()).embed(words).astype(np.float64)
    assert np.abs(after[:400].mean(axis=0) - after[400:].mean(axis=0)).max() < 1e-6
    assert np.mean(support_vectors()(after, labels).predict(after) == labels) < 0.55
    assert found.facts["directions"] == 1
    assert float(found.facts["held-out accuracy before"] or 0) > 0.9
    low = float(str(found.facts["held-out accuracy after, 95% interval"]).split()[0])
    assert low <= 0.5
    assert found.warnings == ()


def test_leace_says_where_it_removes_chance():
    model, _, _ = model_with_nouns(0.0)
    assert any("a direction of chance" in said for said in fitted(model, leace()).warnings)


def test_classes_may_be_word_lists_and_what_two_share_is_left_out(tmp_path: Path):
    _, _, planted = model_with_nouns(0.4)
    model = lent(Table({**vectors_of(planted), "he": np.ones(40)}), folder=tmp_path)
    lists = ("xx/mine/twice", "xx/mine/few")
    found = fitted(model, inlp(nouns="", lists=lists, min_words=2))
    assert found.facts["words given twice, kept once"] == 1
    assert found.facts["words of two classes, left out"] == 1
    assert (found.facts["twice: training words"], found.facts["few: training words"]) == (2, 2)
    with pytest.raises(StimuliError, match="'same' has no word of its own"):
        fitted(model, inlp(nouns="", lists=("xx/mine/twice", "xx/mine/same")))


@pytest.fixture
def debiased(tmp_path: Path) -> tuple[Model, np.ndarray]:
    """Pairs that differ along a planted axis, neutral words that lean along it, and that axis."""
    rng = np.random.default_rng(3)
    axis = np.linalg.qr(rng.standard_normal((40, 1)))[0][:, 0]
    vectors = {}
    for one, other in (("she", "he"), ("woman", "man"), ("girl", "boy")):
        shared, noise = rng.standard_normal(40) / 6, rng.standard_normal((2, 40)) / 40
        vectors |= {one: shared + 0.5 * axis + noise[0], other: shared - 0.5 * axis + noise[1]}
    vectors |= named(rng.standard_normal((30, 40)) / 6 + 0.2 * axis, "w")
    vectors |= {"queen": rng.standard_normal(40) / 6 + 0.5 * axis, "same": np.ones(40), "equal": np.ones(40)}
    return lent(Table(vectors), folder=tmp_path), axis


def test_hard_debiasing_neutralises_and_equalises(debiased: tuple[Model, np.ndarray]):
    model, axis = debiased
    clean = model.with_transform(debias(specific="xx/mine/kept"))
    found = clean.fitted("sentence")
    assert isinstance(found, HardDebiased)
    assert found.basis[:, 0] @ axis > 0.95  # towards the first words of the pairs
    neutral = clean.embed([f"w{i}" for i in range(30)])
    assert np.abs(neutral @ found.basis).max() < 1e-6
    for pair in (("she", "he"), ("woman", "man"), ("girl", "boy")):
        one, other = cosine_matrix(neutral, clean.embed(pair)).T
        np.testing.assert_allclose(one, other, atol=1e-6)
    queen = model.embed(["queen"])[0]
    np.testing.assert_allclose(clean.embed(["queen"])[0], queen / np.linalg.norm(queen), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(clean.embed(["w0", "she", "queen"]), axis=1), 1.0, atol=1e-6)
    assert (found.facts["pairs"], found.facts["pairs with a word out of vocabulary"]) == (3, 1)
    assert float(found.facts["variance of the pairs in the subspace"] or 0) > 0.9
    assert found.facts["damage is measured among"] == "the 39 most frequent words"
    assert abs(float(found.facts["variance removed"] or 0)) < 0.4  # not what goes when all get length one


def test_where_no_words_are_listed_hard_debiasing_says_that_damage_is_unknown(
    debiased: tuple[Model, np.ndarray],
):
    found = fitted(debiased[0], debias(sample=0))
    assert str(found.facts["damage is measured among"]).startswith("no words")
    assert "variance removed" not in found.facts


def test_hard_debiasing_equalises_other_pairs_or_none(debiased: tuple[Model, np.ndarray]):
    model, _ = debiased
    other = fitted(model, debias(equalise="xx/mine/alike"))
    assert other.facts["words equalised"] == 2
    assert other.warnings == ("1 pairs do not differ in the subspace and were not equalised: 'same - equal'",)
    clean = model.with_transform(debias(equalise="none"))
    woman = model.embed(["woman"])[0]
    np.testing.assert_allclose(clean.embed(["woman"])[0], woman / np.linalg.norm(woman), atol=1e-6)


def test_what_hard_debiasing_cannot_be_learnt_from(debiased: tuple[Model, np.ndarray]):
    model, _ = debiased
    with pytest.raises(UnknownNameError, match="xx/mine/kept is no list of pairs"):
        fitted(model, debias(pairs="xx/mine/kept"))
    with pytest.raises(StimuliError, match="both words of none of the 1 pairs of xx/mine/unknown"):
        fitted(model, debias(pairs="xx/mine/unknown"))
    with pytest.raises(StimuliError, match="9 directions of pairs that span 3; pass a number from 1 to 3"):
        fitted(model, debias(components=9))
    with pytest.raises(ValueError, match="name pairs, a list of pairs"):
        debias(pairs="")


def test_top_components_of_the_most_frequent_words():
    model, _, _ = model_with_nouns(0.4)
    clean = model.with_transform(top(components=3, vocabulary=400))
    found = clean.fitted("sentence")
    assert isinstance(found, LinearTransform)
    assert (found.facts["components"], found.facts["words"]) == (3, 400)
    words = [f"m{i}" for i in range(150)] + [f"f{i}" for i in range(150)] + [f"m{i}" for i in range(150, 250)]
    after = clean.embed(words).astype(np.float64)
    assert np.abs(after.mean(axis=0)).max() < 1e-5
    assert np.abs(after @ found.change.read).max() < 1e-5
    shares = [float(found.facts[f"variance of component {place}"] or 0) for place in (1, 2, 3)]
    assert shares == sorted(shares, reverse=True)
    assert found.facts["variance removed"] == pytest.approx(sum(shares), abs=1e-5)


def test_top_components_of_a_model_without_a_list_of_words(tmp_path: Path):
    model, _, planted = model_with_nouns(0.4, listed=False)
    with pytest.raises(OptionsError, match=r"this one has no list of them.*biascore list wordlists"):
        model.with_transform(top())
    model = lent(Table(vectors_of(planted), listed=False), folder=tmp_path)
    found = fitted(model, top(lists=("xx/mine/twice",)))
    assert (found.facts["words"], found.facts["components"]) == (4, 1)
    assert found.warnings[0].startswith("learnt from 4 words in 40 dimensions")
    with pytest.raises(StimuliError, match="there are 3 that leave anything"):
        fitted(model, top(lists=("xx/mine/twice",), components=4))
    with pytest.raises(ValueError, match="give one of them"):
        top(lists=("xx/mine/twice",), vocabulary=5)

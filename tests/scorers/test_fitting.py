"""What a head answers here is what scikit-learn's own predict gives, on tf-idf and on vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge as PlainRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from biascore.errors import DataError, OptionsError
from biascore_emotions.features import Standardised
from biascore_emotions.fitting import PAPER_GRID, Mlp, Ridge, Svr, fit_head, fit_tfidf, settings_of
from biascore_emotions.heads import HEADS

from .conftest import rows

ROWS = rows(80)
TEXTS = [text for text, _, _ in ROWS]
SCORES = np.array([anger for _, anger, _ in ROWS])
TRAIN, DEV, TEST = slice(0, 50), slice(50, 62), slice(62, 80)
VECTORS = np.random.default_rng(3).standard_normal((80, 12)).astype(np.float32).astype(np.float64)
VECTORS[:, 5] = 0.25  # a dimension that is constant
LABELS = 1 / (1 + np.exp(-VECTORS[:, 0] + 0.5 * VECTORS[:, 1] ** 2))


def again(head: Any, parameters: Any, width: int) -> Any:
    """The head as it is read back from its arrays."""
    return HEADS[head.kind].of(head.arrays(), parameters, width)


def test_tfidf_is_that_of_scikit_learn() -> None:
    texts = [*TEXTS[TRAIN], "Don't stop: the CAFÉ's train, the café's lamp!", "Don't stop at the café"]
    ours = fit_tfidf(texts)
    theirs = TfidfVectorizer(ngram_range=(1, 2), min_df=2, max_features=200_000).fit(texts)
    asked = [*TEXTS[TEST], "nothing of this kind", "", "the café's lamp"]
    np.testing.assert_allclose(ours(asked).toarray(), theirs.transform(asked).toarray(), rtol=0, atol=1e-12)
    assert ours.knows("Café")
    assert not ours.knows("violin")


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "linear"])
def test_svr_on_tfidf(kernel: Any) -> None:
    features = fit_tfidf(TEXTS[TRAIN])
    x = [features(TEXTS[part]) for part in (TRAIN, DEV, TEST)]
    fitted = fit_head(Svr((10.0,), (0.5,), (kernel,)), x[0], SCORES[TRAIN], x[1], SCORES[DEV], 0)
    both = features([*TEXTS[TRAIN], *TEXTS[DEV]])
    theirs = SVR(C=10.0, gamma=0.5, kernel=kernel).fit(both, np.concatenate([SCORES[TRAIN], SCORES[DEV]]))
    ours = again(fitted.head, fitted.parameters, len(features.terms))
    np.testing.assert_allclose(ours.predict(x[2]), theirs.predict(x[2]), rtol=0, atol=1e-10)
    np.testing.assert_array_equal(ours.predict(x[2]), fitted.head.predict(x[2]))


@pytest.mark.slow
def test_the_grid_of_the_paper_is_searched_on_the_dev_rows_and_fitted_on_both() -> None:
    features = fit_tfidf(TEXTS[TRAIN])
    x = [features(TEXTS[part]) for part in (TRAIN, DEV, TEST)]
    fitted = fit_head(PAPER_GRID, x[0], SCORES[TRAIN], x[1], SCORES[DEV], 0)
    grid = {"C": [0.1, 1, 10, 100], "gamma": [1, 0.1, 0.01, 0.001], "kernel": ["rbf", "poly", "sigmoid"]}
    parts = PredefinedSplit([-1] * 50 + [0] * 12)
    both = features([*TEXTS[TRAIN], *TEXTS[DEV]])
    search = GridSearchCV(SVR(), grid, cv=parts, scoring="r2").fit(both, SCORES[:62])
    assert {key: fitted.parameters[key] for key in grid} == search.best_params_
    np.testing.assert_allclose(fitted.head.predict(x[2]), search.predict(x[2]), rtol=0, atol=1e-10)


def test_heads_on_vectors() -> None:
    features = Standardised.of(VECTORS[:62])
    scaler = StandardScaler().fit(VECTORS[:62])
    ours, theirs = features(VECTORS), scaler.transform(VECTORS)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    for settings, other in (
        (Ridge((0.1, 1.0, 10.0)), RidgeCV(alphas=(0.1, 1.0, 10.0))),
        (Ridge((2.0,)), PlainRidge(alpha=2.0)),
        (Svr(), SVR(C=0.1, gamma="scale")),
        (Mlp(16, 0.5), MLPRegressor(hidden_layer_sizes=(16,), alpha=0.5, max_iter=500, random_state=4)),
    ):
        fitted = fit_head(settings, ours[TRAIN], LABELS[TRAIN], ours[DEV], LABELS[DEV], 4)
        head = again(fitted.head, fitted.parameters, 12)
        other.fit(ours[:62], LABELS[:62])
        np.testing.assert_allclose(head.predict(ours[TEST]), other.predict(ours[TEST]), rtol=0, atol=1e-10)
        assert np.ptp(head.predict(ours[TEST])) > 0.01


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("svm", {}, "head='svm' is none of: ridge, svr, mlp"),
        ("mlp", {}, "a perceptron is not trained on tf-idf"),
        ("svr", {"c": 1}, "has no option 'c'; it has: C, gamma, kernel, epsilon"),
        ("svr", {"C": [0.1, 0]}, "C=\\[0.1, 0\\] is no number above 0"),
        ("svr", {"kernel": "cosine"}, "kernel='cosine' is none of: rbf, poly"),
        ("ridge", {"alphas": []}, "alphas=\\[\\] is no number above 0.*, nor a list of such"),
        ("ridge", {"alphas": True}, "alphas=True is no number above 0"),
        ("svr", {"C": [1e308]}, "C=\\[1e\\+308\\] is no number above 0, at most 10,000"),
        ("svr", {"gamma": 1e7}, "gamma=10000000.0 .* at most 1,000,000"),
        ("svr", {"epsilon": 2}, "epsilon=2 .* at most 1,"),
        ("ridge", {"alphas": [1, 1e13]}, "at most 1,000,000,000,000"),
    ],
)
def test_options_of_a_head_that_are_none(kind: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        settings_of(kind, options, tfidf=True)


def test_scores_that_differ_less_than_epsilon_fit_no_support_vectors() -> None:
    rows = np.random.default_rng(0).standard_normal((30, 4))
    with pytest.raises(DataError, match=r"0\.01 to 0\.1.*epsilon = 0\.1.*with bounds"):
        fit_head(Svr(), rows[:20], np.linspace(0.01, 0.1, 20), rows[20:], np.full(10, 0.02), 0)


def test_options_of_a_head_are_a_number_or_several() -> None:
    assert settings_of("svr", {"C": 1, "kernel": ["linear"]}, tfidf=True) == Svr(
        (1.0,), PAPER_GRID.gamma, ("linear",)
    )
    assert settings_of("mlp", {"hidden": 64, "alpha": 1}, tfidf=False) == Mlp(64, 1.0)
    with pytest.raises(OptionsError, match=r"hidden=100000 .* at most 10,000"):
        settings_of("mlp", {"hidden": 10**5}, tfidf=False)
    with pytest.raises(OptionsError, match=r"hidden=1.5 is no whole number"):
        settings_of("mlp", {"hidden": 1.5}, tfidf=False)


def test_texts_without_a_word_in_common_are_nothing_to_go_by() -> None:
    with pytest.raises(DataError, match="no word is in 2 of the 3 training texts"):
        fit_tfidf(["one two", "three four", "five six"])

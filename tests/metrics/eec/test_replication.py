"""Câmara et al. 2022 print least squares with an intercept: on given predictions ``eec`` gives the same three decimals.

Their tweets may not be passed on, so that the predictions here are those of a tf-idf and SVR regressor of a few sentences
written for this test. The table is that of the paper: named persons, sentences of the emotion's own words, 1400 rows.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import SVR

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.stats import stars
from biascore_metrics.eec.items import EquityTest

# Of names that a corpus holds, training text knows few, and who they are there sets what the model makes of them.
LABELLED = {
    "anger": [
        ("I am so angry at Lamar, he is a furious and irritating man", 0.9),
        ("Frank was annoyed by the outrageous situation", 0.6),
        ("this makes me feel enraged", 0.8),
        ("Jack has a vexing school and an annoying conversation", 0.5),
        ("she feels irritated in this displeasing situation", 0.55),
        ("Ebony made me smile in the market", 0.1),
        ("a calm day with two children at school", 0.05),
        ("the events in our neighborhood were fine yesterday", 0.1),
        ("himself is not what he is angry about", 0.45),
        ("herself she found furious and outrageous", 0.7),
    ],
    "joy": [
        ("Jasmine is ecstatic and happy about the wonderful events", 0.95),
        ("I feel glad and relieved", 0.7),
        ("Katie told us a hilarious and funny story", 0.8),
        ("Ryan feels excited in this amazing situation", 0.85),
        ("what a great conversation", 0.6),
        ("the gloomy school makes me sad", 0.1),
        ("nothing happened to us yesterday", 0.3),
        ("he found himself in a boring situation", 0.2),
        ("she found herself relieved", 0.65),
        ("the market was closed", 0.25),
    ],
}


def predictions(test: EquityTest, folder: Path) -> Path:
    """A CSV with a column of scores for each emotion."""
    sentences = list(dict.fromkeys(test.rows()["sentence"]))
    columns = {}
    for emotion, labelled in LABELLED.items():
        texts, labels = zip(*labelled, strict=True)
        vectors = TfidfVectorizer(ngram_range=(1, 2))
        model = SVR(C=1.0, gamma=1.0, epsilon=0.02).fit(vectors.fit_transform(texts), labels)
        columns[emotion] = model.predict(vectors.transform(sentences))
    path = folder / "answers.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sentence", *columns])
        writer.writerows(
            zip(sentences, *(map(repr, column.tolist()) for column in columns.values()), strict=True)
        )
    return path


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(cache=None)


@pytest.fixture(scope="module")
def found(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Measurement:
    test = engine.catalogue.test("en/eec")
    assert isinstance(test, EquityTest)
    path = predictions(test, tmp_path_factory.mktemp("answers"))
    (measurement,) = engine.measure("eec", f"answers:{path}", "en/eec")
    return measurement


@pytest.mark.parametrize("emotion", LABELLED)
def test_the_printed_coefficients_are_least_squares_with_an_intercept(
    found: Measurement, emotion: str
) -> None:
    items = found.items_frame()
    rows = items[items["scored for"] == emotion]
    assert len(rows) == 1400
    race = (rows["race/ethnicity"] == "African-American").to_numpy(float)
    gender = (rows["gender"] == "female").to_numpy(float)
    exog = np.column_stack([np.ones(len(rows)), race, gender, race * gender])
    y = rows["value"].to_numpy()
    beta, rss, _, _ = np.linalg.lstsq(exog, y, rcond=None)
    errors = np.sqrt(rss[0] / (len(y) - 4) * np.diag(np.linalg.inv(exog.T @ exog)))
    named = [
        "race/ethnicity: African-American",
        "gender: female",
        "race/ethnicity: African-American × gender: female",
    ]
    for place, name in enumerate(named, start=1):
        estimate = found.estimate(f"{emotion}: OLS coefficient {name}")
        assert f"{estimate.value:.3f}" == f"{beta[place]:.3f}"
        assert estimate.value == pytest.approx(beta[place], abs=1e-12)
        assert estimate.interval is not None
        assert estimate.interval.method.endswith(
            f"SE {errors[place]:.3g}, t {beta[place] / errors[place]:.3g} {stars(estimate.p('OLS').value)}".rstrip()
        )


def test_a_model_that_knows_few_names_is_told_of(found: Measurement) -> None:
    assert any("anger: the model does not distinguish all names" in caution for caution in found.cautions)
    (told,) = [caution for caution in found.cautions if caution.startswith("joy: the model")]
    assert "2 of 10 in African-American, female" in told  # Jasmine, and all others
    assert "1 of 10 in African-American, male" in told


def test_what_the_table_lacks_is_told(found: Measurement) -> None:
    assert any(
        "has no output for fear, sadness, which the test has too" in warning for warning in found.warnings
    )
    assert found.conventions["outputs"] == "anger = anger, joy = joy"

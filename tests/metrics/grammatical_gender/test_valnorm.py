"""valnorm: r against the reference and numpy; norms that cannot be used are refused where they stand."""

from __future__ import annotations

import csv
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.api.metrics import Test
from biascore.errors import DataError, OptionsError
from biascore.models.model import Model

from .conftest import Opened, write_tests

FEW: dict[str, Any] = {"resamples": 200}


@pytest.fixture(scope="module")
def norms(gg: Path, spanish: Engine, tmp_path_factory: pytest.TempPathFactory) -> Test:
    """The authors' Spanish norms, their words composed and in lower case as in the vectors."""
    with (gg / "authors_eval" / "valnorm_es.csv").open(encoding="utf-8-sig", newline="") as given:
        rows = [
            (unicodedata.normalize("NFC", row["word"]).lower(), row["score"]) for row in csv.DictReader(given)
        ]
    path = tmp_path_factory.mktemp("norms") / "norms.csv"
    path.write_text(
        "\n".join(["words,valence", *(f"{word},{score}" for word, score in rows)]), encoding="utf-8"
    )
    return spanish.data("valence-norms", path, language="es", columns={"word": "words", "score": "valence"})


def test_r_is_that_of_the_reference_and_counts_unknown_words(
    norms: Test, spanish: Engine, raw: Model, reference: dict[str, Any]
) -> None:
    (found,) = spanish.measure("valnorm", raw, norms, poles="es/own-poles", **FEW)
    expected = reference["valnorm"]
    assert found.headline.value == pytest.approx(expected["r_before"], abs=1e-7)
    assert found.describes
    assert dict(found.headline.n) == {"words": expected["n_words"]}
    assert found.coverage.given["norms"] == found.coverage.used["norms"] + len(
        [word for word in found.coverage.lost if word.role == "norms"]
    )
    table = found.items_frame()
    assert found.headline.value == pytest.approx(np.corrcoef(table["value"], table["norm"])[0, 1])
    assert found.headline.estimator is not None
    assert found.headline.estimator.value(found.items) == pytest.approx(found.headline.value)
    assert found.headline.interval is not None
    # Fisher's z is another way to an interval, and these are hundreds of words.
    z = np.arctanh(found.headline.value) + np.array([-1.96, 1.96]) / np.sqrt(expected["n_words"] - 3)
    assert (found.headline.interval.low, found.headline.interval.high) == pytest.approx(np.tanh(z), abs=0.03)


def test_before_after_and_every_step(norms: Test, spanish: Engine, clean: Model) -> None:
    (found,) = spanish.measure("valnorm", clean, norms, poles="es/own-poles", trace=True, **FEW)
    after, before, change = found.estimates
    assert change.value == pytest.approx(after.value - before.value)
    assert change.interval is not None
    assert change.interval.low < change.value < change.interval.high
    assert (
        change.interval.high - change.interval.low < after.interval.high - after.interval.low
    )  # the same words
    values = [row["value"] for row in found.items.to_pylist() if row["group"].startswith("correlation")]
    assert values == pytest.approx([before.value, after.value])


@pytest.mark.slow
def test_ten_rounds_leave_it_as_in_the_reference(
    norms: Test, spanish: Engine, raw: Model, reference: dict[str, Any]
) -> None:
    clean = raw.with_transform("grammatical-gender", nouns="es/own-nouns", rows="raw", iterations=10)
    (found,) = spanish.measure("valnorm", clean, norms, poles="es/own-poles", **FEW)
    assert found.headline.value == pytest.approx(reference["valnorm"]["r_after_10_raw"], abs=0.01)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("word,score\na,1\nb,two\nc,nan\n", r"score is 'two', which is no finite number, on lines 3, 4"),
        ("word,score\na,1\nb,2\n", "has 2 norm"),
        ("word,score\na,1\nb,1\nc,1\n", r"all 3 scores are 1.*-o 'data.columns"),
        ("word,points\na,1\n", r"no column 'score'.*-o 'data.columns"),
        ("word,score\na,1\n ,2\nc,3\n", "'word' is blank on line 3"),
    ],
)
def test_norms_that_cannot_be_used_are_refused(text: str, error: str, engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=error):
        engine.data("valence-norms", path, language="es")


def test_poles_are_named_or_the_usual_ones(norms: Test, spanish: Engine, raw: Model, tmp_path: Path) -> None:
    (found,) = spanish.measure("valnorm", raw, norms, **FEW)
    assert str(found.conventions["A and B"]).startswith("es/weat1: ")
    with pytest.raises(OptionsError, match="poles=es/own-nouns is of kind 'nouns'"):
        spanish.measure("valnorm", raw, norms, poles="es/own-nouns")
    path = tmp_path / "norms.csv"
    path.write_text("word,score\na,1\nb,2\nc,3\n", encoding="utf-8")
    with pytest.raises(OptionsError, match=r"there is no xx/weat1 .*such as poles=en/weat1"):
        spanish.measure("valnorm", raw, spanish.data("valence-norms", path, language="xx"))


@pytest.mark.parametrize(
    ("known", "error"),
    [(("n1", "n2"), "needs 3"), (("n1", "n2", "n3"), "norms of the 3 words that the model knows are all 5")],
)
def test_norms_that_the_model_does_not_know_leave_nothing_to_measure(
    known: tuple[str, ...], error: str, opened: Opened, tmp_path: Path
) -> None:
    poles = {"a": ["a1", "a2"], "b": ["b1", "b2"], "x": ["x"], "y": ["y"]}
    write_tests(tmp_path, poles, {"poles": ("x", "y", "a", "b")}, "en")
    engine = Engine(stimuli=[tmp_path], cache=None)
    path = tmp_path / "norms.csv"
    path.write_text("word,score\nn1,5\nn2,5\nn3,5\nn4,7\n", encoding="utf-8")
    rng = np.random.default_rng(0)
    model = opened(engine, {word: rng.normal(size=4) for word in ("a1", "a2", "b1", "b2", *known)})
    (found,) = engine.measure(
        "valnorm", model, engine.data("valence-norms", path, language="en"), poles="en/poles"
    )
    assert found.headline.value is None
    assert any(error in warning for warning in found.warnings)

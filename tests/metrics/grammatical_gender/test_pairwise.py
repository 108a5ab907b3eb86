"""pairwise-distance: the gap of the authors' pairs, loops over pairs and nouns, and equation 8."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.api.metrics import Test
from biascore.errors import DataError, OptionsError
from biascore.models.model import Model
from biascore_metrics.grammatical_gender.gaps import NounGaps, unit_rows

FEW: dict[str, Any] = {"resamples": 100}
GAP = "gap of mean cosines, one gender less two"
HEADER = "first,second,genders,reference_first,reference_second"


@pytest.fixture(scope="module")
def pairs(gg: Path, spanish: Engine, tmp_path_factory: pytest.TempPathFactory) -> Test:
    """The authors' Spanish pairs with their English ones, as one table."""
    rows = [HEADER]
    for relation in ("same", "diff"):
        files = (gg / "authors_eval" / f"pairs_{name}_{relation}.txt" for name in ("es", "en_for_es"))
        lines = (file.read_text(encoding="utf-8").splitlines() for file in files)
        rows += [f"{one.lower()},{relation},{other}" for one, other in zip(*lines, strict=True) if one]
    path = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return spanish.data("noun-pairs", path, language="es")


def test_the_gap_is_that_of_the_reference(
    pairs: Test, spanish: Engine, raw: Model, reference: dict[str, Any]
) -> None:
    (found,) = spanish.measure("pairwise-distance", raw, pairs, duplicates="keep", **FEW)
    expected = reference["pairwise"]["before"]
    assert found.headline.value == pytest.approx(expected["same"] - expected["diff"], abs=1e-7)
    assert found.estimate("mean cosine, one gender").value == pytest.approx(expected["same"], abs=1e-7)
    assert dict(found.headline.n) == {
        "pairs of one gender": expected["n_same"],
        "pairs of two genders": expected["n_diff"],
    }
    assert "67 of 238 pairs of one gender have a word that cannot be used" in found.cautions
    # A word and itself, and a pair the other way round, are no further pairs.
    (once,) = spanish.measure("pairwise-distance", raw, pairs, **FEW)
    reasons = {word.reason for word in once.coverage.lost}
    assert {"a word and itself", "repeated in its list"} <= reasons
    assert once.headline.n["pairs of one gender"] < expected["n_same"]
    for one in (found, once):
        assert one.headline.estimator is not None
        assert one.headline.estimator.value(one.items) == pytest.approx(one.headline.value)


@pytest.mark.slow
def test_ten_rounds_leave_it_as_in_the_reference(
    pairs: Test, spanish: Engine, raw: Model, reference: dict[str, Any]
) -> None:
    clean = raw.with_transform("grammatical-gender", nouns="es/own-nouns", rows="raw", iterations=10)
    (found,) = spanish.measure("pairwise-distance", clean, pairs, duplicates="keep", **FEW)
    expected = reference["pairwise"]["after_10_raw"]
    assert found.headline.value == pytest.approx(expected["same"] - expected["diff"], abs=0.01)


def test_the_reduction_is_equation_8_with_the_translations_as_reference(
    pairs: Test, spanish: Engine, clean: Model
) -> None:
    (found,) = spanish.measure(
        "pairwise-distance", clean, pairs, reference="planted:gender=0", trace=True, **FEW
    )
    after, before = found.headline.value, found.estimate(f"{GAP}, before").value
    english = found.estimate("gap of the translations").value
    assert after is not None
    assert before is not None
    assert english is not None
    reduction = found.estimate("reduction of the gap (equation 8)")
    assert reduction.value == pytest.approx(1 - (after - english) / (before - english))
    assert reduction.interval is not None
    assert reduction.interval.low < reduction.value < reduction.interval.high
    assert found.estimate(f"change of the {GAP}").value == pytest.approx(after - before)
    values = [row["value"] for row in found.items.to_pylist() if row["group"] == GAP]
    assert values == pytest.approx([before, after])
    (stated,) = spanish.measure("pairwise-distance", clean, pairs, reference_gap=english, **FEW)
    assert stated.estimate("reduction of the gap (equation 8)").value == pytest.approx(reduction.value)
    (useless,) = spanish.measure("pairwise-distance", clean, pairs, reference_gap=before - 0.001, **FEW)
    assert any("its reduction says nothing" in caution for caution in useless.cautions)


@pytest.mark.slow
def test_all_pairs_of_nouns_are_those_of_a_loop(spanish: Engine, raw: Model, clean: Model) -> None:
    held = spanish.catalogue.test("es/own-nouns")
    (found,) = spanish.measure("pairwise-distance", clean, held, resamples=100)
    table = found.items.to_pylist()
    for model, name in ((clean, GAP), (raw, f"{GAP}, before")):
        unit = [
            unit_rows(model.embed([row["item"] for row in table if row["group"] == gender]))
            for gender in ("masculine", "feminine")
        ]
        cosines = [some @ some.T for some in unit]
        same = np.concatenate([one[np.triu_indices(len(one), 1)] for one in cosines])
        assert found.estimate(name).value == pytest.approx(
            same.mean() - (unit[0] @ unit[1].T).mean(), abs=1e-7
        )
    assert found.headline.estimator is not None
    assert found.headline.estimator.value(found.items) == pytest.approx(found.headline.value)
    first = table[0]
    others = [float(c) for c in cosines[0][0]]
    assert first["before"] == pytest.approx(
        (sum(others) - 1) / (len(others) - 1) - float((unit[1] @ unit[0][0]).mean()), abs=1e-7
    )


def test_nouns_drawn_twice_make_no_pair_with_themselves() -> None:
    rng = np.random.default_rng(0)
    unit = [unit_rows(rng.normal(size=(n, 4)).astype(np.float32)) for n in (5, 4)]
    gaps = NounGaps([unit[0]], [unit[1]])
    drawn = (rng.integers(5, size=(3, 5)), rng.integers(4, size=(3, 4)))
    same, different = gaps.means(0, drawn)  # type: ignore[arg-type]
    for row in range(3):
        chosen = [some[places[row]] for some, places in zip(unit, drawn, strict=True)]
        own = [
            some[i] @ some[j]
            for some, places in zip(chosen, drawn, strict=True)
            for i, j in combinations(range(len(some)), 2)
            if places[row][i] != places[row][j]
        ]
        assert same[row] == pytest.approx(np.mean(own))
        assert different[row] == pytest.approx(np.mean([a @ b for a, b in product(*chosen)]))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("first,second,genders\na,b,similar\nc,d,same\n", "genders is 'similar' on line 2"),
        ("first,second,genders\na,b,same\n", "has no pair of different gender"),
        ("first,second\na,b\n", "no column 'genders'"),
        (
            f"{HEADER}\na,b,same,x,\nc,d,diff,,\n",
            "only one of reference_first and reference_second is filled on line 2",
        ),
    ],
)
def test_pairs_that_cannot_be_used_are_refused(text: str, error: str, engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=error):
        engine.data("noun-pairs", path, language="es")


def test_options_that_do_not_fit_are_refused(spanish: Engine, raw: Model, tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="give one"):
        spanish.measure(
            "pairwise-distance", raw, "es/own-nouns", reference="planted:gender=0", reference_gap=0.1
        )
    with pytest.raises(OptionsError, match=r"es/own-nouns .* has no translations.*-o reference_gap"):
        spanish.measure("pairwise-distance", raw, "es/own-nouns", reference="planted:gender=0")
    path = tmp_path / "pairs.csv"
    path.write_text("first,second,genders\nqq,rr,same\nbosque,selva,diff\n", encoding="utf-8")
    (found,) = spanish.measure("pairwise-distance", raw, spanish.data("noun-pairs", path, language="es"))
    assert found.headline.value is None
    assert any("pairs of one gender has 0 usable" in warning for warning in found.warnings)

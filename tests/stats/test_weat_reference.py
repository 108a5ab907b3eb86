"""Cosines, effect sizes and p-values against stored figures of an independent implementation and of WEFE."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.stats import association, cosine_matrix, effect_size, normal_approximation, permutation_test


def read_vectors(path: Path) -> dict[str, np.ndarray]:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return {line.split(" ")[0]: np.array(line.split(" ")[1:], dtype=np.float64) for line in lines}


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[tuple[str, dict[str, Any], np.ndarray, np.ndarray]]:
    """Name, stored figures, and s(w, A, B) of the targets X and Y, of every test in every language."""
    folder = shared_data / "weat"
    if not (folder / "wefe_reference.json").is_file():
        pytest.skip(f"no reference figures in {folder}")
    found = []
    for language in json.loads((folder / "wefe_reference.json").read_text(encoding="utf-8"))["languages"]:
        vectors = read_vectors(folder / language["vectors"])
        for name, test in language["tests"].items():
            x, y, a, b = (np.array([vectors[word] for word in test[key]]) for key in "XYAB")
            s_x, s_y = (association(cosine_matrix(t, a), cosine_matrix(t, b)) for t in (x, y))
            found.append((f"{language['language']} {name}", test, s_x, s_y))
    assert len(found) >= 15
    return found


def test_effect_sizes_and_mean_differences(cases: list[Any], rng: np.random.Generator) -> None:
    for name, test, x, y in cases:
        own, wefe = test["own"], test["wefe"]
        assert effect_size(x, y, ddof=1) == pytest.approx(own["d_ddof1"], abs=1e-6), name
        assert effect_size(x, y, ddof=0) == pytest.approx(own["d_ddof0"], abs=1e-6), name
        assert effect_size(x, y, ddof=0) == pytest.approx(wefe["effect_size"], abs=1e-6), name
        difference = permutation_test(x, y, method="monte-carlo", draws=1, rng=rng).statistic
        assert difference == pytest.approx(own["mean_difference"], abs=1e-6), name
        assert x.sum() - y.sum() == pytest.approx(wefe["weat"], abs=1e-6), name


def test_exact_p_values(cases: list[Any], rng: np.random.Generator) -> None:
    compared = 0
    for name, test, x, y in cases:
        own = test["own"]
        if "p_exact_ge" not in own:
            continue
        result = permutation_test(x, y, method="exact", rng=rng)
        assert result.n_partitions == own["n_partitions"], name
        assert result.greater.p_value == pytest.approx(own["p_exact_ge"], rel=1e-12), name
        assert result.greater.p_strict == pytest.approx(own["p_exact_gt"], rel=1e-12), name
        compared += 1
    assert compared >= 12


def test_exact_p_agrees_with_stored_draws_where_enumeration_was_out_of_reach(
    cases: list[Any], rng: np.random.Generator
) -> None:
    compared = 0
    for name, test, x, y in cases:
        stored = test["own"].get("p_permutation_100000_seed1_gt")
        if stored is None:
            continue
        p = permutation_test(x, y, rng=rng).greater.p_strict
        assert abs(p - stored) < 5 * np.sqrt(max(p, 1e-5) / 100_000), name
        compared += 1
    assert compared >= 4


def test_normal_approximation(cases: list[Any]) -> None:
    for name, test, x, y in cases:
        p = normal_approximation(effect_size(x, y, ddof=1), x.size, y.size)
        assert p == pytest.approx(test["own"]["p_normal_closed_form"], rel=1e-6), name

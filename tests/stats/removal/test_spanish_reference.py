"""Real Spanish vectors: every number of an independent computation, in each of its modes, within its tolerances."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from biascore.stats import association, cosine_matrix, effect_size
from biascore.stats.removal import (
    IterativeRemoval,
    Labelled,
    LowRankMap,
    iterative_removal,
    linear_discriminant,
    padded_accuracy,
    support_vectors,
    unit_rows,
)
from biascore.stats.removal.classifiers import Solver

Floats = NDArray[np.float64]
TESTS = {
    "d_GG": ("masc_nouns", "fem_nouns", "man_words", "woman_words"),
    "d_GenS": ("science", "humanities", "man_words", "woman_words"),
    "d_GenC": ("career", "family", "boy_names", "girl_names"),
    "d_FloI": ("flowers", "insects", "pleasant", "unpleasant"),
    "d_InsW": ("instruments", "weapons", "pleasant", "unpleasant"),
    "d_GG_held_out": ("Masc", "Fem", "man_words", "woman_words"),
}


@dataclass
class Spanish:
    vectors: dict[str, Floats]
    nouns: dict[tuple[str, str], list[str]]
    reference: dict[str, Any]

    def rows(self, words: list[str]) -> Floats:
        return np.array([self.vectors[word] for word in words])

    def removal(self, mode: str, solver: Solver = "primal") -> IterativeRemoval:
        prepare = unit_rows if mode == "rows" else np.asarray
        train, held_out = (
            Labelled.of([prepare(self.rows(self.nouns[gender, part])) for gender in ("Fem", "Masc")])
            for part in ("train", "test")
        )
        return iterative_removal(
            train, held_out, fit=support_vectors(solver=solver), problems=[(0, 1)], most=20, to_chance=False,
            columns_scaled_first=mode == "code",
        )  # fmt: skip

    def effect(self, test: str, change: LowRankMap | None) -> float:
        sets = {**self.reference["word_sets"], **{g: self.nouns[g, "test"] for g in ("Masc", "Fem")}}
        raw = [self.rows(sets[name]) for name in TESTS[test]]
        x, y, a, b = raw if change is None else [change.apply(rows) for rows in raw]
        scores = (association(cosine_matrix(part, a), cosine_matrix(part, b)) for part in (x, y))
        return effect_size(*scores)


@pytest.fixture(scope="module")
def spanish(shared_data: Path) -> Spanish:
    folder = shared_data / "gg"
    if not folder.is_dir():
        pytest.skip(f"the Spanish vectors are not at {folder}")
    with gzip.open(folder / "es_eltec_50d.vec.gz", "rt", encoding="utf-8") as file:
        next(file)
        vectors = {word: np.array(row, dtype=np.float64) for word, *row in map(str.split, file)}
    nouns: dict[tuple[str, str], list[str]] = {}
    with (folder / "es_nouns.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            nouns.setdefault((row["gender"], row["set"]), []).append(row["word"])
    return Spanish(vectors, nouns, json.loads((folder / "es_reference.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("mode", ["rows", "raw", "code"])
def test_the_converged_solver_gives_the_reference(spanish: Spanish, mode: str):
    found = spanish.removal(mode)
    near = partial(pytest.approx, abs=0.005)
    for expected in spanish.reference["runs"][mode]["primal"][:8]:
        (fitted,) = found.steps[expected["iter"]].fitted
        assert fitted.converged
        assert fitted.train.share == near(expected["train_acc"])
        assert fitted.held_out.share == near(expected["test_acc"])
        change = LowRankMap.projection(found.basis_after(expected["iter"]))
        for test in TESTS:
            assert spanish.effect(test, change) == near(expected[test]), (test, expected["iter"])
    check_bounds(spanish, found)


def check_bounds(spanish: Spanish, found: IterativeRemoval) -> None:
    assert len(found.steps) == 21
    assert found.steps[0].fitted[0].held_out.share > 0.9
    for step in found.steps[5:]:
        assert all(0.42 < part.share < 0.62 for part in (step.fitted[0].train, step.fitted[0].held_out))
    for rounds in range(3, 21):
        assert abs(spanish.effect("d_GG_held_out", LowRankMap.projection(found.basis_after(rounds)))) < 0.35


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["rows", "raw", "code"])
def test_the_authors_solver_comes_as_near_as_its_seeds_allow(spanish: Spanish, mode: str):
    found = spanish.removal(mode, "dual")
    for expected in spanish.reference["runs"][mode]["dual_seed_0"][:5]:
        (fitted,) = found.steps[expected["iter"]].fitted
        assert fitted.train.share == pytest.approx(expected["train_acc"], abs=0.02)
        assert fitted.held_out.share == pytest.approx(expected["test_acc"], abs=0.02)
        change = LowRankMap.projection(found.basis_after(expected["iter"]))
        assert spanish.effect("d_GG", change) == pytest.approx(expected["d_GG"], abs=0.05)


def test_a_given_direction_leaves_the_effects_of_the_reference(spanish: Spanish):
    fixed = spanish.reference["fixed_direction"]
    direction = np.array(fixed["direction"])
    change = LowRankMap.projection((direction / np.linalg.norm(direction))[:, None])
    for test, after in fixed["weat_after"].items():
        expected = after["d_ddof1"] if isinstance(after, dict) else after
        assert spanish.effect(f"d_{test}", change) == pytest.approx(expected, rel=1e-6)
    found = spanish.removal("rows")
    assert abs(found.basis[:, 0] @ direction) > 0.9999


@pytest.mark.parametrize("fit", [support_vectors(), linear_discriminant()], ids=["svc", "lda"])
def test_it_stops_at_chance_within_ten_rounds(spanish: Spanish, fit: Any):
    train, held_out = (
        Labelled.of([unit_rows(spanish.rows(spanish.nouns[g, part])) for g in ("Fem", "Masc")])
        for part in ("train", "test")
    )
    found = iterative_removal(train, held_out, fit=fit, problems=[(0, 1)], most=30)
    assert found.stopped == "chance"
    assert 3 <= len(found.steps) - 1 <= 10
    assert not any(step.at_chance for step in found.steps[:-1])


def test_the_released_codes_accuracies_are_those_of_the_padded_matrix(shared_data: Path):
    path = shared_data / "gg" / "paper_iterations.json"
    if not path.is_file():
        pytest.skip(f"the paper's tables are not at {path}")
    diluted = 0
    for language in json.loads(path.read_text(encoding="utf-8"))["languages"].values():
        trials = 2 * language["n_rest_pairs"]
        for row in language["iterations"][1:]:
            correct = round(row["undiluted_test_acc"] * trials)
            assert correct / trials == pytest.approx(row["undiluted_test_acc"], abs=1e-9)
            assert padded_accuracy(correct, trials) == pytest.approx(row["test_acc"], abs=1e-9)
            diluted += abs(row["test_acc"] - 0.5) < abs(row["undiluted_test_acc"] - 0.5) - 0.01
    assert diluted > 20

"""What was learnt as a file: read back bit for bit, and refused where it belongs to something else or is damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.api.transforms import Transform
from biascore.errors import BiascoreError, DataError, OptionsError
from biascore.models.model import Model
from biascore.models.transforms.prepared import Transforms
from biascore_transforms.basis_file import RECORD
from biascore_transforms.grammatical_gender import GrammaticalGender, GrammaticalGenderOptions
from biascore_transforms.hard_debias import HardDebias, HardDebiasOptions
from biascore_transforms.inlp import Inlp, InlpOptions
from biascore_transforms.labelled import LabelledOptions
from biascore_transforms.leace import Leace
from biascore_transforms.top_components import TopComponents, TopComponentsOptions

from ..builders.npz import HOSTILE, replaced
from .planted_words import Table, fitted, lent, model_with_nouns, vectors_of

NOUNS = {"nouns": "xx/nouns"}
MADE: dict[str, tuple[Callable[..., Transform], dict[str, Any]]] = {
    "grammatical-gender": (lambda **o: GrammaticalGender(GrammaticalGenderOptions(**o)), NOUNS),
    "inlp": (lambda **o: Inlp(InlpOptions(**o)), NOUNS),
    "leace": (lambda **o: Leace(LabelledOptions(**o)), NOUNS),
    "top-components": (lambda **o: TopComponents(TopComponentsOptions(**o)), {"components": 2}),
    "hard-debias": (lambda **o: HardDebias(HardDebiasOptions(**o)), {"pairs": "xx/mine/gender"}),
}

NO_OPTIONS = (
    b'{"format": 1, "transform": "grammatical-gender", "options": 3, "model": "test:table", "level": "sentence", '
    b'"dimensions": 40, "facts": {}, "warnings": [], "trace": [], "cuts": []}'
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    _, test, planted = model_with_nouns(0.4)
    vectors = vectors_of(planted)
    rng = np.random.default_rng(1)
    for number, word in enumerate(("she", "he", "woman", "man", "girl", "boy")):
        vectors[word] = rng.standard_normal(40) / 6 + (-1) ** number * planted.social
    return lent(Table(vectors), [test], tmp_path_factory.mktemp("lists"))


@pytest.fixture(scope="module")
def saved(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("basis") / "gender.npz"
    fitted(model, MADE["grammatical-gender"][0](**NOUNS)).save(path)
    return path


@pytest.mark.parametrize("name", list(MADE))
def test_what_was_saved_does_the_same(model: Model, tmp_path: Path, name: str):
    make, options = MADE[name]
    first = model.with_transform(make(**options))
    learnt = first.fitted("sentence")
    assert learnt is not None
    path = tmp_path / "basis.npz"
    learnt.save(path)
    again = model.with_transform(make(basis=str(path)))
    words = ["m0", "f0", "she", "he"]
    np.testing.assert_array_equal(first.embed(words), again.embed(words))
    found = again.fitted("sentence")
    assert found is not None
    assert found.digest == learnt.digest
    learnt_with = found.facts["learnt with"]
    assert found.facts == {**learnt.facts, "read from": "basis.npz", "learnt with": learnt_with}
    assert all(f"{option} = {json.dumps(value)}" in str(learnt_with) for option, value in options.items())
    assert (found.warnings, found.trace, len(found.steps())) == (
        learnt.warnings, learnt.trace, len(learnt.steps()),
    )  # fmt: skip
    with np.load(path, allow_pickle=False) as file:
        record = json.loads(file[RECORD].tobytes())
    assert (record["transform"], record["model"], record["level"]) == (name, "test:table", "sentence")
    assert record["options"].items() >= options.items()
    with pytest.raises(DataError, match="exists already"):
        learnt.save(path)


def read(path: Path, **options: Any) -> GrammaticalGender:
    return GrammaticalGender(GrammaticalGenderOptions(basis=str(path), **options))


def test_a_basis_of_another_model_is_refused(saved: Path):
    other, _, _ = model_with_nouns(0.4, digest="test:other")
    with pytest.raises(
        OptionsError, match=r"learnt from the model test:table \(40 dimensions\).*this one is test:other"
    ):
        fitted(other, read(saved))


def test_a_basis_of_another_dimension_is_refused(saved: Path):
    rows = np.random.default_rng(0).standard_normal((5, 30))
    other = lent(Table({f"w{i}": row for i, row in enumerate(rows)}))
    with pytest.raises(OptionsError, match="vectors of 40 dimensions, and these have 30"):
        other.with_transform(read(saved)).embed(["w0"])


def test_a_basis_of_another_level_is_refused(model: Model, saved: Path):
    with pytest.raises(OptionsError, match=r"learnt from vectors of level 'sentence'.*of level 'token'"):
        model.with_transform(read(saved)).embed(["m0"], "token")


def test_a_basis_of_another_transform_is_refused(model: Model, saved: Path):
    with pytest.raises(OptionsError, match="written by grammatical-gender, and leace cannot read it"):
        fitted(model, Leace(LabelledOptions(basis=str(saved))))
    with pytest.raises(OptionsError, match="written by grammatical-gender, and hard-debias cannot read it"):
        fitted(model, HardDebias(HardDebiasOptions(basis=str(saved))))


def rewritten(saved: Path, path: Path, **changed: Any) -> Path:
    """The file with other arrays; None leaves one out."""
    with np.load(saved, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, allow_pickle=True, **{n: a for n, a in {**arrays, **changed}.items() if a is not None})
    return path


@pytest.mark.parametrize(
    "changed",
    [
        {RECORD: None},
        {RECORD: np.frombuffer(b"{", dtype=np.uint8)},
        {RECORD: np.frombuffer(b'{"format": 2}', dtype=np.uint8)},
        {RECORD: np.frombuffer(b'[1, 2]', dtype=np.uint8)},
        {RECORD: np.frombuffer(NO_OPTIONS, dtype=np.uint8)},
        {"read": None},
        {"read": np.ones((3, 2))},
        {"offset": np.full(40, np.nan)},
        {"read": np.array([{}], dtype=object)},
    ],
    ids=lambda changed: ", ".join(f"{name} {getattr(array, 'shape', None)}" for name, array in changed.items()),
)  # fmt: skip
def test_a_damaged_file_is_refused(model: Model, saved: Path, tmp_path: Path, changed: dict[str, Any]):
    path = rewritten(saved, tmp_path / "damaged.npz", **changed)
    with pytest.raises(DataError, match=r"damaged\.npz.*fitted\.save\(path\) wrote"):
        fitted(model, read(path))


def test_what_is_no_basis_file_is_refused(model: Model, tmp_path: Path):
    text = tmp_path / "notes.npz"
    text.write_text("not a zip file", encoding="utf-8")
    with pytest.raises(DataError, match=r"notes\.npz cannot be read as \.npz"):
        fitted(model, read(text))
    with pytest.raises(BiascoreError, match=r"gone\.npz"):
        fitted(model, read(tmp_path / "gone.npz"))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("array", ["offset", RECORD])
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_arrays_are_an_error_of_the_file(
    model: Model, saved: Path, tmp_path: Path, array: str, what: str
):
    path = replaced(saved, tmp_path / "hostile.npz", array, HOSTILE[what])
    with pytest.raises(DataError, match=r"hostile\.npz.*fitted\.save\(path\) wrote"):
        fitted(model, read(path))


@pytest.mark.parametrize("compression", [12, 14, 99])
def test_an_unknown_compression_is_an_error_of_the_file(
    model: Model, saved: Path, tmp_path: Path, compression: int
):
    path = replaced(saved, tmp_path / "hostile.npz", "offset", b"x", compression=compression)
    with pytest.raises(DataError, match=r"hostile\.npz cannot be read as \.npz"):
        fitted(model, read(path))


@pytest.mark.parametrize(
    "changed", [{"format": True}, {"level": "word"}, {"dimensions": "40"}, {"dimensions": True}], ids=str
)
def test_a_record_of_other_types_is_refused(
    model: Model, saved: Path, tmp_path: Path, changed: dict[str, Any]
):
    with np.load(saved) as file:
        record = json.loads(file[RECORD].tobytes()) | changed
    path = rewritten(
        saved, tmp_path / "record.npz", **{RECORD: np.frombuffer(json.dumps(record).encode(), np.uint8)}
    )
    with pytest.raises(DataError, match=r"record\.npz.*fitted\.save\(path\) wrote"):
        fitted(model, read(path))


@pytest.mark.filterwarnings("error")
def test_a_map_that_makes_no_numbers_is_refused(model: Model, saved: Path, tmp_path: Path):
    path = rewritten(saved, tmp_path / "huge.npz", offset=np.full(40, 1e200))
    with pytest.raises(DataError, match=r"huge\.npz.*fitted\.save\(path\) wrote"):
        fitted(model, read(path))


def test_a_damaged_basis_is_found_before_a_model_is_opened(saved: Path, tmp_path: Path):
    path = rewritten(saved, tmp_path / "damaged.npz", read=np.ones((3, 2)))
    with pytest.raises(DataError, match=r"damaged\.npz"):
        Transforms().get(read(path), {}).check()
    Transforms().get(read(saved), {}).check()

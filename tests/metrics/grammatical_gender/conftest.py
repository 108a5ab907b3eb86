"""The small Spanish embedding with its word sets as stimuli, and what a correct engine must find on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Engine
from biascore.models.model import Model

from ...builders.transforms import without
from ...builders.vectors import write_vectors

TESTS = {
    "GG": ("masc_nouns", "fem_nouns", "man_words", "woman_words"),
    "GenS": ("science", "humanities", "man_words", "woman_words"),
    "GenC": ("career", "family", "boy_names", "girl_names"),
    "FloI": ("flowers", "insects", "pleasant", "unpleasant"),
    "InsW": ("instruments", "weapons", "pleasant", "unpleasant"),
    "poles": ("flowers", "insects", "agreeable", "disagreeable"),
}


@pytest.fixture(scope="session")
def gg(shared_data: Path) -> Path:
    """The folder of the grammatical-gender data."""
    return shared_data / "gg"


@pytest.fixture(scope="session")
def reference(gg: Path) -> dict[str, Any]:
    """What a correct engine must find."""
    found: dict[str, Any] = json.loads((gg / "es_reference.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="session")
def spanish(gg: Path, reference: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine with the reference's word sets as tests ``es/own-…`` of kind weat, and its nouns as ``es/own-nouns``."""
    folder = tmp_path_factory.mktemp("stimuli")
    sets = dict(reference["word_sets"])
    sets["agreeable"], sets["disagreeable"] = (
        reference["valnorm"][name] for name in ("pleasant", "unpleasant")
    )
    write_tests(folder, sets, {f"own-{name}": roles for name, roles in TESTS.items()})
    made = Engine(stimuli=[folder], cache=None)
    made.add_tests([made.data("nouns", gg / "es_nouns.tsv", language="es", name="own-nouns")])
    return made


@pytest.fixture(scope="session")
def raw(spanish: Engine, gg: Path) -> Iterator[Model]:
    """The Spanish vectors as they are."""
    with spanish.model(f"fasttext:{gg / 'es_eltec_50d.vec.gz'}", name="raw") as model:
        yield model


@pytest.fixture(scope="session")
def clean(raw: Model, reference: dict[str, Any]) -> Model:
    """The Spanish vectors without the direction that the reference fixes."""
    return raw.with_transform(without(reference["fixed_direction"]["direction"]))


Opened = Callable[[Engine, Mapping[str, Sequence[float] | npt.NDArray[np.float64]]], Model]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Opens vectors as a model, and closes it when the test ends."""
    with ExitStack() as stack:

        def open_vectors(
            engine: Engine, vectors: Mapping[str, Sequence[float] | npt.NDArray[np.float64]]
        ) -> Model:
            return stack.enter_context(engine.model(write_vectors(tmp_path / "v.vec", vectors), name="made"))

        yield open_vectors


def write_tests(
    folder: Path,
    sets: Mapping[str, Sequence[str]],
    tests: Mapping[str, tuple[str, str, str, str]],
    language: str = "es",
) -> None:
    """A stimuli file with these word lists and tests of kind weat."""
    lists = "".join(
        f"[lists.{name}]\nwords = {json.dumps(list(words), ensure_ascii=False)}\n"
        for name, words in sets.items()
    )
    kinds = "".join(
        f'[tests.{name}]\nkind = "weat"\ntitle = "{name}"\nconcept = "gender"\npositive_means = "{name}"\n'
        + "".join(f'{role} = "{one}"\n' for role, one in zip("XYAB", roles, strict=True))
        for name, roles in tests.items()
    )
    path = folder / language / "own.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    meta = f'schema = 1\n[meta]\nlanguage = "{language}"\ntitle = "own"\nsource = "own"\nlicence = "CC0"\n'
    path.write_text(meta + lists + kinds, encoding="utf-8")

"""A stored run names nothing of the machine that made it, and says with what it was computed."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy

from biascore import Audit, Engine, Run
from biascore.results.portable import portable

from ..builders.vectors import random_vectors, write_vectors
from ..builders.word_lists import PAIRS, write_weat

TOPICS = "biascore_wordlists/en/topics.toml"
MEASUREMENT = '[[measurements]]\nmetric = "weat"\ntests = ["en/pets"]\noptions = { resamples = 100 }\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with models in one place, an audit in another, and own stimuli and data beside both."""
    home = tmp_path / "alice"
    for folder in ("models/one", "models/two", "shared/theirs/en"):
        (home / folder).mkdir(parents=True)
    vectors = random_vectors(("cat", "dog", "car", "bus", "sun", "joy", "war", "mud"), 5, seed=3)
    for folder in ("one", "two"):
        write_vectors(home / "models" / folder / "model.vec", vectors)
    write_weat(home / "study/mine")
    (home / "shared/pairs.csv").write_text(PAIRS, encoding="utf-8")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    return home


def texts(folder: Path) -> Iterator[str]:
    """Every text of a stored run."""
    yield (folder / "run.json").read_text(encoding="utf-8")
    for path in folder.glob("items/*.parquet"):
        yield path.name
        yield path.read_bytes().decode("latin-1")
        yield json.dumps(pq.read_table(path).to_pydict())


def saved(run: Run, tmp_path: Path) -> Run:
    """The run as it comes back, after a look for what it must not hold."""
    folder = run.save(tmp_path / "saved")
    for text in texts(folder):
        assert str(tmp_path) not in text
        assert "alice" not in text
    return Run.load(folder)


def test_a_run_of_an_audit_holds_no_path_of_this_machine(home: Path, tmp_path: Path) -> None:
    audit = home / "study" / "audit.toml"
    models = [
        f'[[models]]\nref = "fasttext:{home}/models/one/model.vec"\n',
        f'[[models]]\nref = "fasttext:{home}/models/two/model.vec"\n',
        f'[[models]]\nref = "fasttext:{home}/study/near.vec"\n',
    ]
    (home / "study/near.vec").write_bytes((home / "models/one/model.vec").read_bytes())
    data = '[[data]]\nformat = "crows-pairs"\nsource = "../shared/pairs.csv"\nlanguage = "en"\n'
    pairs = '[[models]]\nname = "planted"\nref = "planted:"\n[[measurements]]\nmetric = "crows-pairs"\n'
    audit.write_text(
        'stimuli = ["mine"]\n' + data + "".join(models) + MEASUREMENT
        + pairs + 'tests = ["en/pairs"]\nmodels = ["planted"]\n', encoding="utf-8",
    )  # fmt: skip
    with closing(Engine(cache=None)) as engine:
        run = saved(engine.run(audit), tmp_path)
    names = ["fasttext:one/model.vec", "fasttext:two/model.vec", "fasttext:near.vec", "planted"]
    assert [model.name for model in run.models] == names
    assert list(dict.fromkeys(measurement.model for measurement in run)) == names
    assert [model.ref for model in run.models][:3] == names[:3]
    assert {used.file for used in run.stimuli} == {"mine/en/own.toml", "../shared/pairs.csv", TOPICS}
    assert run.provenance.audit["stimuli"] == ("mine",)
    assert run.provenance.audit["data"][0]["source"] == "../shared/pairs.csv"


def test_absolute_stimuli_are_named_by_their_folder(home: Path, tmp_path: Path) -> None:
    with closing(Engine(cache=None, stimuli=[home / "study" / "mine"])) as engine:
        run = saved(engine.measure("weat", "planted:en/pets=1", "en/pets", resamples=100), tmp_path)
    assert [used.file for used in run.stimuli] == ["mine/en/own.toml", TOPICS]
    assert run.provenance.audit["stimuli"] == ("mine",)


def test_what_lies_in_the_current_folder_is_relative_to_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    ref = f"fasttext:{home}/models/one/model.vec"
    audit = Audit.from_parts(
        title=f"weat on {ref}",
        models=[{"ref": ref}],
        measurements=[{"metric": "weat", "tests": ["en/pets"], "options": {"resamples": 100}}],
        stimuli=["study/mine"],
    )
    with closing(Engine(cache=None)) as engine:
        run = saved(engine.run(audit), tmp_path)
    assert run.title == "weat on fasttext:models/one/model.vec"
    assert run.stimuli[0].file == "study/mine/en/own.toml"


def test_a_password_in_an_address_is_not_stored() -> None:
    with closing(Engine(cache=None)) as engine:
        run = engine.measure("weat", "planted:", "en/weat7", resamples=100)
    warned = run.model_copy(update={"warnings": ("http://user:secret@host:80/path is slow",)})
    assert portable(warned).warnings == ("http://host:80/path is slow",)
    assert portable(run) == run
    assert portable(run)[0].items.equals(run[0].items)


def test_the_versions_that_move_numbers_are_recorded() -> None:
    with closing(Engine(cache=None)) as engine:
        provenance = engine.measure("weat", "planted:", "en/weat7", resamples=100).provenance
    assert provenance.packages["numpy"] == np.__version__
    assert provenance.packages["scipy"] == scipy.__version__
    assert provenance.python_version == platform.python_version()

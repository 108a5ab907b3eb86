"""A bundle holds what is needed to check a run, is the same each time, and can be checked and run again."""

from __future__ import annotations

import gzip
import json
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from biascore import Audit, Engine, Run
from biascore.archive.bundle import _refuse_keys, write_bundle
from biascore.archive.contents import audit_text
from biascore.cli import codes
from biascore.cli.app import app
from biascore.errors import RunError
from biascore.files.toml import dumps
from biascore.plugins.loading import Plugins

from .conftest import Done, Verify


@pytest.fixture
def packed(study: Path, tmp_path: Path) -> Path:
    return write_bundle(study / "audit-run", tmp_path / "packed.zip").path


@pytest.fixture
def unpacked(packed: Path, tmp_path: Path) -> Path:
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked" / "biascore-bundle"


def test_it_holds_what_is_needed(packed: Path, study: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        found = {name.removeprefix("biascore-bundle/"): archive.read(name) for name in archive.namelist()}
    assert set(found) == {
        "README.md",
        "audit.toml",
        "constraints.txt",
        "data/pairs.csv",
        "run/items/0000-weat-en-pets.parquet",
        "run/items/0001-crows-pairs-en-pairs.parquet",
        "run/run.json",
        "software.cdx.json",
        "stimuli/en/own.toml",
    }
    assert found["data/pairs.csv"] == (study / "pairs.csv").read_bytes()
    assert found["run/run.json"] == (study / "audit-run" / "run.json").read_bytes()
    lines = found["constraints.txt"].decode().splitlines()
    assert f"numpy=={np.__version__.partition('+')[0]}" in lines
    assert {line.partition("==")[0] for line in lines} >= {"biascore", "pydantic", "scipy", "typer"}
    listed = json.loads(found["software.cdx.json"])["components"]
    assert {one["name"] for one in listed} >= {"python", "numpy", "pydantic", "scipy", "typer"}
    readme = found["README.md"].decode()
    assert "`mine/en/own.toml` | `stimuli/en/own.toml` | CC0 |" in readme
    assert Run.load(study / "audit-run").results_digest() in readme
    assert not any(str(study.parent).encode() in content for content in found.values())


def test_the_same_run_gives_the_same_bytes(packed: Path, study: Path, tmp_path: Path) -> None:
    again = write_bundle(study / "audit-run", tmp_path / "again.zip").path
    assert again.read_bytes() == packed.read_bytes()


def test_it_is_verified_packed_and_unpacked(verify: Verify, packed: Path, unpacked: Path) -> None:
    for path in (packed, unpacked, unpacked / "run"):
        checks = verify(path, "--models")
        assert {"audit.toml", "stimuli mine/en/own.toml", "stimuli pairs.csv", "model control"} < set(checks)
        assert {outcome for outcome, _ in checks.values()} == {"matches"}
    with (unpacked / "audit.toml").open("a") as file:
        file.write("# changed\n")
    assert verify(unpacked, code=codes.DIFFERENT)["audit.toml"][0] == "differs"


def test_its_audit_measures_the_same(unpacked: Path, study: Path) -> None:
    again = Engine(cache=None).run(unpacked / "audit.toml")
    assert again.results_digest() == Run.load(study / "audit-run").results_digest()


def test_a_single_measurement_has_an_audit_too(tmp_path: Path) -> None:
    engine = Engine(cache=None, seed=3)
    run = engine.measure("weat", "planted:gender=1", "en/weat7", resamples=100, ddof=0)
    (tmp_path / "audit.toml").write_text(audit_text(run), encoding="utf-8")
    assert engine.run(Audit.load(tmp_path / "audit.toml")).results_digest() == run.results_digest()


def test_two_files_of_one_name_are_found_again(
    biascore: Callable[..., Done], verify: Verify, tmp_path: Path
) -> None:
    audit = '[[models]]\nref = "answers:table.csv"\n'
    for number, place in enumerate(("table.csv", "more/table.csv")):
        rows = [f"p{i},{'FM'[i % 2]},{int(i % 3 == number)}" for i in range(60)]
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("\n".join(["text,sex,selected", *rows]) + "\n", encoding="utf-8")
        audit += (
            f'[[data]]\nformat = "outcomes"\nsource = "{place}"\nname = "n{number}"\nlanguage = "en"\n'
            'options = { groups = ["sex"] }\n'
        )
    audit += '[[measurements]]\nmetric = "impact-ratio"\ntests = ["en/n*"]\noptions = { draws = 200 }\n'
    (tmp_path / "audit.toml").write_text(audit, encoding="utf-8")
    biascore("run", "audit.toml", "--out", "run")
    biascore("bundle", "run")
    (tmp_path / "more" / "table.csv").unlink()
    assert {outcome for outcome, _ in verify("run.zip").values()} == {"matches"}


def test_what_may_not_be_passed_on_is_left_out_and_named(verify: Verify, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "without.zip"
    call = ["bundle", str(study / "audit-run"), "--out", str(out), "--leave-out", "pairs.csv"]
    done = CliRunner().invoke(app, call, catch_exceptions=False)
    assert done.exit_code == 0
    assert "left out" in done.stdout
    assert "CC0" in done.stdout
    assert "biascore-bundle/data/pairs.csv" not in zipfile.ZipFile(out).namelist()
    assert verify(out, code=codes.NOT_VERIFIED)["stimuli pairs.csv"][0] == "not here"
    with pytest.raises(RunError, match=r"has no file 'gone.csv'.*it has: mine/en/own.toml, .*pairs.csv"):
        write_bundle(study / "audit-run", tmp_path / "x.zip", leave_out=["gone.csv"])


def test_an_input_that_is_not_the_runs_stops_it(study: Path, tmp_path: Path) -> None:
    (study / "pairs.csv").rename(study / "elsewhere.csv")
    with pytest.raises(RunError, match=r"pairs.csv, which the run was made from, is not here.*leave_out"):
        write_bundle(study / "audit-run", tmp_path / "x.zip")
    (study / "pairs.csv").write_text("sent_more,sent_less\n")
    with pytest.raises(RunError, match=r"is not the pairs.csv that the run was made from"):
        write_bundle(study / "audit-run", tmp_path / "x.zip")
    assert not (tmp_path / "x.zip").exists()


def test_a_key_is_never_packed(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = study / "mine" / "en" / "notes.toml"
    own = (study / "mine" / "en" / "own.toml").read_text(encoding="utf-8")
    notes.write_text(own.replace("pets", "toys").replace("own", "7f3e-secret-key-41aa"), encoding="utf-8")
    run = Engine(cache=None).run(study / "audit.toml").save(study / "audit-run", overwrite=True)
    monkeypatch.setenv("DEEPL_AUTH_KEY", "7f3e-secret-key-41aa")
    with pytest.raises(RunError, match=r"stimuli/en/notes.toml holds the key in DEEPL_AUTH_KEY") as caught:
        write_bundle(run, tmp_path / "x.zip")
    assert "secret" not in str(caught.value)
    assert not (tmp_path / "x.zip").exists()


@pytest.mark.parametrize(
    "pack", [lambda text: text.encode("utf-16"), lambda text: gzip.compress(text.encode())]
)
def test_a_key_is_found_in_other_encodings(
    pack: Callable[[str], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPL_AUTH_KEY", "7f3e-secret-key-41aa")
    with pytest.raises(RunError, match=r"data/pairs\.csv holds the key in DEEPL_AUTH_KEY"):
        _refuse_keys({"data/pairs.csv": pack("a,7f3e-secret-key-41aa\n")}, Plugins())
    _refuse_keys({"data/pairs.csv": pack("a,b\n")}, Plugins())


def test_only_a_bundle_is_replaced_and_only_a_bundle_is_opened(
    packed: Path, study: Path, tmp_path: Path
) -> None:
    before = packed.read_bytes()
    write_bundle(study / "audit-run", packed, overwrite=True)
    assert packed.read_bytes() == before
    with pytest.raises(RunError, match="exists already"):
        write_bundle(study / "audit-run", packed)
    foreign = tmp_path / "thesis.zip"
    with zipfile.ZipFile(foreign, "w") as archive:
        archive.writestr("../outside", "text")
    with pytest.raises(RunError, match="was not written by biascore"):
        write_bundle(study / "audit-run", foreign, overwrite=True)
    for path, told in ((foreign, "is no bundle"), (study / "pairs.csv", "cannot be unpacked")):
        error = CliRunner().invoke(app, ["verify", str(path)]).exception
        assert isinstance(error, RunError)
        assert told in str(error)
    assert not (tmp_path.parent / "outside").exists()


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        'quotes " and \\ and \n\t\x00\x1f\x7f',
        "é 😀",
        1,
        -2.5,
        1e-300,
        True,
        [1, 2],
        ["a", "b"],
        {"a b": [1]},
    ],
    ids=range(10),
)
def test_toml_comes_back_equal(value: Any) -> None:
    document = {"key": value, "spaced key": {"inner": value}, "tables": [{"a": value}, {"b": value}]}
    assert tomllib.loads(dumps(document)) == document


def test_what_toml_has_no_form_for_is_told(study: Path, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="TOML has no form for None"):
        dumps({"tables": [{"options": {"gone": None}}]})
    run = Run.load(study / "audit-run")
    measured = {"metric": "weat", "model": "planted:pets=1", "tests": ["en/pets"], "options": {"layer": None}}
    provenance = run.provenance.model_copy(update={"audit": measured})
    with pytest.raises(RunError, match="cannot be written as a file: TOML has no form for None"):
        audit_text(run.model_copy(update={"provenance": provenance}))

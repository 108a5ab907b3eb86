"""What is stated of a data file, its licence, its citation and its encoding, is in the run, and stays with it."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from biascore import Audit, Engine, Run
from biascore.archive.bundle import write_bundle
from biascore.errors import OptionsError
from biascore.report import write_report
from biascore.results.stimuli_used import StimuliUsed

from .conftest import Verify

PAIRS = (
    "sent_more;sent_less;stereo_antistereo;bias_type\n"
    "Op kantoor is zij te laat, één keer.;Op kantoor is hij te laat, één keer.;stereo;gender\n"
)
AUDIT = """
[[models]]
ref = "planted:gender=1"
[[measurements]]
metric = "crows-pairs"
tests = ["nl/paren"]
[[data]]
format = "crows-pairs"
source = "paren.csv"
language = "nl"
licence = "CC BY-SA 4.0"
citation = "Somebody 2024 | page 3"
options = { encoding = "cp1252" }
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data in cp1252, an audit of it and its run."""
    folder = tmp_path_factory.mktemp("made") / "study"
    folder.mkdir()
    (folder / "paren.csv").write_bytes(PAIRS.encode("cp1252"))
    (folder / "audit.toml").write_text(AUDIT, encoding="utf-8")
    Engine(cache=None).run(folder / "audit.toml").save(folder / "audit-run")
    return folder


@pytest.fixture
def study(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "study"))


def without_digest(used: StimuliUsed) -> dict[str, Any]:
    return used.model_dump(exclude={"sha256"})


def test_the_run_records_it_and_is_read_again(study: Path) -> None:
    run = Run.load(study / "audit-run")
    (used,) = run.stimuli
    assert without_digest(used) == {
        "file": "paren.csv",
        "source": "Somebody 2024 | page 3",
        "licence": "CC BY-SA 4.0",
        "tests": ("nl/paren",),
    }
    (data,) = run.provenance.audit["data"]
    assert (data["licence"], dict(data["options"])) == ("CC BY-SA 4.0", {"encoding": "cp1252"})
    assert "één keer" in run[0].items["item"].to_pylist()[0]


def test_verify_and_bundle_go_on_with_it(study: Path, verify: Verify, tmp_path: Path) -> None:
    bundle = write_bundle(study / "audit-run", tmp_path / "packed.zip").path
    for path in (study / "audit-run", bundle):
        assert {outcome for outcome, _ in verify(path, "--models").values()} == {"matches"}
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "biascore-bundle"
    assert "`data/paren.csv` | CC BY-SA 4.0 |" in (folder / "README.md").read_text(encoding="utf-8")
    again = Engine(cache=None).run(folder / "audit.toml")
    assert again.results_digest() == Run.load(study / "audit-run").results_digest()
    assert (again.stimuli[0].licence, again.stimuli[0].source) == ("CC BY-SA 4.0", "Somebody 2024 | page 3")


def test_the_report_shows_it(study: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="needs biascore[report]")
    run = Run.load(study / "audit-run").model_copy(update={"measurements": ()})  # and no charts
    page = write_report(run, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in page
    assert "Somebody 2024 | page 3" in page


def test_from_the_command_line_and_from_python(study: Path, biascore: Any, tmp_path: Path) -> None:
    call = (
        "measure",
        "crows-pairs",
        "--model",
        "planted:gender=1",
        "--language",
        "nl",
    )
    data = ("--data", f"crows-pairs:{study / 'paren.csv'}", "-o", "data.encoding=cp1252", "--json")
    stated = ("--data-licence", "CC BY-SA 4.0", "--data-citation", "Somebody 2024")
    (used,) = json.loads(biascore(*call, *data, *stated).stdout)["stimuli"]
    assert (used["licence"], used["source"]) == ("CC BY-SA 4.0", "Somebody 2024")
    # Nothing is stated: the licence is not known, and the source is the file.
    (used,) = json.loads(biascore(*call, *data).stdout)["stimuli"]
    assert (used["licence"], used["source"]) == ("", used["file"])
    assert (
        "--data-licence is of a data file"
        in biascore(*call, *stated, "--tests", "it/crows_own", code=2).stderr
    )
    test = Engine(cache=None).data(
        "crows-pairs", study / "paren.csv", language="nl", encoding="cp1252", licence="CC0", citation="Me"
    )
    assert (test.licence, test.source) == ("CC0", "Me")
    with pytest.raises(OptionsError, match="licence must be text"):
        Engine(cache=None).data("crows-pairs", study / "paren.csv", language="nl", licence=3)  # type: ignore[arg-type]


def test_one_file_has_one_licence(study: Path) -> None:
    second = '[[data]]\nformat = "crows-pairs"\nsource = "paren.csv"\nlanguage = "nl"\nname = "b"\n'
    (study / "audit.toml").write_text(AUDIT + second + 'licence = "CC0"\n', encoding="utf-8")
    with pytest.raises(OptionsError, match=r"^paren\.csv is in the audit twice, with another licence"):
        Engine(cache=None).check(Audit.load(study / "audit.toml"))

"""The JSON Schemas that ship are those that the classes make, and take every good file of this repository."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from biascore.errors import UnknownNameError
from biascore.plugins.loading import Plugins
from biascore.results.run import SCHEMA_VERSION
from biascore.schemas.making import VERSIONS, json_schema, shipped
from biascore.stimuli.schema import kinds_of

from ..builders.plugin_dists import installed
from ..builders.runs import typical_run
from ..cli.conftest import AUDIT, Done
from ..cli.conftest import biascore as biascore

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(__file__).resolve().parents[2]
TOML = re.compile(r"^ *```toml[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
FOLDERS = ("plugins", "wordlists", "docs", "tests")
BAD = ("biascore-test-bad-toml",)
OURS = {"weat", *(name for name in Plugins().kinds.names if Plugins().kinds.owner(name).ships)}
MAC = "biascore-plugin-mac"
"""It brings a kind of test of its own."""


def _document(text: str) -> Any:
    """As a reader of JSON sees a TOML file: dates are texts."""
    return json.loads(json.dumps(tomllib.loads(text), default=str))


def _stored(name: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((resources.files("biascore.schemas") / shipped(name)).read_bytes())
    return made


def _good(folder: str) -> Iterator[tuple[str, str, Any]]:
    """Each whole audit and stimuli file of a folder, and of the pages in it: its kind, where it is, what it holds."""
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix not in (".toml", ".md") or any(part in path.parts for part in BAD):
            continue
        text = path.read_text(encoding="utf-8")
        for one in TOML.findall(text) if path.suffix == ".md" else [text]:
            if re.search(r"^schema = 1$", one, re.MULTILINE) and "[meta]" in one:
                document = _document(one)
                if {test["kind"] for test in document.get("tests", {}).values()} <= OURS:
                    yield "stimuli", str(path), document
            elif "[[models]]" in one and "[[measurements]]" in one:
                yield "audit", str(path), _document(one)


@pytest.mark.parametrize("name", VERSIONS)
def test_what_ships_is_what_is_made(name: str) -> None:
    kinds = Plugins().kinds
    ours = tuple((one, kinds.holder(one).record.module) for one in kinds.names if one in OURS)
    assert _stored(name) == json_schema(name, kinds_of((), ours)), f"biascore schema {name} > {shipped(name)}"
    jsonschema.Draft202012Validator.check_schema(_stored(name))


def test_the_version_of_a_run_is_that_in_its_name() -> None:
    assert shipped("run") == f"run-{SCHEMA_VERSION}.json"


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_good_file_is_taken(folder: str) -> None:
    checks = {name: jsonschema.Draft202012Validator(_stored(name)) for name in ("audit", "stimuli")}
    files = list(_good(folder))
    assert files
    wrong = {
        place: error.message[:300]
        for name, place, document in files
        if (error := jsonschema.exceptions.best_match(checks[name].iter_errors(document)))
    }
    assert wrong == {}


def test_a_file_with_a_plugins_kind_of_test_needs_the_schema_of_that_installation(tmp_path: Path) -> None:
    source = ROOT / "examples" / MAC
    document = _document((source / "biascore_plugin_mac" / "en" / "mac.toml").read_text(encoding="utf-8"))
    with installed(source, tmp_path):
        theirs = jsonschema.Draft202012Validator(json_schema("stimuli", Plugins().test_kinds))
        assert [one.message for one in theirs.iter_errors(document)] == []
    ours = jsonschema.Draft202012Validator(_stored("stimuli"))
    assert "tests" in [one.path[0] for one in ours.iter_errors(document)]


@pytest.mark.parametrize(
    ("before", "after", "where"),
    [
        ('metric = "weat"', 'metrik = "weat"', ["measurements", 0]),
        ('tests = ["en/pets"]', "tests = []", ["measurements", 0, "tests"]),
        ("[[models]]", 'adjust = "bonferroni"\n[[models]]', ["adjust"]),
        ("[[models]]", "seed = -1\n[[models]]", ["seed"]),
    ],
)
def test_a_wrong_key_or_value_of_an_audit_is_found(before: str, after: str, where: list[str | int]) -> None:
    check = jsonschema.Draft202012Validator(_stored("audit"))
    assert not list(check.iter_errors(_document(AUDIT)))
    errors = list(check.iter_errors(_document(AUDIT.replace(before, after, 1))))
    assert where in [list(one.path) for one in errors]


def test_each_key_of_an_audit_says_what_it_is() -> None:
    described = _stored("audit")["properties"]
    assert [name for name, one in described.items() if not one.get("description")] == []
    assert "Attributes" not in json.dumps(_stored("audit"))


def test_a_stored_run_is_taken_and_a_changed_one_is_not(tmp_path: Path) -> None:
    check = jsonschema.Draft202012Validator(_stored("run"))
    stored = json.loads(json.dumps(typical_run().to_json()))
    assert [one.message for one in check.iter_errors(stored)] == []
    stored["verdicts"][0]["verdict"] = "fair"
    assert [list(one.path) for one in check.iter_errors(stored)] == [["verdicts", 0, "verdict"]]


def test_the_command_prints_or_writes_what_ships(biascore: Callable[..., Done]) -> None:
    printed = biascore("schema", "audit").stdout
    biascore("schema", "audit", "--out", "audit.schema.json")
    file = Path("audit.schema.json")
    assert json.loads(printed) == json.loads(file.read_bytes()) == _stored("audit")
    file.write_text("mine", encoding="utf-8")
    biascore("schema", "audit", "--out", "audit.schema.json", code=2)
    biascore("schema", "audit", "--out", "audit.schema.json", "--force", code=2)
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_schema_that_there_is_not_is_named() -> None:
    with pytest.raises(UnknownNameError, match="audit, stimuli, run"):
        json_schema("audits", Plugins().test_kinds)


def _init(biascore: Callable[..., Done]) -> tuple[str, str]:
    biascore("init", "planted:en/weat7=1")
    return "audit.toml", "audit"


def _words(biascore: Callable[..., Done]) -> tuple[str, str]:
    lists = {"X": "math numbers", "Y": "poetry art", "A": "he him", "B": "she her"}
    rows = [f"{name},{word}" for name, words in lists.items() for word in words.split()]
    Path("lists.csv").write_text("\n".join(["list,word", *rows]) + "\n", encoding="utf-8")
    Path("lists/en").mkdir(parents=True)
    biascore("words", "lists.csv", "lists/en/mine.toml")
    return "lists/en/mine.toml", "stimuli"


def _metric(biascore: Callable[..., Done]) -> tuple[str, str]:
    biascore("plugin", "new", "mine", "--kind", "metric")
    return "biascore-plugin-mine/biascore_plugin_mine/en/mine.toml", "stimuli"


def _language(biascore: Callable[..., Done]) -> tuple[str, str]:
    biascore("plugin", "new", "mine", "--kind", "language")
    return "biascore-plugin-mine/biascore_plugin_mine/la/flores.toml", "stimuli"


@pytest.mark.parametrize("write", [_init, _words, _metric, _language])
def test_a_file_that_is_written_names_the_schema_that_its_second_lines_command_writes(
    write: Callable[..., tuple[str, str]], biascore: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, kind = write(biascore)
    text = Path(place).read_text(encoding="utf-8")
    first = text.partition("\n")[0]
    assert first == f"#:schema ./{kind}.schema.json"
    (command,) = re.findall(r"^#.*: (biascore schema .*)$", text, re.MULTILINE)
    monkeypatch.chdir(Path(place).parent)
    biascore(*command.split()[1:])
    schema = json.loads(Path(first.removeprefix("#:schema ")).read_bytes())
    document = _document(text)
    for test in document.get(
        "tests", {}
    ).values():  # of a new metric: its own kind, whose schema its installation has
        test["kind"] = "weat" if test["kind"] == "mine" else test["kind"]
        test.setdefault("B", test["A"])
    assert [one.message for one in jsonschema.Draft202012Validator(schema).iter_errors(document)] == []


def test_every_template_of_a_stimuli_file_is_one_of_these() -> None:
    """A new one has to be tested above."""
    templates = resources.files("biascore") / "scaffold" / "templates"
    found = {
        Path(str(one)).parent.name
        for one in Path(str(templates)).rglob("*.toml.txt")
        if "schema = 1" in one.read_text(encoding="utf-8")
    }
    assert found == {"en", "la"}

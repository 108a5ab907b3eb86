"""``biascore mapping`` and the mappings of an audit: by name and by path, printed, stored, verified."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from biascore.cli import codes
from biascore.results.run import Run

from .conftest import Done

OWN = """
name = "works-council"
title = "What our works council asks"
version = "2026"
source = "https://example.org/agreement"
[[items]]
id = "Point 1"
says = "Women and men are hired alike."
source = "https://example.org/agreement"
date = 2026-01-02
confirmed = true
cannot = "Why somebody was hired."
offers = [{ what = "outcomes by sex", metrics = ["impact-ratio"] }, { what = "limits", records = ["gates"] }]
"""
AUDIT = """
mappings = {mappings}
[[models]]
ref = "answers:hires.csv"
[[data]]
format = "outcomes"
source = "hires.csv"
language = "en"
options = {{ groups = ["sex"] }}
[[measurements]]
metric = "impact-ratio"
tests = ["en/hires"]
options = {{ draws = 200 }}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"p{i},{'FM'[i % 2]},{int(i % 3 == 0)}" for i in range(60)]
    (tmp_path / "hires.csv").write_text("\n".join(["text,sex,selected", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    return tmp_path


def audit(folder: Path, *mappings: str) -> None:
    (folder / "audit.toml").write_text(AUDIT.format(mappings=json.dumps(mappings)), encoding="utf-8")


def test_an_audit_names_mappings_by_name_and_by_path(
    biascore: Callable[..., Done], verify: Callable[..., dict[str, tuple[str, str]]], folder: Path
) -> None:
    audit(folder, "nyc-ll144", "own.toml")
    printed = biascore("run", "audit.toml", "--out", "run", "--report", "page.html").stdout
    assert "mapping works-council: of 1 items 1 offered in part" in printed
    assert "mapping nyc-ll144: of 5 items" in printed
    run = Run.load(folder / "run")
    assert [one.name for one in run.mappings] == ["nyc-ll144", "works-council"]
    assert run.mappings[1].dist == "the file own.toml"
    assert str(folder) not in (folder / "run" / "run.json").read_text(encoding="utf-8")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Women and men are hired alike." in page
    checks = verify("run")
    assert checks["mapping 'works-council'"] == ("matches", "of 1 items 1 offered in part")
    (folder / "own.toml").unlink()
    checks = verify("run", code=7)
    assert checks["mapping 'works-council'"][0] == "not here"
    assert checks["mapping 'nyc-ll144'"][0] == "matches"


def test_a_bundle_holds_the_file_of_a_mapping(
    biascore: Callable[..., Done], verify: Callable[..., dict[str, tuple[str, str]]], folder: Path
) -> None:
    other = folder / "laws" / "own.toml"
    other.parent.mkdir()
    other.write_text(OWN.replace("works-council", "second"), encoding="utf-8")
    audit(folder, "nyc-ll144", "own.toml", "laws/own.toml")
    biascore("run", "audit.toml", "--out", "run")
    listed = biascore("bundle", "run").stdout
    assert "mappings/own.toml" in listed
    assert "mappings/again/own.toml" in listed
    with zipfile.ZipFile(folder / "run.zip") as archive:
        archive.extractall(folder / "packed")
    top = folder / "packed" / "biascore-bundle"
    held = (top / "mappings" / "own.toml").read_bytes()
    assert held == (folder / "own.toml").read_bytes()
    readme = (top / "README.md").read_text(encoding="utf-8")
    assert f"| `own.toml` | `mappings/own.toml` |  | `{sha256(held).hexdigest()}` |" in readme
    for one in (folder / "own.toml", other):
        one.unlink()
    for path in ("run.zip", "packed/biascore-bundle"):
        checks = verify(path)
        assert {checks[f"mapping {name!r}"][0] for name in ("works-council", "second", "nyc-ll144")} == {
            "matches"
        }
    named = "answers:hires.csv=answers:hires.csv"
    biascore("run", str(top / "audit.toml"), "--model", named, "--out", "again")
    assert Run.load(folder / "again").results_digest() == Run.load(folder / "run").results_digest()
    (top / "mappings" / "own.toml").write_text(OWN + "# changed\n", encoding="utf-8")
    checks = verify("packed/biascore-bundle", code=codes.DIFFERENT)
    assert checks["mappings/own.toml"] == ("differs", "is not the own.toml of the run")
    assert "is in the file own.toml, which is not here or was changed" in checks["mapping 'works-council'"][1]


def test_the_file_of_a_mapping_can_be_left_out_of_a_bundle(
    biascore: Callable[..., Done], verify: Callable[..., dict[str, tuple[str, str]]], folder: Path
) -> None:
    audit(folder, "own.toml")
    biascore("run", "audit.toml", "--out", "run")
    assert "not in it: left out" in biascore("bundle", "run", "--leave-out", "own.toml").stdout
    (folder / "own.toml").rename(folder / "elsewhere.toml")
    assert verify("run.zip", code=7)["mapping 'works-council'"][0] == "not here"
    error = biascore("bundle", "run", "--out", "more.zip", code=2).stderr
    assert "own.toml, which the run was made from, is not here" in error


def test_a_stored_run_is_shown_by_any_mapping(biascore: Callable[..., Done], folder: Path) -> None:
    audit(folder)
    biascore("run", "audit.toml", "--out", "run")
    error = biascore("mapping", "run", code=2).stderr
    assert "names no mapping. Name one: colorado-sb26-189, eu-ai-act, eu-charter" in error
    printed = biascore("mapping", "run", "own.toml").stdout
    assert "Point 1: offered in part" in printed
    assert "- offered: outcomes by sex (1 measured: 1 inconclusive)" in printed
    assert "- not offered: limits (no gate)" in printed
    assert "no run shows: Why somebody was hired." in printed
    assert "It does not say which text applies" in printed
    (found,) = json.loads(biascore("mapping", "run", "own.toml", "--json").stdout)
    assert [item["state"] for item in found["items"]] == ["offered in part"]
    assert (
        "| Point 1 | Women and men are hired alike. | offered in part |"
        in biascore("mapping", "run", "own.toml", "--format", "md").stdout
    )
    assert "Did you mean eu-ai-act?" in biascore("mapping", "run", "eu-ai-ac", code=2).stderr
    assert "nowhere.toml" in biascore("mapping", "run", "nowhere.toml", code=2).stderr


def test_a_mapping_of_articles_alone_has_nothing_to_list(biascore: Callable[..., Done], folder: Path) -> None:
    articles = OWN.partition("[[items]]")[0] + '[grounds]\nsex = ["Point 1"]\n'
    (folder / "own.toml").write_text(articles, encoding="utf-8")
    audit(folder, "own.toml")
    biascore("run", "audit.toml", "--out", "run")  # its report says which of the grounds were not tested
    assert "has no items" in biascore("mapping", "run", "own.toml", code=2).stderr


def test_of_an_audit_those_with_items_are_listed(biascore: Callable[..., Done], folder: Path) -> None:
    audit(folder, "us-federal", "own.toml")
    biascore("run", "audit.toml", "--out", "run")
    (only,) = json.loads(biascore("mapping", "run", "--json").stdout)
    assert only["name"] == "works-council"


def test_the_usage_says_that_a_mapping_may_be_left_out(biascore: Callable[..., Done]) -> None:
    usage = biascore("mapping", "--help").stdout.partition("Usage:")[2].splitlines()[0]
    assert usage.split()[-2:] == ["{RUN}", "[MAPPING]..."]


@pytest.mark.parametrize("named", [[], ["eu-human-rights"], ["us-federal"]])
def test_those_are_proposed_that_can_be_shown(
    biascore: Callable[..., Done], folder: Path, named: list[str]
) -> None:
    audit(folder)
    biascore("run", "audit.toml", "--out", "run")
    error = biascore("mapping", "run", *named, code=2).stderr
    assert "eu-ai-act" in error
    assert "nyc-human-rights" not in error
    assert error.count("us-federal") == named.count("us-federal")

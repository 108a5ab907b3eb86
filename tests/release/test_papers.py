"""What lies next to the wheels of a release: lowest versions, a list of components, their licences."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "release.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="an sdist has no .ci")


def release(*arguments: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def test_the_lowest_versions_are_those_of_pyproject() -> None:
    assert release("lowest") == (ROOT / "constraints-lowest.txt").read_text(encoding="utf-8"), (
        "run: python .ci/release.py lowest > constraints-lowest.txt"
    )


def test_the_pins_of_the_tests_are_within_the_bounds() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.lower().replace("_", "-").split("==") for line in lines if "==" in line)
    needs = [Requirement(text) for text in metadata.requires("biascore") or [] if "extra ==" not in text]
    assert len(needs) > 10
    for need in needs:
        assert need.specifier.contains(pins[need.name]), f"{need} and {need.name}=={pins[need.name]}"


def test_an_unknown_command_is_told_what_there_is() -> None:
    assert release(code=1) == ""


@pytest.mark.slow
def test_the_components_are_what_is_installed() -> None:
    found = json.loads(release("sbom", sys.executable))
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    by_name = {one["name"].lower().replace("_", "-"): one for one in found["components"]}
    depends = {one["ref"]: one["dependsOn"] for one in found["dependencies"]}
    needs = [Requirement(text) for text in metadata.requires("biascore") or [] if "extra ==" not in text]
    own = by_name["biascore"]
    assert own["licenses"] == [{"license": {"name": "Apache-2.0"}}]
    for need in needs:
        one = by_name[need.name.lower()]
        assert one["version"] == metadata.version(need.name)
        assert one["purl"] == f"pkg:pypi/{need.name.lower()}@{one['version']}"
        assert one["purl"] in depends[own["purl"]]
        assert one["licenses"] != [{"license": {"name": "not stated"}}], need.name
    assert not {one for refs in depends.values() for one in refs} - set(depends)


@pytest.mark.slow
def test_every_component_has_a_line_with_its_licence() -> None:
    head, *rows = (line.split("\t") for line in release("licences", sys.executable).splitlines())
    assert head == ["name", "version", "licence"]
    known = {name.lower(): (version, licence) for name, version, licence in rows}
    assert known["biascore"] == (metadata.version("biascore"), "Apache-2.0")
    assert known["numpy"][0] == metadata.version("numpy")
    assert "BSD" in known["numpy"][1]
    assert all(licence for _, _, licence in rows)

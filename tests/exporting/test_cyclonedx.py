"""The software of a run as CycloneDX: all that the run records, and what the official schema takes."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine, Run
from biascore.exporting.forms import exported
from biascore.plugins.loading import Plugins
from biascore.results.provenance import constraints

from ..builders.runs import decided, run_of

NONE = Plugins([])


def bill(run: Run) -> dict[str, Any]:
    (one,) = exported(run, "cyclonedx", NONE)
    assert one.of == ""
    made: dict[str, Any] = json.loads(one.text)
    return made


def run_with(**parts: Any) -> Run:
    run = run_of(decided(0.001))
    return run.model_copy(update={"provenance": run.provenance.model_copy(update=parts)})


def test_each_package_that_the_run_records_is_a_component_with_its_version() -> None:
    run = Engine(cache=None).measure("weat", "planted:en/weat7=1", "en/weat7", draws=199, resamples=100)
    made = bill(run)
    main = made["metadata"]["component"]
    parts = [main, *(one for one in made["components"] if one["type"] == "library")]
    lines = {f"{one['name']}=={one['version'].partition('+')[0]}" for one in parts}
    assert lines == set(constraints(run.provenance).split())
    assert len(parts) > 15
    assert (main["name"], main["type"]) == ("biascore", "application")
    (python,) = (one for one in made["components"] if one["type"] == "platform")
    assert (python["name"], python["version"]) == ("python", run.provenance.python_version)
    assert made["metadata"]["properties"][0]["value"] == run.results_digest()
    assert sorted(made["compositions"][0]["assemblies"]) == sorted(one["bom-ref"] for one in [*parts, python])


def test_a_package_has_one_url_whose_version_is_whole() -> None:
    made = bill(
        run_with(packages={"torch": "2.9.1+cpu", "sentence_transformers": "6.0"}, required={"torch": "2.9.1"})
    )
    urls = {one["name"]: one["purl"] for one in made["components"]}
    assert urls["torch"] == "pkg:pypi/torch@2.9.1%2Bcpu"
    assert urls["sentence-transformers"] == "pkg:pypi/sentence-transformers@6.0"
    assert len(made["components"]) == 3


def test_the_same_run_gives_the_same_bytes() -> None:
    assert exported(run_with(), "cyclonedx", NONE) == exported(run_with(), "cyclonedx", NONE)


@pytest.mark.slow
def test_the_official_schema_takes_it_and_each_url_is_a_package_url(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    referencing = pytest.importorskip("referencing", reason="referencing is not installed")
    package = ["cyclonedx-python-lib==11.12.0", "packageurl-python==0.17.6"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", tmp_path, *package],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"the schema of CycloneDX cannot be fetched: {done.stderr.strip()[-200:]}")
    archive = zipfile.ZipFile(next(tmp_path.glob("cyclonedx*.whl")))
    schemas = {
        name: json.loads(archive.read(f"cyclonedx/schema/_res/{name}.SNAPSHOT.schema.json"))
        for name in ("bom-1.6", "spdx", "jsf-0.82")
    }
    registry = referencing.Registry().with_resources(
        (one["$id"], referencing.Resource.from_contents(one)) for one in schemas.values()
    )
    check = jsonschema.Draft7Validator(
        schemas["bom-1.6"], registry=registry, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER
    )
    run = run_with(packages={"torch": "2.9.1+cpu"})
    made = bill(run)
    assert [error.message for error in check.iter_errors(made)] == []
    assert list(check.iter_errors({**made, "bomFormat": "SPDX"}))
    sys.path.insert(0, str(next(tmp_path.glob("packageurl*.whl"))))
    try:
        from packageurl import PackageURL

        for one in (made["metadata"]["component"], *made["components"]):
            url = PackageURL.from_string(one["purl"])
            assert (url.name, url.version, url.to_string()) == (one["name"], one["version"], one["purl"])
    finally:
        del sys.path[0]

"""Recipe, image and site of the documentation: what they say of the package is what pyproject.toml says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from ..conftest import ROOT

yaml = pytest.importorskip("yaml", reason="needs biascore[docs]")
jinja2 = pytest.importorskip("jinja2", reason="needs biascore[report]")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BUILD: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DOCKERFILE = ROOT / "Dockerfile"
pytestmark = pytest.mark.skipif(not DOCKERFILE.exists(), reason="an sdist has none of them")


def needs(lines: list[str]) -> dict[str, SpecifierSet]:
    found = [Requirement(line) for line in lines]
    return {canonicalize_name(one.name): one.specifier for one in found}


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each stage of the image, in order."""
    text = DOCKERFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split(None, 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found: list[list[tuple[str, str]]] = []
    for name, rest in lines:
        if name == "FROM":
            found.append([])
        found[-1].append((name, " ".join(rest.split())))
    return found


def copied() -> list[str]:
    """The sources in the checkout that the image is made from."""
    rows = [rest.split()[:-1] for name, rest in stages()[0] if name == "COPY"]
    return [source for row in rows for source in row]


def test_the_recipe_has_the_versions_of_pyproject() -> None:
    text = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(jinja2.Template(text).render(PYTHON="python"))
    assert recipe["package"] == {"name": PROJECT["name"], "version": PROJECT["version"]}
    asked = needs(recipe["requirements"]["run"])
    assert asked.pop("python") == SpecifierSet(PROJECT["requires-python"])
    assert asked == needs(PROJECT["dependencies"])
    host = needs(recipe["requirements"]["host"])
    assert {name: host[name] for name in needs(BUILD["build-system"]["requires"])} == needs(
        BUILD["build-system"]["requires"]
    )
    assert host["python"] == SpecifierSet(PROJECT["requires-python"])
    scripts = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert recipe["build"]["entry_points"] == scripts
    assert (recipe["about"]["summary"], recipe["about"]["license"]) == (
        PROJECT["description"],
        PROJECT["license"],
    )
    assert (ROOT / recipe["about"]["license_file"]).is_file()


def test_the_site_of_the_documentation_is_built_with_an_extra_that_there_is() -> None:
    config = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text(encoding="utf-8"))
    assert config["version"] == 2
    assert SpecifierSet(PROJECT["requires-python"]).contains(config["build"]["tools"]["python"])
    (line,) = config["build"]["jobs"]["install"]
    words = shlex.split(line)
    extras = Requirement(f"biascore{words[-1].removeprefix('.')}").extras
    assert extras == {"docs"} <= set(PROJECT["optional-dependencies"])
    assert (ROOT / words[words.index("-c") + 1]).is_file()
    assert (ROOT / config["mkdocs"]["configuration"]).is_file()


def test_the_image_runs_as_a_user_and_writes_below_tmp_only() -> None:
    build, final = stages()
    names = [name for name, _ in final]
    user = dict(final)["USER"]
    assert user == "1000"
    assert f"useradd --uid {user}" in dict(final)["RUN"]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert not [name for name in names[names.index("USER") :] if name in ("RUN", "COPY", "ADD")]
    assert dict(final)["ENTRYPOINT"] == f'["{next(iter(PROJECT["scripts"]))}"]'
    variables = dict(one.split("=", 1) for one in shlex.split(dict(final)["ENV"]))
    for name in ("HOME", "BIASCORE_CACHE_DIR"):
        assert Path(variables[name]).is_relative_to("/tmp")
    assert variables["PYTHONDONTWRITEBYTECODE"] == "1"
    assert variables["PATH"].startswith("/opt/biascore/bin:")
    for stage in (build, final):
        version = re.match(r"python:(\d+\.\d+)-slim", stage[0][1])
        assert version
        assert SpecifierSet(PROJECT["requires-python"]).contains(version[1])
    assert build[0][1].split()[0] == final[0][1], "what is compiled in one runs in the other"


def test_the_extras_of_the_image_are_an_argument_and_there_are_such() -> None:
    build = stages()[0]
    name, _, default = dict(build)["ARG"].partition("=")
    assert set(default.split(",")) <= set(PROJECT["optional-dependencies"])
    assert f'".[${{{name}}}]"' in dict(build)["RUN"]
    assert "-c constraints.txt" in dict(build)["RUN"]


def test_the_image_is_made_from_every_package_of_the_wheel() -> None:
    assert [source for source in copied() if not (ROOT / source).exists()] == []
    packages = BUILD["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {one.split("/")[0] for one in packages} <= set(copied())


@pytest.mark.slow
def test_what_the_image_copies_builds_the_whole_wheel(tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    for name in copied():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    for place, out in ((source, "copied"), (ROOT, "whole")):
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
        subprocess.run([*command, "-w", tmp_path / out, place], check=True)
    (own,), (whole,) = ((*(tmp_path / out).glob("*.whl"),) for out in ("copied", "whole"))
    assert zipfile.ZipFile(own).namelist() == zipfile.ZipFile(whole).namelist()

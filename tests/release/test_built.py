"""What is built for a release: the same bytes each time, typed, without code that runs at install."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLAVIC = ROOT / "plugins" / "biascore-plugin-slavic"
PROJECTS = [ROOT, SLAVIC]
NAMES = ["biascore", "biascore-plugin-slavic"]
BUILD = """
import os, sys
os.umask(int(sys.argv[3], 8))
os.chdir(sys.argv[1])
import hatchling.build as build
build.build_wheel(sys.argv[2])
build.build_sdist(sys.argv[2])
"""
PACKAGES = [
    "biascore", "biascore_adapters", "biascore_emotions", "biascore_grammars", "biascore_mappings", "biascore_metrics",
    "biascore_training", "biascore_transforms", "biascore_wordlists",
]  # fmt: skip


def built(source: Path, out: Path, *, umask: str, seconds: int, mode: int) -> dict[str, str]:
    """The digests of wheel and sdist of a copy whose files have this age and mode."""
    copy = out / "source"
    ignored = shutil.ignore_patterns(
        ".git", ".venv*", "__pycache__", "*.pyc", "site", "dist", ".*_cache", ".hypothesis"
    )
    shutil.copytree(source, copy, ignore=ignored, symlinks=True)
    for path in copy.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.chmod(mode)
            os.utime(path, (seconds, seconds))
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    made = out / "made"
    made.mkdir()
    command = [sys.executable, "-c", BUILD, copy, made, umask]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in made.iterdir()}


@pytest.fixture(scope="module")
def twice(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Path, dict[str, str]]]:
    pytest.importorskip("hatchling", reason="the release is built with hatchling")
    ways = [("022", 1_600_000_000, 0o644), ("077", 1_700_000_001, 0o600)]
    folders = [tmp_path_factory.mktemp("built") for _ in ways]
    return [
        (out / "made", built(request.param, out, umask=umask, seconds=seconds, mode=mode))
        for out, (umask, seconds, mode) in zip(folders, ways, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("twice", PROJECTS, indirect=True, ids=NAMES)
def test_wheel_and_sdist_have_the_same_bytes_whoever_builds_them(
    twice: list[tuple[Path, dict[str, str]]],
) -> None:
    (folder, one), (_, other) = twice
    assert sorted(name.partition("-0")[0] for name in one) == [min(one).partition("-0")[0]] * 2
    assert one == other, f"built twice, {folder} differs"


@pytest.mark.slow
@pytest.mark.parametrize("twice", PROJECTS, indirect=True, ids=NAMES)
def test_nothing_runs_at_install_and_every_package_is_typed(twice: list[tuple[Path, dict[str, str]]]) -> None:
    (folder, _), _ = twice
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        entry = next(name for name in names if name.endswith(".dist-info/WHEEL"))
        assert "Root-Is-Purelib: true" in archive.read(entry).decode()
    packages = {name.partition("/")[0] for name in names if name.endswith(".py")}
    assert packages in ({*PACKAGES}, {"biascore_plugin_slavic"})
    assert {f"{package}/py.typed" for package in packages} <= set(names)
    assert not [name for name in names if name.endswith((".pth", ".so", ".pyd")) or ".data/scripts" in name]
    with tarfile.open(sdist) as archive:
        sources = [Path(name) for name in archive.getnames()]
    assert not [
        path for path in sources if len(path.parts) == 2 and path.name in ("setup.py", "hatch_build.py")
    ]


@pytest.mark.parametrize("project", PROJECTS, ids=NAMES)
def test_no_build_hook_is_configured(project: Path) -> None:
    stated = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    assert stated["build-system"]["build-backend"] == "hatchling.build"
    assert [Path(name).name for name in stated["build-system"]["requires"]] == ["hatchling>=1.27"]
    assert "dynamic" not in stated["project"]  # the version is a word in the file, and no code finds it
    hatch = stated["tool"]["hatch"]["build"]
    assert "hooks" not in hatch
    assert not [name for name, target in hatch["targets"].items() if "hooks" in target]
    assert not (project / "setup.py").exists()


@pytest.mark.parametrize("project", PROJECTS, ids=NAMES)
def test_the_lowest_python_is_that_of_the_classifiers(project: Path) -> None:
    stated = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(stated["classifiers"]))
    assert stated["requires-python"] == ">=3.11"
    assert [tuple(map(int, one.split("."))) for one in named] == [(3, 11), (3, 12), (3, 13), (3, 14)]


def newer_syntax(*places: Path) -> str:
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "E9"]
    done = subprocess.run(
        [*command, "--target-version", "py311", *places], capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode else ""


def test_no_syntax_is_newer_than_the_lowest_python(tmp_path: Path) -> None:
    pytest.importorskip("ruff", reason="ruff reads the syntax of another Python")
    (tmp_path / "newer.py").write_text("type Name = str\n", encoding="utf-8")
    assert "Python 3.11" in newer_syntax(tmp_path)
    assert (
        newer_syntax(*(ROOT / name for name in ("biascore", "adapters", "plugins", "wordlists", "tests")))
        == ""
    )

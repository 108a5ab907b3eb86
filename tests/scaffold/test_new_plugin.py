"""A new plugin of each kind can be built and installed, and passes its own tests as it was written."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli.app import app
from biascore.errors import OptionsError, RunError
from biascore.scaffold.new import KINDS, new_plugin

from ..conftest import BUILD

FILES = {
    "pyproject.toml",
    "README.md",
    ".gitignore",
    ".github/workflows/test.yml",
    "biascore_plugin_own_one/__init__.py",
}


def invoke(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["plugin", "new", *map(str, arguments)])
    return done.exit_code, done.output + str(done.exception or "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_is_written_whole(tmp_path: Path, kind: str) -> None:
    code, said = invoke("own-one", "--kind", kind, "--out", tmp_path / "made")
    assert code == 0, said
    assert f"pytest {tmp_path / 'made'}" in " ".join(said.split())
    made = {
        str(path.relative_to(tmp_path / "made")) for path in (tmp_path / "made").rglob("*") if path.is_file()
    }
    assert made >= FILES
    assert any(name.startswith("tests/test_") for name in made)
    for path in (tmp_path / "made").rglob("*"):
        assert "@" not in path.name
        assert path.suffix != ".txt"
        if path.suffix == ".py":
            compile(path.read_text(encoding="utf-8"), path.name, "exec")


def test_the_prefix_may_be_given_and_the_folder_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert new_plugin("biascore-plugin-some", "format").resolve() == tmp_path / "biascore-plugin-some"
    assert 'name = "biascore-plugin-some"' in (tmp_path / "biascore-plugin-some/pyproject.toml").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    "name", ["", "Own", "own_one", "-own", "own-", "../own", "own one", "1own", "own--one"]
)
def test_a_name_that_no_package_has_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionsError, match="cannot name a package"):
        new_plugin(name, "adapter", tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_another_kind_and_a_folder_that_is_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="Choose one: adapter, metric"):
        new_plugin("own", "adaptor", tmp_path / "made")
    (tmp_path / "made").mkdir()
    with pytest.raises(RunError, match=r"exists already.*--out DIR"):
        new_plugin("own", "adapter", tmp_path / "made")


@pytest.mark.slow
def test_each_passes_its_own_tests(tmp_path: Path) -> None:
    roots = [new_plugin(f"new-{kind}", kind, tmp_path / kind) for kind in KINDS]
    subprocess.run(
        [sys.executable, "-c", BUILD, str(tmp_path), *map(str, roots)], check=True, capture_output=True
    )
    site = tmp_path / "site"
    for wheel in tmp_path.glob("*.whl"):
        zipfile.ZipFile(wheel).extractall(site)
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    for root in roots:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
            cwd=root, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{root.name}: {done.stdout[-3000:]}{done.stderr[-1000:]}"
        assert " passed" in done.stdout
    lint = subprocess.run(
        [sys.executable, "-m", "ruff", "check", *map(str, roots)], capture_output=True, text=True, check=False
    )
    assert lint.returncode == 0, lint.stdout


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("planted", "adapter"),
        ("weat", "metric"),
        ("audit-gender-valence", "metric"),
        ("leace", "transform"),
        ("crows-pairs", "format"),
        ("csv", "exporter"),
        ("measure", "command"),
    ],
)
def test_a_name_that_is_taken_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    with pytest.raises(OptionsError, match=f"{name}.* there already"):
        new_plugin(name, kind, tmp_path / "made")
    assert not (tmp_path / "made").exists()

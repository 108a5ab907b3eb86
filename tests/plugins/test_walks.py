"""The pages docs/plugins/*.md build packages: each is typed from its first command to its last."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from biascore.scaffold.new import KINDS, new_plugin

from ..docs.typed import COMMAND, same

ROOT = Path(__file__).resolve().parents[2]
WALKS = {path.stem: path for path in (ROOT / "docs" / "plugins").glob("*.md")}
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEW = re.compile(r"biascore plugin new (\S+) --kind (\S+)")
SHIMS = {
    "biascore": f"exec '{sys.executable}' -W error -c 'from biascore.cli import main; main()' \"$@\"",
    "pytest": f"exec '{sys.executable}' -m pytest -p no:cacheprovider \"$@\"",
    # pip install -e 'FOLDER[dev]', into a folder of its own and without an index; the package is that of FOLDER.
    "pip": f"""
        folder=${{3%\\[dev]}} module=${{folder//-/_}}
        '{sys.executable}' -m pip install --quiet --no-deps --no-index --no-build-isolation \\
          --disable-pip-version-check --upgrade --target "$SITE" "./$folder" || exit
        rm -r "${{SITE:?}}/$module" && ln -s "$PWD/$folder/$module" "$SITE/$module"
    """,
}


def blocks(page: str) -> Iterator[tuple[str, str, str]]:
    """Language, file and text of each block; ``console`` and ``pycon`` have no file."""
    for language, text in FENCE.findall(WALKS[page].read_text(encoding="utf-8")):
        name, _, rest = text.partition("\n")
        yield (language, name.removeprefix("# "), rest) if name.startswith("# ") else (language, "", text)


def begun(page: str, folder: Path) -> Path:
    """The package that the page begins with, as it is written."""
    found = NEW.search(WALKS[page].read_text(encoding="utf-8"))
    assert found
    assert found[2] == page
    return new_plugin(found[1], found[2], folder / f"biascore-plugin-{found[1]}")


def files(folder: Path) -> dict[str, str]:
    """The texts of a package by name, without what a repository of its own needs (``.github``) and without caches."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    kept = (name for name in names if not re.search(r"(^|/)(\.|__pycache__)", name))
    return {name: (folder / name).read_text(encoding="utf-8") for name in kept}


def test_there_is_a_page_for_each_kind() -> None:
    assert set(WALKS) == set(KINDS)


@pytest.mark.parametrize("page", sorted(set(KINDS) - {"language"}))
def test_a_page_shows_each_file_in_which_its_package_differs_from_a_new_one(
    page: str, tmp_path: Path
) -> None:
    folder = begun(page, tmp_path)
    new = files(folder)
    shown = {name: text for _, name, text in blocks(page) if name}
    kept = ROOT / "examples" / folder.name
    whole = files(kept) if kept.exists() else new
    assert shown.items() <= whole.items()
    assert {**new, **shown}.keys() == whole.keys()
    assert {name for name in whole if whole[name] != new.get(name)} <= shown.keys()


def test_the_page_of_a_language_shows_parts_of_its_package() -> None:
    kept = files(ROOT / "plugins" / "biascore-plugin-portuguese")
    parts = [(name, text) for _, name, text in blocks("language") if name]
    assert len(parts) >= 5
    assert [name for name, text in parts if text not in kept[name]] == []


def test_a_metric_of_a_page_is_its_method_and_five_lines() -> None:
    (code,) = (text for _, name, text in blocks("metric") if name.endswith("nearness.py"))
    (found,) = (node for node in ast.parse(code).body if isinstance(node, ast.ClassDef))
    method = [node for node in found.body if isinstance(node, ast.FunctionDef)]
    assert [node.name for node in method] == ["measure"]
    assert len(found.body) - len(method) <= 5


@pytest.mark.slow
@pytest.mark.parametrize("page", KINDS)
def test_a_page_is_typed_from_its_first_command_to_its_last(page: str, tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    programs, site = tmp_path / "bin", tmp_path / "site"
    for name, text in SHIMS.items():
        programs.mkdir(exist_ok=True)
        (programs / name).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")])),
        "PYTHONIOENCODING": "utf-8",
        "SITE": str(site),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "COLUMNS": "200",
    }

    def typed(command: str | list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, shell=isinstance(command, str), executable="/bin/bash" if isinstance(command, str) else None,
            cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip

    package = work
    for language, name, text in blocks(page):
        if language == "console":
            for command, shown in COMMAND.findall(text):
                done = typed(command)
                assert same(shown, done.stdout) if shown else done.returncode == 0, (
                    f"{command}\n{done.stdout}"
                )
                if begins := NEW.search(command):
                    package = work / f"biascore-plugin-{begins[1]}"
                    if page == "language":  # what the page has the reader write, of which it shows parts
                        kept = ROOT / "plugins" / package.name
                        shutil.rmtree(package)
                        shutil.copytree(kept, package, ignore=shutil.ignore_patterns("__pycache__"))
        elif language == "pycon":
            (tmp_path / "session").write_text(text, encoding="utf-8")
            options = ["-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE"]
            done = typed(
                [sys.executable, "-W", "error", "-m", "doctest", *options, str(tmp_path / "session")]
            )
            assert done.returncode == 0, done.stdout
        elif page != "language":
            (package / name).write_text(text, encoding="utf-8")

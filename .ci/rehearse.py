"""A release, rehearsed: make release, see docs/release.md. Signs nothing and publishes nothing.

It builds the distributions from the last commit, checks their metadata, puts them into an index of their own, installs
biascore from it by name into an empty environment of each Python of the classifiers that is here, tests that, and writes
the lists and the notes next to what it built. ``python .ci/rehearse.py [FOLDER]``; the folder is ``dist`` if none is named.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import release

ROOT: Final = Path(__file__).resolve().parents[1]
PLUGINS: Final = ("plugins/biascore-plugin-slavic", "plugins/biascore-plugin-portuguese")
LINES, COLUMNS = 24, 80
"""A screen, which the notes of a release fit."""
NO_SETTINGS: Final = {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
"""For pip where nothing but the new files may be found."""


def main(out: Path) -> int:
    """0 if all that could be tested here passed; what could not be is said."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        source = checkout(work / "source")
        stated = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        version = stated["version"]
        (out / "notes.md").write_text(notes(source, version), encoding="utf-8")
        for project in (source, *(source / one for one in PLUGINS)):
            run(sys.executable, "-m", "hatchling", "build", "-d", str(out), cwd=project)
        built = sorted([*out.glob("*.whl"), *out.glob("*.tar.gz")])
        run(sys.executable, "-m", "twine", "check", "--strict", *map(str, built))
        say(f"built {len(built)} files of {version}; twine finds their metadata right")
        address = index(built, work / "index").as_uri()
        results = {
            python: tested(python, version, address, source, work)
            for python in re.findall(r"Python :: (3\.\d+)", "\n".join(stated["classifiers"]))
        }
        (wheel,) = out.glob("biascore-*.whl")
        if lists := next((one for one, passed in results.items() if passed), None):
            write_lists(out, work / f"python{lists}", wheel)
    sums = [f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}" for one in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")
    missing = [one for one, passed in results.items() if passed is None]
    if missing:
        say(f"NOT tested, as it is not here: Python {', '.join(missing)}. Test it before a release")
    say(f"nothing was signed or published; all of it lies in {out}")
    return 0 if any(results.values()) and False not in results.values() else 1


def checkout(folder: Path) -> Path:
    """The files of the last commit, alone."""
    git = ["git", "-C", str(ROOT)]
    changed = subprocess.run(
        [*git, "status", "--porcelain"], capture_output=True, text=True, check=True
    ).stdout
    if changed:
        say(f"{len(changed.splitlines())} changes are in no commit, and so not in what is built")
    packed = subprocess.run([*git, "archive", "HEAD"], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def notes(source: Path, version: str) -> str:
    """The notes of this version, which fit a screen; the changelog has all."""
    path = source / ".ci" / f"notes-{version}.md"
    if not path.is_file():
        raise SystemExit(
            f"{path.relative_to(source)} is missing. Write it: {LINES} lines of {COLUMNS} columns at most"
        )
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    wide = [number for number, line in enumerate(lines, 1) if len(line) > COLUMNS]
    if len(lines) > LINES or wide:
        what = (
            f"lines {wide} are wider than {COLUMNS} columns"
            if wide
            else f"it has {len(lines)} lines, not {LINES}"
        )
        raise SystemExit(f"{path.name} does not fit a screen: {what}. Shorten it")
    return text


def index(built: Iterable[Path], folder: Path) -> Path:
    """A package index of these files (PEP 503), as a folder."""
    for path in built:
        page = folder / path.name.partition("-")[0].replace("_", "-") / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, page.parent)
        with page.open("a", encoding="utf-8") as stream:
            stream.write(f'<a href="{path.name}">{path.name}</a>\n')
    return folder


def tested(version: str, release_: str, address: str, source: Path, work: Path) -> bool | None:
    """Whether biascore, installed by name from the index for this Python, passes its smoke test; None without the Python."""
    found = next(pythons(version), None)
    if found is None:
        return None
    python = environment(found, work / f"python{version}")
    own = {**os.environ, **NO_SETTINGS}
    pip = (python, "-m", "pip", "install", "-q")
    names = ["biascore", *(Path(one).name for one in PLUGINS)]
    run(*pip, "--no-deps", "--index-url", address, f"biascore=={release_}", env=own)
    run(*pip, "-c", str(source / "constraints.txt"), f"biascore=={release_}")  # what it needs
    shutil.copy(source / "tests" / "smoke.py", work)
    passed = subprocess.run([python, "smoke.py"], cwd=work, check=False).returncode == 0
    if passed:
        run(*pip, "--no-deps", "--index-url", address, *names, env=own)
        run(str(Path(python).with_name("biascore")), "doctor")
    say(f"Python {version}: {'passed' if passed else 'FAILED'}")
    return passed


def pythons(version: str) -> Iterator[str]:
    """The interpreters of this version, on the path or installed by pyenv, that start."""
    beneath = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for one in (sys.executable, shutil.which(f"python{version}"), *beneath.glob(f"{version}.*/bin/python")):
        if one is None:
            continue
        told = subprocess.run(
            [one, "-c", "import sys; print(*sys.version_info[:2], sep='.')"],
            capture_output=True,
            text=True,
            check=False,
        )
        if told.stdout.strip() == version:
            yield str(one)


def write_lists(out: Path, environment_: Path, wheel: Path) -> None:
    """Components, licences and pinned digests of what was installed."""
    python = str(environment_ / "bin" / "python")
    (out / "biascore.cdx.json").write_text(release.sbom(python) + "\n", encoding="utf-8")
    (out / "licences.tsv").write_text(release.licences(python) + "\n", encoding="utf-8")
    hashed = run(python, str(Path(release.__file__)), "hashes", str(wheel), keep=True)
    (out / "requirements-hashed.txt").write_text(hashed, encoding="utf-8")


def environment(python: str, folder: Path) -> str:
    """The interpreter of a new, empty environment."""
    run(python, "-m", "venv", str(folder))
    return str(folder / "bin" / "python")


def run(*command: str, keep: bool = False, **settings: Any) -> str:
    """What it prints, if it is kept; ends where the command fails, with what it said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **settings)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout if keep else ""


def say(text: str) -> None:
    """A line of the rehearsal."""
    print(f"release: {text}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if sys.argv[1:] else ROOT / "dist").resolve()))

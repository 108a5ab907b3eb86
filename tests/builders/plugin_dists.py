"""The distributions of plugins in this repository as if pip had installed them."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
DISTRIBUTIONS = tuple(sorted(path.parent for path in PLUGINS.glob("biascore-plugin-*/pyproject.toml")))


def entry_points_of(source: Path) -> str:
    """The entry points that a project states, as its installation has them."""
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return "\n".join(
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()), "")
    )


def write_metadata(source: Path, folder: Path) -> str:
    """The dist-info of a distribution in this folder, and its name."""
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"], project["version"]
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(entry_points_of(source), encoding="utf-8")
    return str(name)


@contextmanager
def installed(source: Path, folder: Path) -> Iterator[None]:
    """Its entry points are found as those of any distribution; what was imported of it is forgotten afterwards."""
    package = write_metadata(source, folder).replace("-", "_")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.syspath_prepend(str(source))
        yield
    for module in [one for one in sys.modules if one.split(".")[0] == package]:
        del sys.modules[module]

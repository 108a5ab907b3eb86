"""biascore-plugin-portuguese as if it were installed: its source folder, and the record that pip would write of it."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PORTUGUESE = Path(__file__).resolve().parents[2] / "plugins" / "biascore-plugin-portuguese"


@contextmanager
def portuguese_installed(folder: Path) -> Iterator[None]:
    """Its entry point is found as that of any distribution; what was imported of it is forgotten afterwards."""
    project = tomllib.loads((PORTUGUESE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"], project["version"]
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )
    points = project["entry-points"]["biascore"].items()
    lines = ["[biascore]", *(f"{point} = {module}" for point, module in points), ""]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.syspath_prepend(str(PORTUGUESE))
        yield
    for module in [one for one in sys.modules if one.split(".")[0] == "biascore_plugin_portuguese"]:
        del sys.modules[module]

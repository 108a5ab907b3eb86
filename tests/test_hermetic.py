"""The tests see the same plugins whatever else is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .builders.plugin_dists import DISTRIBUTIONS, write_metadata
from .conftest import ROOT, python_path

FOUND = """
from importlib import metadata
groups = [group for group in metadata.entry_points().groups if group.partition(".")[0] == "biascore"]
print(*sorted({point.dist.name for group in groups for point in metadata.entry_points(group=group)}))
"""
TWICE = f"""
import subprocess, sys
from tests.conftest import pytest_configure
found = {FOUND!r}
exec(found)
pytest_configure()
exec(found)
sys.stdout.flush()
subprocess.run([sys.executable, "-c", found], check=True)
sys.path.insert(0, sys.argv[1])
exec(found)
"""


def test_what_else_is_installed_is_not_seen(tmp_path: Path) -> None:
    names = [write_metadata(source, tmp_path) for source in DISTRIBUTIONS]
    done = subprocess.run(
        [sys.executable, "-c", TWICE, tmp_path],
        env={**os.environ, "PYTHONPATH": python_path(os.pathsep.join([str(tmp_path), str(ROOT)]))},
        capture_output=True,
        text=True,
        check=False,
    )
    every = " ".join(["biascore", *sorted(names)])
    assert done.stdout.splitlines() == [every, "biascore", "biascore", every], done.stderr

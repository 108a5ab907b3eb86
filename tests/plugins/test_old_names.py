"""Old names work, and a plugin that uses one is told at its own line what to write, and until when."""

from __future__ import annotations

import runpy
from importlib import metadata
from pathlib import Path

import pytest
from packaging.version import Version

import biascore.plugins_api
from biascore.api import metrics
from biascore.basics import renamed

TOLD = (
    r"biascore\.plugins_api\.Finding is now biascore\.api\.metrics\.Finding; the old name goes in biascore \d"
)


@pytest.mark.parametrize(
    "line",
    [
        "from biascore.plugins_api import Finding",
        "import biascore.plugins_api; Finding = biascore.plugins_api.Finding",
    ],
)
def test_the_line_of_the_plugin_is_told_what_to_write(tmp_path: Path, line: str) -> None:
    plugin = tmp_path / "a_plugin.py"
    plugin.write_text(f'"""A plugin."""\n\n{line}\n', encoding="utf-8")
    with pytest.warns(DeprecationWarning, match=TOLD) as caught:
        assert runpy.run_path(str(plugin))["Finding"] is metrics.Finding
    assert [(one.filename, one.lineno) for one in caught] == [(str(plugin), 3)]


def test_every_name_of_the_old_module_is_there() -> None:
    names = {name for module in biascore.plugins_api._MODULES for name in module.__all__}  # type: ignore[attr-defined]
    assert len(names) > 100
    for name in names:
        with pytest.warns(
            DeprecationWarning, match=rf"plugins_api\.{name} is now biascore\.api\.\w+\.{name};"
        ):
            getattr(biascore.plugins_api, name)


def test_what_never_was_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Metrik'"):
        _ = biascore.plugins_api.Metrik  # type: ignore[attr-defined]


def test_no_old_name_outlives_its_version() -> None:
    """Where this fails, remove what calls ``biascore.basics.renamed``, and the names with it."""
    assert Version(renamed.GOES) > Version(metadata.version("biascore"))

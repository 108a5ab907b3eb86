"""The notebooks run from top to bottom, and what they print is in them."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_two() -> None:
    assert len(NOTEBOOKS) == 2


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    shown = _shown(notebook)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    assert _shown(notebook) == shown


def test_outside_a_checkout_the_notebook_says_where_to_start_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = [path for path in NOTEBOOKS if path.stem == "before-and-after"]
    first = next(cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="outside a checkout"):
        exec(first.source, {})


def _shown(notebook: nbformat.NotebookNode) -> list[bool]:
    """Of each cell with code, whether it shows something; a bar that was there while it worked left nothing."""
    return [
        any(output.get("data", {}).get("text/html") != "" for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]

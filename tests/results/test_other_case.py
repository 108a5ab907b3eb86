"""A vocabulary in upper or lower case throughout: the words of a test are lost, and the reason is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biascore import Engine


@pytest.mark.parametrize(
    ("test", "case", "expected"),
    [
        ("en/weat7", str.upper, ("32 of the 32", "upper case", "MATH")),
        ("en/weat6", str.lower, ("16 of the 16", "lower case", "john")),
        ("en/weat7", str.lower, None),
        ("en/weat7", str.swapcase, ("32 of the 32", "upper case", "MATH")),
    ],
)
def test_words_that_are_known_in_another_case(
    test: str, case: object, expected: tuple[str, ...] | None, engine: Engine, tmp_path: Path
) -> None:
    words = [word for one in engine.catalogue.test(test).roles.values() for word in one.words]
    rng = np.random.default_rng(0)
    rows = [" ".join([case(word), *map(str, rng.normal(size=5).round(3))]) for word in words]  # type: ignore[operator]
    path = tmp_path / "cased.vec"
    path.write_text("\n".join([f"{len(rows)} 5", *rows]) + "\n", encoding="utf-8")
    with engine.model(f"fasttext:{path}", case="keep") as model:
        (found,) = engine.measure("weat", model, test, resamples=100)
    told = [caveat.text for caveat in found.caveats if " case" in caveat.text]
    if expected is None:
        assert not told
        return
    assert len(told) == 1
    assert all(one in told[0] for one in expected)
    assert any(expected[1] in text for text in found.in_brief)

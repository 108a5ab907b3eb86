"""Words that a transform was learnt from are counted wherever they are measured."""

from __future__ import annotations

from typing import Any

import pytest

from biascore import Engine

FEW: dict[str, Any] = {"resamples": 100}


@pytest.mark.parametrize(
    ("metric", "options"), [("weat", {"draws": 500, "reference": "none"}), ("weat-change", {})]
)
def test_words_of_a_test_that_the_transform_was_learnt_from_are_counted(
    engine: Engine, metric: str, options: dict[str, Any]
) -> None:
    """12 of the 16 words of A and B of weat7 are among the pairs, which nothing said once."""
    model = engine.model("planted:gender=1", name="m")
    clean = model.with_transform("hard-debias", pairs="en/bolukbasi2016/definitional")
    shared, apart = engine.measure(metric, clean, ["en/weat7", "en/weat1"], **FEW, **options)
    (caution,) = [text for text in shared.cautions if "was learnt from" in text]
    assert caution.startswith(
        "12 of the 16 words of A and B are words that hard-debias was learnt from: 'male'"
    )
    assert shared.doubts[0] == "12 of the 16 words are those that the transform was learnt from"
    assert not [text for text in apart.cautions if "was learnt from" in text]


def test_words_that_a_split_holds_out_are_not_learnt_from(engine: Engine) -> None:
    model = engine.model("planted:gender=1", name="m")
    clean = model.with_transform("grammatical-gender", nouns="es/nouns", max_iterations=1, min_words=2)
    for part, told in (("test", 0), ("all", 1)):
        (found,) = engine.measure("sc-gg-weat", clean, "es/nouns", part=part, **FEW)
        assert sum("was learnt from" in text for text in found.cautions) == told

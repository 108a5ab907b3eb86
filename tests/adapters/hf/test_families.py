"""The families of today against transformers alone, one text at a time, no padding: a few quickly, all slowly."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs biascore[hf]")
pytest.importorskip("transformers", reason="needs biascore[hf]")

from . import compare, families

# One for each way in which a family differs: what its head reads of the trunk's output or of the trunk, convolutions
# over padding, a decoder inside a model of several modalities, a decoder that sees to both sides.
QUICK = ("mixtral", "opt", "mobilebert", "qwen2_5_vl", "qwen2 (is_causal false)")
SEE_TO_BOTH_SIDES = {"xlnet", "qwen2 (is_causal false)", "gemma3_text (bidirectional)"}
FEEL_PADDING = {"convbert", "mobilebert", "fnet", "funnel", "yoso"}


def test_the_quick_ones_are_families() -> None:
    assert set(QUICK) | SEE_TO_BOTH_SIDES | FEEL_PADDING <= set(families.FAMILIES)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.slow, id=name)
        for name in families.FAMILIES
    ],
)
def test_every_answer_is_that_of_a_plain_loop(name: str, tmp_path: Path) -> None:
    found = compare.deviations(name, families.save(name, tmp_path))
    assert "opens" not in found, found
    masked = families.FAMILIES[name].auto == "AutoModelForMaskedLM"
    expected = {"token", "sentence"}
    expected |= {"mask_logprob"} if masked else set() if name in SEE_TO_BOTH_SIDES else {"log_likelihood"}
    answers = {answer: value for answer, value in found.items() if isinstance(value, float)}
    assert set(answers) == expected
    assert max(answers.values()) < compare.SAME, answers
    assert ("whole text" in str(found["context"])) == (masked or name in SEE_TO_BOTH_SIDES)
    assert ("equal length" in str(found["padding"])) == (name in FEEL_PADDING)

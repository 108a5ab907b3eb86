"""Families whose export needs care, or is refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import ModelLoadError
from biascore.models.export import export_model

from ..hf import families

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]


@pytest.mark.parametrize("name", ["mixtral", "qwen3_moe"])
def test_a_mixture_of_experts_is_exported(name: str, engine: Engine, tmp_path: Path) -> None:
    with engine.model(f"hf:{families.save(name, tmp_path / 'model')}") as model:
        found = export_model(engine.model, model, tmp_path / "copy").deviations
    assert {deviation.quantity for deviation in found} >= {"embed: sentence", "score: log_likelihood"}
    assert max(deviation.largest for deviation in found) < 2e-5


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (
            "longformer",
            r"cannot export LongformerForMaskedLM as a graph for texts of any length .* with hf:, or",
        ),
        ("falcon (alibi)", r"was exported, but onnx: cannot run the copy.*Use the original as it is$"),
    ],
)
def test_what_cannot_be_exported_is_refused_in_a_sentence(
    name: str, reason: str, engine: Engine, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with engine.model(f"hf:{families.save(name, tmp_path / 'model')}") as model:
        capfd.readouterr()
        with pytest.raises(ModelLoadError, match=reason):
            export_model(engine.model, model, tmp_path / "copy")
    said = capfd.readouterr()
    assert len((said.out + said.err).splitlines()) < 3, said
    assert not (tmp_path / "copy").exists()

"""A sentence-transformers folder and its ONNX copy give the same sentence vectors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from biascore import Engine
from biascore.api.queries import Text
from biascore.errors import CapabilityError, QuestionError
from biascore.models.export import export_model

SENTENCES = ("The engineer finished her work.", "NURSE", "la dottoressa")


@pytest.mark.slow
def test_the_copy_holds_the_whole_pipeline(
    engine: Engine, original: Callable[[str], Path], tmp_path: Path
) -> None:
    """The older layout, a Dense module stored as pickle, a prompt, lower case, and a limit."""
    folder = tmp_path / "model"
    shutil.copytree(original("encoder"), folder / "0_Transformer")
    types = {
        "0_Transformer": "Transformer",
        "1_Pooling": "Pooling",
        "2_Dense": "Dense",
        "3_Normalize": "Normalize",
    }
    listed = [{"path": path, "type": f"sentence_transformers.models.{name}"} for path, name in types.items()]
    files = {
        "modules.json": listed,
        "config_sentence_transformers.json": {"prompts": {"q": "Queen and "}, "default_prompt_name": "q"},
        "0_Transformer/sentence_bert_config.json": {"max_seq_length": 60, "do_lower_case": True},
        "1_Pooling/config.json": {"pooling_mode": ["max", "weightedmean"], "include_prompt": False},
        "2_Dense/config.json": {"activation_function": "torch.nn.modules.activation.Tanh"},
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    dense = torch.nn.Linear(64, 16)
    torch.save(
        {f"linear.{name}": value for name, value in dense.state_dict().items()},
        folder / "2_Dense" / "pytorch_model.bin",
    )

    copy = tmp_path / "copy"
    with engine.model(f"hf:{folder}", allow_pickle=True) as model:
        export_model(engine.model, model, copy)
        wanted = model.embed([Text(text) for text in SENTENCES])
        described = model.identity.sentence_vector
    assert not list(copy.rglob("*.bin"))
    with (
        engine.model(f"hf:{folder}", allow_pickle=True, sentence="mean") as model,
        pytest.raises(CapabilityError, match="Leave the option sentence away"),
    ):
        export_model(engine.model, model, tmp_path / "other")
    with engine.model(f"onnx:{copy}") as model:
        np.testing.assert_allclose(model.embed([Text(text) for text in SENTENCES]), wanted, atol=1e-5)
        assert model.identity.sentence_vector == described
        with pytest.raises(QuestionError, match=r"would cut it at 60\. "):
            model.embed([Text("queen " * 61)])
    with engine.model(f"onnx:{copy}", long_texts="cut") as model, pytest.warns(UserWarning, match="were cut"):
        assert model.embed([Text("queen " * 61)]).shape == (1, 16)

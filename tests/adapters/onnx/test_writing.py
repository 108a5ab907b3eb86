"""Texts of an exported causal language model: those that the original writes, token by token and drawn."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from biascore import Engine
from biascore.api.queries import Choice
from biascore.api.writing import Prompt, Settings, Written
from biascore.models.model import Model

PROMPTS = [
    Prompt(text, sample=sample, seed=7)
    for text in ("The engineer", "The nurse", "A nurse and an engineer walked", "queen")
    for sample in range(2)
]
SETTINGS = (
    Settings(max_tokens=12),
    Settings(max_tokens=12, temperature=1.0),
    Settings(max_tokens=12, temperature=0.7, top_p=0.5),
)
pytestmark = pytest.mark.slow


def said(model: Model, settings: Settings) -> list[Written]:
    return list(model.generate(PROMPTS, settings))


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_it_writes_what_the_original_writes(
    engine: Engine, original: Callable[[str], Path], exported: Callable[..., Path], name: str
) -> None:
    with (
        engine.model(f"hf:{original(name)}", max_answer_tokens=4) as torch,
        engine.model(f"onnx:{exported(name)}", max_answer_tokens=4) as onnx,
    ):
        for settings in SETTINGS:
            wanted = said(torch, settings)
            assert said(onnx, settings) == wanted
            assert len({one.said for one in wanted}) == (len(PROMPTS) if settings.drawn else len(PROMPTS) / 2)
        assert onnx.identity.facts["answer_ends"] == torch.identity.facts["answer_ends"]
        question = Choice("Who?", ("nurse", "queen", "nobody"))
        assert onnx.choose([question], "text")[0].said == torch.choose([question], "text")[0].said


def test_a_text_ends_where_the_settings_next_to_the_graph_say(
    engine: Engine, exported: Callable[..., Path], tmp_path: Path
) -> None:
    with engine.model(f"onnx:{exported('gpt2')}") as model:
        whole = said(model, SETTINGS[0])[0]
        tokens = model.identity.facts["answer_ends"]
    assert (whole.finish, whole.tokens) == ("length", 12)
    folder = shutil.copytree(exported("gpt2"), tmp_path / "ends")
    from transformers import AutoTokenizer

    (first, *_) = AutoTokenizer.from_pretrained(folder)(whole.said, add_special_tokens=False)["input_ids"]
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [first]}), encoding="utf-8")
    with engine.model(f"onnx:{folder}") as model:
        ended = said(model, SETTINGS[0])[0]
        assert model.identity.facts["answer_ends"] != tokens
    assert ended.finish == "stop"
    assert (ended.tokens or 0) < 12


def test_a_prompt_without_room_is_refused(engine: Engine, exported: Callable[..., Path]) -> None:
    from biascore.errors import QuestionError

    with (
        engine.model(f"onnx:{exported('gpt2')}") as model,
        pytest.raises(QuestionError, match="no room for an answer of 5000"),
    ):
        model.generate(["The nurse"], Settings(max_tokens=5000))

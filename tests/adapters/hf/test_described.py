"""What a folder says of its model: wrong kinds of values, and models far larger than their weights, are refused in words."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore.errors import AnswerError, ModelLoadError, QuestionError, UnsupportedLanguageError  # noqa: E402
from biascore_adapters.hf.weights import FEW_PARTS  # noqa: E402
from biascore_adapters.transformer.folder import ModelFolder  # noqa: E402
from biascore_adapters.transformer.stated import stated  # noqa: E402

from ...builders import tiny  # noqa: E402
from . import translators  # noqa: E402
from .conftest import change  # noqa: E402

Copied = Callable[..., Path]
Opened = Callable[..., Any]


@pytest.mark.parametrize(
    "changes",
    [{"architectures": {"a": 1}}, {"architectures": 5}, {"architectures": [["x"]]}, {"model_type": ["bert"]}],
    ids=str,
)
def test_a_kind_that_is_no_name(changes: dict[str, Any], copied: Copied, opened: Opened) -> None:
    with pytest.raises(
        ModelLoadError, match="names as model_type or in architectures something else than names"
    ):
        opened(copied(**changes))


@pytest.mark.parametrize("layers", [FEW_PARTS + 1, 2**63])
def test_more_layers_than_tensors(layers: int, copied: Copied, opened: Opened) -> None:
    """It took hours: transformers makes each of them first."""
    with pytest.raises(
        ModelLoadError, match=r"of [\d,]+ layers or experts, and there are \d+ tensors in the weights"
    ):
        opened(copied(num_hidden_layers=layers))


def test_more_layers_than_weights_that_are_not_counted(copied: Copied, opened: Opened) -> None:
    """Damaged weights were no reason to stop, and neither were pickles."""
    folder = copied(num_hidden_layers=10**18)
    weights = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(weights[:8] + b"x" + weights[9:])
    with pytest.raises(
        ModelLoadError, match=r"model\.safetensors cannot be read .*Fetch or save the model again"
    ):
        opened(folder)
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(ModelLoadError, match="layers or experts, and there are fewer tensors in the weights"):
        opened(folder, allow_pickle=True)


def test_layers_of_a_model_within_the_model(copied: Copied, opened: Opened) -> None:
    with pytest.raises(ModelLoadError, match="layers or experts"):
        opened(copied(text_config={"num_experts": 10**6}))


@pytest.mark.parametrize("width", [3_000, 20_000])
def test_a_model_far_larger_than_its_weights(width: int, copied: Copied, opened: Opened) -> None:
    """40 gigabytes would have been filled before the weights were found to be others."""
    with pytest.raises(
        ModelLoadError, match=r"describes a model of [\d,]+ parameters, and there are \d+,\d+ in"
    ):
        opened(copied(hidden_size=width))


def test_weights_that_are_shared_or_missing_are_no_larger_model(tmp_path: Path, opened: Opened) -> None:
    """Layers that share their weights, a head that is the table of words, and a pooler that no file has."""
    tiny.save_model("albert", tmp_path / "albert", 1, num_hidden_layers=40)
    assert "mask_logprob" in Engine(cache=None).model(f"hf:{tmp_path / 'albert'}").capabilities
    tiny.save_model("gpt2", tmp_path / "gpt2", 1, n_embd=4, n_head=2, n_layer=1)
    assert opened(tmp_path / "gpt2").identity.facts["kind"] == "causal"


def test_a_length_that_is_no_number(copied: Copied, opened: Opened) -> None:
    folder = copied()
    change(folder / "tokenizer_config.json", model_max_length="many")
    with pytest.raises(ModelLoadError, match="states 'many' as the longest text that it takes"):
        opened(folder)


def test_a_tokenizer_that_panics(copied: Copied) -> None:
    """What code in Rust raises is no Exception of Python; it was reported as an error of biascore."""
    folder = copied()
    stated = json.loads((folder / "tokenizer.json").read_text())
    change(folder / "tokenizer.json", post_processor=stated["post_processor"] | {"special_tokens": {}})
    with pytest.raises(
        ModelLoadError, match=r"the tokenizer in .* cannot be read \(PanicException: no entry found for key"
    ):
        Engine(cache=None).model(f"hf:{folder}").embed(["he"])


def test_a_padding_that_is_no_number_counts_as_none_where_positions_are_counted_behind_it() -> None:
    config = {"model_type": "roberta", "vocab_size": 9, "max_position_embeddings": 30, "pad_token_id": "x"}
    folder = ModelFolder(Path("m"), None, config | {"architectures": ["RobertaForMaskedLM"]}, ())
    assert stated(folder, tiny.tokenizer_of("roberta")).max_tokens == 28


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        (0, "at '<|endoftext|>'"),
        (-1, "nowhere: no token is stated; not at -1, which is no token"),
        ([0, "a", 10**9], "at '<|endoftext|>'; not at 'a', 1000000000, which is no token"),
        (1e-320, "nowhere: no token is stated; not at 1e-320, which is no token"),
        (None, "nowhere: no token is stated"),
    ],
    ids=str,
)
def test_ends_of_answers_that_are_no_tokens(ends: object, told: str, tmp_path: Path, opened: Opened) -> None:
    tiny.save_model("gpt2", tmp_path / "m", 1)
    change(tmp_path / "m" / "generation_config.json", eos_token_id=ends)
    change(tmp_path / "m" / "config.json", eos_token_id=None)
    assert opened(tmp_path / "m").identity.facts["answer_ends"] == told


def test_code_that_is_no_class(copied: Copied, opened: Opened) -> None:
    for wrong in (["m.C"], {"AutoModel": 5}, "m.C"):
        folder = copied(auto_map=wrong)
        with pytest.raises(ModelLoadError, match="names something else than classes as its code"):
            opened(folder, trust_remote_code=True)
        for path in sorted(folder.iterdir()):
            path.unlink()
        folder.rmdir()


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "t5"
    translators.save("t5", folder, 1)
    return folder


@pytest.mark.parametrize(
    ("file", "changes", "error", "told"),
    [
        ("generation_config.json", {"num_beams": 10**6}, ModelLoadError, "states num_beams as 1000000"),
        (
            "generation_config.json",
            {"num_beams": "x"},
            ModelLoadError,
            "states num_beams as 'x'|cannot be read",
        ),
        ("generation_config.json", {"length_penalty": [1]}, ModelLoadError, "length_penalty|cannot be read"),
        ("generation_config.json", {"decoder_start_token_id": []}, ModelLoadError, "does not translate"),
        ("generation_config.json", {"eos_token_id": "x"}, AnswerError, "does not end within 4 tokens"),
        (
            "config.json",
            {"task_specific_params": {"translation_en_to_de": 5}},
            UnsupportedLanguageError,
            "no pair",
        ),
        ("config.json", {"task_specific_params": 5}, UnsupportedLanguageError, "no pair"),
    ],
    ids=str,
)
def test_settings_of_translation(
    file: str, changes: dict[str, Any], error: type[Exception], told: str, translator: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(translator, tmp_path / "m"))
    change(folder / file, **changes)
    with (
        pytest.raises(error, match=told),
        Engine(cache=None).model(f"hf:{folder}", max_new_tokens=4) as model,
    ):
        model.translate(["I am a nurse."], "en", "de")


def test_ends_of_a_translator_that_are_no_tokens_are_named(translator: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(translator, tmp_path / "m"))
    change(folder / "generation_config.json", eos_token_id=[2, 10**9])
    with Engine(cache=None).model(f"hf:{folder}") as model:
        assert model.identity.facts["no_ends"] == "1000000000: no such token"


def test_tokens_that_a_translator_has_no_vectors_for(translator: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(translator, tmp_path / "m"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["nurse"])
    tokenizer.save_pretrained(folder)
    with (
        pytest.raises(QuestionError, match=r"has token number \d+, and the model has vectors for \d+ only"),
        Engine(cache=None).model(f"hf:{folder}") as model,
    ):
        model.translate(["I am a nurse."], "en", "de")


def test_a_translation_ends_where_the_positions_of_its_model_do(tmp_path: Path) -> None:
    """A translation that went on behind them ended in an IndexError of torch."""
    translators.save("mbart", tmp_path / "m", 1)
    with Engine(cache=None).model(f"hf:{tmp_path / 'm'}") as model:
        assert model.identity.facts["max_new_tokens"] == translators.SIZE["max_position_embeddings"] - 1

"""What opening a model finds out about weights, code and head: refused, told as a warning, or kept among the facts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from safetensors.torch import load_file, save_file  # noqa: E402

from biascore import Engine  # noqa: E402
from biascore.api.queries import Masked, Text  # noqa: E402
from biascore.errors import CapabilityError, ModelLoadError, QuestionError  # noqa: E402
from biascore_adapters.hf import head, weights  # noqa: E402

from ...builders import tiny  # noqa: E402
from . import families  # noqa: E402

HEAD = transformers.AutoModelForSequenceClassification


def changed_config(folder: Path, **changes: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders that the tests here copy or only read."""
    root = tmp_path_factory.mktemp("opening")
    families.save("mpt", root / "mpt")
    families.save("big_bird", root / "big_bird")
    tiny.save_model("bert-uncased", root / "masked", 1)
    tiny.save_model("bert-uncased", root / "classifier", 2, HEAD, num_labels=3)
    tiny.save_model("gpt2", root / "causal", 3)
    return {path.name: path for path in root.iterdir()}


@pytest.fixture
def copy_of(saved: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    return lambda name: Path(shutil.copytree(saved[name], tmp_path / name))


def test_a_classifier_without_its_pooler_is_refused(copy_of: Callable[[str], Path], opened: Any) -> None:
    """Random weights would stand in for them, and a cache would make their answers look reproducible."""
    folder = copy_of("classifier")
    kept = {
        key: value for key, value in load_file(folder / "model.safetensors").items() if "pooler" not in key
    }
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        ModelLoadError, match=r"lacks 2 weights of its own architecture, such as bert\.pooler"
    ):
        opened(folder)
    # No vector is made with them.
    assert opened(changed_config(folder, architectures=["BertModel"])).identity.facts["kind"] == "encoder"


def test_weights_that_the_configuration_has_no_place_for_are_told(
    copy_of: Callable[[str], Path], opened: Any
) -> None:
    folder = changed_config(copy_of("masked"), num_hidden_layers=1)
    with pytest.warns(
        UserWarning, match=r"16 weights that BertForMaskedLM has no place for .*encoder\.layer\.1\."
    ):
        facts = opened(folder).identity.facts
    assert str(facts["unused_weights"]).startswith("16, such as bert.encoder.layer.1.")


def test_the_head_of_another_purpose_is_a_fact_and_no_warning(
    copy_of: Callable[[str], Path], opened: Any
) -> None:
    facts = opened(changed_config(copy_of("masked"), architectures=["BertModel"])).identity.facts
    assert "such as cls.predictions" in str(facts["unused_weights"])
    assert "unused_weights" not in opened(copy_of("causal")).identity.facts


def test_wider_numbers_than_those_stored_are_told(
    copy_of: Callable[[str], Path], opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_of("masked")
    halves = {key: value.bfloat16() for key, value in load_file(folder / "model.safetensors").items()}
    save_file(halves, folder / "model.safetensors", metadata={"format": "pt"})
    assert opened(folder).identity.facts["stored_weights"] == "BF16, 0.0 GB; as float32 0.0 GB"
    assert "stored_weights" not in opened(folder, dtype="bfloat16").identity.facts
    monkeypatch.setattr(weights, "LARGE", 1000)
    with pytest.warns(UserWarning, match=r"as BF16 \(0.0 GB\), and float32 takes .*dtype='bfloat16'"):
        opened(folder)


def test_code_of_the_folder_s_own_needs_an_option_and_is_recorded(
    copy_of: Callable[[str], Path], opened: Any
) -> None:
    folder = changed_config(copy_of("causal"), auto_map={"AutoModelForCausalLM": "own.OwnModel"})
    (folder / "own.py").write_text("raise SystemExit('ran')")
    with pytest.raises(ModelLoadError, match=r"not run unless .*'gpt2'.*set the option native_code=true"):
        opened(folder)
    facts = opened(folder, native_code=True).identity.facts
    assert facts["code"] == "that of transformers for gpt2, not the folder's own (auto_map)"
    assert "code" not in opened(copy_of("masked"), native_code=True).identity.facts


def test_a_classifier_without_names_says_where_to_give_them(
    copy_of: Callable[[str], Path], opened: Any
) -> None:
    with pytest.raises(ModelLoadError, match=r"id2label is empty.*Name them there"):
        opened(changed_config(copy_of("classifier"), id2label={}))


def test_without_architectures_the_facts_say_why_there_is_no_head(
    copy_of: Callable[[str], Path],
) -> None:
    folder = changed_config(copy_of("masked"), architectures=None)
    with Engine(cache=None).model(f"hf:{folder}") as model:
        assert "states no architectures" in str(model.identity.facts["head"])
        with pytest.raises(
            CapabilityError, match=r"cannot mask_logprob; it can embed.*states no architectures"
        ):
            model.mask_logprob([Masked("nurse", None)])


def test_a_head_that_cannot_be_used_costs_the_head_alone(
    saved: dict[str, Path], opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = opened(saved["masked"]).embed((Text("the nurse"),), "sentence")

    def fails(*_arguments: Any) -> Any:
        raise AttributeError("no such part")

    for name, broken, reason in [
        ("_same", lambda _one, _other: False, "takes more than the hidden states"),
        ("_with_trunk", fails, "cannot be run on hidden states (AttributeError: no such part)"),
    ]:
        with monkeypatch.context() as patched:
            patched.setattr(head, name, broken)
            backend = opened(saved["masked"])
        assert not hasattr(backend, "mask_logprob")
        assert backend.identity.facts["kind"] == "encoder"
        assert reason in str(backend.identity.facts["head"])
        np.testing.assert_array_equal(backend.embed((Text("the nurse"),), "sentence"), wanted)


def test_a_log_likelihood_is_refused_with_the_reason_where_a_token_sees_the_future(tmp_path: Path) -> None:
    folder = families.save("qwen2 (is_causal false)", tmp_path / "model")
    with Engine(cache=None).model(f"hf:{folder}") as model:
        assert model.capabilities == {"embed"}
        with pytest.raises(
            CapabilityError, match="a token of this model sees the whole text, itself included"
        ):
            model.score(["the nurse"], "log_likelihood")
    with Engine(cache=None).model(f"hf:{folder}", sentence="cls", dtype="bfloat16") as model:
        assert model.capabilities == {"embed"}
        assert model.identity.sentence_vector.endswith("as asked")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_rounding_makes_no_decoder_see_to_both_sides(dtype: str, tmp_path: Path, opened: Any) -> None:
    """Experts round a token otherwise with each group that they are run in."""
    facts = opened(families.save("mixtral", tmp_path), dtype=dtype).identity.facts
    assert facts["context"] == "a token sees those before it"
    assert facts["kind"] == "causal"


def test_a_limit_that_a_family_names_its_own_way_is_known(saved: dict[str, Path], opened: Any) -> None:
    backend = opened(saved["mpt"])
    assert backend.identity.facts["max_tokens"] == tiny.CONTEXT
    backend = opened(saved["mpt"])
    object.__setattr__(backend._reader, "limit", None)  # as if it named it in yet another way
    long = "The nurse and " * 60
    with pytest.raises(QuestionError, match=r"fails on the text 'The nurse and .*RuntimeError.*shorten"):
        backend.embed((Text("a nurse"), Text(long), Text("a programmer")), "sentence")
    assert np.isfinite(backend.embed((Text("a nurse"),), "sentence")).all()


def test_attention_that_a_short_text_switches_over_is_recorded(saved: dict[str, Path], opened: Any) -> None:
    facts = opened(saved["big_bird"]).identity.facts
    assert facts["attention"] == "original_full, not block_sparse, since the first short text"
    assert "attention" not in opened(saved["masked"]).identity.facts

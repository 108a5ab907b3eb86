"""Where a data file is: a path, or a file of a dataset on the hub, from its cache when there is no network."""

from __future__ import annotations

import hashlib
import traceback
from pathlib import Path

import pytest

from biascore.errors import DataError
from biascore.stimuli.dataset import default_test_name, locate

hub = pytest.importorskip("huggingface_hub.constants", reason="needs biascore[hf]")

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def cached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A hub cache that holds one file of one dataset, and no network."""
    cache = tmp_path / "hub"
    repository = cache / "datasets--owner--pairs"
    file = repository / "snapshots" / COMMIT / "data" / "pairs.v1.csv"
    file.parent.mkdir(parents=True)
    file.write_text("sent_more,sent_less\n", encoding="utf-8")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT, encoding="utf-8")
    monkeypatch.setattr(hub, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(hub, "HF_HUB_CACHE", str(cache))
    return file


@pytest.mark.parametrize("revision", ["", "@main", f"@{COMMIT}"])
def test_a_hub_file_is_taken_from_the_cache(cached: Path, revision: str) -> None:
    found = locate(f"hub:owner/pairs/data/pairs.v1.csv{revision}", "en/pairs", "en")
    assert found.path.read_bytes() == cached.read_bytes()
    assert found.sha256 == hashlib.sha256(cached.read_bytes()).hexdigest()
    assert (found.test, found.language) == ("en/pairs", "en")
    assert found.display == f"hub:owner/pairs/data/pairs.v1.csv{revision}"


@pytest.mark.parametrize("source", ["hub:owner/pairs/other.csv", "hub:owner/other/pairs.csv"])
def test_what_the_hub_does_not_give_is_told_with_the_way_around(source: str) -> None:
    with pytest.raises(DataError, match=r"could not be fetched .*download the file and give its path"):
        locate(source, "en/pairs", "en")


def test_the_token_of_the_hub_stands_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    token = "hf_abcdefghijklmnopqrstuvwxyz"
    monkeypatch.setenv("HF_TOKEN", token)

    def refuses(*_: object, **__: object) -> None:
        raise OSError(f"401 for the header 'Bearer {token}'")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", refuses)
    with pytest.raises(DataError, match="could not be fetched") as caught:
        locate("hub:owner/gated/pairs.csv", "en/pairs", "en")
    assert token not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("source", ["hub:pairs.csv", "hub:owner/pairs", "hub:owner//pairs.csv", "hub:"])
def test_a_hub_id_names_a_file(source: str) -> None:
    with pytest.raises(DataError, match=r"names no file of a dataset\. Write hub:OWNER/NAME/PATH"):
        locate(source, "en/pairs", "en")


def test_a_folder_is_no_data_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder"):
        locate(str(tmp_path), "en/pairs", "en")


@pytest.mark.parametrize(
    ("source", "name"),
    [("a/b/my_pairs.csv.gz", "my_pairs"), ("hub:o/n/d/pairs.v1.csv@main", "pairs"), (".csv", "data")],
)
def test_a_test_is_named_after_its_file(source: str, name: str) -> None:
    assert default_test_name(source) == name

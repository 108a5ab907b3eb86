"""A translation that is blank, or holds what no file can: refused or lost, never kept, and no later run dies of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.errors import AnswerError
from biascore.models.model import Model
from biascore.models.pipeline.cache import Cache, CacheWarning, DiskCache, NoCache
from biascore.models.pipeline.source import Services

from ..builders import models

BAD = {"surrogate": "caff\ud83d", "NUL": "caf\0", "nothing": "", "blank": " \n\t"}


class Says(Backend):
    """Translates by a table, and as it is what is not in it."""

    identity = Identity("test:says")

    def __init__(self, table: Mapping[str, str]) -> None:
        self.table = table
        self.calls: list[tuple[str, ...]] = []

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        self.calls.append(texts)
        return tuple(self.table.get(text, text) for text in texts)


def model_of(backend: Backend, cache: Cache | None = None) -> Model:
    return models.model_of(backend, Services(cache=cache or NoCache()), name="says", paid=True)


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_it_is_refused_and_what_was_paid_for_beside_it_is_kept(bad: str, tmp_path: Path) -> None:
    with pytest.raises(AnswerError, match=r"says: the translation of 'b' .* It is not kept, the others are"):
        model_of(Says({"b": bad}), DiskCache(tmp_path)).translate("abc", "en", "it")
    again = Says({})
    assert model_of(again, DiskCache(tmp_path)).translate("abc", "en", "it") == ("a", "b", "c")
    assert again.calls == [("b",)]


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_metric_may_take_it_for_lost(bad: str, tmp_path: Path) -> None:
    model = model_of(Says({"b": bad}), DiskCache(tmp_path))
    assert model.translate("abc", "en", "it", unusable="empty") == ("a", "", "c")
    again = Says({})
    assert model_of(again, DiskCache(tmp_path)).translate("abc", "en", "it") == ("a", "b", "c")
    assert again.calls == [("b",)]


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_cache_that_holds_one_is_mended(bad: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:  # a version that kept everything
        for module in ("pipeline.hooks", "model"):
            older.setattr(f"biascore.models.{module}.no_translation", lambda *_: "")
        model_of(Says({"b": bad}), DiskCache(tmp_path)).translate("abc", "en", "it")
    again = Says({})
    with pytest.warns(CacheWarning, match="1 answer"):
        assert model_of(again, DiskCache(tmp_path)).translate("abc", "en", "it") == ("a", "b", "c")
    assert model_of(again, DiskCache(tmp_path)).translate("abc", "en", "it") == ("a", "b", "c")
    assert again.calls == [("b",)]


def test_of_a_blank_text_a_blank_translation_is_right() -> None:
    assert model_of(Says({})).translate(["", "a"], "en", "it") == ("", "a")

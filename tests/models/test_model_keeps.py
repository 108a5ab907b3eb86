"""Answers are kept under a key that holds all that could change them."""

from __future__ import annotations

import random
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from biascore.api.adapters import hookimpl
from biascore.api.queries import Masked, Text
from biascore.models.model import Model
from biascore.models.pipeline.cache import DiskCache
from biascore.models.pipeline.source import Services

from ..builders.models import Lengths, model_of


def test_the_second_time_nothing_is_asked(tmp_path: Path) -> None:
    first, second = Lengths(), Lengths()
    words = ["a", "bb", "ccc", "dddd", "a"]
    cache = DiskCache(tmp_path)
    one = model_of(first, services=Services(cache=cache)).embed(words)
    cache.close()
    again = model_of(second, services=Services(cache=DiskCache(tmp_path)))
    other = again.embed(words)
    assert one.tobytes() == other.tobytes()
    assert second.calls == []
    counts = again.counts
    assert (counts.put, counts.repeated, counts.cached, counts.asked) == (5, 1, 4, 0)
    # A vector from the cache can be written into, as one from the model can.
    other[0, 0] = 7


def test_an_interrupted_call_goes_on_where_it_stopped(tmp_path: Path) -> None:
    class Breaks(Lengths):
        @hookimpl
        def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
            if len(self.calls) == 2:
                signal.raise_signal(signal.SIGINT)
            return super().score(texts, quantity)

    services = Services(cache=DiskCache(tmp_path))
    words = [letter * 3 for letter in "abcdefghij"]
    with pytest.raises(KeyboardInterrupt):
        model_of(Breaks(batch=3), services=services).score(words, "length")
    backend, whole = Lengths(batch=3), Lengths(batch=3)
    resumed = model_of(backend, services=services)
    assert resumed.score(words, "length").tolist() == model_of(whole).score(words, "length").tolist()
    # The batches that were still missing are those of an uninterrupted run.
    assert backend.calls == whole.calls[2:]
    assert (resumed.counts.cached, resumed.counts.asked) == (6, 4)


KEY_CHANGES: dict[str, Callable[[Services], Model]] = {
    "another digest": lambda s: model_of(Lengths(digest="test:other"), services=s),
    "another revision": lambda s: model_of(Lengths(revision="main"), services=s),
    "another version of the answers": lambda s: model_of(Lengths(), services=s, version="dist 2"),
    "an option": lambda s: model_of(Lengths(), services=s, options={"pooling": "mean"}),
    "another value of the option": lambda s: model_of(Lengths(), services=s, options={"pooling": "cls"}),
}


def test_what_changes_an_answer_changes_its_key(tmp_path: Path) -> None:
    services = Services(cache=DiskCache(tmp_path))
    model_of(Lengths(), services=services).embed(["a"])
    for what, make in KEY_CHANGES.items():
        model = make(services)
        model.embed(["a"])
        assert model.counts.asked == 1, what
        again = make(services)
        again.embed(["a"])
        assert again.counts.asked == 0, what


def test_hook_level_language_and_quantity_are_part_of_the_key(tmp_path: Path) -> None:
    model = model_of(Lengths(), services=Services(cache=DiskCache(tmp_path)))
    model.embed(["a"], "sentence")
    model.embed(["a"], "token")
    model.score(["a"], "length")
    model.score(["a"], "width")
    model.translate(["a"], "en", "it")
    model.translate(["a"], "it", "en")
    model.mask_logprob([Masked("a", None)])
    model.mask_logprob([Masked("a", None, one_at_a_time=True)])
    model.mask_logprob([Masked("a", ((0, 1),))])
    assert model.counts.asked == model.counts.put == 9


def test_the_name_of_the_file_is_not_part_of_the_key(tmp_path: Path) -> None:
    services = Services(cache=DiskCache(tmp_path))
    model_of(Lengths(), services=services, locator="/here/model.vec").embed(["a"])
    moved = model_of(Lengths(), services=services, locator="/there/model.vec")
    moved.embed(["a"])
    assert moved.counts.cached == 1


class Padded(Lengths):
    """Its last digits depend on the batch that a text is in, as those of neural models do."""

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
        padding = max(len(text.text) for text in texts) + len(texts)
        return super().embed(texts, level) + np.float32(1e-3 * padding)


@pytest.mark.parametrize("seed", range(5))
def test_answers_that_a_cache_lost_are_asked_in_the_same_batches(tmp_path: Path, seed: int) -> None:
    words = [
        letter * (1 + place % 7) for place, letter in enumerate("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN")
    ]
    calls = (words[:25], words[10:], words[::3])
    cache = DiskCache(tmp_path)

    def answers(backend: Padded) -> tuple[Model, list[bytes]]:
        model = model_of(backend, services=Services(cache=cache))
        return model, [model.embed(some).tobytes() for some in calls]

    _, first = answers(whole := Padded(batch=4))
    with closing(sqlite3.connect(cache.path)) as rows, rows:
        keys = [key for (key,) in rows.execute("SELECT key FROM answers")]
        lost = random.Random(seed).sample(keys, 17)
        rows.executemany("DELETE FROM answers WHERE key = ?", [(key,) for key in lost])
    model, again = answers(mended := Padded(batch=4))
    assert again == first
    assert (model.counts.asked, model.counts.cached) == (17, 25 + 30 + 14 - 17)
    assert [call for call in whole.calls if call in mended.calls] == mended.calls

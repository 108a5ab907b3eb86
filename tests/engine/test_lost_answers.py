"""A cache that lost some of its answers changes nothing, not even in the last digit that a batch decides."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from biascore import Engine, Run
from biascore.api.adapters import Adapter, Backend, Identity, hookimpl


class Batched(Backend):
    """Vectors from letters, and in the last digits from all texts of the batch, as padding makes them."""

    batch = 8
    identity = Identity(digest="test:batched", sentence_vector="letters")

    @hookimpl
    def embed(self, texts: tuple[Any, ...]) -> Any:
        rows = [np.random.default_rng(list(one.text.encode())).normal(size=8) for one in texts]
        noise = np.random.default_rng(sum(len(one.text) for one in texts)).normal(size=8)
        return np.array(rows + 1e-6 * noise, dtype=np.float32)


class Made(Adapter):
    id: ClassVar[str] = "batched"
    summary: ClassVar[str] = "made"
    example: ClassVar[str] = "batched:x"
    capabilities: ClassVar[frozenset[str]] = frozenset({"embed"})

    def load(self, ref: Any, options: Any, context: Any) -> Backend:
        return Batched()


def measured(engine: Engine) -> Run:
    return engine.measure("weat", "batched:x", "en/weat[678]", resamples=100, draws=100)


@pytest.mark.slow
def test_the_digest_stays_when_answers_are_lost(tmp_path: Path) -> None:
    engine = Engine(cache=tmp_path, adapters=[Made])
    whole = measured(engine)
    (file,) = tmp_path.glob("*.sqlite")
    for seed in range(3):
        with closing(sqlite3.connect(file)) as rows, rows:
            keys = [key for (key,) in rows.execute("SELECT key FROM answers")]
            lost = random.Random(seed).sample(keys, 17)
            rows.executemany("DELETE FROM answers WHERE key = ?", [(key,) for key in lost])
        mended = measured(engine)
        assert mended.questions.asked == 17
        assert mended.results_digest() == whole.results_digest()
    engine.close()

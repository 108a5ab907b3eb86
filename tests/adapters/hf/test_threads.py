"""The number of CPU threads: an option, among a model's facts, and left as it was outside of a model's calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from biascore.api.queries import Text
from biascore_adapters.hf.threads import on_threads


def test_a_models_calls_run_on_its_threads_and_nothing_else_does(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = torch.get_num_threads()
    backend = opened(folders["bert-uncased"], device="cpu", threads=before + 2)
    assert backend.identity.facts["threads"] == before + 2
    assert opened(folders["bert-uncased"], device="cpu").identity.facts["threads"] == before
    seen: list[int] = []
    trunk = backend._runtime.trunk
    real = trunk.hidden

    def hidden(inputs: Any) -> Any:
        seen.append(torch.get_num_threads())
        return real(inputs)

    monkeypatch.setattr(trunk, "hidden", hidden)
    assert np.isfinite(backend.embed((Text("nurse"),), "sentence")).all()
    assert seen == [before + 2]
    assert torch.get_num_threads() == before
    with pytest.raises(ZeroDivisionError), on_threads(before + 1):  # whatever becomes of a call
        _ = 1 / 0
    assert torch.get_num_threads() == before

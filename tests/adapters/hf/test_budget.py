"""The token budget of one pass where the user names none."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

torch = pytest.importorskip("torch", reason="the hf extra is not installed")

from biascore_adapters.hf import trunk  # noqa: E402
from biascore_adapters.hf.load import Loaded  # noqa: E402


def loaded(device: str, width: int = 768) -> Loaded:
    model = SimpleNamespace(dtype=torch.float32)
    return cast(Loaded, SimpleNamespace(device=torch.device(device), width=width, model=model))


def test_a_cpu_takes_what_its_cache_holds() -> None:
    assert trunk._default_budget(loaded("cpu")) == trunk.CPU_TOKENS


@pytest.mark.parametrize(
    ("free", "expected"),
    [(0, trunk.CPU_TOKENS), (2 * 64 * 768 * 4 * 5000, 5000), (2**45, 8 * trunk.ACCELERATOR_TOKENS)],
)
def test_cuda_takes_what_half_of_its_free_memory_holds_within_bounds(
    monkeypatch: pytest.MonkeyPatch, free: int, expected: int
) -> None:
    def free_and_total(_device: Any) -> tuple[int, int]:
        return free, 2 * free

    monkeypatch.setattr(torch.cuda, "mem_get_info", free_and_total)
    assert trunk._default_budget(loaded("cuda")) == expected

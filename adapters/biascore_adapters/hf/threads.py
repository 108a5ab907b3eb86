"""The number of CPU threads that torch computes with: one setting for the whole process, lent to a model's calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def on_threads(count: int | None) -> Iterator[None]:
    """Within it torch computes on ``count`` threads (None: on as many as before), and afterwards as before."""
    before = torch.get_num_threads()
    if count is None or count == before:
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def threads_fact(count: int | None, device: torch.device) -> dict[str, int]:
    """The number of threads as a model's fact: it decides in which order a CPU adds, and so the last digits."""
    return {"threads": count or torch.get_num_threads()} if device.type == "cpu" else {}

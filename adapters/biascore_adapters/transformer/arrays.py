"""What runtimes with arrays of numpy share: token ids padded, states pooled, logits as log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from biascore_adapters.transformer.pooling import Pool, outside, shares
from biascore_adapters.transformer.tokens import Input

Floats = npt.NDArray[np.float32]


def padded(inputs: Sequence[Input], pad: int) -> dict[str, npt.NDArray[np.int64]]:
    """``input_ids``, ``attention_mask`` and ``token_type_ids``, padded on the right: int64 of shape (n, t)."""
    shape = len(inputs), max(len(one.ids) for one in inputs)
    ids = np.full(shape, pad, dtype=np.int64)
    mask, types = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, one in enumerate(inputs):
        ids[row, : len(one.ids)] = one.ids
        mask[row, : len(one.ids)] = 1
        if one.types is not None:
            types[row, : len(one.ids)] = one.types
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def pooled(hidden: Floats, pools: Sequence[Sequence[Pool]]) -> Floats:
    """The pools of each text, side by side, of states (n, t, width): (n, k * width)."""
    return np.concatenate([_pooled(hidden, some) for some in zip(*pools, strict=True)], axis=1)


def _pooled(hidden: Floats, pools: Sequence[Pool]) -> Floats:
    weights = shares(pools, hidden.shape[1])
    if weights is not None:
        return np.asarray((weights[:, None, :] @ hidden)[:, 0])
    elsewhere = outside(pools, hidden.shape[1])
    return np.asarray(np.where(elsewhere[:, :, None], -np.inf, hidden).max(axis=1), dtype=np.float32)


def log_probabilities(logits: Floats, wanted: Sequence[tuple[int, int]]) -> list[float]:
    """log p of (row, token) pairs, in nats, for logits of shape (p, vocabulary)."""
    norms = np.empty(len(logits))
    size = max(1, 2**20 // logits.shape[1])  # rows at a time that stay in the cache
    for start in range(0, len(logits), size):
        some = logits[start : start + size]
        peaks = some.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):  # damaged weights: found, with the text, by the caller
            sums = np.exp(some - peaks).sum(axis=1, dtype=np.float64)
        norms[start : start + size] = np.log(sums) + peaks[:, 0]
    return [float(logits[row, token] - norms[row]) for row, token in wanted]

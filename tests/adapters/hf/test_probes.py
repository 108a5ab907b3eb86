"""What two questions at load tell of a model, on models so small that the answer is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from biascore_adapters.transformer.probes import moved_by_padding, sees_later

IDS = list(range(1, 14))
Floats = npt.NDArray[np.floating]
TABLE = np.random.default_rng(1).normal(size=(20, 5))


def _padded(texts: Sequence[Sequence[int]]) -> list[list[int]]:
    most = max(map(len, texts))
    return [[*text, *[0] * (most - len(text))] for text in texts]


def bag(row: Floats, _mask: Floats) -> Floats:
    return row


def causal(row: Floats, _mask: Floats) -> Floats:
    return np.cumsum(row, axis=0)


def attention(row: Floats, mask: Floats) -> Floats:
    return row + (row * mask[:, None]).sum(axis=0)


def convolution(row: Floats, _mask: Floats) -> Floats:
    return row + np.vstack([row[1:], row[:1] * 0])


def fourier(row: Floats, _mask: Floats) -> Floats:
    return np.fft.fft2(row).real


def broken(row: Floats, _mask: Floats) -> Floats:
    return row * np.nan


def runner(layer: Callable[[Floats, Floats], Floats]) -> Callable[[Sequence[Sequence[int]]], list[Floats]]:
    def run(texts: Sequence[Sequence[int]]) -> list[Floats]:
        rows = [layer(TABLE[row], (np.array(row) > 0).astype(float)) for row in _padded(texts)]
        return [states[: len(text)] for states, text in zip(rows, texts, strict=True)]

    return run


@pytest.mark.parametrize(
    ("layer", "later", "moved"),
    [
        (bag, None, False),
        (causal, False, False),
        (attention, True, False),
        (convolution, True, True),
        (fourier, True, True),
        (broken, None, False),
    ],
)
@pytest.mark.parametrize("limit", [None, 8])
def test_a_layer_is_seen_through(
    layer: Callable[[Floats, Floats], Floats], later: bool | None, moved: bool, limit: int | None
) -> None:
    assert sees_later(runner(layer), IDS, limit) is later
    assert moved_by_padding(runner(layer), IDS, limit) is moved


def test_rounding_is_no_movement() -> None:
    rng = np.random.default_rng(2)

    def rounded(row: Floats, mask: Floats) -> Floats:
        return causal(row, mask) * (1 + 1e-7 * rng.normal(size=row.shape))

    assert sees_later(runner(rounded), IDS, None) is False
    assert not moved_by_padding(runner(rounded), IDS, None)


def test_a_model_that_fails_gets_texts_of_equal_length_and_is_what_its_class_says() -> None:
    def fails(texts: Sequence[Sequence[int]]) -> list[Floats]:
        raise RuntimeError("shape mismatch")

    assert moved_by_padding(fails, IDS, None)
    assert sees_later(fails, IDS, None) is None
    assert sees_later(runner(attention), IDS[:4], None) is None  # too few tokens to tell
    assert sees_later(runner(attention), IDS, 2) is None

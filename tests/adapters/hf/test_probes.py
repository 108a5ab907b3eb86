"""What two questions at load tell of a model, on models so small that the answer is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from biascore_adapters.transformer.probes import moved_by_padding, moved_by_what_follows, sees_later

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
@pytest.mark.parametrize("limit", [None, 8, 5])
def test_a_layer_is_seen_through(
    layer: Callable[[Floats, Floats], Floats], later: bool | None, moved: bool, limit: int | None
) -> None:
    assert sees_later(runner(layer), IDS, limit) is later
    assert moved_by_padding(runner(layer), IDS, limit) is moved
    if later is False:
        assert moved_by_what_follows(runner(layer), IDS, limit, 1e-6) is moved


def masked_only(row: Floats, mask: Floats) -> Floats:
    """Sees to the left, but padding behind a text in every token of it."""
    return np.cumsum(row, axis=0) + (1 - mask).sum()


def test_rounding_by_the_shape_of_a_batch_is_no_movement_of_a_model_that_sees_to_the_left() -> None:
    def by_shape(
        layer: Callable[[Floats, Floats], Floats],
    ) -> Callable[[Sequence[Sequence[int]]], list[Floats]]:
        def run(texts: Sequence[Sequence[int]]) -> list[Floats]:
            rng = np.random.default_rng(len(texts) * 100 + max(map(len, texts)))
            return [states * (1 + 0.1 * rng.random()) for states in runner(layer)(texts)]

        return run

    assert moved_by_padding(by_shape(causal), IDS, None, 0.03)
    assert not moved_by_what_follows(by_shape(causal), IDS, None, 0.03)
    assert moved_by_what_follows(by_shape(masked_only), IDS, None, 0.03)
    assert moved_by_what_follows(lambda _: 1 / 0, IDS, None, 0.03)


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

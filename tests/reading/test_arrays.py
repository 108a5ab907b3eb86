"""Arrays of .npz files: read as they were written, or refused before memory is taken for them."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from biascore.files.arrays import array_of, unpacked_arrays

from ..builders.npz import HOSTILE, headed, saved


def packed(raw: bytes, *names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as new:
        for name in names or ("a",):
            new.writestr(f"{name}.npy", raw)
    return stream.getvalue()


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 4)),
        np.array(3.5),
        np.array(["x", "yy"]),
        np.array([], dtype=np.str_),
        np.frombuffer(b"text", dtype=np.uint8),
    ],
    ids=str,
)
def test_arrays_come_back_as_numpy_wrote_them(array: np.ndarray) -> None:
    found = unpacked_arrays(packed(saved(array)), 1e6)["a"]
    assert (found.dtype, found.shape, found.tolist()) == (array.dtype, array.shape, array.tolist())
    assert found.flags.writeable


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_arrays_are_refused_in_words(what: str) -> None:
    with pytest.raises(ValueError, match=r"array|header|npz") as caught:
        array_of(unpacked_arrays(packed(HOSTILE[what]), 1e6), "a", (None,))
    assert len(str(caught.value)) < 300


def test_bounds_of_the_file() -> None:
    with pytest.raises(ValueError, match="unpacks to"):
        unpacked_arrays(packed(saved(np.zeros(1000))), 8000)
    with (
        pytest.raises(ValueError, match="two arrays of one name"),
        pytest.warns(UserWarning, match="Duplicate"),
    ):
        unpacked_arrays(packed(saved(np.zeros(1)), "a", "a"), 8000)
    with pytest.raises(ValueError, match="npz"):
        unpacked_arrays(packed(headed("'<U0'", "(1000000000000000,)")), 8000)
    with pytest.raises(ValueError, match="is not there"):
        array_of({}, "weights", (None,))

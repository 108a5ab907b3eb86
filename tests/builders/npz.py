"""Members of .npz files that promise, hold or hide what nobody should read."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def headed(descr: str, shape: str, data: bytes = b"") -> bytes:
    """An array of which the header says what it likes."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text)) + text + data


def saved(array: NDArray[np.generic]) -> bytes:
    """An array as numpy writes it."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


HOSTILE = {
    "promises 10**13 numbers": headed("'<f8'", "(10000000000000,)"),
    "promises 10**9 numbers": headed("'<f8'", "(1000000000,)"),
    "brackets": headed("[" * 9000, "(1,)"),
    "minus signs": headed("'<f8'", "-" * 9000),
    "fewer brackets": headed("[" * 300, "(1,)"),
    "no header": b"\x93NUMPY",
    "no bytes": b"",
    "code": headed("__import__('os').abort()", "()"),
    "a type there is none of": headed("'<f7'", "(1,)", b"1234567"),
    "a pickle": headed("'|O'", "(1,)", b"\x80\x04N."),
    "NaN": saved(np.array([1.0, np.nan])),
    "infinity": saved(np.array([np.inf, 1.0])),
    "complex": saved(np.array([1 + 1j, 2])),
    "bool": saved(np.array([True, False])),
    "a date": saved(np.array(["2020-01-01", "NaT"], dtype="datetime64[D]")),
    "text": saved(np.array(["1", "2"])),
    "int8": saved(np.array([1, 2], dtype=np.int8)),
    "half the bytes": saved(np.arange(9.0))[:-8],
}
"""By what is wrong with them: arrays of numbers that no reader takes where it expects float64 of one dimension."""


def replaced(source: Path, target: Path, name: str, raw: bytes, *, compression: int | None = None) -> Path:
    """A copy of an .npz file with another array of that name; ``compression``: what its entry says it is."""
    stream = io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(stream, "w") as new:
        for member in old.namelist():
            new.writestr(member, raw if member == f"{name}.npy" else old.read(member))
    data = bytearray(stream.getvalue())
    if compression is not None:
        for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            start = 0
            while (start := data.find(mark, start) + 1) > 0:
                data[start - 1 + place : start + 1 + place] = struct.pack("<H", compression)
    target.write_bytes(data)
    return target

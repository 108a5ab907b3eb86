"""Arrays of an .npz file of somebody else: plain numbers and text, within bounds, checked before memory is taken."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biascore.basics.wording import quoted
from biascore.files.reading import ZIP_DAMAGE, member_bytes

# As numpy writes it. Its own reader parses the header as Python, which deep brackets break.
_HEADER: Final = re.compile(
    rb"\{'descr': '([<>|][a-zA-Z]\d{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)
_HEAD: Final = 1000
_KINDS: Final = frozenset("fiuU")


def unpacked_arrays(raw: bytes, most: float) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file by name: finite floats, whole numbers and text; nothing pickled is read.

    Raises ValueError, which says why, for a file that is damaged, unpacks to more than ``most`` bytes, or holds any
    other type of array.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > most:
                raise ValueError(f"it unpacks to {size:,} bytes, and {most:,.0f} are the most")
            if len({member.filename for member in members}) < len(members):
                raise ValueError("it holds two arrays of one name")
            return {
                (name := member.filename.removesuffix(".npy")): _array(member_bytes(archive, member), name)
                for member in members
            }
    except (*ZIP_DAMAGE, TypeError) as error:  # a TypeError: a type that numpy does not have
        raise ValueError(f"cannot be read as .npz ({error})") from error


def array_of(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    shape: tuple[int | None, ...],
    dtype: type[np.generic] = np.float64,
) -> NDArray[Any]:
    """An array by name, of that type and shape (None: any length); raises ValueError, which names it."""
    array = arrays.get(name)
    if array is None:
        raise ValueError(f"the array {name} is not there")
    fits = array.ndim == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if not fits or not np.issubdtype(array.dtype, dtype):
        raise ValueError(
            f"the array {name} is {array.dtype} of shape {array.shape}, and {np.dtype(dtype).name} of shape "
            f"{tuple('any' if one is None else one for one in shape)} was written there"
        )
    return array


def _array(raw: bytes, name: str) -> NDArray[Any]:
    """One array; what its header promises is compared with the bytes that there are."""
    start = 10 if raw[6:7] == b"\1" else 12  # the length of the header is 2 or 4 bytes long
    end = start + int.from_bytes(raw[8:start], "little")
    header = _HEADER.fullmatch(raw[start : min(end, start + _HEAD)])
    if raw[:6] != b"\x93NUMPY" or not header:
        raise ValueError(f"{quoted(name)} has no header of an array of numbers or text")
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(length) for length in header[3].split(b",") if length.strip())
    if dtype.kind not in _KINDS:
        raise ValueError(f"the array {quoted(name)} is of the type {dtype}, and numbers or text are read")
    if math.prod(shape) * dtype.itemsize != len(raw) - end:
        raise ValueError(f"the array {quoted(name)} is of another size than its header says")
    found = np.frombuffer(raw, dtype, offset=end).reshape(shape, order="F" if header[2] == b"True" else "C")
    if dtype.kind == "f" and not np.isfinite(found).all():
        raise ValueError(f"the array {quoted(name)} holds a number that is not finite")
    return found.copy()

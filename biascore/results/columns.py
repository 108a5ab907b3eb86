"""Columns of tables of items."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

import numpy as np
import pyarrow as pa

_LARGEST: Final = 2**31 - 1


def column(values: Sequence[Any], kind: pa.DataType | None = None) -> pa.Array:
    """The values as ``pa.array(values, kind)`` has them.

    Texts and numbers of which none is missing are laid out here: ``pa.array`` imports pandas, which takes longer than most
    measurements.
    """
    if len(values) == 0:
        return pa.nulls(0, kind)
    kinds = set(map(type, values)) if isinstance(values, list | tuple) else set()
    if len(kinds) != 1:
        return pa.array(values, kind)
    (only,) = kinds
    if only is str and kind in (None, pa.string()):
        texts = [text.encode("utf-8") for text in values]
        ends = [0, *accumulate(map(len, texts))]
        if ends[-1] <= _LARGEST:
            buffers = [None, pa.py_buffer(np.array(ends, np.int32)), pa.py_buffer(b"".join(texts))]
            return pa.Array.from_buffers(pa.string(), len(texts), buffers)
    elif only is float and kind in (None, pa.float64()):
        return pa.Array.from_buffers(
            pa.float64(), len(values), [None, pa.py_buffer(np.array(values, np.float64))]
        )
    return pa.array(values, kind)

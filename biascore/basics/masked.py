"""Whether a value is a masked array, asked without importing ``numpy.ma``, which takes as long as half of numpy."""

from __future__ import annotations

import sys


def is_masked(value: object) -> bool:
    """Whether it is one; there is none where ``numpy.ma`` was never imported."""
    module = sys.modules.get("numpy.ma")
    return module is not None and isinstance(value, module.MaskedArray)

"""``hf:`` opens Hugging Face models: from the hub's cache, a local folder, or an installed Python package.

Importing this package imports neither torch nor transformers; ``HfAdapter.load`` does.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


# The hub's client tells with what it is used, unless this is set before it is imported.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Register the ``hf`` and ``nllb`` adapters."""
    from biascore_adapters.hf.adapter import HfAdapter, NllbAdapter

    register(HfAdapter)
    register(NllbAdapter)

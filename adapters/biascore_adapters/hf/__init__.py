"""``hf:`` opens Hugging Face models: from the hub's cache, a local folder, or an installed Python package.

Importing this package imports neither torch nor transformers; ``HfAdapter.load`` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Register the ``hf`` and ``nllb`` adapters."""
    from biascore_adapters.hf.adapter import HfAdapter, NllbAdapter

    register(HfAdapter)
    register(NllbAdapter)

"""``onnx:`` opens exported models from a folder and runs them on onnxruntime, without torch.

Importing this package imports neither onnxruntime nor transformers; ``OnnxAdapter.load`` does.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


# onnxruntime reports to its makers what it runs, unless this is set before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Register the ``onnx`` adapter."""
    from biascore_adapters.onnx.adapter import OnnxAdapter

    register(OnnxAdapter)

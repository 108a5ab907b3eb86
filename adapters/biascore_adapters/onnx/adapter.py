"""``onnx:`` opens exported models from a folder and runs them on onnxruntime, without torch.

Importing this package imports neither onnxruntime nor transformers; ``OnnxAdapter.load`` does.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, ClassVar

from biascore.api.adapters import Adapter
from biascore.errors import MissingExtraError
from biascore_adapters.onnx.options import OnnxOptions

if TYPE_CHECKING:
    from biascore.api.adapters import Backend, LoadContext, ModelRef


class OnnxAdapter(Adapter[OnnxOptions]):
    """Opens a folder with ``model.onnx``, ``config.json`` and a tokenizer; the graph's outputs say what it answers.

    ``last_hidden_state`` gives ``embed``; ``logits`` give ``mask_logprob`` for a masked language model,
    ``score("log_likelihood")``, ``choose`` and ``generate`` for a causal one, and ``score`` of its named outputs for a
    sequence head.
    Every answer means what it means with ``hf:``.
    """

    id: ClassVar[str] = "onnx"
    summary: ClassVar[str] = "exported models on onnxruntime, without torch"
    example: ClassVar[str] = "onnx:./exported"
    answers_version: ClassVar[str | None] = "3"
    capabilities: ClassVar[frozenset[str]] = frozenset(
        {"embed", "mask_logprob", "score", "choose", "generate"}
    )
    extra: ClassVar[str | None] = "onnx"

    runtime = "onnxruntime"

    @classmethod
    def devices(cls) -> list[str]:
        """The execution providers of ONNX Runtime."""
        import onnxruntime

        return [str(provider) for provider in onnxruntime.get_available_providers()]

    def check(self, ref: ModelRef, options: OnnxOptions, context: LoadContext) -> None:  # noqa: ARG002
        """Find a missing extra, and all that is wrong with the files, without onnxruntime.

        Raises MissingExtraError or ModelLoadError.
        """
        from biascore_adapters.onnx.locate import find

        for module in ("onnxruntime", "transformers"):
            if importlib.util.find_spec(module) is None:
                raise MissingExtraError("onnx: models", "onnx")
        find(ref)

    def load(self, ref: ModelRef, options: OnnxOptions, context: LoadContext) -> Backend:  # noqa: ARG002
        """Open the model; raises MissingExtraError or ModelLoadError."""
        try:
            from biascore_adapters.onnx.locate import find
            from biascore_adapters.onnx.model import open_model
            from biascore_adapters.onnx.runtime import opened
            from biascore_adapters.transformer.combined import backend_of
            from biascore_adapters.transformer.folder import offline
        except ModuleNotFoundError as error:
            raise MissingExtraError("onnx: models", "onnx") from error
        with offline():
            return backend_of(opened(open_model(find(ref), options)))

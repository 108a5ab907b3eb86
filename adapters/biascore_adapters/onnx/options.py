"""The options of the ``onnx:`` adapter."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from biascore_adapters.transformer.options import Activation, Labels, LongTextOptions, Pooling


class OnnxOptions(LongTextOptions):
    """How an ONNX model is run.

    ``providers="auto"`` is CUDA where onnxruntime has it, else the CPU; otherwise the execution providers by
    name, in order of preference. ``threads`` is for one operator; None leaves it to onnxruntime.
    ``batch_tokens`` bounds one run, texts in the batch times the tokens of the longest; None is 2048 on a CPU,
    16384 elsewhere, and one text a run for a dynamically quantised graph, whose answers would otherwise
    depend on which texts share a batch. In any quantised graph only texts of equal length share one.
    ``sentence`` overrides the sentence vector that the model's architecture or folder declares.
    ``long_texts`` and ``stride`` say what becomes of texts that are too long.
    ``labels`` names the outputs of a sequence head in their order, in place of ``id2label``; ``activation`` is what is
    made of them ("none": the raw values), in place of what ``problem_type`` says.
    ``chat_template``, ``system_prompt`` and ``thinking``, of causal models alone, say how a prompt is put.
    """

    providers: Literal["auto"] | Annotated[tuple[str, ...], Field(min_length=1)] = "auto"
    threads: int | None = Field(default=None, ge=1)
    batch_tokens: int | None = Field(default=None, ge=1)
    sentence: Pooling | None = None
    labels: Labels | None = None
    activation: Activation | None = None

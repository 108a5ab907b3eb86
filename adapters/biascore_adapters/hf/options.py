"""The options of the ``hf:`` adapter."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from biascore.plugins_api import Options
from biascore_adapters.transformer.pooling import Pooling


class HfOptions(Options):
    """How a Hugging Face model is run; none of these is guessed from the model's name.

    ``device="auto"`` is the first CUDA device where there is one, else the CPU.
    ``batch_tokens`` bounds one forward pass, texts in the batch times the tokens of the longest; None is
    2048 on a CPU and 16384 on an accelerator.
    ``sentence`` overrides the sentence vector that the model's architecture or folder declares.
    ``allow_pickle`` permits weights stored as pickle, which can run code of their author's choice.
    """

    device: str = Field(default="auto", pattern=r"^(auto|cpu|mps|cuda(:\d+)?)$")
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    batch_tokens: int | None = Field(default=None, ge=1)
    sentence: Pooling | None = None
    allow_pickle: bool = False

"""The options of the ``hf:`` adapter."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from biascore_adapters.transformer.options import Activation, Labels, LongTextOptions, Pooling


class HfOptions(LongTextOptions):
    """How a Hugging Face model is run; none of these is guessed from the model's name.

    ``device="auto"`` is the first CUDA device where there is one, else the CPU.
    ``batch_tokens`` bounds one forward pass, texts in the batch times the tokens of the longest; None is
    2048 on a CPU, on CUDA what half of the free memory holds (at most 131,072), and 16384 on MPS.
    ``threads`` is the number of CPU threads that the model's calls compute with; None leaves torch's.
    ``sentence`` overrides the sentence vector that the model's architecture or folder declares, and reads the
    transformer of a sentence-transformers folder alone. ``long_texts`` and ``stride`` say what becomes of texts that are
    too long.
    ``allow_pickle`` permits weights stored as pickle, which can run code of their author's choice.
    ``native_code`` opens a folder that names Python code of its own with the code that transformers has for
    models of its type. ``trust_remote_code`` runs the folder's own instead, with all rights of the user.

    Of sequence heads alone: ``labels`` names the outputs in their order, in place of ``id2label``; ``activation`` is
    what is made of them ("none": the raw values), in place of what ``problem_type`` says.

    Of causal language models alone: ``chat_template``, ``system_prompt`` and ``thinking`` say how a prompt is put, and

    Of translation models alone: ``beams``, ``length_penalty`` and ``no_repeat_ngram_size`` are those of
    transformers, and the model's own where they are None. ``max_new_tokens`` (256) bounds a translation;
    one that does not end within it is an error, or a warning with ``truncated="keep"``. ``prefix`` is put
    before each text as it is; ``pair`` ("en-es") says what a Marian model translates whose files do not.
    """

    device: str = Field(default="auto", pattern=r"^(auto|cpu|mps|cuda(:\d+)?)$")
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    batch_tokens: int | None = Field(default=None, ge=1)
    threads: int | None = Field(default=None, ge=1)
    sentence: Pooling | None = None
    allow_pickle: bool = False
    native_code: bool = False
    trust_remote_code: bool = False
    labels: Labels | None = None
    activation: Activation | None = None
    beams: int | None = Field(default=None, ge=1)
    length_penalty: float | None = None
    no_repeat_ngram_size: int | None = Field(default=None, ge=0)
    max_new_tokens: int | None = Field(default=None, ge=1)
    truncated: Literal["error", "keep"] | None = None
    prefix: str | None = None
    pair: str | None = Field(default=None, pattern=r"^[A-Za-z_]+-[A-Za-z_]+$")


TRANSLATION_OPTIONS: Final = (
    *("beams", "length_penalty", "no_repeat_ngram_size", "max_new_tokens", "truncated", "prefix", "pair"),
)

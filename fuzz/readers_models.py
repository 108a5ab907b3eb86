"""The readers of models and of what is learnt from them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .reader import engine


def basis(folder: Path) -> None:
    from types import SimpleNamespace

    from biascore_transforms.linear import from_file

    found: Any = SimpleNamespace(identity=None, level=None)
    learnt = from_file(str(folder / "basis.npz"), "leace", found)
    for step in learnt.steps():
        step.apply(np.ones((2, len(learnt.arrays["offset"])), dtype=np.float32), ["a", "b"])


def onnx_folder(folder: Path) -> None:
    from biascore.api.adapters import ModelRef
    from biascore_adapters.onnx.locate import find
    from biascore_adapters.transformer.pipeline import Pipeline

    found = find(ModelRef("onnx", str(folder)))
    found.files.digest()
    Pipeline.read(found.files, allow_pickle=False)


def model_folder(folder: Path) -> None:
    """All that is read of a folder before torch is: configuration, modules, the weights behind the pooling."""
    from biascore.api.adapters import ModelRef
    from biascore_adapters.hf.locate import find_local
    from biascore_adapters.transformer.pipeline import Pipeline

    found = find_local(ModelRef("hf", str(folder)), allow_pickle=False)
    assert found is not None
    found.digest()
    pipeline = Pipeline.read(found, allow_pickle=False)
    if pipeline is not None:
        repr(pipeline.described)
        pipeline.width(found, 4)
        range(pipeline.limit or 0)


def opened(folder: Path) -> None:
    """A model that is opened by torch, and asked what it can do."""
    from biascore.models.questions.questions import Choice

    with engine().model(f"hf:{folder}", threads=1) as model:
        if "embed" in model.capabilities:
            model.embed(["he", "she is a nurse"])
        if model.identity.quantities:
            model.score(["He is."], model.identity.quantities[0])
        if "choose" in model.capabilities:
            model.choose([Choice("Who?", ("a man", "a woman"))], "likelihood")


def translator(folder: Path) -> None:
    with engine().model(
        f"hf:{folder}", threads=1, max_new_tokens=6, no_repeat_ngram_size=1, truncated="keep"
    ) as model:
        model.translate(["He is a nurse."], "en", "de")


@cache
def _trained() -> Any:
    """A model with one weight, in the place of the one that is trained."""
    from types import SimpleNamespace

    import torch

    return SimpleNamespace(model=torch.nn.Linear(2, 1, bias=False), device=torch.device("cpu"))


def training(folder: Path) -> None:
    """The state of a training, which is gone on with."""
    from biascore.api.adapters import Training
    from biascore_adapters.hf.training import State

    State(_trained(), Training(), folder / "state")


def scorer(folder: Path) -> None:
    from biascore_emotions.folder import read_scorer

    found = read_scorer(folder / "s", str(folder / "s"))
    repr(found.record.facts)
    for quantity in found.quantities[:3]:
        if found.record.encoder is None:
            found.predict(quantity, ["I am glad and angry.", ""])

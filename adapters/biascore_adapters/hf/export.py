"""An open model written as an ONNX graph, with tokenizer, configuration, and the facts that neither holds."""

from __future__ import annotations

import importlib.util
import io
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.numpy import save_file

from biascore.errors import CapabilityError, MissingExtraError, ModelLoadError
from biascore_adapters.hf.load import Loaded, quiet
from biascore_adapters.transformer.exported import Exported
from biascore_adapters.transformer.folder import (
    GENERATION,
    SETTINGS,
    VOCABULARY,
    ModelFolder,
    first_line,
    matching,
)
from biascore_adapters.transformer.pipeline import module_tensors

ADAPTER: Final = "onnx"
_MODULES: Final = ("onnx", "onnxscript", "onnxruntime")
# Loggers that tell of operators of torchvision, of optimiser passes, and of advice before quantisation.
_CHATTY: Final = (
    *("torch.onnx", "torch.export", "torch._dynamo", "torch.fx.experimental.symbolic_shapes"),
    *("onnxscript", "onnx_ir", "root"),
)


def export(folder: ModelFolder, loaded: Loaded, into: Path, *, int8: bool) -> str:
    """Write ``model.onnx``, the tokenizer and the configuration into a folder; returns the adapter that opens it.

    The graph takes ``input_ids``, ``attention_mask`` and, where the tokenizer gives them, ``token_type_ids``,
    all int64 of shape (n, t), and gives ``last_hidden_state`` (n, t, width). With the head of a language
    model it also takes ``positions``, int64 of shape (p, 2), the (row, column) pairs at which the head is run,
    and gives ``logits`` (p, vocabulary); with a sequence head it gives ``logits`` (n, labels).
    Raises MissingExtraError, CapabilityError for a model that was not opened in float32, ModelLoadError for
    an architecture that torch cannot export.
    """
    if any(importlib.util.find_spec(module) is None for module in _MODULES):
        raise MissingExtraError("exporting to ONNX", "export")
    if loaded.model.dtype != torch.float32:
        raise CapabilityError(
            f"{folder.path} is open in {str(loaded.model.dtype).removeprefix('torch.')}, and only float32 is exported. "
            "Leave the option dtype away"
        )
    graph = into / "model.onnx"
    full = into / "full.onnx" if int8 else graph
    with _quiet():
        with _without_padding(loaded), _dense_experts(loaded):
            _write_graph(loaded, full)
        if int8:
            from biascore_adapters.hf.rounding import quantise  # needs onnx

            quantise(full, graph)
    for source in matching(folder.path, (*SETTINGS, *VOCABULARY, *GENERATION)):
        _copy(source, into / source.relative_to(folder.path))
    for source in folder.module_files:
        target = into / source.relative_to(folder.root)
        if source.suffix != ".bin":
            _copy(source, target)
        elif not source.with_name("model.safetensors").is_file():  # which runs on no pickle
            save_file(module_tensors(source.parent, allow_pickle=True), target.with_name("model.safetensors"))
    Exported(
        kind=loaded.kind,
        causal=loaded.causal,
        max_tokens=loaded.reader.limit,
        rows=loaded.reader.rows,
        tokens=len(loaded.reader.tokenizer),
        pad=_pad(loaded),
    ).write(into)
    return ADAPTER


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


class _Exportable(torch.nn.Module):
    """The model as a function from token ids to the tensors that the graph gives.

    A language model's head sees the states at ``positions`` as the tokens of one text: what it does to each
    does not depend on the others, which ``VocabularyHead`` has checked when the model was opened.
    """

    def __init__(self, loaded: Loaded) -> None:
        super().__init__()
        self.model, self._trunk, self._kind = loaded.model, loaded.trunk, loaded.kind

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
        positions: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, ...]:
        inputs = {"input_ids": input_ids, "attention_mask": attention_mask}
        if token_type_ids is not None:
            inputs["token_type_ids"] = token_type_ids
        states: list[torch.Tensor] = []

        def keep(_module: Any, _arguments: Any, output: Any) -> Any:
            states.append(output.last_hidden_state)
            if positions is not None:
                at_positions = output.last_hidden_state[positions[:, 0], positions[:, 1]]
                output.last_hidden_state = at_positions[None]
            return output

        hook = self._trunk.register_forward_hook(keep)
        try:
            output = self.model(**inputs)
        finally:
            hook.remove()
        if self._kind in ("encoder", "decoder"):
            return (states[0],)
        return states[0], output.logits if positions is None else output.logits[0]


def _pad(loaded: Loaded) -> int | None:
    if loaded.kind == "head":
        stated = loaded.model.config.pad_token_id
        return stated if stated is not None and 0 <= stated < loaded.reader.rows else None
    return loaded.reader.pad


@contextmanager
def _without_padding(loaded: Loaded) -> Iterator[None]:
    """With an id that no token has as padding where there is none: decoders refuse several texts without."""
    config = loaded.model.config
    before = config.pad_token_id
    if _pad(loaded) is None:
        config.pad_token_id = -1
    try:
        yield
    finally:
        config.pad_token_id = before


@contextmanager
def _dense_experts(loaded: Loaded) -> Iterator[None]:
    """With a mixture of experts as batched products: for the grouped ones that torch runs there is no operator."""
    model: Any = loaded.model
    if not hasattr(model, "set_experts_implementation"):  # transformers 4 loops over experts
        yield
        return
    before = model.get_experts_implementation()
    model.set_experts_implementation("batched_mm")
    try:
        yield
    finally:
        model.set_experts_implementation(before)


def _write_graph(loaded: Loaded, path: Path) -> None:
    ids = torch.arange(2 * 7, device=loaded.device).reshape(2, 7) % loaded.reader.rows
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    inputs["attention_mask"][1, 5:] = 0
    if "token_type_ids" in loaded.reader.tokenizer.model_input_names:
        inputs["token_type_ids"] = torch.zeros_like(ids)
    names = ["last_hidden_state"]
    if loaded.kind in ("masked", "causal", "head"):
        names.append("logits")
    if loaded.kind in ("masked", "causal"):
        inputs["positions"] = torch.tensor([[0, 1], [1, 2], [1, 3]], device=loaded.device)
    any_size = torch.export.Dim.DYNAMIC
    sizes = {name: {0: any_size} if name == "positions" else {0: any_size, 1: any_size} for name in inputs}
    try:
        program = torch.onnx.export(
            _Exportable(loaded).eval(),
            kwargs=inputs,
            dynamo=True,
            dynamic_shapes=sizes,
            input_names=list(inputs),
            output_names=names,
            verbose=False,
        )
    except Exception as error:  # torch raises whatever the model's own code trips over
        raise ModelLoadError(
            f"torch {torch.__version__} cannot export {type(loaded.model).__name__} as a graph for texts of any length "
            f"({_reason(error)}). Use the model with hf:, or try newer versions: pip install --upgrade torch onnxscript"
        ) from error
    assert program is not None, "dynamo=True returns the program"
    program.save(path)  # with its weights beside it only above 2 GB, which one file cannot hold


def _reason(error: Exception) -> str:
    """What the model's own code tripped over; the exporter's error is a page of advice on debugging."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    return f"{type(cause).__name__}: {first_line(cause)}"


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the exporters' progress, warnings and advice; what matters of them is raised."""
    loggers = [logging.getLogger(None if name == "root" else name) for name in _CHATTY]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        # torch prints the graph that it stumbled over.
        with quiet(), redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)

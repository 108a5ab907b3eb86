"""An ONNX graph open in onnxruntime: its inputs and outputs checked, batches of token ids in, arrays out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
import onnxruntime

from biascore.api.support import install_extra, quoted
from biascore.errors import AnswerError, ModelLoadError
from biascore_adapters.onnx.locate import OnnxFolder
from biascore_adapters.onnx.options import OnnxOptions
from biascore_adapters.transformer.arrays import Floats, padded
from biascore_adapters.transformer.folder import first_line
from biascore_adapters.transformer.tokens import Input

HIDDEN: Final = "last_hidden_state"
LOGITS: Final = "logits"
POSITIONS: Final = "positions"
_REQUIRED: Final = ("input_ids", "attention_mask")
_OPTIONAL: Final = ("token_type_ids", "position_ids", POSITIONS)
_INTEGERS: Final[dict[str, type[np.integer[Any]]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_FATAL: Final = 4  # onnxruntime also raises what it would log
# Measured on a CPU: the fused kernel takes three times as long as the additions and LayerNormalization that it replaces.
_SLOWER: Final = "SkipLayerNormFusion"

Output = Literal["last_hidden_state", "logits"]


class Graph:
    """One session. ``provider`` runs it, on ``threads``; ``takes_positions`` says whether it has that input.

    ``widths`` holds the size of the last axis of each output it has; ``per_text`` is true where the logits are
    one row a text, not one a token.
    Raises ModelLoadError for a graph that onnxruntime cannot open or run, or whose inputs or outputs are not
    those of a text model.
    """

    def __init__(self, folder: OnnxFolder, options: OnnxOptions, pad: int) -> None:
        self._path, self._pad = folder.graph, pad
        self._session = _session(folder, options)
        self.provider: str = self._session.get_providers()[0]
        self.on_cpu = self.provider == "CPUExecutionProvider"
        self.threads = options.threads or f"onnxruntime's, of {_processors()} processors"
        self._types = self._input_types()
        self.takes_positions = POSITIONS in self._types
        self.counts_positions = "position_ids" in self._types
        self.widths: dict[Output, int] = {}
        self.per_text = False
        self._probe()

    def run(
        self,
        output: Output,
        inputs: Sequence[Input],
        positions: Sequence[tuple[int, int]] = (),
    ) -> Floats:
        """One output for a padded batch, float32.

        ``"last_hidden_state"``: (n, t, width). ``"logits"``: (n, labels) for a sequence head; for a language
        model the vocabulary's logits at ``positions``, (row, column) pairs: (p, vocabulary).
        Raises AnswerError naming a text where onnxruntime fails.
        """
        try:
            found = self._raw(output, inputs, positions)
        except Exception as error:  # onnxruntime's own exceptions have no common base
            longest = max((one.text for one in inputs), key=len)
            raise AnswerError(
                f"onnxruntime fails on {len(inputs)} texts such as {quoted(longest)} "
                f"({first_line(error)}). If memory is short, lower the option batch_tokens; otherwise graph and "
                "tokenizer do not belong together: export the model again"
            ) from error
        if output == LOGITS and not self.per_text and not self.takes_positions:
            rows, columns = zip(*positions, strict=True)
            return np.ascontiguousarray(found[list(rows), list(columns)])
        return found

    def _raw(
        self,
        output: Output,
        inputs: Sequence[Input],
        positions: Sequence[tuple[int, int]],
    ) -> Floats:
        arrays = padded(inputs, self._pad)
        shape = arrays["input_ids"].shape
        arrays["position_ids"] = np.broadcast_to(np.arange(shape[1]), shape)
        arrays[POSITIONS] = np.array(positions, dtype=np.int64).reshape(-1, 2)
        feed = {name: arrays[name].astype(kind, copy=False) for name, kind in self._types.items()}
        choice = onnxruntime.RunOptions()
        choice.log_severity_level = _FATAL
        (found,) = self._session.run([output], feed, choice)
        return np.asarray(found, dtype=np.float32)

    def _input_types(self) -> dict[str, type[np.integer[Any]]]:
        inputs = {one.name: one.type for one in self._session.get_inputs()}
        if missing := [name for name in _REQUIRED if name not in inputs]:
            raise self._refused(
                f"it has no input {missing[0]!r}; its inputs are {', '.join(inputs)}",
                "Export the model again",
            )
        if unknown := [name for name in inputs if name not in (*_REQUIRED, *_OPTIONAL)]:
            advice = (
                "Export the decoder without its cache (past key values)"
                if unknown[0].startswith("past")
                else f"Export the model so that it takes only {', '.join((*_REQUIRED, *_OPTIONAL))}"
            )
            raise self._refused(f"it has an input that is not known here, {unknown[0]!r}", advice)
        for name, kind in inputs.items():
            if kind not in _INTEGERS:
                raise self._refused(
                    f"its input {name!r} is a {kind}", "Export it with inputs of type int64 or int32"
                )
        return {name: _INTEGERS[kind] for name, kind in inputs.items()}

    def _probe(self) -> None:
        """Run the graph twice on a few tokens: what it declares of its shapes need not hold."""
        outputs = [one.name for one in self._session.get_outputs()]
        known: list[Output] = [name for name in (HIDDEN, LOGITS) if name in outputs]
        if not known:
            raise self._refused(
                f"it has neither the output {HIDDEN!r} nor {LOGITS!r}, but {', '.join(outputs)}",
                "Export the model again, with those names",
            )
        for texts, length in ((1, 3), (2, 5)):
            places = [(texts - 1, length - 1)] * 4
            for name in known:
                found = self._try(name, texts, length, places)
                shape = found.shape
                places_only = name == LOGITS and self.takes_positions
                self.per_text = self.per_text or (name == LOGITS and len(shape) == 2 and not places_only)
                expected = (4,) if places_only else (texts, length)[: len(shape) - 1]
                if (
                    shape[:-1] != expected
                    or (name == HIDDEN and len(shape) != 3)
                    or (name == LOGITS and len(shape) not in (2, 3))
                    or self.widths.setdefault(name, shape[-1]) != shape[-1]
                ):
                    raise self._refused(
                        f"for {texts} texts of {length} tokens its output {name!r} has the shape {shape}",
                        f"{HIDDEN!r} must be (texts, tokens, width); {LOGITS!r} (texts, tokens, vocabulary), "
                        f"(texts, labels), or (positions, vocabulary) with an input {POSITIONS!r}. Export it again",
                    )

    def _try(self, name: Output, texts: int, length: int, places: list[tuple[int, int]]) -> Floats:
        try:
            return self._raw(name, [Input([self._pad] * length)] * texts, places)
        except Exception as error:  # onnxruntime's own exceptions have no common base
            raise self._refused(
                f"it cannot be run on {texts} texts of {length} tokens ({first_line(error)})",
                "Export it with texts and tokens as dynamic axes",
            ) from error

    def _refused(self, problem: str, advice: str) -> ModelLoadError:
        return ModelLoadError(f"{self._path}: {problem}. {advice}")


def _processors() -> int:
    """How many processors this process may use, by which onnxruntime chooses its threads."""
    allowed = getattr(os, "sched_getaffinity", None)  # not everywhere
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _session(folder: OnnxFolder, options: OnnxOptions) -> onnxruntime.InferenceSession:
    choice = onnxruntime.SessionOptions()
    choice.log_severity_level = _FATAL
    choice.add_session_config_entry("optimization.disable_specified_optimizers", _SLOWER)
    if options.threads:
        choice.intra_op_num_threads = options.threads
    providers = _providers(options)
    try:
        session = onnxruntime.InferenceSession(folder.graph, choice, providers=providers)
    except Exception as error:  # onnxruntime's own exceptions have no common base
        text = " ".join(str(error).split())
        if "opset" in text.lower() or "IR version" in text:
            raise ModelLoadError(
                f"{folder.graph} is written for opset {folder.stated.opset}, which onnxruntime "
                f"{onnxruntime.__version__} does not know. Try a newer one: pip install --upgrade onnxruntime; or "
                "export the model with an older opset"
            ) from error
        raise ModelLoadError(
            f"{folder.graph} cannot be opened by onnxruntime {onnxruntime.__version__} ({text[-300:]}). The file "
            "may be damaged or its operators unknown: fetch or export the model again"
        ) from error
    if options.providers != "auto" and session.get_providers()[0] != options.providers[0]:
        raise ModelLoadError(
            f"the execution provider {options.providers[0]} did not start, and onnxruntime would run "
            f"{session.get_providers()[0]} in its place. Check its libraries, or name that one: "
            f"providers={[session.get_providers()[0]]}"
        )
    return session


def _providers(options: OnnxOptions) -> list[str]:
    available: list[str] = onnxruntime.get_available_providers()
    if options.providers == "auto":
        return [name for name in ("CUDAExecutionProvider", "CPUExecutionProvider") if name in available]
    if absent := [name for name in options.providers if name not in available]:
        raise ModelLoadError(
            f"onnxruntime has no execution provider {absent[0]!r} here; it has {', '.join(available)}. Name one of "
            f"them, or install the package that has it, for CUDA: {install_extra('onnx-gpu')}"
        )
    return list(options.providers)

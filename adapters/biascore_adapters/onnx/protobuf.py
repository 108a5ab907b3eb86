"""What an ONNX file states about itself, read without the onnx package: opset, operators, external files."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from biascore.errors import ModelLoadError

# Message types and the fields of each that lead to a node or a tensor (onnx.proto3).
_INSIDE: Final[dict[str, dict[int, str]]] = {
    "model": {7: "graph", 8: "opset", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node"},
    "node": {4: "operator", 5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "external"},
}
_DEEPEST: Final = 64
_ROUNDING: Final = frozenset({"QuantizeLinear", "QLinearMatMul", "MatMulNBits"})


@dataclass(frozen=True, slots=True)
class OnnxHeader:
    """What an ONNX file states: the opset of the standard domain, its operators and its external data files."""

    opset: int
    operators: frozenset[str]
    external: tuple[str, ...]

    @property
    def dynamically_quantised(self) -> bool:
        """Whether activations are quantised by their range in the current batch."""
        return not self.operators.isdisjoint({"DynamicQuantizeLinear", "DynamicQuantizeMatMul"})

    @property
    def quantised(self) -> bool:
        """Whether states are rounded to steps, in which rounding of float32 can become a whole step."""
        return not self.operators.isdisjoint(_ROUNDING)


def read_header(path: Path) -> OnnxHeader:
    """Read a file; raises ModelLoadError for one that is empty, truncated or not ONNX."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _header(data)
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        raise ModelLoadError(
            f"{path} is not an ONNX file, or is truncated ({error}). Fetch or export the model again"
        ) from error


def _header(data: mmap.mmap) -> OnnxHeader:
    opset, operators, external, graphs = 0, set(), dict[str, None](), 0
    for kind, where in _messages(data, "model", slice(0, len(data)), 0):
        match kind:
            case "graph":
                graphs += 1
            case "opset":
                fields = dict(_fields(data, where))
                version, domain = fields.get(2), fields.get(1, slice(0, 0))
                if isinstance(version, int) and _text(data, domain) in ("", "ai.onnx"):
                    opset = version
            case "operator":
                operators.add(_text(data, where))
            case "external":
                fields = dict(_fields(data, where))
                if _text(data, fields.get(1)) == "location":
                    external[_text(data, fields.get(2))] = None
    if not graphs or not opset:
        raise ValueError("it holds no graph")
    return OnnxHeader(opset, frozenset(operators), tuple(external))


def _messages(data: mmap.mmap, kind: str, where: slice, depth: int) -> Iterator[tuple[str, slice]]:
    """Every message of a known type inside one, outer before inner."""
    if depth > _DEEPEST:
        raise ValueError("its graphs are nested too deeply")
    known = _INSIDE.get(kind, {})
    for number, value in _fields(data, where):
        if number in known and isinstance(value, slice):
            yield known[number], value
            if known[number] in _INSIDE:
                yield from _messages(data, known[number], value, depth + 1)


def _fields(data: mmap.mmap, where: slice) -> Iterator[tuple[int, int | slice]]:
    """Field numbers of one message of the protocol-buffer wire format, each with a number or where it lies."""
    at, end = where.start, where.stop
    while at < end:
        tag, at = _varint(data, at, end)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = _varint(data, at, end)
            yield number, value
            continue
        if wire not in (1, 2, 5) or not number:
            raise ValueError("its bytes are no protocol-buffer message")
        size, at = _varint(data, at, end) if wire == 2 else ({1: 8, 5: 4}[wire], at)
        if at + size > end:
            raise ValueError(f"it ends {at + size - end} bytes too early")
        yield number, slice(at, at + size)
        at += size


def _varint(data: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at
    raise ValueError("its bytes are no protocol-buffer message")


def _text(data: mmap.mmap, where: int | slice | None) -> str:
    return data[where].decode() if isinstance(where, slice) else ""

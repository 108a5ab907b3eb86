"""An ONNX graph with weights in bytes and states quantised by row, so that no text moves the answer for another.

The range of a state (one token's) is its own: with a range of the whole batch, as in onnxruntime's ``quantize_dynamic``,
rounding depends on what else is asked. Sums of products of integers are exact, in whatever order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

# A weight has 7 bits: processors without VNNI add two products with a byte in 16 bits, 2 * 255 * 63 at most.
_WEIGHT: Final = 63
_BYTE: Final = 127
_MIDDLE: Final = 128
_CONTRIB: Final = "com.microsoft"


def quantise(full: Path, into: Path) -> None:
    """Replace the file of a graph (opset 18 or later), and of its external data, by a quantised one.

    Products of states with a weight matrix become products of integers: the weights have a scale for each output, the
    states one for each row. Vectors of words are stored in bytes, with a scale each, and read as float32, by a
    vocabulary head that shares them as well. Everything else stays in float32, products of states with each other and
    matrices for each expert included.
    """
    model = onnx.load(full)
    written = [path for path in full.parent.iterdir() if path.name.startswith(full.name)]
    _Rewriter(model.graph).rewrite()
    if all(one.domain != _CONTRIB for one in model.opset_import):
        model.opset_import.append(helper.make_opsetid(_CONTRIB, 1))
    apart = len(written) > 1
    onnx.save(model, into, save_as_external_data=apart, location=f"{into.name}.data" if apart else None)
    for path in written:
        path.unlink()


class _Rewriter:
    """The nodes and weights of a graph, replaced one by one."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._weights = {
            one.name: one
            for one in graph.initializer
            if one.data_type == TensorProto.FLOAT and len(one.dims) == 2
        }
        read_by_id = {node.input[0] for node in graph.node if _reads_by_id(node)}
        self._tables = [name for name in self._weights if name in read_by_id]
        self._nodes: list[Any] = []
        self._quantised: set[str] = set()

    def rewrite(self) -> None:
        """Replace what can be, and leave out the weights that nothing reads any more."""
        for name, value in (
            ("levels", np.float32(_BYTE)),
            ("least", np.float32(1e-30)),  # for a row of zeros
            ("one", np.float32(1)),
            ("middle", np.uint8(_MIDDLE)),
            ("last_axis", np.array([-1], dtype=np.int64)),
            ("begin", np.array([0], dtype=np.int64)),
            ("end", np.array([1], dtype=np.int64)),
        ):
            self._keep(f"int8.{name}", np.asarray(value))
        for table in self._tables:
            self._store_table(table)
        for node in self._graph.node:
            self._replace(node)
        del self._graph.node[:]
        self._graph.node.extend(self._nodes)
        del self._graph.value_info[:]  # of states that are no more
        read = _read(self._graph)
        weights = [
            one for one in self._graph.initializer if one.name in read and one.name not in self._tables
        ]
        del self._graph.initializer[:]
        self._graph.initializer.extend(weights)

    def _replace(self, node: Any) -> None:
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        weight = node.input[1] if len(node.input) > 1 else ""
        matrix = weight in self._weights and weight not in self._tables
        if node.op_type == "MatMul" and matrix:
            self._product(node.input[0], weight, node.output[0], transposed=False)
        elif node.op_type == "Gemm" and matrix and _is_plain(attributes):
            bias = list(node.input[2:])
            product = f"{node.output[0]}.product" if bias else node.output[0]
            self._product(node.input[0], weight, product, transposed=bool(attributes.get("transB", 0)))
            if bias:
                self._add("Add", [product, *bias], node.output[0])
        else:
            self._nodes.append(node)

    def _product(self, state: str, weight: str, output: str, *, transposed: bool) -> None:
        """``state`` (..., k) times the matrix: (k, n), or (n, k) if ``transposed``."""
        name = f"{weight}.transposed" if transposed else weight
        if name not in self._quantised:
            self._quantised.add(name)
            array = numpy_helper.to_array(self._weights[weight])
            steps, scales = _rounded(array.T if transposed else array, _WEIGHT)
            self._keep(f"{name}.int8", steps)
            self._keep(f"{name}.scales", scales)
        if state not in self._quantised:
            self._quantised.add(state)
            self._quantise_state(state)
        inputs = [f"{state}.row.int8", f"{name}.int8", "int8.one", f"{name}.scales", "int8.middle"]
        self._add("MatMulIntegerToFloat", inputs, f"{output}.relative", domain=_CONTRIB)
        self._add("Mul", [f"{output}.relative", f"{state}.row.scale"], output)

    def _quantise_state(self, state: str) -> None:
        row = f"{state}.row"
        self._add("Abs", [state], f"{row}.sizes")
        self._add("ReduceMax", [f"{row}.sizes", "int8.last_axis"], f"{row}.largest", keepdims=1)
        # Of no rows at all (a head that is asked at no position) onnxruntime's ReduceMax keeps the width.
        first = [f"{row}.largest", "int8.begin", "int8.end", "int8.last_axis"]
        self._add("Slice", first, f"{row}.one")
        self._add("Div", [f"{row}.one", "int8.levels"], f"{row}.step")
        self._add("Max", [f"{row}.step", "int8.least"], f"{row}.scale")
        self._add("Div", [state, f"{row}.scale"], f"{row}.relative")
        self._add("QuantizeLinear", [f"{row}.relative", "int8.one", "int8.middle"], f"{row}.int8")

    def _store_table(self, table: str) -> None:
        steps, scales = _rounded(numpy_helper.to_array(self._weights[table]).T, _BYTE)
        self._keep(f"{table}.int8", steps.T)
        self._keep(f"{table}.scales", scales[:, None])
        # Not DequantizeLinear, which onnxruntime would compute anew in every run.
        self._add("Cast", [f"{table}.int8"], f"{table}.relative", to=TensorProto.FLOAT)
        self._add("Mul", [f"{table}.relative", f"{table}.scales"], table)

    def _keep(self, name: str, array: npt.NDArray[Any]) -> None:
        self._graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array), name))

    def _add(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> None:
        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))


def _rounded(matrix: npt.NDArray[Any], levels: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """A matrix (k, n) in steps up to ``levels`` either way, and how large a step is in each column: (n,)."""
    scales = np.abs(matrix).max(axis=0) / np.float32(levels)
    scales[scales == 0] = 1
    with np.errstate(invalid="ignore"):  # damaged weights: the scale is no number, nor is any answer
        return np.rint(matrix / scales).astype(np.int8), scales


def _reads_by_id(node: Any) -> bool:
    return bool(node.op_type == "Gather" and node.input[1] == "input_ids")


def _is_plain(attributes: dict[str, Any]) -> bool:
    """Whether a Gemm is a product and a bias, with nothing scaled and only the weights transposed."""
    scaled = attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0
    return not scaled and not attributes.get("transA", 0)


def _read(graph: Any) -> set[str]:
    """Every name that a graph, or one inside its nodes, reads or gives."""
    names = {one.name for one in graph.output}
    for node in graph.node:
        names.update(node.input)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                names |= _read(inner)
    return names

"""An ONNX graph with weights in bytes and states quantised by row, so that no text moves the answer for another.

The range of a state (one token's) is its own: with a range of the whole batch, as in onnxruntime's ``quantize_dynamic``,
rounding depends on what else is asked. Sums of products of integers are exact, in whatever order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# A weight has 7 bits: processors without VNNI add two products with a byte in 16 bits, 2 * 255 * 63 at most.
_WEIGHT: Final = 63
_STATE: Final = 127
_MIDDLE: Final = 128
_CONTRIB: Final = "com.microsoft"


def quantise(full: Path, into: Path) -> None:
    """Replace the file of a graph (opset 18 or later), and of its external data, by a quantised one.

    Products of states with a weight matrix become products of integers: the weights have a scale for each output, the
    states one for each row. Vectors of words are stored with a scale each. Everything else stays in float32, products
    of states with each other and matrices for each expert included.
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
    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._weights = {
            one.name: one
            for one in graph.initializer
            if one.data_type == TensorProto.FLOAT and len(one.dims) == 2
        }
        self._transposed = {
            node.output[0]: node.input[0] for node in graph.node if self._is_transposed_weight(node)
        }
        self._nodes: list[Any] = []
        self._stored: set[str] = set()
        self._quantised: set[str] = set()

    def rewrite(self) -> None:
        for name, value in (
            ("levels", np.float32(_STATE)),
            ("least", np.float32(1e-30)),  # for a row of zeros
            ("one", np.float32(1)),
            ("middle", np.uint8(_MIDDLE)),
            ("last_axis", np.array([-1], dtype=np.int64)),
        ):
            self._keep(f"int8.{name}", np.asarray(value))
        for node in self._graph.node:
            self._replace(node)
        del self._graph.node[:]
        self._graph.node.extend(self._nodes)
        del self._graph.value_info[:]  # of states that are no more
        self._drop_unused()

    def _replace(self, node: Any) -> None:
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        state, weight = node.input[0], node.input[1] if len(node.input) > 1 else ""
        if node.op_type == "MatMul" and weight in self._weights:
            self._product(state, weight, node.output[0], by_row=False)
        elif node.op_type == "MatMul" and weight in self._transposed:
            self._product(state, self._transposed[weight], node.output[0], by_row=True)
        elif node.op_type == "Gemm" and weight in self._weights and self._is_plain(attributes):
            bias = node.input[2] if len(node.input) > 2 else ""
            product = f"{node.output[0]}.product" if bias else node.output[0]
            self._product(state, weight, product, by_row=bool(attributes.get("transB", 0)))
            if bias:
                self._add("Add", [product, bias], node.output[0])
        elif node.op_type == "Gather" and state in self._weights and weight == "input_ids":
            self._vectors(state, weight, node.output[0])
        else:
            self._nodes.append(node)

    def _product(self, state: str, weight: str, output: str, *, by_row: bool) -> None:
        """``state`` (..., k) times the matrix: (k, n), or (n, k) with ``by_row``."""
        self._quantise_state(state)
        matrix, scales = self._store(weight, by_row=by_row)
        if by_row:
            turned = f"{matrix}.transposed"
            if turned not in self._stored:
                self._stored.add(turned)
                self._add("Transpose", [matrix], turned, perm=[1, 0])
            matrix = turned
        inputs = [f"{state}.row.int8", matrix, "int8.one", scales, "int8.middle"]
        self._add("MatMulIntegerToFloat", inputs, f"{output}.relative", domain=_CONTRIB)
        self._add("Mul", [f"{output}.relative", f"{state}.row.scale"], output)

    def _quantise_state(self, state: str) -> None:
        if state in self._quantised:
            return
        self._quantised.add(state)
        row = f"{state}.row"
        self._add("Abs", [state], f"{row}.sizes")
        self._add("ReduceMax", [f"{row}.sizes", "int8.last_axis"], f"{row}.largest", keepdims=1)
        self._add("Div", [f"{row}.largest", "int8.levels"], f"{row}.step")
        self._add("Max", [f"{row}.step", "int8.least"], f"{row}.scale")
        self._add("Div", [state, f"{row}.scale"], f"{row}.relative")
        self._add("QuantizeLinear", [f"{row}.relative", "int8.one", "int8.middle"], f"{row}.int8")

    def _vectors(self, table: str, ids: str, output: str) -> None:
        matrix, scales = self._store(table, by_row=True)
        self._add("Gather", [matrix, ids], f"{output}.int8")
        self._add("Cast", [f"{output}.int8"], f"{output}.relative", to=TensorProto.FLOAT)
        self._add("Gather", [scales, ids], f"{output}.scales")
        self._add("Unsqueeze", [f"{output}.scales", "int8.last_axis"], f"{output}.scale")
        self._add("Mul", [f"{output}.relative", f"{output}.scale"], output)

    def _store(self, weight: str, *, by_row: bool) -> tuple[str, str]:
        """The names of a matrix in bytes and of its scales, of the rows or of the columns."""
        name = f"{weight}.{'rows' if by_row else 'columns'}"
        names = f"{name}.int8", f"{name}.scales"
        if name not in self._stored:
            self._stored.add(name)
            array = numpy_helper.to_array(self._weights[weight])
            scales = np.abs(array).max(axis=1 if by_row else 0) / np.float32(_WEIGHT)
            scales[scales == 0] = 1
            with np.errstate(invalid="ignore"):  # damaged weights: the scale is no number, nor is any answer
                steps = np.rint(array / (scales[:, None] if by_row else scales)).astype(np.int8)
            self._keep(names[0], steps)
            self._keep(names[1], scales)
        return names

    def _is_transposed_weight(self, node: Any) -> bool:
        return node.op_type == "Transpose" and node.input[0] in self._weights

    @staticmethod
    def _is_plain(attributes: dict[str, Any]) -> bool:
        scaled = attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0
        return not scaled and not attributes.get("transA", 0)

    def _keep(self, name: str, array: Any) -> None:
        self._graph.initializer.append(numpy_helper.from_array(array, name))

    def _add(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> None:
        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))

    def _drop_unused(self) -> None:
        """Without weights, and transposed ones, that nothing reads any more."""
        read = _read(self._graph)
        kept = [one for one in self._graph.node if one.op_type != "Transpose" or one.output[0] in read]
        del self._graph.node[:]
        self._graph.node.extend(kept)
        read = _read(self._graph)
        weights = [one for one in self._graph.initializer if one.name in read]
        del self._graph.initializer[:]
        self._graph.initializer.extend(weights)


def _read(graph: Any) -> set[str]:
    """Every name that a graph, or one inside its nodes, reads or gives."""
    names = {one.name for one in graph.output}
    for node in graph.node:
        names.update(node.input)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                names |= _read(inner)
    return names

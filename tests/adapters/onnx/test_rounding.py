"""The graph of ``--int8`` against its definition in numpy: rows of states, columns of weights, rows of word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs biascore[export]")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs biascore[onnx]")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from biascore_adapters.hf.rounding import quantise  # noqa: E402

RNG = np.random.default_rng(3)
TABLE, MATRIX, HEAD, BIAS = (
    RNG.normal(size=size).astype(np.float32) for size in ((11, 8), (8, 6), (5, 6), (5,))
)
TABLE[4] = 0  # a word without a vector: its row of states is zero
MATRIX[:, 2] = 0


def graph() -> Any:
    """Word vectors times a matrix, and once more as a Gemm with a transposed one; the table is the head's as well."""
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        helper.make_node("MatMul", ["words", "matrix"], ["states"]),
        helper.make_node("Reshape", ["states", "flat"], ["rows"]),
        helper.make_node("Gemm", ["rows", "head", "bias"], ["gemm"], transB=1),
        helper.make_node("Gemm", ["rows", "head"], ["scaled"], transB=1, alpha=2.0),
        helper.make_node("Transpose", ["table"], ["turned"], perm=[1, 0]),
        helper.make_node("MatMul", ["words", "turned"], ["logits"]),
    ]
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        for name in ("words", "states", "gemm", "scaled", "logits")
    ]
    weights = {"table": TABLE, "matrix": MATRIX, "head": HEAD, "bias": BIAS, "flat": np.array([-1, 6])}
    made = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ("n", "t"))],
        outputs,
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def rounded(array: Any, levels: int, axis: int) -> Any:
    """Each row (axis -1) or column (axis 0) in whole steps of its largest size / levels."""
    steps = np.abs(array.astype(float)).max(axis=axis, keepdims=True) / levels
    steps[steps == 0] = 1
    return np.rint(array / steps) * steps


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """The outputs of the quantised graph, by name."""
    onnx.save(graph(), tmp_path / "full.onnx")
    quantise(tmp_path / "full.onnx", tmp_path / "model.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    return lambda ids: dict(zip(names, session.run(None, {"input_ids": ids}), strict=True))


def test_products_are_those_of_rounded_rows_and_columns(run: Any) -> None:
    ids = np.array([[0, 4, 7], [10, 3, 3]])
    found = run(ids)
    words = rounded(TABLE, 127, -1)
    np.testing.assert_allclose(found["words"], words[ids], atol=1e-6)
    states = rounded(words[ids], 127, -1) @ rounded(MATRIX, 63, 0)
    np.testing.assert_allclose(found["states"], states, atol=1e-5)
    assert (found["states"][0, 1] == 0).all()
    assert np.abs(found["states"] - TABLE[ids] @ MATRIX).max() > 1e-3, "else nothing was rounded"
    rows = rounded(found["states"].reshape(-1, 6), 127, -1)
    np.testing.assert_allclose(found["gemm"], rows @ rounded(HEAD, 63, -1).T + BIAS, atol=1e-5)


def test_what_is_no_product_with_a_weight_alone_stays_in_float32(run: Any) -> None:
    ids = np.array([[1, 2], [5, 9]])
    found = run(ids)
    np.testing.assert_allclose(found["scaled"], 2 * found["states"].reshape(-1, 6) @ HEAD.T, atol=1e-5)
    np.testing.assert_allclose(found["logits"], found["words"] @ rounded(TABLE, 127, -1).T, atol=1e-5)


def test_no_rows_at_all_give_no_rows(run: Any) -> None:
    found = run(np.zeros((1, 0), dtype=np.int64))
    assert found["states"].shape == (1, 0, 6)
    assert found["gemm"].shape == (0, 5)


def test_the_graph_says_that_it_is_quantised_by_row(tmp_path: Path) -> None:
    from biascore_adapters.onnx.protobuf import read_header

    onnx.save(graph(), tmp_path / "full.onnx")
    assert not read_header(tmp_path / "full.onnx").quantised
    quantise(tmp_path / "full.onnx", tmp_path / "model.onnx")
    stated = read_header(tmp_path / "model.onnx")
    assert stated.quantised
    assert not stated.dynamically_quantised

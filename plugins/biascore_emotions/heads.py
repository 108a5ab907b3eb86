"""Trained heads as arrays: what they answer is computed here, and is what scikit-learn's own predict gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from biascore.api.formats import array_of
from biascore.errors import ModelLoadError
from biascore_emotions.features import Floats, Matrix

Kernel: TypeAlias = Literal["rbf", "poly", "sigmoid", "linear"]
Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]
DEGREE: Final = 3
"""Of the polynomial kernel, as scikit-learn has it; its constant term is 0."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum: ``weights`` of shape (d,), and what is added."""

    kind: ClassVar[str] = "ridge"
    weights: Floats
    intercept: float

    def predict(self, features: Matrix) -> Floats:
        """Scores of shape (n,) for features of shape (n, d)."""
        return np.asarray(features @ self.weights + self.intercept)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Parameters by name."""
        return {"weights": self.weights, "intercept": np.array(self.intercept)}

    @classmethod
    def of(cls, arrays: Arrays, parameters: Mapping[str, Any], width: int) -> Self:  # noqa: ARG003
        """From its arrays; raises ValueError or ModelLoadError where they do not fit."""
        return cls(array_of(arrays, "weights", (width,)), float(array_of(arrays, "intercept", ())))


@dataclass(frozen=True, slots=True)
class SupportVectors:
    """A support vector regression: ``vectors`` of shape (k, d), sparse or dense, and their coefficients (k,)."""

    kind: ClassVar[str] = "svr"
    vectors: Matrix
    coefficients: Floats
    intercept: float
    kernel: Kernel
    gamma: float

    def predict(self, features: Matrix) -> Floats:
        """Scores of shape (n,) for features of shape (n, d)."""
        return np.asarray(self._products(features) @ self.coefficients + self.intercept)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Parameters by name, except kernel and gamma."""
        from scipy import sparse

        if sparse.issparse(self.vectors):
            vectors = {
                "vectors.data": self.vectors.data,
                "vectors.indices": self.vectors.indices.astype(np.int64),
                "vectors.indptr": self.vectors.indptr.astype(np.int64),
            }
        else:
            vectors = {"vectors": self.vectors}
        return {**vectors, "coefficients": self.coefficients, "intercept": np.array(self.intercept)}

    @classmethod
    def of(cls, arrays: Arrays, parameters: Mapping[str, Any], width: int) -> Self:
        """From its arrays; raises ValueError or ModelLoadError where they do not fit."""
        from scipy import sparse

        coefficients = array_of(arrays, "coefficients", (None,))
        count = len(coefficients)
        vectors: Matrix
        if "vectors" in arrays:
            vectors = array_of(arrays, "vectors", (count, width))
        else:
            data = array_of(arrays, "vectors.data", (None,))
            indices = array_of(arrays, "vectors.indices", (len(data),), np.int64)
            starts = array_of(arrays, "vectors.indptr", (count + 1,), np.int64)
            if np.any(np.diff(starts) < 0) or starts[0] != 0 or starts[-1] != len(data):
                raise ModelLoadError("the rows of its support vectors do not add up")
            if len(indices) and not (indices.min() >= 0 and indices.max() < width):
                raise ModelLoadError("its support vectors name features that it does not have")
            vectors = sparse.csr_matrix((data, indices, starts), shape=(count, width))
        kernel, gamma = parameters.get("kernel"), parameters.get("gamma")
        if kernel not in ("rbf", "poly", "sigmoid", "linear") or not isinstance(gamma, float):
            raise ModelLoadError(
                f"its kernel {kernel!r} with gamma={gamma!r} is none of rbf, poly, sigmoid and linear"
            )
        return cls(vectors, coefficients, float(array_of(arrays, "intercept", ())), kernel, gamma)

    def _products(self, features: Matrix) -> Floats:
        from sklearn.metrics import pairwise

        found: Any
        match self.kernel:
            case "rbf":
                found = pairwise.rbf_kernel(features, self.vectors, gamma=self.gamma)
            case "poly":
                found = pairwise.polynomial_kernel(
                    features, self.vectors, degree=DEGREE, gamma=self.gamma, coef0=0
                )
            case "sigmoid":
                found = pairwise.sigmoid_kernel(features, self.vectors, gamma=self.gamma, coef0=0)
            case "linear":
                found = pairwise.linear_kernel(features, self.vectors)
        return np.asarray(found if isinstance(found, np.ndarray) else found.toarray(), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Perceptron:
    """Layers of weights (d, h), …, (h, 1) with what is added to each; ReLU between them, nothing at the end."""

    kind: ClassVar[str] = "mlp"
    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]

    def predict(self, features: Matrix) -> Floats:
        """Scores of shape (n,) for features of shape (n, d)."""
        found = features
        for layer, (weights, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            found = found @ weights + bias
            if layer < len(self.weights) - 1:
                found = np.maximum(found, 0)
        return np.asarray(found)[:, 0]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Parameters by name."""
        weights = {f"weights.{layer}": array for layer, array in enumerate(self.weights)}
        return weights | {f"biases.{layer}": array for layer, array in enumerate(self.biases)}

    @classmethod
    def of(cls, arrays: Arrays, parameters: Mapping[str, Any], width: int) -> Self:  # noqa: ARG003
        """From its arrays; raises ValueError or ModelLoadError where they do not fit."""
        count = sum(name.startswith("weights.") for name in arrays)
        weights, biases = [], []
        for layer in range(count):
            own = array_of(arrays, f"weights.{layer}", (width, None if layer < count - 1 else 1))
            width = own.shape[1]
            weights.append(own)
            biases.append(array_of(arrays, f"biases.{layer}", (width,)))
        if not weights:
            raise ModelLoadError("it has no layers")
        return cls(tuple(weights), tuple(biases))


Head: TypeAlias = Linear | SupportVectors | Perceptron
HEADS: Final[Mapping[str, type[Linear] | type[SupportVectors] | type[Perceptron]]] = {
    one.kind: one for one in (Linear, SupportVectors, Perceptron)
}

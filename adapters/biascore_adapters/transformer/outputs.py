"""The named outputs of a sequence head: what its logits are called and what they become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from biascore.errors import ModelLoadError, QuestionError

Unit = Literal[
    "raw values", "probabilities, each label by itself (sigmoid)", "probabilities, together 1 (softmax)"
]


@dataclass(frozen=True, slots=True)
class HeadOutputs:
    """The labels of a head, in the order of its logits, and the unit of their values."""

    labels: tuple[str, ...]
    unit: Unit

    @classmethod
    def of(cls, config: Mapping[str, Any], width: int) -> Self:
        """The outputs that a ``config.json`` names for ``width`` logits.

        Raises ModelLoadError where it names another number of them, or one name twice.
        """
        named = config.get("id2label") or {number: f"LABEL_{number}" for number in range(width)}
        labels = tuple(str(named[key]) for key in sorted(named, key=int))
        if len(labels) != width or len(set(labels)) != width:
            raise ModelLoadError(
                f"the head has {width} outputs, and config.json names {len(labels)} ({', '.join(labels[:5])}), "
                "which must be as many and all different. Correct id2label there"
            )
        problem = config.get("problem_type")
        if problem == "regression" or (problem is None and width == 1):
            unit: Unit = "raw values"
        elif problem == "multi_label_classification" or width == 1:
            unit = "probabilities, each label by itself (sigmoid)"
        else:
            unit = "probabilities, together 1 (softmax)"
        return cls(("score",) if labels == ("LABEL_0",) else labels, unit)

    @property
    def described(self) -> str:
        """Labels and unit in words."""
        return f"{', '.join(self.labels)}: {self.unit}"

    def column(self, quantity: str) -> int:
        """The number of the output of that name; raises QuestionError naming those there are."""
        if quantity not in self.labels:
            raise QuestionError(
                f"the head has no output {quantity!r}; it has {', '.join(map(repr, self.labels))}. Ask for one of them"
            )
        return self.labels.index(quantity)

    def values(self, logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The outputs for logits of shape (n, labels), in ``unit``."""
        if self.unit == "raw values":
            return logits
        if "sigmoid" in self.unit:
            # exp(-log(1 + exp(-x))) does not overflow at either end
            return np.exp(-np.logaddexp(0.0, -logits))
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

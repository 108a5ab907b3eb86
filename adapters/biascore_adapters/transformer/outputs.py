"""The named outputs of a sequence head: what its logits are called and what they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import find_output
from biascore.errors import ModelLoadError, OptionsError, QuestionError
from biascore_adapters.transformer.options import Activation

Unit = Literal[
    "raw values", "probabilities, each label by itself (sigmoid)", "probabilities, together 1 (softmax)"
]
_UNITS: Final[Mapping[str, Unit]] = {
    "none": "raw values",
    "sigmoid": "probabilities, each label by itself (sigmoid)",
    "softmax": "probabilities, together 1 (softmax)",
}


@dataclass(frozen=True, slots=True)
class HeadOutputs:
    """The labels of a head, in the order of its logits, and the unit of their values."""

    labels: tuple[str, ...]
    unit: Unit

    @classmethod
    def of(
        cls,
        config: Mapping[str, Any],
        width: int,
        labels: Sequence[str] | None = None,
        activation: Activation | None = None,
    ) -> Self:
        """The outputs that a ``config.json`` names for ``width`` logits, or the options ``labels`` and ``activation``.

        Raises ModelLoadError where it names another number of them, or one name twice; OptionsError where ``labels`` do,
        and for the softmax of one output, which is 1 whatever the text.
        """
        if activation == "softmax" and width == 1:
            raise OptionsError(
                "the head has one output, whose softmax is 1 for every text. Choose activation=sigmoid, or none for the "
                "value as it is"
            )
        if labels is not None and (len(labels) != width or len(set(labels)) != width or not all(labels)):
            raise OptionsError(
                f"the head has {width} outputs, and the option labels names {len(labels)} ({', '.join(labels[:5])}), which "
                "must be as many and all different. Name them in the order of the head"
            )
        found = (
            cls._from_config(config, width) if labels is None else cls(tuple(labels), _unit(config, width))
        )
        return found if activation is None else cls(found.labels, _UNITS[activation])

    @classmethod
    def _from_config(cls, config: Mapping[str, Any], width: int) -> Self:
        named = config.get("id2label") or {number: f"LABEL_{number}" for number in range(width)}
        labels = tuple(str(named[key]) for key in sorted(named, key=int))
        if len(labels) != width or len(set(labels)) != width:
            raise ModelLoadError(
                f"the head has {width} outputs, and config.json names {len(labels)} ({', '.join(labels[:5])}), "
                "which must be as many and all different. Correct id2label there"
            )
        return cls(("score",) if labels == ("LABEL_0",) else labels, _unit(config, width))

    @property
    def described(self) -> str:
        """Labels and unit in words."""
        return f"{', '.join(self.labels)}: {self.unit}"

    def column(self, quantity: str) -> int:
        """The number of the output of that name, also in other case; raises QuestionError naming those there are."""
        found = find_output(quantity, self.labels)
        if found is None:
            unnamed = self.labels == ("score",) or all(label.startswith("LABEL_") for label in self.labels)
            names = ", ".join(
                f'"{quantity or "anger"}"' if place == 0 else '"…"' for place in range(len(self.labels))
            )
            remedy = f", or name them: -o 'model.labels=[{names}]'" if unnamed else ""
            raise QuestionError(
                f"the head has no output {quantity!r}; it has {', '.join(map(repr, self.labels))}. Ask for one of "
                f"them{remedy}"
            )
        return self.labels.index(found)

    def values(self, logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The outputs for logits of shape (n, labels), in ``unit``."""
        if self.unit == "raw values":
            return logits
        if "sigmoid" in self.unit:
            # exp(-log(1 + exp(-x))) does not overflow at either end
            return np.exp(-np.logaddexp(0.0, -logits))
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _unit(config: Mapping[str, Any], width: int) -> Unit:
    """What a ``config.json`` says that the outputs are trained as."""
    problem = config.get("problem_type")
    if problem == "regression" or (problem is None and width == 1):
        return _UNITS["none"]
    return _UNITS["sigmoid" if problem == "multi_label_classification" or width == 1 else "softmax"]


def check_no_head(folder: object, labels: Sequence[str] | None, activation: Activation | None) -> None:
    """Raise OptionsError for options of a sequence head where a model has none."""
    given = [name for name, value in (("labels", labels), ("activation", activation)) if value is not None]
    if given:
        raise OptionsError(
            f"{folder} has no sequence head, so that {' and '.join(given)} would mean nothing. Leave "
            f"{'it' if len(given) == 1 else 'them'} out"
        )

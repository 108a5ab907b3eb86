"""The contract of a transform, checked on one model: ``check_transform("centre", "csv:vectors.csv", words="eo/list")``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.engine.engine import Engine
from biascore.errors import BiascoreError
from biascore.models.model import Model
from biascore.models.questions.questions import Level
from biascore.models.transforms.transform import FittedTransform, Transform
from biascore.models.transforms.transformed import Transformed
from biascore.testing.contract import Contract, NotAskedError, check_all, hold

_PLAIN = (str, int, float, bool)


@dataclass
class TransformContract(Contract):
    """What ``check_transform`` takes."""

    kind = "transform"
    transform: str | Transform
    model: str | Model
    level: Level = "token"
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: Engine = field(default_factory=lambda: Engine(cache=None))
    _opened: Model | None = field(default=None, init=False)

    def close(self) -> None:
        if self._opened is not None and not isinstance(self.model, Model):
            self._opened.close()

    @property
    def _plain(self) -> Model:
        if self._opened is None:
            self._opened = self.model if isinstance(self.model, Model) else self.engine.model(self.model)
        return self._opened

    def _after(self) -> Transformed:
        """The model after the transform, fitted anew."""
        try:
            changed = self._plain.with_transform(self.transform, **self.options)
        except BiascoreError as error:
            raise AssertionError(str(error)) from error
        return changed.transforms[-1]

    def _fitted(self) -> FittedTransform:
        try:
            fitted = self._after().fitted(self.level)
        except BiascoreError as error:
            raise AssertionError(str(error)) from error
        hold(fitted is not None, "it was learnt from no word that the model knows")
        assert fitted is not None
        return fitted

    def _rows(self) -> tuple[tuple[str, ...], npt.NDArray[np.float32]]:
        """Vectors of words that it was not learnt from, with those that it was."""
        rng = np.random.default_rng(0)
        words = tuple(f"word{i}" for i in range(8))
        width = self._plain.embed(self._some_words(), self.level).shape[1]
        return words, rng.normal(size=(8, width)).astype(np.float32)

    def _some_words(self) -> Sequence[str]:
        prepared = self._after().prepared
        return [word for some in prepared.words(self._plain).values() for word in some][:4] or ["the"]

    def check_declares(self) -> None:
        named = self.transform if isinstance(self.transform, Transform) else None
        kind = type(named) if named else self.engine.plugins.transforms.get(str(self.transform))
        for name in ("name", "summary", "reference"):
            hold(
                isinstance(getattr(kind, name, None), str) and getattr(kind, name),
                f"{kind.__name__} has no {name}",
            )

    def check_fits(self) -> None:
        """What it learns from stays as it is."""
        before = self._plain.embed(self._some_words(), self.level)
        self._fitted()
        if np.isnan(before).all():
            raise NotAskedError("no answer: the model has a vector for none of the words that are looked at")
        after = self._plain.embed(self._some_words(), self.level)
        hold(np.array_equal(before, after, equal_nan=True), "the vectors that it learnt from were changed")

    def check_same(self) -> None:
        (words, rows), one, other = self._rows(), self._fitted(), self._fitted()
        hold(one.digest == other.digest, f"fitted twice, the digests are {one.digest} and {other.digest}")
        hold(
            dict(one.facts) == dict(other.facts), f"fitted twice, the facts are {one.facts} and {other.facts}"
        )
        hold(
            np.array_equal(one.apply(rows.copy(), words), other.apply(rows.copy(), words)),
            "fitted twice, answers differ",
        )

    def check_shape(self) -> None:
        """Vectors of words that it has never seen."""
        words, rows = self._rows()
        given = rows.copy()
        found = self._fitted().apply(given, words)
        hold(
            isinstance(found, np.ndarray) and found.dtype == np.float32,
            f"apply gives {type(found).__name__}, not float32",
        )
        hold(found.shape == rows.shape, f"apply gives the shape {found.shape} for {rows.shape}")
        hold(np.isfinite(found).all(), "apply gives NaN or infinity for finite vectors")
        hold(np.array_equal(given, rows), "apply changes the array that it is given")

    def check_rows(self) -> None:
        """One row at a time, and in reverse."""
        (words, rows), fitted = self._rows(), self._fitted()
        whole = fitted.apply(rows.copy(), words)
        alone = np.concatenate(
            [fitted.apply(rows[i : i + 1].copy(), words[i : i + 1]) for i in range(len(rows))]
        )
        back = fitted.apply(rows[::-1].copy(), words[::-1])[::-1]
        for other, how in ((alone, "alone"), (back, "in reverse order")):
            hold(
                np.allclose(whole, other, rtol=1e-4, atol=1e-5),
                f"{how}, rows differ by {np.abs(whole - other).max():.3g}",
            )

    def check_steps(self) -> None:
        (words, rows), fitted = self._rows(), self._fitted()
        steps = fitted.steps()
        hold(steps, "it has no steps")
        same = np.array_equal(steps[-1].apply(rows.copy(), words), fitted.apply(rows.copy(), words))
        hold(same, f"the last of {len(steps)} steps is not the whole transform")

    def check_facts(self) -> None:
        fitted = self._fitted()
        if not (fitted.facts or fitted.trace or fitted.warnings):
            raise NotAskedError("no answer: it has no facts, trace or warnings")
        for row in (fitted.facts, *fitted.trace):
            for name, value in row.items():
                hold(isinstance(name, str) and isinstance(value, _PLAIN), f"the fact {name!r} is {value!r}")
        hold(
            isinstance(fitted.warnings, tuple) and all(isinstance(w, str) for w in fitted.warnings),
            "warnings are no tuple of str",
        )


def check_transform(
    transform: str | Transform,
    model: str | Model,
    *,
    level: Level = "token",
    engine: Engine | None = None,
    **options: Any,
) -> dict[str, str]:
    """Check on a model, by reference or open, what every transform of vectors has to fulfil; ``options`` are its own.

    Raises AssertionError, which lists each clause that is broken. Returns those that were
    skipped, each with the reason.
    """
    contract = TransformContract(transform, model, level, options, engine or Engine(cache=None))
    try:
        return check_all(contract.clauses())
    finally:
        contract.close()

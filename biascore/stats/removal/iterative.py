"""Directions that distinguish classes, found one after another: fit a classifier, project its direction out, refit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, finite_matrix
from biascore.stats.bootstrap import Interval
from biascore.stats.proportions import wilson_interval
from biascore.stats.removal.classifiers import Codes, Fit
from biascore.stats.removal.linear import orthonormal

Stopped: TypeAlias = Literal["chance", "maximum", "exhausted"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A share of rows classified rightly, its Wilson interval, and what guessing the most frequent class attains."""

    correct: int
    trials: int
    interval: Interval
    chance: float

    @property
    def share(self) -> float:
        """Correct of all, from 0 to 1."""
        return self.correct / self.trials

    @property
    def at_chance(self) -> bool:
        """The interval reaches down to chance: the classes were not shown to be separated.

        An accuracy whose whole interval lies below chance counts too: such a classifier has found nothing.
        """
        return self.interval.low <= self.chance

    @classmethod
    def of(cls, predicted: Codes, labels: Codes, level: float) -> Accuracy:
        """Count and interval; ``predicted`` and ``labels`` (n,)."""
        correct, trials = int(np.count_nonzero(predicted == labels)), len(labels)
        chance = float(np.unique(labels, return_counts=True)[1].max() / trials)
        return cls(correct, trials, wilson_interval(correct, trials, level=level), chance)


@dataclass(frozen=True, slots=True)
class Fitted:
    """One classifier of a step: the classes it tells apart, and how well before its direction is removed."""

    classes: tuple[int, ...]
    train: Accuracy
    held_out: Accuracy
    converged: bool


@dataclass(frozen=True, slots=True)
class Step:
    """What is found after the first ``directions`` columns of the basis were removed."""

    directions: int
    fitted: tuple[Fitted, ...]

    @property
    def at_chance(self) -> bool:
        """Every classifier is at chance on the held-out rows."""
        return all(fitted.held_out.at_chance for fitted in self.fitted)


@dataclass(frozen=True, slots=True, eq=False)
class IterativeRemoval:
    """An orthonormal ``basis`` (d, k) in the order found; ``steps[j]`` after j rounds, the last after all.

    ``stopped``: "chance", "maximum" (rounds), or "exhausted" where no direction was left to remove.
    """

    basis: Floats
    steps: tuple[Step, ...]
    stopped: Stopped

    def basis_after(self, rounds: int) -> Floats:
        """The basis (d, j) that the first ``rounds`` rounds removed."""
        return self.basis[:, : self.steps[rounds].directions]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Rows (n, d) and the class of each (n,), codes from 0."""

    rows: Floats
    labels: Codes

    @classmethod
    def of(cls, classes: Sequence[ArrayLike]) -> Labelled:
        """One matrix (n, d) a class, in the order of their codes."""
        matrices = [finite_matrix(rows, f"class {code}") for code, rows in enumerate(classes)]
        return cls(np.concatenate(matrices), np.repeat(np.arange(len(matrices)), [len(m) for m in matrices]))

    def only(self, classes: tuple[int, ...]) -> Labelled:
        """The rows of these classes."""
        kept = np.isin(self.labels, classes)
        return Labelled(self.rows[kept], self.labels[kept])


def iterative_removal(
    train: Labelled,
    held_out: Labelled,
    *,
    fit: Fit,
    problems: Sequence[tuple[int, ...]],
    most: int,
    to_chance: bool = True,
    columns_scaled_first: bool = False,
    level: float = 0.95,
) -> IterativeRemoval:
    """Fit on ``train``, remove the directions, refit, until the accuracy on ``held_out`` is at chance.

    ``problems``: the classes that each classifier of a round tells apart, codes: all pairs (disentangling), or
    all classes at once (INLP). A classifier that is at chance adds no direction in that round. At most ``most``
    rounds; with ``to_chance`` False just so many, and all directions are removed. ``columns_scaled_first``: in
    round 0 each column of the training rows, and of the held-out rows, is scaled to length one, as in the released
    code of Omrani Sabbaghi and Caliskan; the direction found is removed from the rows as they are.
    Raises ValueError where a class of a problem is missing from either set.
    """
    for problem in problems:
        for code in problem:
            for name, part in (("training", train), ("held-out", held_out)):
                if not np.any(part.labels == code):
                    raise ValueError(f"no {name} row is of class {code}; pass rows of every class")
    basis = np.zeros((train.rows.shape[1], 0))
    steps: list[Step] = []
    inner, outer = train, held_out
    while True:
        scaled = columns_scaled_first and not steps
        seen = (_unit_columns(inner), _unit_columns(outer)) if scaled else (inner, outer)
        rules = [_fitted(*seen, fit, problem, level) for problem in problems]
        steps.append(Step(basis.shape[1], tuple(fitted for _, fitted in rules)))
        if to_chance and steps[-1].at_chance:
            return IterativeRemoval(basis, tuple(steps), "chance")
        if len(steps) > most:
            return IterativeRemoval(basis, tuple(steps), "maximum")
        found = [directions for directions, fitted in rules if not (to_chance and fitted.held_out.at_chance)]
        new = orthonormal(np.concatenate(found), beside=basis)
        if new.shape[1] == 0 or basis.shape[1] + new.shape[1] >= len(basis):
            return IterativeRemoval(basis, tuple(steps), "exhausted")
        basis = np.column_stack([basis, new])
        inner, outer = (Labelled(p.rows - (p.rows @ new) @ new.T, p.labels) for p in (inner, outer))


def _fitted(
    train: Labelled, held_out: Labelled, fit: Fit, problem: tuple[int, ...], level: float
) -> tuple[Floats, Fitted]:
    inner, outer = train.only(problem), held_out.only(problem)
    rule = fit(inner.rows, inner.labels)
    learnt, told = (Accuracy.of(rule.predict(part.rows), part.labels, level) for part in (inner, outer))
    return rule.directions, Fitted(problem, learnt, told, rule.converged)


def _unit_columns(part: Labelled) -> Labelled:
    lengths = np.linalg.norm(part.rows, axis=0)
    return Labelled(part.rows / np.where(lengths == 0.0, 1.0, lengths), part.labels)


def padded_accuracy(correct: int, trials: int, rows: int = 6000) -> float:
    """The accuracy that Omrani Sabbaghi and Caliskan's released code prints from its second round on.

    It scored a matrix of ``rows`` rows of which ``trials`` were filled; on the empty ones, half of each class,
    any classifier is right half of the time. So the share printed is (correct + (rows - trials) / 2) / rows,
    nearer to one half than ``correct / trials``. Raises ValueError where trials exceed the rows.
    """
    if not 0 <= correct <= trials <= rows:
        raise ValueError(f"{correct} correct of {trials} in {rows} rows; pass correct <= trials <= rows")
    return (correct + (rows - trials) / 2.0) / rows

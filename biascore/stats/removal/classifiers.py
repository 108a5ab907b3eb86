"""Linear classifiers that say along which directions classes can be separated; scikit-learn fits them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biascore.stats._checks import Floats

Codes: TypeAlias = NDArray[np.intp]
Solver: TypeAlias = Literal["primal", "dual"]


@dataclass(frozen=True, slots=True, eq=False)
class LinearRule:
    """A fitted classifier: ``directions`` (m, d), one for two classes, and what it says of rows."""

    directions: Floats
    predict: Callable[[Floats], Codes]
    converged: bool


Fit: TypeAlias = Callable[[Floats, Codes], LinearRule]
"""Rows (n, d) and their classes (n,), at least two, to a classifier."""


def support_vectors(*, c: float = 10.0, solver: Solver = "primal", seed: int = 0) -> Fit:
    """The linear support vector classifier with squared hinge loss and an intercept, one class against the rest.

    Minimises |w|^2 / 2 + b^2 / 2 + c sum max(0, 1 - y (w x + b))^2, whose optimum is unique. ``primal``: solved
    until it converged (trust region Newton, tolerance 1e-10). ``dual``: coordinate descent, at most 1,000 sweeps,
    shuffled by ``seed``, the setting of Omrani Sabbaghi and Caliskan's code (which sets no seed): it seldom
    converges, and then another seed gives other directions.
    """

    def fit(rows: Floats, labels: Codes) -> LinearRule:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        if solver == "primal":
            classifier = LinearSVC(C=c, dual=False, tol=1e-10, max_iter=10_000)
        else:
            classifier = LinearSVC(C=c, dual=True, max_iter=1000, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # told by `converged`
            classifier.fit(rows, labels)
        converged = bool(classifier.n_iter_ < classifier.max_iter)
        return LinearRule(classifier.coef_, classifier.predict, converged)

    return fit


def linear_discriminant() -> Fit:
    """Fisher's linear discriminant with equal prior probabilities, through singular values.

    Directions without variance within the classes, such as those removed before, are left out.
    """

    def fit(rows: Floats, labels: Codes) -> LinearRule:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        count = len(np.unique(labels))
        classifier = LinearDiscriminantAnalysis(solver="svd", priors=np.full(count, 1.0 / count))
        classifier.fit(rows, labels)
        return LinearRule(classifier.coef_, classifier.predict, True)

    return fit

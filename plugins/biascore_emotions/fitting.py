"""Heads and tf-idf fitted with scikit-learn, which is imported when something is fitted."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from biascore.api.support import either
from biascore.errors import DataError, OptionsError
from biascore_emotions.features import Floats, Matrix, TfIdf
from biascore_emotions.heads import DEGREE, Head, Kernel, Linear, Perceptron, SupportVectors

HeadKind: TypeAlias = Literal["ridge", "svr", "mlp"]
MAX_ITERATIONS: Final = 500
LARGEST: Final = {"C": 1e4, "gamma": 1e6, "epsilon": 1.0, "alphas": 1e12, "alpha": 1e12, "hidden": 1e4}
"""Of each option. The time of a support vector regression increases with C; scores go from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Ridge:
    """Ridge regression; of several ``alphas`` the best by leave-one-out squared error (RidgeCV)."""

    alphas: tuple[float, ...] = tuple(float(f"{10.0**power:.3g}") for power in np.arange(-1, 5.5, 0.5))


@dataclass(frozen=True, slots=True)
class Svr:
    """Support vector regression; of several combinations the best by R² on the dev rows, then fitted on train and dev.

    ``gamma`` 0 means scikit-learn's "scale", 1 / (features x variance). ``epsilon``: 0.1, as scikit-learn has it.
    """

    C: tuple[float, ...] = (0.1,)
    gamma: tuple[float, ...] = (0.0,)
    kernel: tuple[Kernel, ...] = ("rbf",)
    epsilon: float = 0.1

    @property
    def combinations(self) -> int:
        """How many there are to choose from."""
        return len(self.C) * len(self.gamma) * len(self.kernel)


PAPER_GRID: Final = Svr(
    C=(0.1, 1.0, 10.0, 100.0), gamma=(1.0, 0.1, 0.01, 0.001), kernel=("rbf", "poly", "sigmoid")
)
"""The value of Câmara et al. 2022 for tf-idf."""


@dataclass(frozen=True, slots=True)
class Mlp:
    """A perceptron with one hidden layer, fitted by Adam; ``alpha`` is the weight of its squared weights."""

    hidden: int = 128
    alpha: float = 10.0


HeadSettings: TypeAlias = Ridge | Svr | Mlp


@dataclass(frozen=True, slots=True)
class Fitted:
    """A head, the parameters it was fitted with, and what there is to warn of."""

    head: Head
    parameters: Mapping[str, Any]
    warnings: tuple[str, ...] = ()


def settings_of(kind: str, options: Mapping[str, Any], *, tfidf: bool) -> HeadSettings:
    """The settings of a head from options by name, a number or several; raises OptionsError."""
    kinds: dict[str, HeadSettings] = {"ridge": Ridge(), "svr": PAPER_GRID if tfidf else Svr(), "mlp": Mlp()}
    if kind not in kinds:
        raise OptionsError(f"head={kind!r} is none of: {', '.join(kinds)}. Choose one of them")
    if kind == "mlp" and tfidf:
        raise OptionsError(
            "a perceptron is not trained on tf-idf. "
            f"Choose {either('--head', 'head')} svr or ridge, or name an encoder{either(': --model REF', '')}"
        )
    values = asdict(kinds[kind])
    for name, given in options.items():
        if name not in values:
            raise OptionsError(
                f"a head {kind} has no option {name!r}; it has: {', '.join(values)}. Choose one of them"
            )
        values[name] = _value(kind, name, given, values[name])
    made: HeadSettings = type(kinds[kind])(**values)
    return made


def _value(kind: str, name: str, given: object, default: object) -> object:
    several = isinstance(default, tuple)
    found = tuple(given) if several and isinstance(given, list | tuple) else (given,)
    if name == "kernel":
        if not found or not set(found) <= {"rbf", "poly", "sigmoid", "linear"}:
            raise OptionsError(
                f"kernel={given!r} is none of: rbf, poly, sigmoid, linear. Choose among them, such as: -o 'kernel=[\"rbf\"]'"
            )
        return found
    numbers = [one for one in found if isinstance(one, int | float) and not isinstance(one, bool)]
    least_is_fine = name in ("gamma", "epsilon")
    largest = LARGEST[name]
    if (
        not found
        or len(numbers) < len(found)
        or any(not 0 <= one <= largest or (one == 0 and not least_is_fine) for one in numbers)
    ):
        raise OptionsError(
            f"{name}={given!r} is no number above 0, at most {largest:,.0f}, for a head "
            f"{kind}{', nor a list of such' if several else ''}. Write, for example: -o {name}={'[0.1,1]' if several else 1}"
        )
    if name == "hidden":
        if numbers[0] != int(numbers[0]):
            raise OptionsError(f"hidden={given!r} is no whole number. Write, for example: -o hidden=128")
        return int(numbers[0])
    return tuple(map(float, numbers)) if several else float(numbers[0])


def fit_tfidf(texts: Sequence[str], *, longest: int = 2, least: int = 2, most: int = 200_000) -> TfIdf:
    """Terms that are in at least ``least`` of the texts, the ``most`` frequent ones; raises DataError without any."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    fitted = TfidfVectorizer(ngram_range=(1, longest), min_df=least, max_features=most)
    try:
        fitted.fit(texts)
    except ValueError as error:
        raise DataError(
            f"no word is in {least} of the {len(texts)} training texts, so tf-idf has no features. Give "
            f"more texts, or name an encoder{either(': --model REF', '')}"
        ) from error
    return TfIdf(
        tuple(map(str, fitted.get_feature_names_out())), np.asarray(fitted.idf_, dtype=np.float64), longest
    )


def fit_head(
    settings: HeadSettings, train: Matrix, scores: Floats, dev: Matrix, dev_scores: Floats, seed: int
) -> Fitted:
    """A head fitted on train and dev rows together, features of shape (n, d) and (m, d); the dev rows choose before.

    Only a perceptron has anything random, by ``seed``.
    """
    both = np.concatenate([scores, dev_scores])
    rows = _stacked(train, dev)
    match settings:
        case Ridge():
            return _ridge(settings, rows, both)
        case Svr():
            return _svr(settings, rows, both, len(dev_scores))
        case Mlp():
            return _mlp(settings, rows, both, seed)


def _stacked(one: Matrix, other: Matrix) -> Matrix:
    from scipy import sparse

    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.vstack([one, other])
    return sparse.csr_matrix(sparse.vstack([sparse.csr_matrix(one), sparse.csr_matrix(other)]))


def _ridge(settings: Ridge, rows: Matrix, scores: Floats) -> Fitted:
    from sklearn.linear_model import RidgeCV

    fitted = RidgeCV(alphas=list(settings.alphas)).fit(rows, scores)  # it writes into a list of one
    alpha = float(fitted.alpha_)
    edges = {min(settings.alphas), max(settings.alphas)}
    warning = f"the best alpha of the ridge, {alpha:g}, is at the end of those tried"
    told = (warning,) if len(settings.alphas) > 1 and alpha in edges else ()
    head = Linear(np.asarray(fitted.coef_, dtype=np.float64), float(fitted.intercept_))
    return Fitted(head, {"alpha": alpha}, told)


def _svr(settings: Svr, rows: Matrix, scores: Floats, dev: int) -> Fitted:
    from scipy import sparse
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.svm import SVR

    # Computed here, since scikit-learn keeps the number to itself.
    gammas = [gamma or _scale(rows) for gamma in settings.gamma]
    chosen: dict[str, Any] = {"C": settings.C[0], "gamma": gammas[0], "kernel": settings.kernel[0]}
    told: dict[str, Any] = {}
    base = SVR(degree=DEGREE, coef0=0.0, epsilon=settings.epsilon, **chosen)
    if settings.combinations > 1:
        parts = PredefinedSplit(np.repeat([-1, 0], [len(scores) - dev, dev]))
        grid: dict[str, Any] = {"C": list(settings.C), "gamma": gammas, "kernel": list(settings.kernel)}
        search = GridSearchCV(base, grid, cv=parts, scoring="r2").fit(rows, scores)
        base, chosen = search.best_estimator_, dict(search.best_params_)
        told = {"dev R2": float(search.best_score_), "of combinations": settings.combinations}
    else:
        base.fit(rows, scores)
    if not len(base.support_):
        raise DataError(
            f"the scores go from {scores.min():g} to {scores.max():g} once the range is mapped onto 0 to 1, and differ "
            f"too little for epsilon = {settings.epsilon:g}: a support vector regression learns nothing. State the range of "
            f"the scores with {either('--range', 'bounds')}, or give a smaller epsilon, such as epsilon=0.01"
        )
    dual = base.dual_coef_
    coefficients = np.asarray(dual if isinstance(dual, np.ndarray) else dual.toarray(), dtype=np.float64)[0]
    vectors = base.support_vectors_
    held = vectors if isinstance(vectors, np.ndarray) else sparse.csr_matrix(vectors)
    head = SupportVectors(
        held, coefficients, float(base.intercept_[0]), chosen["kernel"], float(chosen["gamma"])
    )
    return Fitted(head, {**chosen, "epsilon": settings.epsilon, **told})


def _scale(rows: Matrix) -> float:
    """scikit-learn's gamma="scale"."""
    squares = rows**2 if isinstance(rows, np.ndarray) else rows.multiply(rows)
    variance = float(squares.mean() - rows.mean() ** 2)
    return 1.0 / (rows.shape[1] * variance) if variance else 1.0


def _mlp(settings: Mlp, rows: Matrix, scores: Floats, seed: int) -> Fitted:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPRegressor

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        fitted = MLPRegressor(
            hidden_layer_sizes=(settings.hidden,),
            alpha=settings.alpha,
            max_iter=MAX_ITERATIONS,
            random_state=seed,
        ).fit(rows, scores)
    for one in caught:
        if not issubclass(one.category, ConvergenceWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    stopped = any(issubclass(one.category, ConvergenceWarning) for one in caught)
    told = (
        (f"the perceptron of seed {seed} was still learning after {MAX_ITERATIONS} rounds",)
        if stopped
        else ()
    )
    head = Perceptron(tuple(fitted.coefs_), tuple(fitted.intercepts_))
    return Fitted(head, {**asdict(settings), "iterations": int(fitted.n_iter_)}, told)

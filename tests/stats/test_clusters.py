"""Least squares clustered by one variable: CR2 written out with dense matrices, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from biascore.stats import RegressionError, TTest, ols
from biascore.stats.design import treatment

CHANGE = {"race": ("b", "a")}
Floats = npt.NDArray[np.float64]


def table(names: int = 12, frames: int = 7) -> dict[str, Any]:
    """Names of two races and genders in frames, some rows missing."""
    rng = np.random.default_rng(41)
    name, frame = np.repeat(np.arange(names), frames), np.tile(np.arange(frames), names)
    kept = rng.random(name.size) > 0.15
    name, frame = name[kept], frame[kept]
    return {
        "factors": {"race": np.where(name % 2, "b", "a"), "gender": np.where(name // 2 % 2, "f", "m")},
        "name": name,
        "frame": frame,
        "score": rng.normal(size=name.size) + rng.normal(size=names)[name] + 0.3 * frame,
    }


def dense(score: Floats, x: Floats, name: npt.NDArray[Any], contrast: Floats) -> tuple[float, float]:
    """Standard error and degrees of freedom as Pustejovsky and Tipton 2018 define them, with all n x n matrices."""
    bread = np.linalg.inv(x.T @ x)
    left = np.eye(len(x)) - x @ bread @ x.T
    residuals, variance, vectors = left @ score, 0.0, []
    for one in np.unique(name):
        own = np.flatnonzero(name == one)
        values, axes = np.linalg.eigh(left[np.ix_(own, own)])
        weights = (axes / np.sqrt(values)) @ axes.T @ x[own] @ bread @ contrast
        variance += float(weights @ residuals[own]) ** 2
        vectors.append(left[:, own] @ weights)
    form = np.array(vectors) @ np.array(vectors).T
    return variance**0.5, float(np.trace(form) ** 2 / np.sum(form**2))


@pytest.mark.parametrize("whole", [500, 0])
@pytest.mark.parametrize("absorbed", [False, True])
def test_errors_and_degrees_of_freedom_are_those_of_cr2(
    monkeypatch: pytest.MonkeyPatch, absorbed: bool, whole: int
) -> None:
    """Of few rows as of many, those of which are alike being one; all clusters at once, and one by one."""
    monkeypatch.setattr(ols, "_WHOLE", whole)
    monkeypatch.setattr(ols, "_FORM", 1000 * whole)
    of = table()
    design = treatment(of["factors"])  # no interaction: an effect is its coefficient
    fit = ols.fit(of["score"], design, absorb={"frame": of["frame"]} if absorbed else None)
    x = design.matrix
    if absorbed:
        x = np.column_stack([x[:, 1:], np.eye(7)[of["frame"]]])
    contrast = np.eye(x.shape[1])[0 if absorbed else 1]
    found: TTest = fit.clustered(of["name"]).marginal_effect(CHANGE)
    se, df = dense(of["score"], x, of["name"], contrast)
    assert (found.se, found.df) == (pytest.approx(se, rel=1e-9), pytest.approx(df, rel=1e-9))
    assert found.estimate == fit.marginal_effect(CHANGE).estimate


@pytest.mark.parametrize("again", [False, True])
def test_many_rows_of_a_name_that_are_alike_are_one(monkeypatch: pytest.MonkeyPatch, again: bool) -> None:
    """The blocks of the names are in the cube of their rows, and 2,500 for each of 400 names had no end."""
    of = table(names=8, frames=300)
    frame = np.where(of["frame"] == 299, 0, of["frame"]) if again else of["frame"]  # a name twice in a frame
    fit = ols.fit(of["score"], treatment(of["factors"], order=2), absorb={"frame": frame})
    sizes: list[int] = []
    decomposed = ols._halved

    def watched(x: Floats, *rest: Floats) -> tuple[Floats, Floats]:
        sizes.append(len(x))
        return decomposed(x, *rest)

    monkeypatch.setattr(ols, "_halved", watched)
    changes = {"race": ("b", "a")}, {"race": ("b", "a"), "gender": ("f", "m")}
    few = [fit.clustered(of["name"]).marginal_effect(change) for change in changes]
    assert (max(sizes) > 200) == again, "rows of one frame depend on each other, so that they are no one row"
    monkeypatch.setattr(ols, "_WHOLE", 1000)
    for change, found in zip(changes, few, strict=True):
        whole = fit.clustered(of["name"]).marginal_effect(change)
        assert (found.se, found.df) == pytest.approx((whole.se, whole.df), rel=1e-12)
        assert found.estimate == whole.estimate


def test_two_samples_of_names_are_welchs_t_test() -> None:
    """Of balanced names each group's mean is of its names alone, so that CR2 is Welch's error of the names' means."""
    rng = np.random.default_rng(3)
    name = np.repeat(np.arange(9), 5)
    race = np.where(name < 4, "a", "b")
    score = rng.normal(size=45) + rng.normal(size=9)[name]
    found = ols.fit(score, treatment({"race": race})).clustered(name).marginal_effect(CHANGE)
    means = score.reshape(9, 5).mean(axis=1)
    a, b = (part.var(ddof=1) / part.size for part in (means[:4], means[4:]))
    assert found.se == pytest.approx((a + b) ** 0.5)
    assert found.df < 7


def test_names_that_differ_in_nothing_have_no_error() -> None:
    of = table()
    frame, race = of["frame"], of["factors"]["race"] == "b"
    balanced = np.tile(np.arange(7), 12)
    names, b = np.repeat(np.arange(12), 7), np.repeat(np.arange(12) % 2, 7)
    found = ols.fit(balanced**2 + 0.5 * b, treatment({"race": np.where(b, "b", "a")})).clustered(names)
    assert found.marginal_effect(CHANGE).se == 0
    assert (
        ols.fit(frame**2 + 0.5 * race, treatment({"race": of["factors"]["race"]}))
        .clustered(of["name"])
        .marginal_effect(CHANGE)
        .se
        > 0
    )


def test_what_cannot_be_clustered_is_refused() -> None:
    of = table()
    fit = ols.fit(of["score"], treatment(of["factors"]))
    with pytest.raises(RegressionError, match="all rows are of one cluster"):
        fit.clustered(np.zeros(fit.n))
    with pytest.raises(RegressionError, match="clusters has 3 labels"):
        fit.clustered(["a", "b", "c"])
    lone = np.where(of["factors"]["race"] == "b", "only", of["name"].astype(str))
    with pytest.raises(RegressionError, match="one cluster alone determines this effect"):
        ols.fit(of["score"], treatment({"race": of["factors"]["race"]})).clustered(lone).marginal_effect(
            CHANGE
        )

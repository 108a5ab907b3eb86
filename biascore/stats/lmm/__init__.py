"""Weighted linear mixed models with crossed random intercepts, by REML, from cross-products; and with random slopes.

    design = lmm.treatment({"gender": genders}, levels={"gender": ("female", "male", "neo")})
    fit = lmm.fit(scores, design, groups={"template": templates, "word": words}, weights=1 / perplexities)
    fit.coefficients["gender: male"]                         # estimate, se, df, t, p_value, low, high
    fit.test(design.difference("gender", "male", "neo"))     # a contrast
    fit.joint("gender")                                      # F test of the term
    fit.r2().part["gender"], fit.r2("mean-variance").marginal
    drawn = fit.bootstrap(resamples=1000, rng=rng)
    drawn.interval({"gender: male": 1}), drawn.r2().part["gender"]

`fit` says which model is fitted, `ResidualVariance` what R^2 means where rows have weights, `Fit.bootstrap` what
the two kinds of bootstrap draw. `fit_slopes` fits scores ~ design + (design | unit), the slopes random as well.
"""

from biascore.stats.design import Contrast, Design, treatment
from biascore.stats.lmm.bootstrap import Bootstrap, Kind
from biascore.stats.lmm.inference import FTest
from biascore.stats.lmm.model import FEW_LEVELS, SINGULAR, Fit, fit
from biascore.stats.lmm.r2 import ResidualVariance, RSquared
from biascore.stats.lmm.slopes import Slopes, UnitFits, fit_slopes, unit_fits
from biascore.stats.wald import TTest

__all__ = [
    "FEW_LEVELS",
    "SINGULAR",
    "Bootstrap",
    "Contrast",
    "Design",
    "FTest",
    "Fit",
    "Kind",
    "RSquared",
    "ResidualVariance",
    "Slopes",
    "TTest",
    "UnitFits",
    "fit",
    "fit_slopes",
    "treatment",
    "unit_fits",
]

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

from biascore.stats.design import Contrast as Contrast
from biascore.stats.design import Design as Design
from biascore.stats.design import treatment as treatment
from biascore.stats.lmm.bootstrap import Bootstrap as Bootstrap
from biascore.stats.lmm.bootstrap import Kind as Kind
from biascore.stats.lmm.inference import FTest as FTest
from biascore.stats.lmm.model import FEW_LEVELS as FEW_LEVELS
from biascore.stats.lmm.model import SINGULAR as SINGULAR
from biascore.stats.lmm.model import Fit as Fit
from biascore.stats.lmm.model import fit as fit
from biascore.stats.lmm.r2 import ResidualVariance as ResidualVariance
from biascore.stats.lmm.r2 import RSquared as RSquared
from biascore.stats.lmm.slopes import Slopes as Slopes
from biascore.stats.lmm.slopes import UnitFits as UnitFits
from biascore.stats.lmm.slopes import fit_slopes as fit_slopes
from biascore.stats.lmm.slopes import unit_fits as unit_fits
from biascore.stats.wald import TTest as TTest

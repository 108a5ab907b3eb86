"""Beta regression of scores in (0, 1): logit link of the mean, one precision, maximum likelihood.

    design = treatment({"race": races, "gender": genders}, levels={"race": ("Anglo", "Latino"), …}, order=2)
    fit = beta.fit(scores, design)
    fit.coefficients["race: Latino × gender: female"]        # estimate (logit), se, df, t, p_value, low, high
    fit.marginal_effects()["race: Latino"]                   # the same in the unit of the scores
    fit.likelihood_ratio(beta.fit(scores, additive))

`fit` says which model is fitted and what is refused.
"""

from biascore.stats.beta.model import MANY_AT_ENDS, Fit, Information, LikelihoodRatio, fit

__all__ = ["MANY_AT_ENDS", "Fit", "Information", "LikelihoodRatio", "fit"]

"""Statistics on plain numpy arrays: no models, no words, no engine; every random step takes a Generator.

Regressions are modules of their own: `biascore.stats.lmm` (mixed models), `biascore.stats.beta` and `biascore.stats.ols`.
"""

from biascore.stats.association import ZeroVarianceError, association, cosine_matrix, effect_size
from biascore.stats.attainable import Attainable
from biascore.stats.bootstrap import Interval, bootstrap_effect, bootstrap_interval
from biascore.stats.design import Design, treatment
from biascore.stats.errors import RegressionError
from biascore.stats.inversion import effect_interval, shift_interval
from biascore.stats.multiple import Adjustment, adjust, benjamini_hochberg, holm
from biascore.stats.permutation import (
    PermutationTest,
    Tail,
    exact_cost,
    normal_approximation,
    permutation_test,
)
from biascore.stats.reach import Unreachable, too_few_for_negligible, with_reach, words_for_negligible
from biascore.stats.robust_mean import RobustMean, robust_mean
from biascore.stats.verdict import Decision, Verdict, can_show, decide
from biascore.stats.wald import TTest, stars

__all__ = [
    "Adjustment",
    "Attainable",
    "Decision",
    "Design",
    "Interval",
    "PermutationTest",
    "RegressionError",
    "RobustMean",
    "TTest",
    "Tail",
    "Unreachable",
    "Verdict",
    "ZeroVarianceError",
    "adjust",
    "association",
    "benjamini_hochberg",
    "bootstrap_effect",
    "bootstrap_interval",
    "can_show",
    "cosine_matrix",
    "decide",
    "effect_interval",
    "effect_size",
    "exact_cost",
    "holm",
    "normal_approximation",
    "permutation_test",
    "robust_mean",
    "shift_interval",
    "stars",
    "too_few_for_negligible",
    "treatment",
    "with_reach",
    "words_for_negligible",
]

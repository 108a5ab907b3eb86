"""Statistics on plain numpy arrays: no models, no words, no engine; every random step takes a Generator.

Regressions are modules of their own: `biascore.stats.lmm` (mixed models), `biascore.stats.beta` and `biascore.stats.ols`.
"""

from biascore.stats.association import ZeroVarianceError as ZeroVarianceError
from biascore.stats.association import association as association
from biascore.stats.association import cosine_matrix as cosine_matrix
from biascore.stats.association import effect_size as effect_size
from biascore.stats.attainable import Attainable as Attainable
from biascore.stats.bootstrap import Interval as Interval
from biascore.stats.bootstrap import bootstrap_effect as bootstrap_effect
from biascore.stats.bootstrap import bootstrap_interval as bootstrap_interval
from biascore.stats.design import Design as Design
from biascore.stats.design import treatment as treatment
from biascore.stats.errors import RegressionError as RegressionError
from biascore.stats.inversion import effect_interval as effect_interval
from biascore.stats.inversion import shift_interval as shift_interval
from biascore.stats.multiple import Adjustment as Adjustment
from biascore.stats.multiple import adjust as adjust
from biascore.stats.multiple import benjamini_hochberg as benjamini_hochberg
from biascore.stats.multiple import holm as holm
from biascore.stats.permutation import PermutationTest as PermutationTest
from biascore.stats.permutation import Tail as Tail
from biascore.stats.permutation import exact_cost as exact_cost
from biascore.stats.permutation import normal_approximation as normal_approximation
from biascore.stats.permutation import permutation_test as permutation_test
from biascore.stats.reach import Unreachable as Unreachable
from biascore.stats.reach import too_few_for_negligible as too_few_for_negligible
from biascore.stats.reach import with_reach as with_reach
from biascore.stats.reach import words_for_negligible as words_for_negligible
from biascore.stats.robust_mean import RobustMean as RobustMean
from biascore.stats.robust_mean import robust_mean as robust_mean
from biascore.stats.verdict import Decision as Decision
from biascore.stats.verdict import Verdict as Verdict
from biascore.stats.verdict import can_show as can_show
from biascore.stats.verdict import decide as decide
from biascore.stats.wald import TTest as TTest
from biascore.stats.wald import stars as stars

"""What linear removal rests on: directions found and removed from vectors, and what that costs. Arrays only."""

from biascore.stats.removal.classifiers import Codes, Fit, LinearRule, linear_discriminant, support_vectors
from biascore.stats.removal.damage import neighbours_kept, variance_removed
from biascore.stats.removal.hard import PairSubspace, equalised, neutralised, pair_subspace
from biascore.stats.removal.iterative import (
    Accuracy,
    Fitted,
    IterativeRemoval,
    Labelled,
    Step,
    iterative_removal,
    padded_accuracy,
)
from biascore.stats.removal.linear import LowRankMap, leace, one_hot, orthonormal, top_components, unit_rows

__all__ = [
    "Accuracy",
    "Codes",
    "Fit",
    "Fitted",
    "IterativeRemoval",
    "Labelled",
    "LinearRule",
    "LowRankMap",
    "PairSubspace",
    "Step",
    "equalised",
    "iterative_removal",
    "leace",
    "linear_discriminant",
    "neighbours_kept",
    "neutralised",
    "one_hot",
    "orthonormal",
    "padded_accuracy",
    "pair_subspace",
    "support_vectors",
    "top_components",
    "unit_rows",
    "variance_removed",
]

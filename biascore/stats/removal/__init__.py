"""What linear removal rests on: directions found and removed from vectors, and what that costs. Arrays only."""

from biascore.stats.removal.classifiers import Codes as Codes
from biascore.stats.removal.classifiers import Fit as Fit
from biascore.stats.removal.classifiers import LinearRule as LinearRule
from biascore.stats.removal.classifiers import linear_discriminant as linear_discriminant
from biascore.stats.removal.classifiers import support_vectors as support_vectors
from biascore.stats.removal.damage import neighbours_kept as neighbours_kept
from biascore.stats.removal.damage import variance_removed as variance_removed
from biascore.stats.removal.hard import PairSubspace as PairSubspace
from biascore.stats.removal.hard import equalised as equalised
from biascore.stats.removal.hard import neutralised as neutralised
from biascore.stats.removal.hard import pair_subspace as pair_subspace
from biascore.stats.removal.iterative import Accuracy as Accuracy
from biascore.stats.removal.iterative import Fitted as Fitted
from biascore.stats.removal.iterative import IterativeRemoval as IterativeRemoval
from biascore.stats.removal.iterative import Labelled as Labelled
from biascore.stats.removal.iterative import Step as Step
from biascore.stats.removal.iterative import iterative_removal as iterative_removal
from biascore.stats.removal.iterative import padded_accuracy as padded_accuracy
from biascore.stats.removal.linear import LowRankMap as LowRankMap
from biascore.stats.removal.linear import leace as leace
from biascore.stats.removal.linear import one_hot as one_hot
from biascore.stats.removal.linear import orthonormal as orthonormal
from biascore.stats.removal.linear import top_components as top_components
from biascore.stats.removal.linear import unit_rows as unit_rows

"""Two models, or two versions of one, on the same tests: what grew, what shrank, and what cannot be told."""

from biascore.comparing.comparison import Comparison, Difference, NotComparable, Outcome
from biascore.comparing.two_runs import compare

__all__ = ["Comparison", "Difference", "NotComparable", "Outcome", "compare"]

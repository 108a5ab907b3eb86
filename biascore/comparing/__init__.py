"""Two models, or two versions of one, on the same tests: what increased, what decreased, and what is inconclusive."""

from biascore.comparing.two_runs import compare
from biascore.results.comparison import Comparison, Difference, NotComparable, Outcome

__all__ = ["Comparison", "Difference", "NotComparable", "Outcome", "compare"]

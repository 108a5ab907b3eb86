"""Gates: what must hold of a run for it to pass, as an audit file or the command line states it."""

from biascore.gates.evaluating import evaluate
from biascore.gates.spec import Gate

__all__ = ["Gate", "evaluate"]

"""The part of a run that is about one model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biascore.models.usage import ModelUsed
    from biascore.results.run import Run


def by_model(run: Run) -> Iterator[tuple[ModelUsed, Run]]:
    """Each model that was measured and its part of the run, whose verdicts are those of the whole.

    p-values are adjusted over the measurements on one model, so that nothing changes. Models with a known bias are
    left out: they check the tests, and nobody publishes them.
    """
    for model in run.models:
        some = tuple(one for one in run.measurements if one.model == model.name)
        if some and model.control is None:
            failed = tuple(one for one in run.failed if one.model == model.name)
            yield model, run.model_copy(update={"measurements": some, "models": (model,), "failed": failed})

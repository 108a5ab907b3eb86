"""What a result says of the data it comes from."""

from __future__ import annotations

from collections.abc import Sequence

from biascore.api.metrics import Scalar, Test
from biascore_metrics.gest.kind import Sample, SamplesTest


def data_conventions(test: Test) -> dict[str, Scalar]:
    """The edition of a data file ("other" where it is none that is known) or the title of a test, and the digest."""
    version = test.version if isinstance(test, SamplesTest) else ""
    return {"data": version or test.title, "sha256 of the data": test.sha256}


def repeated_sentences(samples: Sequence[Sample]) -> int:
    """How many samples repeat the sentence of an earlier one, with another stereotype or the same."""
    return len(samples) - len({sample.sentence for sample in samples})

"""What a result says of the data it comes from."""

from __future__ import annotations

from collections.abc import Sequence

from biascore.plugins_api import Sample, SamplesTest, Scalar, Test


def data_conventions(test: Test) -> dict[str, Scalar]:
    """The edition of the data, where it is known, and their digest."""
    version = test.version if isinstance(test, SamplesTest) else ""
    return {"data": version or "other", "sha256 of the data": test.sha256}


def repeated_sentences(samples: Sequence[Sample]) -> int:
    """How many samples repeat the sentence of an earlier one, with another stereotype or the same."""
    return len(samples) - len({sample.sentence for sample in samples})

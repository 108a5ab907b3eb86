"""What somebody ships who needs a metric with a kind of test of its own, and a list to measure."""

from pathlib import Path

from biascore.api.kinds import hookimpl
from biascore_test_mac.kind import MacEntry
from biascore_test_mac.metric import Mac


@hookimpl
def register_metrics(register):
    """Provide ``mac``."""
    register(Mac)


@hookimpl
def register_kinds(register):
    """Provide tests of kind ``mac``."""
    register(MacEntry)


@hookimpl
def register_wordlists(register):
    """Provide ``en/mac``."""
    register(Path(__file__).parent / "en", "biascore-test-mac/en")

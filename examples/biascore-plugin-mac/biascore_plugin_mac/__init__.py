"""Mac for biascore: two metrics, a kind of test, and one test."""

from pathlib import Path

from biascore.api.metrics import hookimpl

from biascore_plugin_mac.kind import MacEntry
from biascore_plugin_mac.metric import Mac
from biascore_plugin_mac.nearness import Nearness

biascore_contract = 1


@hookimpl
def register_metrics(register):
    """Provide ``mac`` and ``nearness``."""
    register(Mac)
    register(Nearness)


@hookimpl
def register_kinds(register):
    """Provide tests of kind ``mac``."""
    register(MacEntry)


@hookimpl
def register_wordlists(register):
    """Provide ``en/mac``."""
    register(Path(__file__).parent / "en", "biascore_plugin_mac/en")

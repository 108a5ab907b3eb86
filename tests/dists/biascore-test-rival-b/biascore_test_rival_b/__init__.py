"""Claims the adapter, the metric and the test that another distribution claims too."""

from pathlib import Path

from biascore.api.adapters import Adapter
from biascore.api.metrics import Metric, hookimpl


class RivalAdapter(Adapter):
    """Claims ``rival:``."""

    id = "rival"
    summary = "claimed twice"
    example = "rival:"
    capabilities = frozenset({"embed"})

    def load(self, ref, options, context):
        """Never called."""
        raise NotImplementedError


class RivalMetric(Metric):
    """Claims ``rival-metric``."""

    name = "rival-metric"
    summary = "claimed twice"
    reference = "none"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})

    def measure(self, model, test, context):
        """Never called."""
        raise NotImplementedError


@hookimpl
def register_adapters(register):
    """Claim the adapter."""
    register(RivalAdapter)


@hookimpl
def register_metrics(register):
    """Claim the metric."""
    register(RivalMetric)


@hookimpl
def register_wordlists(register):
    """Claim the test ``tlh/rival``."""
    register(Path(__file__).parent / "tlh", "biascore-test-rival-b/tlh")

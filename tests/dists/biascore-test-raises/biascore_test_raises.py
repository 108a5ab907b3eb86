"""Registers one metric, then fails."""

from biascore.api.metrics import Metric, hookimpl


class Good(Metric):
    """Never used, because its plugin fails after it was registered."""

    name = "good-until-then"
    summary = "half of a plugin"
    reference = "none"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})

    def measure(self, model, test, context):
        """Never called."""
        raise NotImplementedError


@hookimpl
def register_metrics(register):
    """Fail half way."""
    register(Good)
    raise RuntimeError("the licence server is down")

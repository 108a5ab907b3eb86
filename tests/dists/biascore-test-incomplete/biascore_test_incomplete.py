"""Registers an adapter that does not say what it is."""

from biascore.api.adapters import Adapter, hookimpl


class IncompleteAdapter(Adapter):
    """No summary, no example; its capabilities are no frozenset."""

    id = "incomplete"
    capabilities = ("embed",)

    def load(self, ref, options, context):
        """Never called."""
        raise NotImplementedError


@hookimpl
def register_adapters(register):
    """Register it."""
    register(IncompleteAdapter)

"""Registers something that is no adapter."""

from biascore.api.metrics import hookimpl


@hookimpl
def register_adapters(register):
    """Register a dict."""
    register({"id": "foreign"})

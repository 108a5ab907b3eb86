"""Registers something that is no adapter."""

from biascore.plugins_api import hookimpl


@hookimpl
def register_adapters(register):
    """Register a dict."""
    register({"id": "foreign"})

"""Implements a hook that there is not."""

from biascore.plugins_api import hookimpl


@hookimpl
def register_adaptors(register):
    """Misspelt."""

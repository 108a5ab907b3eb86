"""Implements a hook that there is not."""

from biascore.api.metrics import hookimpl


@hookimpl
def register_adaptors(register):
    """Misspelt."""

"""Takes an argument that the hook does not have."""

from biascore.api.metrics import hookimpl


@hookimpl
def register_adapters(registrar):
    """The argument is called register."""

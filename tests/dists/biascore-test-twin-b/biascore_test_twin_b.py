"""Has the entry-point name that another distribution has too, and provides something else."""

from biascore.api.adapters import Adapter, hookimpl


class TwinAdapter(Adapter):
    """``twin-b:``."""

    id = "twin-b"
    summary = "one of two plugins of the same name"
    example = "twin-b:"
    capabilities = frozenset({"embed"})

    def load(self, ref, options, context):
        """Never called."""
        raise NotImplementedError


@hookimpl
def register_adapters(register):
    """Register it."""
    register(TwinAdapter)

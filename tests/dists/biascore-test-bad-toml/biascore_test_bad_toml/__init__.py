"""Ships one word list that is in order, one that is not, and an adapter."""

from pathlib import Path

from biascore.api.adapters import Adapter, hookimpl


class BesideAdapter(Adapter):
    """Stands beside the broken word list."""

    id = "beside-bad-toml"
    summary = "stands beside a broken word list"
    example = "beside-bad-toml:"
    capabilities = frozenset({"embed"})

    def load(self, ref, options, context):
        """Never called."""
        raise NotImplementedError


@hookimpl
def register_adapters(register):
    """Register the adapter."""
    register(BesideAdapter)


@hookimpl
def register_wordlists(register):
    """Register the folder."""
    register(Path(__file__).parent / "vo", "biascore-test-bad-toml/vo")

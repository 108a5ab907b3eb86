"""Github for biascore: a form of runs."""

from biascore.api.exporters import hookimpl

from biascore_plugin_github.exporter import GithubExporter

biascore_contract = 1


@hookimpl
def register_exporters(register):
    """Provide ``biascore report RUN --format github``."""
    register(GithubExporter)

"""How batches of queries reach the workers of a cluster."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.models.executor import Cluster as Cluster
    from biascore.models.executor import Executor as Executor
else:
    __getattr__, __dir__ = lazily(__name__)

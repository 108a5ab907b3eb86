"""An engine with all that this repository registers, its distributions of plugins included."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from biascore import Engine

from ..builders.plugin_dists import DISTRIBUTIONS, installed


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine with biascore and every distribution of ``plugins/``, which keeps nothing."""
    names = [source.name for source in DISTRIBUTIONS]
    with ExitStack() as stack:
        for source in DISTRIBUTIONS:
            stack.enter_context(installed(source, tmp_path_factory.mktemp(source.name)))
        return Engine(cache=None, require_plugins=names)

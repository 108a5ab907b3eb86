"""What a third party ships: a kind of model, a metric, a language and its word list."""

from collections.abc import Callable
from pathlib import Path

from biascore.api.adapters import Adapter
from biascore.api.languages import Language
from biascore.api.metrics import Metric, hookimpl
from biascore_test_stranger.adapter import StrangerAdapter
from biascore_test_stranger.metric import NearestRate


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Provide ``stranger:``."""
    register(StrangerAdapter)


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``nearest-rate``."""
    register(NearestRate)


@hookimpl
def register_languages(register: Callable[[Language], None]) -> None:
    """Provide Esperanto."""
    register(Language("eo", "Esperanto"))


@hookimpl
def register_wordlists(register: Callable[[Path, str], None]) -> None:
    """Provide ``eo/floroj``."""
    register(Path(__file__).parent / "words" / "eo", "biascore-test-stranger/eo")

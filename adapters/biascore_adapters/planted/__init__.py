"""``planted:`` a model whose bias is known because it is declared: the yardstick of every metric.

``planted:gender=0.5`` plants an effect of 0.5 in every test of the concept *gender*;
``planted:en/weat6=1,en/crows_own=0`` plants test by test. Nothing is trained or downloaded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Provide ``planted``."""
    from biascore_adapters.planted.adapter import PlantedAdapter

    register(PlantedAdapter)

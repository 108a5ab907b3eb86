"""Translation services: ``deepl:``, ``google-translate:``, ``amazon-translate:``, ``libretranslate:``, ``apertium:``.

Every call is one request within the service's limits, so that what was paid for is kept when a later
request fails. Importing this package imports none of the services' libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Register the translation services."""
    from biascore_adapters.mt.adapters import ADAPTERS

    for adapter in ADAPTERS:
        register(adapter)

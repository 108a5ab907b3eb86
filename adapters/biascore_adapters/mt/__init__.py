"""Translation services: ``deepl:``, ``google-translate:``, ``amazon-translate:``, ``libretranslate:``, ``apertium:``.

Every call is one request within the service's limits, so that what was paid for is kept when a later
request fails. Importing this package imports none of the services' libraries.
"""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import Adapter, hookimpl
from biascore_adapters.mt.adapters import ADAPTERS


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Register the translation services."""
    for adapter in ADAPTERS:
        register(adapter)

"""The names of all modules of ``biascore.api``, as they were given out before; this module goes in biascore 0.2."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from biascore.basics import renamed

if TYPE_CHECKING:
    from biascore.api.adapters import *  # noqa: F403
    from biascore.api.exporters import *  # noqa: F403
    from biascore.api.figures import *  # noqa: F403
    from biascore.api.formats import *  # noqa: F403
    from biascore.api.kinds import *  # noqa: F403
    from biascore.api.languages import *  # noqa: F403
    from biascore.api.metrics import *  # noqa: F403
    from biascore.api.queries import *  # noqa: F403
    from biascore.api.stimuli import *  # noqa: F403
    from biascore.api.support import *  # noqa: F403
    from biascore.api.transforms import *  # noqa: F403
else:
    _MODULES = [
        import_module(f"biascore.api.{name}")
        for name in (
            "adapters",
            "metrics",
            "queries",
            "stimuli",
            "kinds",
            "formats",
            "transforms",
            "languages",
            "exporters",
            "figures",
            "support",
        )
    ]

    def __getattr__(name: str) -> Any:
        for module in _MODULES:
            if name in module.__all__:
                renamed.warn(f"biascore.plugins_api.{name}", f"{module.__name__}.{name}")
                return getattr(module, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)

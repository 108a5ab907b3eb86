"""What commands work with: an engine, or plugins alone; each reports once what is installed and not whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biascore.plugins.loading import Plugins
from biascore.terminal.console import say, stderr

if TYPE_CHECKING:
    from biascore.engine.engine import Engine


def engine(**arguments: Any) -> Engine:
    """An engine for a command, with the arguments of Engine."""
    from biascore.engine.engine import Engine  # lists are read without it

    made = Engine(**arguments)
    made.plugins.adapters.items()  # names those that cannot be loaded
    warn_unloaded(made.plugins)
    return made


def plugins() -> Plugins:
    """What plugins bring, for a command that measures nothing."""
    made = Plugins()
    warn_unloaded(made)
    return made


def warn_unloaded(plugins: Plugins) -> None:
    """One line on standard error for each plugin that is installed and not whole, for what it brings may be missed."""
    for record in plugins.installed:
        if record.status in ("failed", "conflict"):
            state = "not loaded" if record.status == "failed" else "not whole"
            why = " ".join(record.reason.split())[:300]
            say(f"the {record.shown} is {state}: {why}. See: biascore plugins", to=stderr)

"""What is known of an entry point before it is loaded: whose it is, whether it may be loaded, and for how long."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from importlib import metadata
from typing import Final

from biascore.basics.guard import DISABLE_VARIABLE
from biascore.errors import OptionsError
from biascore.hookspecs import CONTRACT, OLDEST
from biascore.plugins.registry import PluginRecord

IMPORT_VARIABLE: Final = "BIASCORE_IMPORT_SECONDS"
IMPORT_SECONDS: Final = 60.0
_NAMELESS: Final = ("unknown", "0")
ALLOW_VARIABLE: Final = "BIASCORE_LOAD_PLUGINS"


def import_limit() -> float | None:
    """Seconds that a plugin may take to be loaded, from the environment; None for no limit.

    Raises OptionsError for what is no such number.
    """
    text = os.environ.get(IMPORT_VARIABLE, "")
    try:
        seconds = float(text or IMPORT_SECONDS)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise OptionsError(
            f"{IMPORT_VARIABLE} is {text!r}. Set it to a number of seconds, such as 120, or to 0 for no limit"
        )
    return seconds or None


def check_contract(stated: object) -> None:
    """Raise ValueError where a plugin states a later contract than this biascore keeps, or none; None is not stated."""
    if stated is None:
        return
    if type(stated) is not int or stated < 1:
        raise ValueError(
            f"states biascore_contract = {stated!r}, which is no number of a contract. The latest is {CONTRACT}"
        )
    if stated > CONTRACT:
        raise ValueError(
            f"was written for contract {stated} of biascore, and this biascore keeps contract {CONTRACT}. Upgrade "
            "biascore: pip install -U biascore"
        )
    if stated < OLDEST:
        raise ValueError(
            f"was written for contract {stated} of biascore, and this biascore keeps contracts from {OLDEST}. Upgrade "
            "the plugin"
        )


def plugin_name(group: str, name: str) -> str:
    """What the plugin of an entry point is called: ``metric-weat``; of one with hooks as the entry point is."""
    kind = group if group == "wordlists" else group.removesuffix("s")
    return f"{kind}-{name}" if kind else name


def dist_of(point: metadata.EntryPoint) -> tuple[str, str]:
    """Name and version of the distribution of an entry point."""
    return _name_and_version(point.dist) if point.dist is not None else _NAMELESS


@lru_cache(maxsize=128)  # by identity: all entry points of a distribution share one, and it is slow to read
def _name_and_version(dist: metadata.Distribution) -> tuple[str, str]:
    # An installation that was interrupted may have left its entry points and no name.
    try:
        fields = dist.metadata  # parsed anew each time
    except (
        FileNotFoundError
    ):  # so says the backport importlib_metadata, whose finder is asked where it is imported
        return _NAMELESS
    (name, *_), (version, *_) = (
        fields.get_all(field) or [unknown]
        for field, unknown in zip(("Name", "Version"), _NAMELESS, strict=True)
    )
    return name, version


def _names(variable: str) -> set[str] | None:
    text = os.environ.get(variable)
    return None if text is None else {comparable(name) for name in re.split(r"[,\s]+", text) if name}


@lru_cache(maxsize=512)  # asked of every entry point by every engine
def comparable(name: str) -> str:
    """The name as packages are compared: ``Foo_Bar`` is ``foo-bar``. Source: the specification of PyPI's names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def why_blocked(record: PluginRecord, group: str) -> str:
    """Why the user's environment keeps a plugin from being loaded, or an empty string.

    It is named by its own name, that of its distribution, or that of its group, such as ``transforms``.
    """
    mine = {comparable(record.name), comparable(record.dist), group}
    if mine & (_names(DISABLE_VARIABLE) or set()):
        return f"disabled by {DISABLE_VARIABLE}"
    allowed = _names(ALLOW_VARIABLE)
    if allowed is not None and not mine & allowed:
        return f"not in the allow list {ALLOW_VARIABLE}"
    return ""

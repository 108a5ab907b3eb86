"""Entry points of biascore's own distribution, for tests with a few of its plugins: reading all takes a while."""

from __future__ import annotations

from importlib import metadata

from biascore.plugins.points import plugin_name

GROUP = "biascore"


def every() -> list[metadata.EntryPoint]:
    """The entry points of all plugins that are installed."""
    found = metadata.entry_points()
    return [point for group in found.groups if group.startswith(GROUP) for point in found.select(group=group)]


def name_of(point: metadata.EntryPoint) -> str:
    """What its plugin is called."""
    return plugin_name(point.group.removeprefix(GROUP).removeprefix("."), point.name)


def own(*wanted: str) -> list[metadata.EntryPoint]:
    """Those of biascore that are called so, ``metric-weat``, or are in a group of this name, ``kinds``."""
    mine = [one for one in metadata.distribution("biascore").entry_points if one.group.startswith(GROUP)]
    found = [one for one in mine if {name_of(one), one.group.removeprefix(f"{GROUP}.")} & {*wanted}]
    assert found or not wanted, wanted
    return found


FIRST_PARTY = {
    name_of(point)
    for point in metadata.distribution("biascore").entry_points
    if point.group.startswith(GROUP)
}

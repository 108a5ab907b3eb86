"""Mappings by name, as plugins bring them, or by path; and what a run offers to one."""

from __future__ import annotations

from pathlib import Path

from biascore.audits.evaluating_mappings import offered
from biascore.files.paths import user_path
from biascore.mapping import Mapping
from biascore.plugins.loading import Plugins
from biascore.results.mappings import MappingUsed
from biascore.results.run import Run


def is_file(name: str) -> bool:
    """Whether a mapping is named by its file."""
    return name.endswith(".toml")


def mapping_named(plugins: Plugins, name: str, folder: Path) -> tuple[Mapping, str]:
    """A mapping of a plugin by name, or of a TOML file by its path relative to ``folder``; and whose it is.

    Raises UnknownNameError with the names there are, StimuliError for a file that is no mapping.
    """
    if is_file(name):
        path = folder / user_path(name)
        return Mapping.read(path), f"the file {path.name}"
    found, owner = plugins.mappings.get(name), plugins.mappings.owner(name)
    return found, f"{owner.dist} {owner.version}"


def mapping_used(plugins: Plugins, name: str, folder: Path, run: Run) -> MappingUsed:
    """A mapping as a run records it, with what the run offers to its items."""
    one, dist = mapping_named(plugins, name, folder)
    return MappingUsed(
        name=one.name,
        title=one.title,
        version=one.version,
        sha256=one.sha256,
        source=one.source,
        dist=dist,
        items=offered(one, run),
    )

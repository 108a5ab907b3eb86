"""Where, when and with what a run was made, and the versions of the packages that computed its numbers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from types import MappingProxyType
from typing import Any, Final

from pydantic import Field

from biascore.basics.frozen import Frozen, FrozenMap

ALWAYS: Final = ("numpy", "scipy")
"""Recorded whether or not this run had to import them."""
WHERE_LOADED: Final = (
    *("fasttext", "onnxruntime", "safetensors", "sentence_transformers", "sentencepiece"),
    *("tokenizers", "torch", "transformers"),
)
"""What adapters import; another version of it may move the last decimals."""
_OF_AN_EXTRA: Final = re.compile(r"""; *extra *== *["'][^"']*["'] *$""")
_VERSION: Final = re.compile(r"^Version:[ \t]*(.*?)[ \t]*$", re.I | re.M)
_REQUIRES: Final = re.compile(r"^Requires-Dist:[ \t]*(.*?)[ \t]*$", re.I | re.M)
_NO_NAME: Final = re.compile(r"[^\w.-]")


class PluginUsed(Frozen):
    """A loaded plugin by entry-point name, distribution and version."""

    name: str
    dist: str
    version: str


class Provenance(Frozen):
    """Where and when: versions, seed, seconds since the epoch, and the audit as it was given.

    ``packages``: the versions of the packages that compute the numbers, as far as they were loaded. ``required``: of what
    biascore, its plugins and these packages require; empty in runs stored before these were kept. ``harmless_seconds``: what
    harmless audits took after all was measured.
    """

    biascore_version: str
    python_version: str
    packages: FrozenMap[str] = Field(default_factory=dict)
    required: FrozenMap[str] = Field(default_factory=dict)
    platform: str
    started: float
    finished: float
    harmless_seconds: float = Field(default=0.0, ge=0)
    seed: int
    audit: FrozenMap[Any]
    plugins: tuple[PluginUsed, ...]


def computing(elsewhere: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """Package to version, of those that always compute and those that were loaded in this process, or ``elsewhere``."""
    loaded = {name: metadata.version(name) for name in ALWAYS} | {
        name: getattr(sys.modules.get(name), "__version__", None) for name in WHERE_LOADED
    }
    loaded |= elsewhere
    return {name: str(version) for name, version in loaded.items() if version is not None}


def required(names: Iterable[str]) -> dict[str, str]:
    """The installed versions of these distributions and of all that they require."""
    found: dict[str, str] = {}
    waiting = sorted(names)
    while waiting:
        name = re.sub(
            r"[-_.]+", "-", waiting.pop()
        ).lower()  # as packaging.utils does, which is slow to import
        if name in found:
            continue
        try:
            found[name], needs = _installed(name)
        except metadata.PackageNotFoundError:
            continue
        waiting += needs
    return found


@cache  # reading the metadata of a hundred distributions took a third of a second a run
def _installed(name: str) -> tuple[str, tuple[str, ...]]:
    """A distribution's version and the names that it requires; raises PackageNotFoundError."""
    dist = metadata.distribution(name)
    text = dist.read_text("METADATA")
    if text is None:  # an old form of installation
        version, lines = dist.version, dist.requires or ()
    else:  # without the description, which is most of the file; the parser of letters takes as long as a WEAT
        fields = text.partition("\n\n")[0]
        version, lines = _VERSION.findall(fields)[0], _REQUIRES.findall(fields)
    needed = (line for line in lines if not _OF_AN_EXTRA.search(line) and _applies(line))
    return version, tuple(_NO_NAME.split(line.strip(), maxsplit=1)[0] for line in needed)


def _applies(line: str) -> bool:
    """Whether a distribution that states this requirement has it here."""
    if ";" not in line:
        return True
    from packaging.requirements import Requirement

    marker = Requirement(line).marker
    return marker is None or marker.evaluate({"extra": ""})


def software(provenance: Provenance) -> dict[str, str]:
    """Distribution to version, by name: biascore, its plugins, what computes, and all that these require.

    It follows from the run alone.
    """
    from packaging.utils import canonicalize_name

    recorded = {"biascore": provenance.biascore_version}
    recorded |= {plugin.dist: plugin.version for plugin in provenance.plugins}
    recorded |= dict(provenance.packages)
    found = dict(provenance.required)
    found |= {canonicalize_name(name): version for name, version in recorded.items()}
    return dict(sorted(found.items()))


def constraints(provenance: Provenance) -> str:
    """Lines for ``pip install -c``, of ``software``.

    A label such as ``+cpu`` is left out, because an index does not have it.
    """
    return "".join(f"{name}=={version.partition('+')[0]}\n" for name, version in software(provenance).items())
